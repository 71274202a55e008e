// What the GPU does with the kernels, against what its memory can give as measured in the same run, and beside Numba's version of
// the course's kernels on the same GPU.
//
// Times are means over many launches in a row, between two events (CudaDevice::measure_us), the best of several series: what
// another user of the machine takes away is not the kernel's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "lessons/catalog.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

using gpu::Dim3;
using gpu::LaunchRequest;
using gpu::Scalar;
using Defines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t sum_values = (std::size_t{1} << 27) - 157;  // as in the course
constexpr int series = 5;

class Measuring {
 public:
  Measuring(const Bench& bench, Report& report) : bench_(bench), report_(report) {}
  ~Measuring() { release_all(); }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  /// Arrays of float32, filled with `value`; none where one of them could not be had.
  [[nodiscard]] std::vector<gpu::Buffer> floats(std::initializer_list<std::size_t> counts, float value) {
    std::vector<gpu::Buffer> made;
    for (const std::size_t count : counts) {
      auto buffer = bench_.gpu.allocate({fmt::format("array {}", made.size()), gpu::ScalarType::float32, {count}});
      if (!buffer) {
        report_.check(fmt::format("{} MB of memory", count * 4 / 1'000'000), false, buffer.error().message);
        return {};
      }
      buffers_.push_back(*buffer);
      made.push_back(*buffer);
      if (auto done = bench_.gpu.fill(*buffer, Scalar::of(value)); !done) report_.note(done.error().message);
    }
    return made;
  }
  void release_all() {
    for (const gpu::Buffer& buffer : buffers_) bench_.gpu.release(buffer);
    buffers_.clear();
  }

  [[nodiscard]] LaunchRequest request(const std::filesystem::path& file, const std::string& kernel, const Defines& defines,
                                      Dim3 grid, Dim3 block, std::vector<gpu::Argument> arguments, std::uint32_t shared_bytes = 0) {
    auto program = compile_file(bench_.gpu, lessons::data_directory() / file, defines);
    if (!program) report_.check(file.string() + " compiles", false, program.error().message);
    LaunchRequest made{.program = program ? *program : nullptr, .kernel = kernel, .grid = grid, .block = block};
    made.arguments = std::move(arguments);
    made.dynamic_shared_bytes = shared_bytes;
    return made;
  }

  /// µs of one round of these launches; 0 where it could not be measured, which is then a failed check.
  [[nodiscard]] double us(const std::string& name, const std::vector<LaunchRequest>& launches, unsigned rounds) {
    double best = 0;
    for (int i = 0; i < (bench_.cuda != nullptr ? series : 1); ++i) {
      double round = 0;
      if (bench_.cuda != nullptr) {
        const Result<double> measured = bench_.cuda->measure_us(launches, rounds);
        if (!measured) {
          report_.check(name, false, measured.error().message);
          return 0;
        }
        round = *measured;
      } else {
        for (const LaunchRequest& launch : launches) {
          const gpu::LaunchReport report = bench_.gpu.launch(launch);
          if (!report.ok()) {
            report_.check(name, false, say(report.message));
            return 0;
          }
          round += 1e3 * report.run_ms;
        }
      }
      best = i == 0 ? round : std::min(best, round);
    }
    return best;
  }

  [[nodiscard]] std::uint32_t resident_blocks(std::uint32_t threads) const {
    const gpu::DeviceInfo& info = bench_.gpu.info();
    return static_cast<std::uint32_t>(std::max(1, info.multiprocessors * info.warps_per_multiprocessor)) * 32 / threads;
  }
  [[nodiscard]] const Bench& bench() const { return bench_; }
  [[nodiscard]] Report& report() { return report_; }
  /// A rehearsal takes sizes that the virtual GPU is done with in seconds.
  [[nodiscard]] std::size_t scaled(std::size_t size, std::size_t small) const { return bench_.cuda != nullptr ? size : small; }
  /// Goals hold on an NVIDIA GPU; a rehearsal only informs.
  [[nodiscard]] std::optional<double> goal(double value) const {
    return bench_.cuda != nullptr ? std::optional(value) : std::nullopt;
  }

