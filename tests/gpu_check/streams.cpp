// Work in streams as a lesson's host program gives it: chunks that are copied in, computed and copied out. Right, and side by side.
//
// On an NVIDIA GPU the times are those of events around each piece of work. In a rehearsal the virtual GPU has no streams of its
// own, and lessons::Host lays its work side by side by a model: that shows that the program is right, and nothing about times.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lessons/catalog.h"
#include "lessons/host.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

using lessons::Host;
using lessons::HostArray;
using lessons::HostCall;
using lessons::HostMemory;
using lessons::Stream;

constexpr std::uint32_t threads = 256;
constexpr int repeats = 4;  // the first one makes streams and loads the program

struct Plan {
  std::size_t values = 0;  // of all chunks together
  std::uint32_t chunks = 8, streams = 1;
  int steps = 0;
};

struct Chunk {
  HostArray host;
  gpu::Buffer device;
  Stream stream;
};

/// Times in µs, of the host program's clock.
struct RanInStreams {
  double total = 0;     // from the first copy until the host has waited
  double together = 0;  // … in which two pieces of work or more went on
  std::string wrong;    // empty: every value is right, and the record makes sense
};

std::uint32_t start_value(std::size_t i) { return static_cast<std::uint32_t>(i * 2654435761U + 12345U); }

/// What `steps` steps make of x: a·x + c, with a and c worked out once.
std::pair<std::uint32_t, std::uint32_t> scrambling(int steps) {
  std::uint32_t a = 1, c = 0;
  for (int s = 0; s < steps; ++s) {
    a *= 1664525U;
    c = c * 1664525U + 1013904223U;
  }
  return {a, c};
}

bool works(const HostCall& call) {
  return call.kind == HostCall::Kind::launch || call.kind == HostCall::Kind::copy_to_device ||
         call.kind == HostCall::Kind::copy_to_host;
}

double time_together(std::span<const HostCall> calls) {
  std::vector<std::pair<double, int>> changes;
  for (const HostCall& call : calls) {
    if (!works(call)) continue;
    changes.emplace_back(call.device_begin, 1);
    changes.emplace_back(call.device_end, -1);
  }
  std::sort(changes.begin(), changes.end());
  double sum = 0, since = 0;
  int now = 0;
  for (const auto& [time, change] : changes) {
    if (now >= 2) sum += time - since;
    since = time;
    now += change;
  }
  return sum;
}

/// Nothing begins before it was asked for, and in a stream one thing comes after the other.
std::string objection_to(std::span<const HostCall> calls) {
  std::map<std::uint32_t, double> ended;
  constexpr double rounding = 1e-6;
  for (const HostCall& call : calls) {
    if (!works(call)) continue;
    const auto wrong = [&](const char* what) {
      return fmt::format("{} `{}` of stream {} {}: asked for at {:.1f} µs, from {:.1f} to {:.1f}",
                         call.kind == HostCall::Kind::launch ? "launch" : "copy", call.what, call.stream, what, call.begin,
                         call.device_begin, call.device_end);
    };
    if (call.device_begin < call.begin - rounding) return wrong("begins too early");
    if (call.device_end < call.device_begin - rounding) return wrong("ends before it begins");
    if (call.device_begin < ended[call.stream] - rounding) return wrong("does not wait for what is before it");
    ended[call.stream] = call.device_end;
  }
  return {};
}

class Streaming {
 public:
  Streaming(const Bench& bench, std::string text) : bench_(bench), text_(std::move(text)) {}

  [[nodiscard]] std::unique_ptr<Host> program() const {
    return std::make_unique<Host>(bench_.gpu, Host::Setup{.kernel_file = "chunks.cu", .kernel_text = text_, .defines = {}});
  }

  [[nodiscard]] Result<RanInStreams> run(const Plan& plan) const {
    const auto host = program();
    auto chunks = set_up(*host, plan);
    if (!chunks) return failure(chunks.error());
    const std::size_t first = host->calls().size();
    for (const Chunk& chunk : *chunks) {
      if (auto done = give(*host, chunk, plan.steps); !done) return failure(done.error());
    }
    host->synchronize();
    if (const auto& failed = host->failed_in_stream()) return failure(failed->status, say(failed->message));
    const auto calls = std::span(host->calls()).subspan(first);
    RanInStreams ran{
        .total = calls.back().end - calls.front().begin, .together = time_together(calls), .wrong = objection_to(calls)};
    std::size_t i = 0;
    const auto [a, c] = scrambling(plan.steps);
    for (const Chunk& chunk : *chunks) {
      for (const std::uint32_t value : host->read<std::uint32_t>(chunk.host)) {
        if (value != a * start_value(i) + c && ran.wrong.empty()) ran.wrong = fmt::format("value {} is {}", i, value);
        ++i;
      }
    }
    if (i != plan.values && ran.wrong.empty()) ran.wrong = fmt::format("{} of {} values came back", i, plan.values);
    return ran;
  }

