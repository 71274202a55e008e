#include "lessons/14_moving_data/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace warpbook::lessons::moving {
namespace {

constexpr std::uint32_t threads = 256;

/// A chunk of the array: its arrays on the host and the device, and its stream.
struct Chunk {
  HostArray host;
  gpu::Buffer device;
  Stream stream;
};

Result<std::vector<Chunk>> set_up(Host& host, const Plan& plan, std::span<const float> values) {
  std::vector<Stream> streams(1);  // the default stream
  const std::uint32_t count = std::min(plan.streams, plan.chunks);
  if (count > 1) {
    streams.clear();
    for (std::uint32_t s = 0; s < count; ++s) streams.push_back(host.new_stream());
  }
  const HostMemory memory = plan.pinned ? HostMemory::pinned : HostMemory::pageable;
  std::vector<Chunk> chunks;
  for (std::uint32_t c = 0; c < plan.chunks; ++c) {
    const std::size_t first = std::size_t{plan.n} * c / plan.chunks, last = std::size_t{plan.n} * (c + 1) / plan.chunks;
    const std::string name = plan.chunks > 1 ? fmt::format("x{}", c) : "x";
    HostArray array = host.host_array<float>("h_" + name, values.subspan(first, last - first), memory);
    auto device = host.allocate({name, gpu::ScalarType::float32, {last - first}});
    if (!device) return failure(device.error());
    chunks.push_back({std::move(array), *device, streams[c % streams.size()]});
  }
  return chunks;
}

/// Makes the calls. A failed launch stops them.
class Calls {
 public:
  Calls(Host& host, const Plan& plan, std::vector<Chunk>& chunks, const gpu::Observe& observe)
      : host_(host), plan_(plan), chunks_(chunks), observe_(observe) {}

  Result<void> make() {
    for (std::uint32_t round = 0; round < plan_.launches; ++round) {
      const bool in = round == 0 || !plan_.kept, out = round + 1 == plan_.launches || !plan_.kept;
      if (plan_.by_kind) {
        for (const int kind : {0, 1, 2}) {
          for (Chunk& chunk : chunks_) {
            if (auto done = call(chunk, in && kind == 0, kind == 1, out && kind == 2); !done) return done;
          }
        }
      } else {
        for (Chunk& chunk : chunks_) {
          if (auto done = call(chunk, in, true, out); !done) return done;
        }
      }
      if (failed_) return {};
      if (out) host_.synchronize();  // the host needs the values now
    }
    return {};
  }
  gpu::LaunchReport& report() { return report_; }

 private:
  Result<void> call(Chunk& chunk, bool in, bool launch, bool out) {
    if (failed_) return {};
    if (in) {
      if (auto done = host_.copy_async(chunk.device, chunk.host, chunk.stream); !done) return done;
    }
    if (launch) {
      const auto count = static_cast<std::uint32_t>(chunk.device.array.count());
      LaunchOptions options{.schedule = gpu::Schedule::clock, .stream = chunk.stream};
      if (first_) options.observe = observe_;
      auto report = host_.launch("relax", {(count + threads - 1) / threads}, {threads},
                                 {chunk.device, gpu::Scalar::of(static_cast<std::int32_t>(count))}, options);
      if (!report) return failure(report.error());
      failed_ = !report->ok();
      if (first_ || failed_) report_ = std::move(*report);
      first_ = false;
    }
    if (out && !failed_) return host_.copy_async(chunk.host, chunk.device, chunk.stream);
    return {};
  }

  Host& host_;
  const Plan& plan_;
  std::vector<Chunk>& chunks_;
  const gpu::Observe& observe_;
  gpu::LaunchReport report_;
  bool first_ = true, failed_ = false;
};

/// The time during which at least `least` of the spans overlap.
double covered(const std::vector<std::pair<double, double>>& spans, int least) {
  std::vector<std::pair<double, int>> changes;
  for (const auto& [begin, end] : spans) {
    changes.emplace_back(begin, 1);
    changes.emplace_back(end, -1);
  }
  std::sort(changes.begin(), changes.end());
  double sum = 0, since = 0;
  int now = 0;
  for (const auto& [time, change] : changes) {
    if (now >= least) sum += time - since;
    since = time;
    now += change;
  }
  return sum;
}

}  // namespace

Times times_of(std::span<const HostCall> calls) {
  Times times;
  std::vector<std::pair<double, double>> copies, all;
  for (const HostCall& call : calls) {
    const bool in = call.kind == HostCall::Kind::copy_to_device, out = call.kind == HostCall::Kind::copy_to_host;
    if (!in && !out && call.kind != HostCall::Kind::launch) continue;
    const double work = call.device_end - call.device_begin;
    (in ? times.in : out ? times.out : times.kernel) += work;
    all.emplace_back(call.device_begin, call.device_end);
    if (in || out) copies.push_back(all.back());
  }
  if (calls.empty()) return times;
  times.total = calls.back().end - calls.front().begin;
  times.copying = covered(copies, 1);
  times.together = covered(all, 2);
  return times;
}

Result<Moved> move_data(Host& host, const Plan& plan, std::span<const float> values, const gpu::Observe& observe) {
  auto chunks = set_up(host, plan, values);
  if (!chunks) return failure(chunks.error());
  Moved moved;
  moved.first_call = host.calls().size();
  Calls calls(host, plan, *chunks, observe);
  if (auto made = calls.make(); !made) return failure(made.error());
  moved.report = std::move(calls.report());
  if (const auto& failed = host.failed_in_stream()) moved.report = *failed;
  if (moved.report.ok()) {
    if (moved.first_call < host.calls().size()) moved.times = times_of(std::span(host.calls()).subspan(moved.first_call));
    for (const Chunk& chunk : *chunks) {
      const auto part = host.read<float>(chunk.host);
      moved.values.insert(moved.values.end(), part.begin(), part.end());
    }
  }
  for (const Chunk& chunk : *chunks) host.release(chunk.device);
  return moved;
}

}  // namespace warpbook::lessons::moving
