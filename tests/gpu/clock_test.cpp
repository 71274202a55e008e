// The clock model holds what is known of GPUs: sectors, bank conflicts, occupancy, atomics, caches, lost updates; its accounts
// balance; a sampled launch leaves every result and tells nearly the same time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <numeric>
#include <sstream>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

struct ClockBench {
  std::unique_ptr<Device> device;
  ProgramPtr program;

  explicit ClockBench(const std::string& source, const std::string& profile = "T4",
                      std::vector<std::pair<std::string, std::string>> defines = {}) {
    auto made = make_virtual_device(compiler(), profile);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    device = std::move(*made);
    auto compiled = device->compile({.file = "test.cu", .text = source, .defines = std::move(defines), .instantiate = {}});
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message + "\n" + compiled.error().log);
    if (compiled) program = *compiled;
  }
  Buffer floats(const std::string& name, std::size_t n, float value = 1) {
    auto buffer = device->allocate({name, ScalarType::float32, {n}});
    EXPECT_TRUE(buffer);
    const std::vector<float> values(n, value);
    EXPECT_TRUE(device->write(*buffer, std::as_bytes(std::span(values))));
    return *buffer;
  }
  Buffer zeros(const std::string& name, std::size_t n) {
    auto buffer = device->allocate({name, ScalarType::int32, {n}});
    EXPECT_TRUE(buffer && device->fill(*buffer, Scalar::of(0)));
    return *buffer;
  }
  template <class T>
  std::vector<T> get(const Buffer& buffer) {
    std::vector<T> values(buffer.array.count());
    EXPECT_TRUE(device->read(buffer, std::as_writable_bytes(std::span(values))));
    return values;
  }
  LaunchReport launch(const std::string& kernel, Dim3 grid, Dim3 block, std::vector<Argument> arguments, Observe observe = {},
                      std::optional<std::uint64_t> seed = {}) {
    LaunchRequest r;
    r.program = program;
    r.kernel = kernel;
    r.grid = grid;
    r.block = block;
    r.arguments = std::move(arguments);
    r.observe = std::move(observe);
    r.schedule = Schedule::clock;
    r.seed = seed;
    LaunchReport report = device->launch(r);
    EXPECT_TRUE(report.ok()) << report.status << ": " << say(report.message);
    EXPECT_TRUE(report.clock.has_value());
    if (!report.clock) report.clock.emplace();
    return report;
  }
};

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(WARPBOOK_ROOT) + "/" + path).rdbuf();
  return text.str();
}

std::uint64_t sum(const WarpCycles& cycles) { return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}); }
std::uint64_t of(const ClockReport& clock, WarpState state) { return clock.warp_cycles[static_cast<std::size_t>(state)]; }

constexpr const char* strided_read = R"(
extern "C" __global__ void k(const float* x, float* out, int stride) {
  const float value = x[(blockIdx.x * blockDim.x + threadIdx.x) * stride];
  if (value == 0.5f) out[0] = value;
})";

TEST(Clock, NeighboursShareSectorsAndStridesDoNot) {
  for (const auto& [stride, sectors] : std::vector<std::pair<int, std::uint64_t>>{{1, 4}, {2, 8}, {8, 32}, {32, 32}}) {
    ClockBench bench(strided_read);
    const Buffer x = bench.floats("x", 64 * 128 * 32), out = bench.floats("out", 1);
    const LaunchReport report = bench.launch("k", {64}, {128}, {x, out, Scalar::of(stride)});
    EXPECT_EQ(report.clock->l1.sectors, sectors * 64 * 4) << "stride " << stride;
    // Every sector comes from memory once.
    EXPECT_EQ(report.clock->dram.bytes_read, sectors * 64 * 4 * 32) << "stride " << stride;
  }
}

TEST(Clock, AnotherColumnInTheTileTakesAwayTheBankConflict) {
  const std::string source = R"(
extern "C" __global__ void k(float* out) {
  __shared__ float tile[32][WIDTH];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
})";
  std::array<std::uint64_t, 2> cycles{};
  for (const int extra : {0, 1}) {
    ClockBench bench(source, "T4", {{"WIDTH", std::to_string(32 + extra)}});
    const LaunchReport report = bench.launch("k", {1}, {32, 32}, {bench.floats("out", 1024)});
    EXPECT_EQ(report.clock->shared_requests, 64u);
    EXPECT_EQ(report.clock->shared_passes, extra ? 64u : 32u + 32 * 32);
    cycles[static_cast<std::size_t>(extra)] = report.clock->cycles;
  }
  EXPECT_GT(cycles[0], cycles[1] + 500);  // 31 further passes of 32 warps
}