 private:
  const Bench& bench_;
  Report& report_;
  std::vector<gpu::Buffer> buffers_;
};

double gb_per_s(double bytes, double us) { return us > 0 ? bytes / (us * 1e3) : 0; }

/// GB/s, counting bytes read and written, of a copy far larger than the caches: the best of a few launch shapes.
double measure_copy(Measuring& measuring) {
  const std::size_t values = measuring.scaled(std::size_t{1} << 28, std::size_t{1} << 20);
  const auto arrays = measuring.floats({values, values}, 1);
  double best = 0;
  if (arrays.size() == 2) {
    for (const std::uint32_t threads : {256U, 512U, 1024U}) {
      for (const std::uint32_t waves : {1U, 4U, 32U}) {
        const double us = measuring.us(
            "copy",
            {measuring.request("tests/gpu_check/kernels/floors.cu", "copy", {}, {measuring.resident_blocks(threads) * waves},
                               {threads}, {arrays[0], arrays[1], Scalar::of(static_cast<std::uint32_t>(values / 4))})},
            20);
        best = std::max(best, gb_per_s(8.0 * static_cast<double>(values), us));
      }
    }
  }
  measuring.release_all();
  measuring.report().measured({.name = "copy, bytes read and written", .value = best, .unit = "GB/s"});
  return best;
}

