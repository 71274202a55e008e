// Random kernels, each run by all host threads, by one, watched, and under the clock: the same bytes, the same number of
// instructions, nothing found, and what the observer is told of each access is what happened. WARPBOOK_RANDOM_KERNELS=N tries N of
// them, WARPBOOK_RANDOM_SEED=S begins with seed S.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <regex>
#include <sstream>

#include "gpu/device.h"
#include "tests/gpu/random_kernel.h"
#include "tests/how_many.h"

namespace warpbook::gpu {
namespace {

using test::RandomKernel;

struct Way {
  std::string_view name;
  Schedule schedule = Schedule::fast;
  std::optional<std::uint64_t> seed;
  bool watched = false, traced = false;
};

struct Outcome {
  std::string status;  // CUDA's name, with what was found behind it
  std::vector<std::byte> out, counters;
  std::uint64_t thread_instructions = 0;
  std::vector<AccessRecord> trace;  // to `out`
};

class SchedulesBench {
 public:
  SchedulesBench() : device_(std::move(*make_virtual_device(compiler_))) {
    in_ = *device_->allocate({"in", ScalarType::uint32, {RandomKernel::in_bytes / 4}});
    std::vector<std::uint32_t> values(RandomKernel::in_bytes / 4);
    std::uint32_t x = 12345;
    for (std::uint32_t& value : values) value = x = x * 1664525u + 1013904223u;
    (void)device_->write(in_, std::as_bytes(std::span(values)));
  }

  ProgramPtr adopt(const std::string& ptx) {
    auto program = compiler_.adopt_ptx("random.ptx", ptx);
    return program ? *program : nullptr;
  }

  Outcome run(const RandomKernel& kernel, const ProgramPtr& program, const Way& way) {
    const Buffer out = *device_->allocate({"out", ScalarType::uint8, {kernel.out_bytes}});
    const Buffer counters = *device_->allocate({"counters", ScalarType::uint8, {RandomKernel::counter_bytes}});
    for (const Buffer& buffer : {out, counters}) (void)device_->fill(buffer, Scalar::of(std::uint8_t{0}));
    LaunchRequest request{.program = program,
                          .kernel = {},
                          .grid = kernel.grid,
                          .block = kernel.block,
                          .arguments = {in_, out, counters, Scalar::of(kernel.scalar)},
                          .observe = {.memory = way.watched, .race = way.watched, .init = way.watched, .trace = {}},
                          .schedule = way.schedule,
                          .seed = way.seed,
                          .limits = {.max_seconds = 20}};
    if (way.traced) request.observe.trace = {out.id};
    const LaunchReport report = device_->launch(request);
    Outcome outcome{report.status, std::vector<std::byte>(kernel.out_bytes), std::vector<std::byte>(RandomKernel::counter_bytes),
                    report.thread_instructions, report.trace};
    if (report.trace_truncated) outcome.status += ", and there were too many accesses to record";
    if (!report.ok()) outcome.status += ": " + say(report.message);
    for (const Finding& finding : report.findings) outcome.status += "; " + in_english(finding.message);
    (void)device_->read(out, outcome.out);
    (void)device_->read(counters, outcome.counters);
    for (const Buffer& buffer : {out, counters}) device_->release(buffer);
    return outcome;
  }

  /// What differs between the ways, as words; empty: nothing.
  std::string difference(const RandomKernel& kernel) {
    const ProgramPtr program = adopt(kernel.ptx);
    if (!program) return "holds no kernel";
    static const std::array ways{Way{.name = "by all threads", .seed = {}},
                                 Way{.name = "by one thread", .seed = 0},
                                 Way{.name = "in an order of a seed", .seed = 1},
                                 Way{.name = "watched", .seed = {}, .watched = true},
                                 Way{.name = "traced", .seed = {}, .traced = true},
                                 Way{.name = "under the clock", .schedule = Schedule::clock, .seed = 7},
                                 Way{.name = "traced under the clock", .schedule = Schedule::clock, .seed = 7, .traced = true}};
    const Outcome first = run(kernel, program, ways[0]);
    if (first.status != "ok") return fmt::format("{}: {}", ways[0].name, first.status);
    for (const Way& way : std::span(ways).subspan(1)) {
      const Outcome other = run(kernel, program, way);
      if (other.status != "ok") return fmt::format("{}: {}", way.name, other.status);
      for (const auto& [name, a, b] :
           {std::tuple("out", &first.out, &other.out), std::tuple("counters", &first.counters, &other.counters)})
        if (const auto at = std::mismatch(a->begin(), a->end(), b->begin()).first; at != a->end())
          return fmt::format("{}: byte {} of {} differs from what it is {}", way.name, at - a->begin(), name, ways[0].name);
      if (other.thread_instructions != first.thread_instructions)
        return fmt::format("{}: {} thread instructions, {} {}", way.name, other.thread_instructions, first.thread_instructions,
                           ways[0].name);
      if (const std::string wrong = way.traced ? replayed(other) : std::string(); !wrong.empty())
        return fmt::format("{}: {}", way.name, wrong);
    }
    return {};
  }