TEST(Clock, MoreWarpsFillTheIssueSlotsThatLoadsLeaveEmpty) {
  const std::string source = R"(
extern "C" __global__ void k(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int round = 0; round < 32; ++round) sum += x[(i + int(sum) + round * 4096) % n];
  out[i] = sum;
})";
  double use[2] = {};
  for (const int warps : {1, 32}) {
    ClockBench bench(source);
    const std::size_t threads = 40u * 32 * static_cast<unsigned>(warps);
    const Buffer x = bench.floats("x", 1 << 18, 0), out = bench.floats("out", threads);
    const LaunchReport report =
        bench.launch("k", {40}, {static_cast<std::uint32_t>(32 * warps)}, {x, out, Scalar::of(std::int32_t{1 << 18})});
    use[warps > 1] = report.clock->issue_use();
    EXPECT_NEAR(report.clock->theoretical_occupancy, warps > 1 ? 1.0 : 16.0 / 32, 1e-9);
    EXPECT_NEAR(report.clock->occupancy, warps / 32.0, warps > 1 ? 0.25 : 0.02);
    if (warps == 1) {
      EXPECT_GT(of(*report.clock, WarpState::memory), sum(report.clock->warp_cycles) / 2);
    }
  }
  EXPECT_LT(use[0], 0.05);
  EXPECT_GT(use[1], 10 * use[0]);
}

TEST(Clock, AtomicsOnOneAddressFollowOneAnother) {
  const std::string source = R"(
extern "C" __global__ void k(int* counters, int spread) {
  atomicAdd(&counters[spread ? blockIdx.x * blockDim.x + threadIdx.x : 0], 1);
})";
  const auto cycles = [&](std::uint32_t blocks, int spread) {
    ClockBench bench(source);
    const Buffer counters = bench.zeros("counters", 64 * 1024);
    const LaunchReport report = bench.launch("k", {blocks}, {256}, {counters, Scalar::of(spread)});
    EXPECT_EQ(bench.get<std::int32_t>(counters)[0], spread ? 1 : static_cast<int>(256 * blocks));
    return report.clock->cycles;
  };
  const std::uint64_t one_64 = cycles(64, 0), one_128 = cycles(128, 0), apart_64 = cycles(64, 1);
  EXPECT_GT(one_64, 64 * 256 * 3);  // a few cycles each, whoever sends them
  EXPECT_NEAR(static_cast<double>(one_128) / static_cast<double>(one_64), 2, 0.1);
  EXPECT_GT(one_64, 10 * apart_64);
}

TEST(Clock, ASecondReadFindsWhatTheFirstBrought) {
  const std::string source = R"(
extern "C" __global__ void k(const float* x, float* out, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round) { sum += x[threadIdx.x + (int)(sum == 0.5f)]; __syncthreads(); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
})";
  ClockBench bench(source);
  const Buffer x = bench.floats("x", 257), out = bench.floats("out", 80 * 256);
  const ClockReport clock = *bench.launch("k", {80}, {256}, {x, out, Scalar::of(std::int32_t{8})}).clock;
  EXPECT_GT(clock.l1.hits, clock.l1.sectors * 3 / 4);
  EXPECT_LE(clock.dram.bytes_read, 64 * 32u);  // 1 KB and a little, once for all 40 multiprocessors
  EXPECT_GT(clock.l2.hits, 0u);                // the others find it there

  // A device whose L1 keeps no global memory asks the L2 every time.
  ClockBench maxwell(
      R"(extern "C" __global__ void k(volatile float* x, float* out) { out[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; })",
      "GTX 850M");
  const ClockReport old = *maxwell.launch("k", {1}, {32}, {maxwell.floats("x", 32), maxwell.floats("out", 32)}).clock;
  EXPECT_EQ(old.l1.sectors, 0u);
  EXPECT_EQ(old.l2.hits, 4u);  // of 4 + 4 read, and 4 written that were not there
}

TEST(Clock, TheRacingCounterEndsInSingleDigits) {
  for (const char* profile : {"T4", "H200"}) {
    ClockBench bench(read_file("kernels/race.cu"), profile, {{"USE_ATOMIC_ADD", "0"}});
    int single_digit = 0, most = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Buffer counter = bench.zeros("counter", 1);
      (void)bench.launch("count", {64}, {64}, {counter}, {}, seed);
      const int got = bench.get<std::int32_t>(counter)[0];
      EXPECT_GE(got, 1);
      single_digit += got < 10;
      most = std::max(most, got);
      bench.device->release(counter);
    }
    EXPECT_GE(single_digit, 18) << profile << ", at most " << most;
  }
}

