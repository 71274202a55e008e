// How fast the virtual GPU runs the lessons' kernels, in thread-instructions a second: the figure that does not depend on a size.
//
//     script/bench                                       all
//     script/bench --benchmark_filter=diffusion          some
//
// "observed" and "clock" are the prices of watching: the same launch with every observer, and under the clock schedule.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/device.h"
#include "lessons/catalog.h"

namespace {

using namespace warpbook;

gpu::Device& device() {
  static gpu::Compiler compiler;
  static const std::unique_ptr<gpu::Device> made = [] {
    auto opened = gpu::make_virtual_device(compiler);
    if (!opened) {
      std::fprintf(stderr, "%s\n", opened.error().message.c_str());
      std::exit(5);
    }
    return std::move(*opened);
  }();
  return *made;
}

// A launch that is ready to go: compiled, its buffers filled.
class Prepared {
 public:
  Prepared(const std::string& file, const std::string& kernel, std::vector<std::pair<std::string, std::string>> defines) {
    auto text = lessons::read_text(lessons::data_directory() / "kernels" / file);
    if (!text) {
      fail(text.error().message);
      return;
    }
    auto program = device().compile({.file = file, .text = *text, .defines = std::move(defines), .instantiate = {}});
    if (!program) {
      fail(program.error().message);
      return;
    }
    request.program = *program;
    request.kernel = kernel;
  }
  ~Prepared() {
    for (const gpu::Buffer& buffer : buffers_) device().release(buffer);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  void scalar(gpu::Scalar value) { request.arguments.emplace_back(value); }

  template <class T, class F>
  void array(const char* name, std::vector<std::size_t> shape, F&& value_of) {
    auto buffer = device().allocate({.name = name, .type = gpu::scalar_type_of<T>(), .shape = std::move(shape)});
    if (!buffer) return fail(buffer.error().message);
    std::vector<T> values(buffer->array.count());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(i);
    if (auto done = device().write(*buffer, std::as_bytes(std::span<const T>(values))); !done) return fail(done.error().message);
    buffers_.push_back(*buffer);
    request.arguments.emplace_back(*buffer);
  }

  void run(benchmark::State& state) {
    std::uint64_t instructions = 0;
    for (auto _ : state) {
      if (!problem_.empty()) break;
      const gpu::LaunchReport report = device().launch(request);
      if (!report.ok()) fail(report.status + ": " + report.message);
      instructions += report.thread_instructions;
    }
    if (!problem_.empty()) state.SkipWithError(problem_.c_str());
    state.counters["thread_instructions/s"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
  }

  gpu::LaunchRequest request;

 private:
  void fail(std::string why) { problem_ = std::move(why); }

  std::vector<gpu::Buffer> buffers_;
  std::string problem_;
};

enum class How { fast, observed, clock };

void choose(gpu::LaunchRequest& request, How how) {
  if (how == How::observed) request.observe = gpu::Observe::all();
  if (how == How::clock) {
    request.schedule = gpu::Schedule::clock;
    request.seed = 1;
  }
}

void add(benchmark::State& state, How how) {
  const auto n = static_cast<std::size_t>(state.range(0));
  Prepared launch("add.cu", "add", {{"GUARD", "1"}});
  launch.array<std::int32_t>("a", {n}, [](std::size_t i) { return static_cast<std::int32_t>(i); });
  launch.array<std::int32_t>("b", {n}, [](std::size_t i) { return static_cast<std::int32_t>(2 * i); });
  launch.array<std::int32_t>("out", {n}, [](std::size_t) { return 0; });
  launch.scalar(gpu::Scalar::of(static_cast<std::int32_t>(n)));
  launch.request.grid = {static_cast<std::uint32_t>((n + 127) / 128)};
  launch.request.block = {128};
  choose(launch.request, how);
  launch.run(state);
}

void count(benchmark::State& state, How how) {
  Prepared launch("race.cu", "count", {{"USE_ATOMIC_ADD", "0"}});
  launch.array<std::int32_t>("c", {1}, [](std::size_t) { return 0; });
  launch.request.grid = {64};
  launch.request.block = {64};
  choose(launch.request, how);
  launch.run(state);
}

void histogram(benchmark::State& state, How how) {
  const auto n = static_cast<std::size_t>(state.range(0));
  Prepared launch("histogram.cu", "histogram", {{"ATOMIC", "1"}, {"SHARED_BINS", "1"}});
  launch.array<float>("x", {n}, [](std::size_t i) { return static_cast<float>(i * 2654435761u % 8000) * 0.001f - 4.0f; });
  launch.scalar(gpu::Scalar::of(static_cast<std::int32_t>(n)));
  launch.scalar(gpu::Scalar::of(-4.0f));
  launch.scalar(gpu::Scalar::of(4.0f));
  launch.array<std::int32_t>("bins", {10}, [](std::size_t) { return 0; });
  launch.scalar(gpu::Scalar::of(std::int32_t{10}));
  launch.request.grid = {128};
  launch.request.block = {64};
  launch.request.dynamic_shared_bytes = 10 * sizeof(std::int32_t);
  choose(launch.request, how);
  launch.run(state);
}

void diffusion(benchmark::State& state, How how) {
  const auto n = static_cast<std::size_t>(state.range(0));
  Prepared launch("diffusion.cu", "diffuse", {{"TILE", "8"}, {"SYNC", "1"}, {"IN_PLACE", "0"}});
  launch.array<float>("in", {n, n}, [](std::size_t i) { return static_cast<float>(i % 97) / 97.0f; });
  launch.array<float>("out", {n, n}, [](std::size_t) { return 0.0f; });
  launch.array<float>("lapl", {n, n}, [](std::size_t) { return 0.0f; });
  launch.scalar(gpu::Scalar::of(static_cast<std::int32_t>(n)));
  launch.scalar(gpu::Scalar::of(0.25f));
  const auto tiles = static_cast<std::uint32_t>((n + 7) / 8);
  launch.request.grid = {tiles, tiles};
  launch.request.block = {8, 8};
  choose(launch.request, how);
  launch.run(state);
}

BENCHMARK_CAPTURE(add, fast, How::fast)->Arg(4096)->Arg(1 << 22)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(add, observed, How::observed)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(add, clock, How::clock)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(count, fast, How::fast)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(count, observed, How::observed)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(count, clock, How::clock)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(histogram, fast, How::fast)->Arg(10'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(histogram, observed, How::observed)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(histogram, clock, How::clock)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(diffusion, fast, How::fast)->Arg(2000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(diffusion, observed, How::observed)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(diffusion, clock, How::clock)->Arg(256)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  gpu::run_compiler_child_if_asked(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