 private:
  /// The accesses as they were told, done again: a load must find what stores have left, and what they leave at last is what `out`
  /// holds. Of each access the first four bytes are told. What is wrong; empty: nothing.
  static std::string replayed(const Outcome& outcome) {
    std::vector<std::byte> bytes(outcome.out.size());
    std::vector<bool> known(bytes.size(), true);
    for (const AccessRecord& record : outcome.trace)
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(record.mask >> lane & 1)) continue;
        const auto first = static_cast<std::size_t>(record.index[lane]);
        if (first + record.bytes > bytes.size()) return fmt::format("lane {} was told to be beside out", lane);
        for (std::size_t b = 0; b < record.bytes; ++b) {
          const std::size_t at = first + b;
          const auto told = static_cast<std::byte>(record.value[lane] >> (8 * (b % 4)));
          if (record.kind == AccessRecord::Kind::store) {
            known[at] = b < 4;
            bytes[at] = told;
          } else if (b < 4 && known[at] && bytes[at] != told) {
            return fmt::format("lane {}, a load of {} bytes was told of another value than was stored", lane, record.bytes);
          }
        }
      }
    for (std::size_t at = 0; at < bytes.size(); ++at)
      if (known[at] && bytes[at] != outcome.out[at]) return fmt::format("byte {} of out is not what was told last", at);
    return {};
  }

  Compiler compiler_;
  std::unique_ptr<Device> device_;
  Buffer in_;
};

/// Leaves lines out for as long as something still differs in the same way.
RandomKernel shrunk(RandomKernel kernel, const std::string& difference) {
  const auto kind = [](const std::string& words) {
    return words.find("thread instructions") != words.npos ? 1 : words.find(": byte") != words.npos ? 2 : 3;
  };
  const auto still = [&](const std::string& ptx) {
    RandomKernel smaller = kernel;
    smaller.ptx = ptx;
    SchedulesBench bench;
    const std::string now = bench.difference(smaller);
    return !now.empty() && kind(now) == kind(difference) && now.find("cudaError") == now.npos;
  };
  // What is written once must stay while something reads it; a register without a value may hold anything.
  const auto needed = [&](const std::string& removed, const std::string& kept) {
    static const std::regex written(R"([a-z.0-9]+ (%[vwq][0-9]+))");
    for (std::sregex_iterator at(removed.begin(), removed.end(), written), end; at != end; ++at)
      if (std::regex_search(kept, std::regex(at->str(1) + "\\b"))) return true;
    return false;
  };
  std::vector<std::string> lines;
  std::istringstream stream(kernel.ptx);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto joined = [&](std::size_t without, std::size_t count) {
    std::string text;
    for (std::size_t l = 0; l < lines.size(); ++l)
      if (l < without || l >= without + count) text += lines[l] + '\n';
    return text;
  };
  const auto initial = [](const std::string& line) { return line.starts_with("xor.b32 %r") || line.find("%ctaid") != line.npos; };
  for (std::size_t count = 16; count; count /= 2)
    for (std::size_t at = lines.size(); at-- > 0;) {
      if (at + count > lines.size()) continue;
      const auto from = lines.begin() + static_cast<std::ptrdiff_t>(at), to = from + static_cast<std::ptrdiff_t>(count);
      if (std::any_of(from, to, initial)) continue;
      const std::string kept = joined(at, count), removed = std::accumulate(from, to, std::string());
      if (!needed(removed, kept) && still(kept)) lines.erase(from, to);
    }
  kernel.ptx = joined(lines.size(), 0);
  return kernel;
}

TEST(SchedulesAgree, OnRandomKernels) {
  SchedulesBench bench;
  const std::uint64_t first = warpbook::test::number_from("WARPBOOK_RANDOM_SEED", 0);
  const std::uint64_t count = warpbook::test::how_many("WARPBOOK_RANDOM_KERNELS", 200);
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 5; ++seed) {
    const RandomKernel kernel = test::random_kernel(seed);
    const std::string difference = bench.difference(kernel);
    if (difference.empty()) continue;
    ++failures;
    const bool refused = difference.find("cudaError") != difference.npos;
    const RandomKernel least = refused ? kernel : shrunk(kernel, difference);
    ADD_FAILURE() << "seed " << seed << ", " << difference << "\ngrid " << kernel.grid.x << "," << kernel.grid.y << " block "
                  << kernel.block.x << "," << kernel.block.y << "," << kernel.block.z << "\n"
                  << least.ptx;
  }
}

}  // namespace
}  // namespace warpbook::gpu