struct TimedKernel {
  const char* name;
  const char* source;
};
// Divergence, barriers, loops of different lengths, calls, atomics, fences, shuffles, early exits.
constexpr TimedKernel kernels[] = {
    {"divergent", R"(extern "C" __global__ void k(float* x) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      float a = x[i];
      if (i % 3 == 0) { for (int r = 0; r < i % 7; ++r) a = a * 1.5f + 1; } else { a = sqrtf(a + i) / 3.0f; }
      x[i] = a; })"},
    {"barriers", R"(extern "C" __global__ void k(float* x) {
      __shared__ float s[256];
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      s[threadIdx.x] = x[i];
      for (int d = blockDim.x / 2; d > 0; d /= 2) { __syncthreads(); if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; }
      if (threadIdx.x == 0) x[i] = s[0]; })"},
    {"early exits", R"(extern "C" __global__ void k(float* x) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (threadIdx.x % 5 == 0) return;
      for (int r = 0; r < threadIdx.x % 16; ++r) x[i] += r;
      if (threadIdx.x >= 64) return;
      __threadfence();
      atomicAdd(&x[0], 1.0f); })"},
    {"calls and exchanges", R"(__device__ __noinline__ float f(float a, int n) { return n ? f(a * 0.5f, n - 1) + 1 : a; }
      extern "C" __global__ void k(float* x) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      float a = f(x[i], threadIdx.x % 4);
      a += __shfl_xor_sync(0xffffffffu, a, 1);
      x[i] = a + (float)(i / (int)(a + 2)) ; })"},
    {"doubles", R"(extern "C" __global__ void k(float* x) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      double a = x[i];
      for (int r = 0; r < 3; ++r) a = a * 1.0000001 + sin(a);
      x[i] = (float)a; })"},
};

TEST(Clock, EveryCycleOfEveryWarpIsAccountedForOnce) {
  for (const TimedKernel& kernel : kernels)
    for (const char* profile : {"Teaching", "T4", "H200"})
      for (const std::uint32_t block : {32u, 96u, 256u}) {
        SCOPED_TRACE(fmt::format("{}, {}, blocks of {}", kernel.name, profile, block));
        ClockBench bench(kernel.source, profile);
        Observe observe;
        observe.timeline = true;
        const LaunchReport report = bench.launch("k", {20}, {block}, {bench.floats("x", 20 * block)}, observe);
        const ClockReport& clock = *report.clock;
        EXPECT_EQ(sum(clock.warp_cycles), clock.active_warp_cycles);
        EXPECT_EQ(of(clock, WarpState::issued), clock.issued);
        EXPECT_LE(clock.issued, clock.issue_slots);
        EXPECT_GT(clock.occupancy, 0);
        EXPECT_LE(clock.occupancy, clock.theoretical_occupancy + 1e-9);
        EXPECT_EQ(clock.blocks, 20u);
        EXPECT_FALSE(clock.sampled());
        // The lines' and the timeline's accounts are the same ones.
        std::uint64_t by_line = 0, by_span = 0;
        for (const LineCounts& line : report.lines) by_line += sum(line.warp_cycles);
        EXPECT_LE(by_line, clock.active_warp_cycles);
        EXPECT_GT(by_line, clock.active_warp_cycles * 9 / 10);  // the rest are instructions without a line
        EXPECT_FALSE(clock.timeline.truncated);
        EXPECT_EQ(clock.timeline.lanes.size(), 20u * ((block + 31) / 32));
        for (const WarpLane& lane : clock.timeline.lanes)
          for (std::size_t s = 0; s < lane.spans.size(); ++s) {
            EXPECT_LT(lane.spans[s].begin, lane.spans[s].end);
            EXPECT_EQ(lane.spans[s].begin, s ? lane.spans[s - 1].end : lane.spans[s].begin);
            EXPECT_LE(lane.spans[s].end, clock.timeline.end);
            by_span += lane.spans[s].end - lane.spans[s].begin;
          }
        EXPECT_EQ(by_span, clock.active_warp_cycles);
      }
}

TEST(Clock, WithoutTheWishThereIsNoTimeline) {
  ClockBench bench(kernels[0].source);
  EXPECT_TRUE(bench.launch("k", {4}, {64}, {bench.floats("x", 256)}).clock->timeline.lanes.empty());
}

TEST(Clock, WatchingDoesNotChangeTheTime) {
  for (const TimedKernel& kernel : kernels) {
    ClockBench bench(kernel.source);
    const Buffer x = bench.floats("x", 40 * 128);
    const std::vector<float> before = bench.get<float>(x);
    const std::uint64_t alone = bench.launch("k", {40}, {128}, {x}).clock->cycles;
    EXPECT_TRUE(bench.device->write(x, std::as_bytes(std::span(before))));
    Observe all = Observe::all();
    all.timeline = true;
    EXPECT_EQ(bench.launch("k", {40}, {128}, {x}, all).clock->cycles, alone) << kernel.name;
  }
}