void measure_reduction(Measuring& measuring, double copy, const std::map<std::string, double>& numba) {
  const std::size_t n = measuring.scaled(sum_values, 65'379);
  constexpr std::array names = {"in place", "every other lane", "strided", "halves", "shuffle", "fast", "CUB's block sum"};
  for (std::size_t step = 0; step < names.size(); ++step) {
    const std::uint32_t threads = step >= 5 ? 256 : 128;
    const std::uint32_t blocks =
        step >= 5 ? measuring.resident_blocks(threads) : static_cast<std::uint32_t>((n + threads - 1) / threads);
    const auto arrays = measuring.floats({n, blocks}, 0);  // zeros: in place, sums of sums would grow
    if (arrays.size() != 2) return;
    const double us =
        measuring.us(names[step],
                     {measuring.request("kernels/reduction.cu", "sum_blocks",
                                        {{"VERSION", std::to_string(step)}, {"THREADS", std::to_string(threads)}}, {blocks},
                                        {threads}, {arrays[0], Scalar::of(static_cast<std::int32_t>(n)), arrays[1]},
                                        step >= 1 && step <= 3 ? threads * 4 : 0)},
                     10);
    measuring.release_all();
    Measured line{.name = fmt::format("sum of {} floats, {}", n, names[step]),
                  .value = gb_per_s(4.0 * static_cast<double>(n), us),
                  .unit = "GB/s"};
    if (step == 5) line.at_least = measuring.goal(0.9 * copy);
    const auto beside = numba.find(step == 0 ? "sum_in_place_us" : step == 5 ? "sum_reduce_us" : "");
    if (beside != numba.end())
      line.beside = fmt::format("Numba {:.4g} GB/s", gb_per_s(4.0 * static_cast<double>(n), beside->second));
    measuring.report().measured(line);
  }
}

void measure_diffusion(Measuring& measuring, double copy, const std::map<std::string, double>& numba) {
  for (const std::size_t side : {measuring.scaled(2000, 256), measuring.scaled(8192, 512)}) {
    const std::size_t cells = side * side;
    const bool in_cache = side <= 2000;
    const auto over = [side](std::size_t each) { return static_cast<std::uint32_t>((side + each - 1) / each); };
    const auto arrays = measuring.floats({cells, cells, cells}, 0.5F);
    if (arrays.size() != 3) return;
    const double bytes = 12.0 * static_cast<double>(cells);  // each cell read once and written once, its Laplacian written once
    const unsigned rounds = in_cache ? 200 : 20;

    // The floor: the same arrays with the same traffic and nothing to compute, in turns as the steps are.
    double floor_us = 0;
    for (const std::uint32_t threads : {256U, 512U, 1024U}) {
      for (const std::uint32_t waves : {1U, 4U}) {
        std::vector<LaunchRequest> turns;
        for (const int turn : {0, 1}) {
          turns.push_back(measuring.request(
              "tests/gpu_check/kernels/floors.cu", "copy_twice", {}, {measuring.resident_blocks(threads) * waves}, {threads},
              {arrays[turn], arrays[1 - turn], arrays[2], Scalar::of(static_cast<std::uint32_t>(cells / 4))}));
        }
        const double us = measuring.us("floor", turns, rounds) / 2;
        floor_us = floor_us == 0 ? us : std::min(floor_us, us);
      }
    }
    measuring.report().measured(
        {.name = fmt::format("{}²: the same traffic, nothing computed", side), .value = floor_us, .unit = "µs"});

    const auto step_us = [&](const std::string& name, const Defines& defines, Dim3 grid, Dim3 block) {
      std::vector<LaunchRequest> turns;
      for (const int turn : {0, 1}) {
        turns.push_back(measuring.request(
            "kernels/diffusion.cu", "diffuse", defines, grid, block,
            {arrays[turn], arrays[1 - turn], arrays[2], Scalar::of(static_cast<std::int32_t>(side)), Scalar::of(0.24F)}));
      }
      return measuring.us(name, turns, rounds) / 2;
    };
    const double tiled = step_us("tiled", {{"TILE", "8"}, {"SYNC", "1"}, {"IN_PLACE", "0"}}, {over(8), over(8)}, {8, 8});
    Measured line{.name = fmt::format("diffusion {}², tiles of 8×8", side), .value = tiled, .unit = "µs"};
    if (const auto beside = numba.find(fmt::format("diffusion_{}_us", side)); beside != numba.end())
      line.beside = fmt::format("Numba {:.4g} µs", beside->second);
    measuring.report().measured(line);
    const double fast = step_us("fast", {{"FAST", "1"}, {"ROWS", "4"}}, {over(128), over(32)}, {32, 8});
    line = {.name = fmt::format("diffusion {}², fast", side), .value = fast, .unit = "µs", .beside = line.beside};
    if (in_cache) {
      line.at_most = measuring.goal(1.5 * floor_us);
    } else {
      line.beside += fmt::format("{}{:.4g} GB/s", line.beside.empty() ? "" : "; ", gb_per_s(bytes, fast));
      line.at_most = measuring.goal(copy > 0 ? bytes / (0.8 * copy * 1e3) : 0);  // 80 % of the copy's bandwidth
    }
    measuring.report().measured(line);
    measuring.release_all();
  }
}

/// CUDA sets memory to words of 32 bits at most: a double's fill is made of copies. Right, and how long it takes.
void measure_fill(Measuring& measuring) {
  gpu::Device& device = measuring.bench().gpu;
  constexpr std::size_t count = std::size_t{1} << 24;
  const auto doubles = device.allocate({"doubles", gpu::ScalarType::float64, {count}});
  if (!doubles) return measuring.report().check("2^24 doubles", false, doubles.error().message);
  const auto begin = std::chrono::steady_clock::now();
  auto done = device.fill(*doubles, Scalar::of(0.1));
  std::vector<double> values(count);
  if (done) done = device.read(*doubles, std::as_writable_bytes(std::span(values)));  // it waits for the fill
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  const auto right = static_cast<std::size_t>(std::count(values.begin(), values.end(), 0.1));
  measuring.report().check("2^24 doubles filled with 0.1", done && right == count,
                           done ? fmt::format("{} of them are right", right) : done.error().message);
  measuring.report().measured(
      {.name = "filling 2^24 doubles, and reading them back", .value = ms, .unit = "ms", .at_most = measuring.goal(2000)});
  device.release(*doubles);
}

/// Values in [-4.5, 4.5), scattered over the bins.
std::vector<float> histogram_values(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * 2654435761U % 9216) / 1024.0F - 4.5F;
  return values;
}