  /// The quickest of some runs; all of them must be right.
  [[nodiscard]] Result<RanInStreams> quickest(const Plan& plan) const {
    Result<RanInStreams> best = run(plan);
    for (int repeat = 1; repeat < repeats && best && best->wrong.empty(); ++repeat) {
      auto next = run(plan);
      if (!next || !next->wrong.empty() || next->total < best->total) best = std::move(next);
    }
    return best;
  }

  /// GB/s into the device and out of it.
  [[nodiscard]] Result<std::pair<double, double>> bandwidth(std::size_t bytes, HostMemory memory) const {
    const auto host = program();
    const HostArray array = host->host_array<std::uint32_t>("h_x", std::vector<std::uint32_t>(bytes / 4, 1), memory);
    auto device = host->allocate({"x", gpu::ScalarType::uint32, {bytes / 4}});
    if (!device) return failure(device.error());
    std::pair<double, double> best{0, 0};
    for (int repeat = 0; repeat < repeats; ++repeat) {
      if (auto done = host->copy_async(*device, array); !done) return failure(done.error());
      const double in = duration(host->calls().back());
      if (auto done = host->copy_async(array, *device); !done) return failure(done.error());
      const double out = duration(host->calls().back());
      if (const auto& failed = host->failed_in_stream()) return failure(failed->status, say(failed->message));
      best = {std::max(best.first, static_cast<double>(bytes) / (in * 1e3)),
              std::max(best.second, static_cast<double>(bytes) / (out * 1e3))};
    }
    return best;
  }

  /// A value goes through two streams and the default one, held together by events or by the default stream's own meaning.
  [[nodiscard]] Result<std::string> hand_over(bool by_event) const {
    const auto host = program();
    const Stream a = host->new_stream(), b = host->new_stream();
    const Plan plan{.values = std::size_t{1} << 16, .chunks = 1, .streams = 1, .steps = 1000};
    auto chunks = set_up(*host, plan);
    if (!chunks) return failure(chunks.error());
    const Chunk& chunk = chunks->front();
    if (auto done = host->copy_async(chunk.device, chunk.host, a); !done) return failure(done.error());
    if (auto done = launch(*host, chunk, plan.steps, by_event ? a : Stream{}); !done) return failure(done.error());
    if (by_event) host->wait(b, host->record(a));
    if (auto done = host->copy_async(chunk.host, chunk.device, b); !done) return failure(done.error());
    host->synchronize(b);
    if (const auto& failed = host->failed_in_stream()) return failure(failed->status, say(failed->message));
    const auto [factor, added] = scrambling(plan.steps);
    std::size_t i = 0;
    for (const std::uint32_t value : host->read<std::uint32_t>(chunk.host)) {
      if (value != factor * start_value(i) + added) return fmt::format("value {} is {}", i, value);
      ++i;
    }
    return std::string(i == plan.values ? "" : "values are missing");
  }

 private:
  static double duration(const HostCall& call) { return call.device_end - call.device_begin; }

  static Result<std::vector<Chunk>> set_up(Host& host, const Plan& plan) {
    std::vector<Stream> streams;
    for (std::uint32_t s = 0; s < plan.streams; ++s) streams.push_back(host.new_stream());
    std::vector<Chunk> chunks;
    const std::size_t each = plan.values / plan.chunks;
    for (std::uint32_t c = 0; c < plan.chunks; ++c) {
      std::vector<std::uint32_t> values(each);
      for (std::size_t i = 0; i < each; ++i) values[i] = start_value(c * each + i);
      HostArray array = host.host_array<std::uint32_t>(fmt::format("h_x{}", c), values, HostMemory::pinned);
      if (!array.pinned()) return failure("cudaErrorMemoryAllocation", "Page-locked memory could not be had.");
      auto device = host.allocate({fmt::format("x{}", c), gpu::ScalarType::uint32, {each}});
      if (!device) return failure(device.error());
      chunks.push_back({std::move(array), *device, streams[c % streams.size()]});
    }
    return chunks;
  }