// Big launches: a trace of a buffer that nobody touches has every block modelled.
TEST(Clock, ASampledLaunchIsWholeAndTellsNearlyTheSameTime) {
  const TimedKernel big[] = {
      {"streams", R"(extern "C" __global__ void k(const float* x, float* out, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = x[i] * 2 + 1; })"},
      {"computes", R"(extern "C" __global__ void k(const float* x, float* out, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        float a = x[i % 1024];
        for (int r = 0; r < 40; ++r) a = a * 0.5f + 1;
        if (i < n) out[i] = a > 100 ? 0 : 3; })"},
      {"uneven", R"(extern "C" __global__ void k(const float* x, float* out, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        float a = x[i % 1024];
        for (int r = 0; r < 10 + 60 * (blockIdx.x % 7 == 0); ++r) a = a * 0.5f + 1;
        if (i < n) out[i] = a > 100 ? 0 : 3; })"},
  };
  for (const TimedKernel& kernel : big) {
    SCOPED_TRACE(kernel.name);
    ClockBench bench(kernel.source, "Teaching");
    const std::size_t n = std::size_t{256} * (kernel.name == std::string("streams") ? 40000 : 10000);
    const Buffer x = bench.floats("x", n), out = bench.floats("out", n, 0), unused = bench.zeros("unused", 1);
    const Dim3 grid{static_cast<std::uint32_t>(n / 256)};
    const std::vector<Argument> arguments{x, out, Scalar::of(static_cast<std::int32_t>(n))};
    const ClockReport sampled = *bench.launch("k", grid, {256}, arguments).clock;
    const std::vector<float> results = bench.get<float>(out);
    EXPECT_EQ(std::count(results.begin(), results.end(), 3.0f), static_cast<std::ptrdiff_t>(n));
    Observe traced;
    traced.trace = {unused.id};
    const ClockReport whole = *bench.launch("k", grid, {256}, arguments, traced).clock;
    EXPECT_TRUE(sampled.sampled());
    EXPECT_FALSE(whole.sampled());
    const auto near = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
    EXPECT_NEAR(near(sampled.cycles, whole.cycles), 1, 0.1);
    EXPECT_NEAR(near(sampled.issued, whole.issued), 1, 0.02);
    EXPECT_NEAR(near(sampled.active_warp_cycles, whole.active_warp_cycles), 1, 0.1);
    // What is read once and for all is counted too often; it is little.
    if (whole.dram.bytes_read > 1 << 20) {
      EXPECT_NEAR(near(sampled.dram.bytes_read, whole.dram.bytes_read), 1, 0.1);
    }
    EXPECT_EQ(sum(sampled.warp_cycles), sampled.active_warp_cycles);
  }
}

// Blocks that wait for a later one, which the sample has left out.
TEST(Clock, BlocksThatWaitForLaterOnesEnd) {
  ClockBench bench(R"(extern "C" __global__ void k(volatile int* flags, float* out, int rounds) {
    float a = threadIdx.x;
    for (int r = 0; r < rounds; ++r) a = a * 0.5f + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
    if (threadIdx.x == 0) flags[blockIdx.x] = 1;
    while (!flags[blockIdx.x / 7 * 7 + 6]) {} })",
                   "Teaching");
  constexpr std::uint32_t blocks = 63;  // eight fit, seven wait for the last of them
  const Buffer flags = bench.zeros("flags", blocks), out = bench.floats("out", blocks * 256);
  const LaunchReport report = bench.launch("k", {blocks}, {256}, {flags, out, Scalar::of(std::int32_t{4000})});
  EXPECT_EQ(report.clock->blocks, blocks);
  for (const int flag : bench.get<std::int32_t>(flags)) EXPECT_EQ(flag, 1);
}

TEST(Clock, TheSameLaunchTakesTheSameTimeWhereverItsArraysLie) {
  ClockBench bench(
      "extern \"C\" __global__ void k(const float* a, float* b, int n) {\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) b[i] = a[i * 33 % n];\n"
      "}\n");
  constexpr int n = 1 << 18;
  const auto cycles = [&] {
    const Buffer a = bench.floats("a", n), b = bench.floats("b", n);
    const LaunchReport report = bench.launch("k", {60}, {128}, {a, b, Scalar::of(n)});
    bench.device->release(a);
    bench.device->release(b);
    return report.clock->cycles;
  };
  const std::uint64_t first = cycles();
  const Buffer between = bench.floats("in between", 12345);
  EXPECT_EQ(cycles(), first);
  bench.device->release(between);
  const Buffer larger = bench.floats("larger", 1 << 20);
  EXPECT_EQ(cycles(), first);
}

}  // namespace
}  // namespace warpbook::gpu