void measure_histogram(Measuring& measuring) {
  const std::size_t n = measuring.scaled(10'000'000, 100'000);
  const std::uint32_t threads = 256, blocks = measuring.resident_blocks(threads);
  for (const int bins : {10, 256}) {
    const auto arrays = measuring.floats({n, static_cast<std::size_t>(bins)}, 0);  // float zeros are integer zeros, too
    if (arrays.size() != 2) return;
    const std::vector<float> values = histogram_values(n);
    if (auto done = measuring.bench().gpu.write(arrays[0], std::as_bytes(std::span(values))); !done)
      return measuring.report().note(done.error().message);
    const int copies = std::min(32, 8192 / bins);
    const std::array<std::tuple<const char*, Defines, int>, 3> kinds = {
        {{"global atomics", {{"ATOMIC", "1"}, {"SHARED_BINS", "0"}}, 0},
         {"shared atomics", {{"ATOMIC", "1"}, {"SHARED_BINS", "1"}}, bins},
         {"fast", {{"FAST", "1"}, {"COPIES", std::to_string(copies)}}, bins * copies}}};
    for (const auto& [name, defines, words] : kinds) {
      const double us = measuring.us(name,
                                     {measuring.request("kernels/histogram.cu", "histogram", defines, {blocks}, {threads},
                                                        {arrays[0], Scalar::of(static_cast<std::int32_t>(n)), Scalar::of(-4.0F),
                                                         Scalar::of(4.0F), arrays[1], Scalar::of(bins)},
                                                        static_cast<std::uint32_t>(words) * 4)},
                                     50);
      measuring.report().measured(
          {.name = fmt::format("histogram of {} values, {} bins, {}", n, bins, name), .value = us, .unit = "µs"});
    }
    measuring.release_all();
  }
}

/// Numba's version of the course's kernels, in a process of its own: µs by name. Says so where it cannot be had.
std::map<std::string, double> measure_numba(const Bench& bench, Report& report) {
  if (bench.cuda == nullptr) return {};
  const char* const asked = std::getenv("PYTHON");
  const std::string command = fmt::format("timeout -k 5 240 {} {} {} 2>&1", asked != nullptr ? asked : "python3",
                                          (lessons::data_directory() / "tests/gpu_check/numba_kernels.py").string(), bench.ordinal);
  std::string said;
  if (FILE* const pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> piece{};
    for (std::size_t got = 0; (got = fread(piece.data(), 1, piece.size(), pipe)) > 0;) said.append(piece.data(), got);
    pclose(pipe);
  }
  const auto begin = said.rfind("{\"");
  const auto answer = begin == std::string::npos ? nlohmann::json() : nlohmann::json::parse(said.substr(begin), nullptr, false);
  std::map<std::string, double> times;
  if (!answer.is_object() || answer.contains("missing")) {
    const std::string ended = said.substr(0, said.find_last_not_of('\n') + 1);  // a Python error is told by its last line
    report.note("Beside Numba: not measured. " +
                (answer.is_object() ? answer["missing"].get<std::string>() : ended.substr(ended.rfind('\n') + 1)));
    return times;
  }
  report.about("numba", answer);
  for (const auto& [name, value] : answer.items()) {
    if (value.is_number()) times[name] = value;
  }
  return times;
}

}  // namespace

void measure(const Bench& bench, Report& report) {
  report.section("Measured");
  const std::map<std::string, double> numba = measure_numba(bench, report);
  Measuring measuring(bench, report);
  const double copy = measure_copy(measuring);
  measure_reduction(measuring, copy, numba);
  measure_diffusion(measuring, copy, numba);
  measure_histogram(measuring);
  measure_fill(measuring);
  for (const auto& [name, us] : numba) report.note(fmt::format("Numba: {} {:.4g}", name, us));
}

}  // namespace warpbook::gpu_check