  static Result<void> launch(Host& host, const Chunk& chunk, int steps, Stream stream) {
    const auto count = static_cast<std::uint32_t>(chunk.device.array.count());
    auto report = host.launch(
        "scramble", {(count + threads - 1) / threads}, {threads},
        {chunk.device, gpu::Scalar::of(static_cast<std::int32_t>(count)), gpu::Scalar::of(static_cast<std::int32_t>(steps))},
        {.schedule = gpu::Schedule::clock, .stream = stream});
    if (!report) return failure(report.error());
    if (!report->ok()) return failure(report->status, say(report->message));
    return {};
  }

  static Result<void> give(Host& host, const Chunk& chunk, int steps) {
    if (auto done = host.copy_async(chunk.device, chunk.host, chunk.stream); !done) return done;
    if (auto done = launch(host, chunk, steps, chunk.stream); !done) return done;
    return host.copy_async(chunk.host, chunk.device, chunk.stream);
  }

  const Bench& bench_;
  std::string text_;
};

/// One stream, then two: the same chunks.
void compare(const Streaming& streaming, const Bench& bench, Report& report) {
  const bool real = bench.cuda != nullptr;
  // So many steps that a kernel takes about as long as a copy.
  Plan plan{.values = real ? std::size_t{1} << 25 : std::size_t{1} << 14, .steps = real ? 600 : 20};
  double one = 0;
  for (const std::uint32_t streams : {1U, 2U, 4U}) {
    plan.streams = streams;
    const std::string name = fmt::format("{} chunks of {} values in {} stream{}", plan.chunks, plan.values / plan.chunks, streams,
                                         streams > 1 ? "s" : "");
    const auto ran = streaming.quickest(plan);
    const std::string wrong = !ran ? ran.error().message : ran->wrong;
    report.check(name, wrong.empty(), wrong.empty() ? "every value, and every call's times in order" : wrong);
    if (!wrong.empty()) continue;
    Measured line{.name = name + (real ? "" : " (model)"), .value = ran->total, .unit = "µs"};
    line.beside = fmt::format("side by side for {:.0f} %", 100 * ran->together / ran->total);
    if (streams == 1) {
      one = ran->total;
    } else {
      line.beside += fmt::format("; one after the other {:.4g} µs", one);
      if (real && one > 0) line.at_most = 0.85 * one;
    }
    report.measured(line);
  }
}

void compare_memory(const Streaming& streaming, const Bench& bench, Report& report) {
  const bool real = bench.cuda != nullptr;
  const std::size_t bytes = real ? std::size_t{256} << 20 : std::size_t{1} << 20;
  const auto pageable = streaming.bandwidth(bytes, HostMemory::pageable), pinned = streaming.bandwidth(bytes, HostMemory::pinned);
  if (!pageable || !pinned)
    return report.check("copies of pageable and pinned memory", false, (pageable ? pinned : pageable).error().message);
  const auto line = [&](const char* name, double value, double other) {
    Measured measured{.name = fmt::format("{}, {} MiB, pinned{}", name, bytes >> 20, real ? "" : " (model)"),
                      .value = value,
                      .unit = "GB/s",
                      .beside = fmt::format("pageable {:.4g} GB/s", other)};
    if (real) measured.at_least = other;
    report.measured(measured);
  };
  line("copy into the GPU", pinned->first, pageable->first);
  line("copy out of it", pinned->second, pageable->second);
}

}  // namespace

void check_streams(const Bench& bench, Report& report) {
  report.section("Streams");
  if (bench.gpu.streams() == nullptr)
    report.note(fmt::format("{} does one thing at a time: when its work in streams happens is a model, and nothing is measured.",
                            bench.gpu.info().name));
  auto text = lessons::read_text(lessons::data_directory() / "tests/gpu_check/kernels/chunks.cu");
  if (!text) return report.check("chunks.cu", false, text.error().message);
  const Streaming streaming(bench, *text);
  compare(streaming, bench, report);
  for (const bool by_event : {true, false}) {
    const auto wrong = streaming.hand_over(by_event);
    const std::string said = wrong ? *wrong : wrong.error().message;
    report.check(by_event ? "a stream waits for another's event" : "the default stream waits for all, and all for it", said.empty(),
                 said.empty() ? "every value" : said);
  }
  compare_memory(streaming, bench, report);
}

}  // namespace warpbook::gpu_check
