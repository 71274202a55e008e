// One workload on Warpbook's virtual GPU, timed: what script/bench --peers compares the others with.
//
//     warpbook_peer diffusion 2000 --repeat 5 [--observe memory,race,init] [--fast]
//
// Prints one JSON object: ms of each launch, threads, thread_instructions, the checksum. --fast: the fastest kernel for the same
// result (sum only). Cores are the caller's affair (taskset).
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/bench/peers/workloads.h"
#include "tests/bench/prepared.h"

namespace {

using namespace warpbook;
using namespace warpbook::bench;

struct Asked {
  Work work = Work::race;
  std::size_t size = 0;
  int repeat = 5;
  bool fast = false;
  gpu::Observe observe;
};

std::optional<Asked> read_arguments(int count, char** words) {
  if (count < 3) return std::nullopt;
  const auto work = find_work(words[1]);
  if (!work) return std::nullopt;
  Asked asked;
  asked.work = *work;
  asked.size = std::strtoull(words[2], nullptr, 10);
  for (int i = 3; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--fast") {
      asked.fast = true;
    } else if (word == "--repeat" && i + 1 < count) {
      asked.repeat = std::max(1, std::atoi(words[++i]));
    } else if (word == "--observe" && i + 1 < count) {
      const std::string list = words[++i];
      asked.observe.memory = list.find("memory") != std::string::npos;
      asked.observe.race = list.find("race") != std::string::npos;
      asked.observe.init = list.find("init") != std::string::npos;
    } else {
      return std::nullopt;
    }
  }
  return asked;
}

/// The kernel with its arguments; `result` is the array that is checked.
std::unique_ptr<Prepared> prepare(const Asked& asked, std::size_t& result) {
  const std::size_t n = asked.size;
  const auto count = gpu::Scalar::of(static_cast<std::int32_t>(n));
  const auto zero = [](std::size_t) { return 0; };
  std::unique_ptr<Prepared> launch;
  result = 1;
  switch (asked.work) {
    case Work::diffusion:
      launch = std::make_unique<Prepared>("diffusion.cu", "diffuse",
                                          std::vector<std::pair<std::string, std::string>>{
                                              {"TILE", std::to_string(diffusion_tile)}, {"SYNC", "1"}, {"IN_PLACE", "0"}});
      launch->array<float>("in", {n, n}, input_diffusion);
      launch->array<float>("out", {n, n}, zero);
      launch->array<float>("lapl", {n, n}, zero);
      launch->scalar(count);
      launch->scalar(gpu::Scalar::of(coefficient));
      break;
    case Work::matmul:
      launch = std::make_unique<Prepared>(lessons::data_directory() / "tests/bench/kernels/matmul.cu", "matmul",
                                          std::vector<std::pair<std::string, std::string>>{{"TILE", std::to_string(matmul_tile)}});
      launch->array<float>("a", {n, n}, input_a);
      launch->array<float>("b", {n, n}, input_b);
      launch->array<float>("c", {n, n}, zero);
      launch->scalar(count);
      result = 2;
      break;
    case Work::histogram_global:
    case Work::histogram_shared: {
      const bool shared = asked.work == Work::histogram_shared;
      const int bins = bins_of(asked.work);
      launch = std::make_unique<Prepared>(
          "histogram.cu", "histogram",
          std::vector<std::pair<std::string, std::string>>{{"ATOMIC", "1"}, {"SHARED_BINS", shared ? "1" : "0"}});
      launch->array<float>("x", {n}, input_histogram);
      launch->scalar(count);
      launch->scalar(gpu::Scalar::of(lowest));
      launch->scalar(gpu::Scalar::of(highest));
      launch->array<std::int32_t>("bins", {static_cast<std::size_t>(bins)}, zero);
      launch->scalar(gpu::Scalar::of(bins));
      if (shared) launch->request.dynamic_shared_bytes = static_cast<std::uint32_t>(bins) * 4;
      break;
    }
    case Work::sum: {
      launch = std::make_unique<Prepared>("reduction.cu", "sum_blocks",
                                          std::vector<std::pair<std::string, std::string>>{{"VERSION", asked.fast ? "5" : "3"}});
      launch->array<float>("data", {n}, input_sum);
      launch->scalar(count);
      launch->array<float>("out", {shape_of(asked.work, n).grid_x}, zero);
      if (!asked.fast) launch->request.dynamic_shared_bytes = sum_block * 4;
      break;
    }
    case Work::race:
      launch =
          std::make_unique<Prepared>("race.cu", "count", std::vector<std::pair<std::string, std::string>>{{"USE_ATOMIC_ADD", "0"}});
      launch->array<std::int32_t>("c", {1}, zero);
      result = 0;
      break;
  }
  Shape shape = shape_of(asked.work, n);
  if (asked.fast && asked.work == Work::sum) {
    shape.grid_x = std::min<std::size_t>(
        shape.grid_x,
        static_cast<std::size_t>(device().info().multiprocessors * device().info().warps_per_multiprocessor) * 32 / sum_block);
  }
  launch->request.grid = {static_cast<std::uint32_t>(shape.grid_x), static_cast<std::uint32_t>(shape.grid_y)};
  launch->request.block = {static_cast<std::uint32_t>(shape.block_x), static_cast<std::uint32_t>(shape.block_y)};
  launch->request.observe = asked.observe;
  launch->request.limits.max_seconds = 600;
  return launch;
}

template <class T>
double check(const gpu::Buffer& buffer) {
  std::vector<T> values(buffer.array.count());
  if (!device().read(buffer, std::as_writable_bytes(std::span<T>(values)))) return 0;
  return checksum(std::span<const T>(values));
}

}  // namespace

int main(int count, char** words) {
  gpu::run_compiler_child_if_asked(count, words);
  const auto asked = read_arguments(count, words);
  if (!asked) {
    std::fprintf(stderr, "usage: %s WORK SIZE [--repeat N] [--observe LIST] [--fast]\n", words[0]);
    return 2;
  }
  std::size_t result = 0;
  const auto launch = prepare(*asked, result);
  std::string problem = launch->problem();
  std::string times;
  gpu::LaunchReport report;
  double checked = 0;
  for (int i = -1; i < asked->repeat && problem.empty(); ++i) {
    const gpu::Buffer& out = launch->buffers()[result];
    if (asked->work != Work::diffusion) (void)device().fill(out, gpu::Scalar{.type = out.array.type});
    // From the request to the report, as a caller waits for it.
    const auto begin = std::chrono::steady_clock::now();
    report = launch->launch();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (!report.ok()) problem = report.status + ": " + say(report.message);
    if (i < 0) {  // the first launch decodes the program; what it computed is checked
      checked = out.array.type == gpu::ScalarType::float32 ? check<float>(out) : check<std::int32_t>(out);
      continue;
    }
    times += (times.empty() ? "" : ", ") + std::to_string(ms);
  }
  if (!problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  std::printf("{\"ms\": [%s], \"threads\": %zu, \"thread_instructions\": %llu, \"check\": %.9g}\n", times.c_str(),
              static_cast<std::size_t>(launch->request.grid.count() * launch->request.block.count()),
              static_cast<unsigned long long>(report.thread_instructions), checked);
}
