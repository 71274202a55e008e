// How fast the virtual GPU runs the lessons' kernels, in thread-instructions a second: the figure that does not depend on a size.
//
//     script/bench                                       all
//     script/bench --benchmark_filter=diffusion          some
//
// "observed" and "clock" are the prices of watching: the same launch with every observer, and under the clock schedule. "inside" is
// both at once, with a timeline and a history; "step" and "jump" are moves in such a history.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

#include "gpu/compiler.h"
#include "gpu/history.h"
#include "tests/bench/prepared.h"

namespace {

using namespace warpbook;
using bench::Prepared;

void measure(Prepared& launch, benchmark::State& state) {
  std::uint64_t instructions = 0;
  std::string problem = launch.problem();
  for (auto _ : state) {
    if (!problem.empty()) break;
    const gpu::LaunchReport report = launch.launch();
    if (!report.ok()) problem = report.status + ": " + say(report.message);
    instructions += report.thread_instructions;
  }
  if (!problem.empty()) state.SkipWithError(problem.c_str());
  state.counters["thread_instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

enum class How { fast, observed, clock, inside };

void choose(gpu::LaunchRequest& request, How how) {
  if (how == How::observed) request.observe = gpu::Observe::all();
  if (how == How::inside) {
    request.observe = gpu::Observe::all();
    request.observe.timeline = true;
    request.observe.history = gpu::Observe::history_bytes;
  }
  if (how == How::clock || how == How::inside) {
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
  measure(launch, state);
}

void count(benchmark::State& state, How how) {
  Prepared launch("race.cu", "count", {{"USE_ATOMIC_ADD", "0"}});
  launch.array<std::int32_t>("c", {1}, [](std::size_t) { return 0; });
  launch.request.grid = {64};
  launch.request.block = {64};
  choose(launch.request, how);
  measure(launch, state);
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
  measure(launch, state);
}

void prepare_diffusion(Prepared& launch, std::size_t n) {
  launch.array<float>("in", {n, n}, [](std::size_t i) { return static_cast<float>(i % 97) / 97.0f; });
  launch.array<float>("out", {n, n}, [](std::size_t) { return 0.0f; });
  launch.array<float>("lapl", {n, n}, [](std::size_t) { return 0.0f; });
  launch.scalar(gpu::Scalar::of(static_cast<std::int32_t>(n)));
  launch.scalar(gpu::Scalar::of(0.25f));
  const auto tiles = static_cast<std::uint32_t>((n + 7) / 8);
  launch.request.grid = {tiles, tiles};
  launch.request.block = {8, 8};
}

void diffusion(benchmark::State& state, How how) {
  Prepared launch("diffusion.cu", "diffuse", {{"TILE", "8"}, {"SYNC", "1"}, {"IN_PLACE", "0"}});
  prepare_diffusion(launch, static_cast<std::size_t>(state.range(0)));
  choose(launch.request, how);
  measure(launch, state);
}

/// The history of a diffusion step of 64² cells, 4,096 threads.
std::shared_ptr<const gpu::History> recorded(benchmark::State& state) {
  Prepared launch("diffusion.cu", "diffuse", {{"TILE", "8"}, {"SYNC", "1"}, {"IN_PLACE", "0"}});
  prepare_diffusion(launch, 64);
  choose(launch.request, How::inside);
  if (!launch.problem().empty()) {
    state.SkipWithError(launch.problem().c_str());
    return nullptr;
  }
  return launch.launch().history;
}

void step(benchmark::State& state) {
  const auto history = recorded(state);
  if (!history) return;
  gpu::Replay replay(history);
  replay.to(history->steps().size() / 2);
  bool back = false;
  for (auto _ : state) {
    replay.to(replay.position() + (back ? -1 : 1));
    benchmark::DoNotOptimize(replay.registers(history->warps().front()).size());
    back = !back;
  }
}

void jump(benchmark::State& state) {
  const auto history = recorded(state);
  if (!history) return;
  gpu::Replay replay(history);
  for (auto _ : state) replay.to(replay.position() == 0 ? history->steps().size() : 0);
}

BENCHMARK(step)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(jump)->Unit(benchmark::kMillisecond)->UseRealTime();
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
BENCHMARK_CAPTURE(add, inside, How::inside)->Arg(4096)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(count, inside, How::inside)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(diffusion, inside, How::inside)->Arg(64)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  gpu::run_compiler_child_if_asked(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
