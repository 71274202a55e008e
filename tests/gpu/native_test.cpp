// Kernels that run for so long that native code takes over while they run (native.h): nothing of that must show. That native code
// computes what the handlers do is the other tests' matter, which run with WARPBOOK_INSTRUCTION_SET=native, too.
#include "gpu/virtual/vm/native/native.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "gpu/virtual/ptx/control_flow.h"
#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/decode.h"
#include "gpu/virtual/vm/exec/native_code.h"
#include "tests/gpu/random_kernel.h"

namespace warpbook::gpu {
namespace {

class NativeCode : public testing::Test {
 protected:
  void compile(const char* text) {
    auto compiled = device->compile({.file = "long.cu", .text = text, .defines = {}, .instantiate = {}});
    ASSERT_TRUE(compiled) << compiled.error().log;
    request.program = *compiled;
  }
  template <class T>
  Buffer array(const char* name, ScalarType type, const std::vector<T>& values) {
    const Buffer buffer = *device->allocate({name, type, {values.size()}});
    EXPECT_TRUE(device->write(buffer, std::as_bytes(std::span(values))));
    return buffer;
  }
  template <class T>
  std::vector<T> read(const Buffer& buffer) {
    std::vector<T> values(buffer.array.bytes() / sizeof(T));
    EXPECT_TRUE(device->read(buffer, std::as_writable_bytes(std::span(values))));
    return values;
  }

  Compiler compiler;
  std::unique_ptr<Device> device = std::move(*make_virtual_device(compiler));
  LaunchRequest request;
};

TEST_F(NativeCode, TakesOverInTheMiddleOfALoop) {
  compile(R"(extern "C" __global__ void mix(const unsigned* in, unsigned* out, int n, int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  for (int t = 0; t < turns; ++t) {
    if (x & 1) x = x * 3 + in[(i + t) % n];
    else x = (x >> 1) ^ t;
  }
  out[i] = x;
})");
  constexpr int n = 20'005, turns = 300;
  std::vector<std::uint32_t> in(n), wanted(n);
  for (std::uint32_t i = 0; i < n; ++i) in[i] = i * 2654435761u;
  for (int i = 0; i < n; ++i) {
    std::uint32_t x = in[static_cast<std::size_t>(i)];
    for (int t = 0; t < turns; ++t)
      x = x & 1 ? x * 3 + in[static_cast<std::size_t>((i + t) % n)] : (x >> 1) ^ static_cast<std::uint32_t>(t);
    wanted[static_cast<std::size_t>(i)] = x;
  }
  const Buffer from = array("in", ScalarType::uint32, in);
  request.grid = {(n + 63) / 64};
  request.block = {64};
  std::vector<std::uint64_t> counts;
  for (int launch = 0; launch < 3; ++launch) {
    const Buffer to = array("out", ScalarType::uint32, std::vector<std::uint32_t>(n));
    request.arguments = {from, to, Scalar::of(n), Scalar::of(turns)};
    const LaunchReport report = device->launch(request);
    ASSERT_TRUE(report.ok()) << say(report.message);
    EXPECT_EQ(read<std::uint32_t>(to), wanted) << "launch " << launch;
    counts.push_back(report.thread_instructions);
  }
  EXPECT_EQ(counts[1], counts[0]) << "the second launch has native code from its beginning";
  EXPECT_EQ(counts[2], counts[0]);
}

TEST_F(NativeCode, MeetsAnotherArrayAtTheSamePlace) {
  compile(R"(extern "C" __global__ void pick(const int* a, const int* b, int* even, int* odd, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int* by_block = blockIdx.x % 3 ? a : b;
  const int* by_lane = i % 5 ? a : b;
  int* to = blockIdx.x % 2 ? odd : even;
  if (i < n) to[i] = by_block[i] + by_lane[n - 1 - i] + (threadIdx.x < 21 ? a[i / 2] : b[i % 7]);
})");
  constexpr int n = 200'003;
  std::vector<int> a(n), b(n), wanted_even(n), wanted_odd(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<int>(i) * 7, b[i] = -static_cast<int>(i) * 3;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t block = i / 96;
    const int sum = (block % 3 ? a : b)[i] + (i % 5 ? a : b)[n - 1 - i] + (i % 96 < 21 ? a[i / 2] : b[i % 7]);
    (block % 2 ? wanted_odd : wanted_even)[i] = sum;
  }
  const Buffer even = array("even", ScalarType::int32, std::vector<int>(n));
  const Buffer odd = array("odd", ScalarType::int32, std::vector<int>(n));
  request.grid = {(n + 95) / 96};
  request.block = {96};
  request.arguments = {array("a", ScalarType::int32, a), array("b", ScalarType::int32, b), even, odd, Scalar::of(n)};
  for (int launch = 0; launch < 4; ++launch) {
    const LaunchReport report = device->launch(request);
    ASSERT_TRUE(report.ok()) << say(report.message);
    ASSERT_EQ(read<int>(even), wanted_even) << "launch " << launch;
    ASSERT_EQ(read<int>(odd), wanted_odd) << "launch " << launch;
  }
}

TEST_F(NativeCode, EndsLongStretchesWhereTheInterpreterExpectsIt) {
  // More instructions in a row than a stretch has at most. In the middle a load over its own index, which warps of some lanes leave
  // to its handler: their stretches begin elsewhere from there on than those of whole warps, which meet them where they were left.
  constexpr int before = 100, behind = 150;
  constexpr std::size_t n = 64, blocks = 4;
  std::string text = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry run(.param .u64 table, .param .u64 out)
{
  .reg .pred %other;
  .reg .b32 %t, %size, %block, %thread, %x;
  .reg .b64 %table, %out, %step, %place, %first, %to, %index, %at;
  ld.param.u64 %table, [table];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %thread, %block, %size, %t;
  mul.wide.u32 %step, %t, 4;
  mul.wide.u32 %place, %thread, 4;
  add.u64 %first, %table, %step;
  add.u64 %to, %out, %place;
  ld.global.u32 %x, [%first];
)";
  for (int k = 0; k < before; ++k) text += "  mad.lo.u32 %x, %x, 3, 1;\n";
  text += "  and.b32 %x, %x, 63;\n  mul.wide.u32 %index, %x, 4;\n  add.u64 %at, %table, %index;\n  ld.global.u32 %x, [%at];\n";
  for (int k = 0; k < behind; ++k) text += "  mad.lo.u32 %x, %x, 5, 1;\n";
  text += R"(  st.global.u32 [%to], %x;
  setp.ne.u32 %other, %size, 64;
  @!%other bra done;
  st.global.u32 [%to], %size;
done:
  ret;
}
)";
  const auto adopted = compiler.adopt_ptx("long.ptx", text);
  ASSERT_TRUE(adopted) << adopted.error().message;
  request.program = *adopted;
  std::vector<std::uint32_t> table(n), wanted(n * blocks);
  for (std::uint32_t i = 0; i < n; ++i) table[i] = i * 2654435761u;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::uint32_t x = table[i % n];
    for (int k = 0; k < before; ++k) x = x * 3 + 1;
    x = table[x & 63];
    for (int k = 0; k < behind; ++k) x = x * 5 + 1;
    wanted[i] = x;
  }
  const Buffer out = array("out", ScalarType::uint32, std::vector<std::uint32_t>(n * blocks));
  request.grid = {blocks};
  request.block = {n};
  request.arguments = {array("table", ScalarType::uint32, table), out};
  for (int launch = 0; launch < 2; ++launch) {
    const LaunchReport report = device->launch(request);
    ASSERT_TRUE(report.ok()) << say(report.message);
    EXPECT_EQ(read<std::uint32_t>(out), wanted) << "launch " << launch;
  }
}

TEST_F(NativeCode, NamesTheThreadThatLeavesItsArray) {
  compile(R"(extern "C" __global__ void stray(float* out, int n, int block, int thread) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  for (int t = 0; t < 50; ++t) x = x * 0.5f + 1.0f;
  const bool strays = blockIdx.x == block && threadIdx.x == thread;
  out[strays ? n : i] = x;
})");
  constexpr int n = 64 * 4000;
  const Buffer out = array("out", ScalarType::float32, std::vector<float>(n));
  request.grid = {4000};
  request.block = {64};
  request.arguments = {out, Scalar::of(n), Scalar::of(-1), Scalar::of(0)};
  for (int launch = 0; launch < 2; ++launch) ASSERT_TRUE(device->launch(request).ok());
  request.arguments = {out, Scalar::of(n), Scalar::of(3210), Scalar::of(37)};
  const LaunchReport report = device->launch(request);
  EXPECT_EQ(report.status, "cudaErrorIllegalAddress");
  EXPECT_NE(say(report.message).find("(37,0,0)"), std::string::npos) << say(report.message);
  EXPECT_NE(say(report.message).find("(3210,0,0)"), std::string::npos) << say(report.message);
}

TEST_F(NativeCode, ChangesNoRaceThatHasASeed) {
  compile(R"(extern "C" __global__ void count(int* c) { *c = *c + 1; })");
  const Buffer c = array("c", ScalarType::int32, std::vector<int>(1));
  request.grid = {64};
  request.block = {64};
  request.arguments = {c};
  const auto counted = [&] {
    EXPECT_TRUE(device->fill(c, Scalar::of(0)));
    EXPECT_TRUE(device->launch(request).ok());
    return read<int>(c)[0];
  };
  request.seed = 1;
  const int with_seed = counted();
  for (int launch = 0; launch < 100; ++launch) ASSERT_EQ(counted(), with_seed) << "launch " << launch;
  request.seed.reset();
  for (int launch = 0; launch < 100; ++launch) (void)counted();
  request.seed = 1;
  EXPECT_EQ(counted(), with_seed) << "after launches without one";
}

constexpr const char* jumps_ptx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry run(.param .u64 in, .param .u64 same, .param .u64 a, .param .u64 b, .param .u64 out, .param .u32 strays)
{
  .reg .pred %low, %odd, %changed, %far;
  .reg .b32 %t, %size, %block, %i, %x, %y, %bits, %which, %stray;
  .reg .b64 %in, %same, %a, %b, %out, %place, %from, %to, %table, %index, %at;
  ld.param.u64 %in, [in];
  ld.param.u64 %same, [same];
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %out, [out];
  ld.param.u32 %stray, [strays];
  mov.u32 %t, %tid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %i, %block, %size, %t;
  mul.wide.u32 %place, %i, 4;
  and.b32 %which, %block, 1;
  setp.eq.u32 %odd, %which, 1;
  selp.b64 %table, %a, %b, %odd;
  and.b32 %which, %block, 4;
  setp.eq.u32 %odd, %which, 4;
  selp.b64 %in, %in, %same, %odd;
  add.u64 %from, %in, %place;
  add.u64 %to, %out, %place;
  ld.global.u32 %x, [%from];
  mov.u32 %y, 7;
  setp.lt.u32 %low, %x, 100;
  setp.eq.u32 %changed, %x, %x;
  @!%low bra BEHIND_TABLE;
  and.b32 %bits, %x, 63;
  mul.wide.u32 %index, %bits, 4;
  add.u64 %at, %table, %index;
  ld.global.u32 %y, [%at];
  setp.gt.u32 %changed, %y, 40;
  add.u32 %x, %x, %y;
BEHIND_TABLE:
  mad.lo.u32 %x, %x, 3, %y;
  @%changed bra BEHIND_STORE;
  setp.eq.u32 %far, %i, %stray;
  @%far add.u64 %to, %to, 1048576;
  st.global.u32 [%to], %y;
  add.u32 %x, %x, 1;
BEHIND_STORE:
  selp.u32 %y, 1, 2, %changed;
  xor.b32 %x, %x, %y;
  add.u64 %to, %out, %place;
  st.global.u32 [%to], %x;
  ret;
}
)";

/// What lanes jump over, by no lane, some, and all: registers and predicates that are changed there and read behind it, requests
/// that native code leaves to their handlers, a fault. A launch with a seed is the interpreter's.
class NativeCodeJumps : public NativeCode {
 protected:
  void SetUp() override {
    const auto adopted = compiler.adopt_ptx("jumps.ptx", jumps_ptx);
    ASSERT_TRUE(adopted) << adopted.error().message;
    request.program = *adopted;
    std::vector<std::uint32_t> in(n), a(64), b(64);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t warp = i / 32;
      in[i] = warp % 3 == 0 ? i % 100 : warp % 3 == 1 ? 100 + i : i * 2654435761u % 200;
    }
    for (std::uint32_t k = 0; k < 64; ++k) a[k] = k * 37 % 80, b[k] = k * 53 % 90;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t x = in[i], y = 7;
      bool changed = true;
      if (x < 100) {
        y = (i / 64 % 2 ? a : b)[x & 63];
        changed = y > 40;
        x += y;
      }
      x = x * 3 + y;
      if (!changed) ++x;
      wanted.push_back(x ^ (changed ? 1u : 2u));
    }
    out = array("out", ScalarType::uint32, std::vector<std::uint32_t>(n));
    request.block = {64};
    const auto words = [&](const char* name, const std::vector<std::uint32_t>& values) {
      return array(name, ScalarType::uint32, values);
    };
    request.arguments = {words("in", in), words("same", in), words("a", a), words("b", b), out, Scalar::of(-1)};
  }
  LaunchReport launch(std::uint32_t blocks, std::optional<std::uint64_t> seed = {}) {
    request.grid = {blocks};
    request.seed = seed;
    return device->launch(request);
  }

  static constexpr std::uint32_t n = 64 * 2000;
  std::vector<std::uint32_t> wanted;
  Buffer out;
};

TEST_F(NativeCodeJumps, AsTheInterpreterDoes) {
  const LaunchReport interpreted = launch(n / 64, 1);
  ASSERT_EQ(read<std::uint32_t>(out), wanted);
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(device->fill(out, Scalar::of(std::uint32_t{0})));
    const LaunchReport report = launch(n / 64);
    ASSERT_TRUE(report.ok()) << say(report.message);
    EXPECT_EQ(read<std::uint32_t>(out), wanted) << "launch " << turn;
    EXPECT_EQ(report.thread_instructions, interpreted.thread_instructions) << "launch " << turn;
    EXPECT_EQ(report.warp_instructions, interpreted.warp_instructions) << "launch " << turn;
  }
}

TEST_F(NativeCodeJumps, IntoAFault) {
  for (int turn = 0; turn < 3; ++turn) ASSERT_TRUE(launch(n / 64).ok());
  request.arguments.back() = Scalar::of(9);
  const LaunchReport native = launch(1), interpreted = launch(1, 1);
  EXPECT_EQ(interpreted.status, "cudaErrorIllegalAddress");
  EXPECT_EQ(native.status, interpreted.status);
  EXPECT_EQ(native.message, interpreted.message);
}

/// Loads from shared memory that lie as native code expects, and others, in blocks of several shapes: rows of a tile, columns, one
/// place for many lanes; places that are stored to between a load and the first use of its value. (All numbers are exact.)
TEST_F(NativeCode, LoadsTilesOfAnyShape) {
  compile(R"(extern "C" __global__ void tiles(const float* in, float* rows, float* columns, float* before, int n) {
  __shared__ float s[256], t[256];
  const int w = blockDim.x, h = blockDim.y, x = threadIdx.x, y = threadIdx.y, me = y * w + x;
  const int first = blockIdx.x * w * h;
  s[me] = in[(first + me) % n];
  t[me] = in[(first + me + 7) % n];
  __syncthreads();
  float row = 0, column = 0;
  for (int k = 0; k < 8; ++k) row = row * 0.5f + s[y * w + k] * t[k * w + x];
  for (int k = 0; k < 8; ++k) column = column * 0.5f + s[x % h * w + k] - t[(x + k) % w];
  __syncthreads();
  const float old = s[me], other = t[me];
  s[me] = row;
  t[me] = old * 2;
  before[first + me] = old - other + s[me] - t[me];
  rows[first + me] = row;
  columns[first + me] = column;
})");
  constexpr std::size_t n = 1000, blocks = 300;
  std::vector<float> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<float>(i * 37 % 101) - 50;
  const Buffer from = array("in", ScalarType::float32, in);
  for (const auto& [width, height] : {std::pair{16u, 16u}, {32u, 8u}, {8u, 8u}, {12u, 10u}}) {
    const std::size_t w = width, h = height, size = w * h;
    const Buffer rows = array("rows", ScalarType::float32, std::vector<float>(size * blocks));
    const Buffer columns = array("columns", ScalarType::float32, std::vector<float>(size * blocks));
    const Buffer before = array("before", ScalarType::float32, std::vector<float>(size * blocks));
    request.grid = {blocks};
    request.block = {width, height};
    request.arguments = {from, rows, columns, before, Scalar::of(static_cast<int>(n))};
    for (int launch = 0; launch < 12; ++launch) ASSERT_TRUE(device->launch(request).ok());
    const auto of_rows = read<float>(rows), of_columns = read<float>(columns), of_before = read<float>(before);
    for (std::size_t i = 0; i < size * blocks; ++i) {
      const std::size_t first = i / size * size, x = i % size % w, y = i % size / w;
      const auto s = [&](std::size_t at) { return in[(first + at) % n]; };
      const auto t = [&](std::size_t at) { return in[(first + at + 7) % n]; };
      float row = 0, column = 0;
      for (std::size_t k = 0; k < 8; ++k) row = row * 0.5f + s(y * w + k) * t(k * w + x);
      for (std::size_t k = 0; k < 8; ++k) column = column * 0.5f + s(x % h * w + k) - t((x + k) % w);
      ASSERT_EQ(of_rows[i], row) << width << " × " << height << ": " << i;
      ASSERT_EQ(of_columns[i], column) << width << " × " << height << ": " << i;
      ASSERT_EQ(of_before[i], row - s(i % size) - t(i % size)) << width << " × " << height << ": " << i;
    }
  }
}

/// A tree of sums in shared memory: loops that a whole block goes through, barriers, warps of which all lanes, some, one or none
/// have something to do; in blocks of whole warps, of others, and of one. (All numbers are exact.)
TEST_F(NativeCode, SumsInATree) {
  compile(R"(template <class T> __device__ void sum(const T* in, T* out, int n, T* s) {
  const int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int width = size; width > 1;) {
    const int half = (width + 1) / 2;
    if (t < width / 2) s[t] += s[t + half];
    __syncthreads();
    width = half;
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__shared__ float narrow[256];
__shared__ double wide[256];
extern "C" __global__ void trees(const float* in, const double* wide_in, float* out, double* wide_out, int n) {
  sum(in, out, n, narrow);
  sum(wide_in, wide_out, n, wide);
})");
  constexpr std::size_t n = 100'003;
  std::vector<float> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<float>(i * 37 % 101) - 50;
  const std::vector<double> wide(in.begin(), in.end());
  const Buffer from = array("in", ScalarType::float32, in), wide_from = array("wide_in", ScalarType::float64, wide);
  for (const std::uint32_t size : {256u, 128u, 96u, 100u, 64u, 33u, 32u, 7u}) {
    const std::uint32_t blocks = static_cast<std::uint32_t>((n + size - 1) / size);
    const Buffer to = array("out", ScalarType::float32, std::vector<float>(blocks));
    const Buffer wide_to = array("wide_out", ScalarType::float64, std::vector<double>(blocks));
    request.grid = {blocks};
    request.block = {size};
    request.arguments = {from, wide_from, to, wide_to, Scalar::of(static_cast<int>(n))};
    request.seed = 1;  // a launch with a seed is the interpreter's
    const LaunchReport interpreted = device->launch(request);
    request.seed.reset();
    for (int launch = 0; launch < 5; ++launch) {
      ASSERT_TRUE(device->fill(to, Scalar::of(-1.0f)));
      const LaunchReport report = device->launch(request);
      ASSERT_TRUE(report.ok()) << say(report.message);
      EXPECT_EQ(report.thread_instructions, interpreted.thread_instructions) << size << " threads a block";
      EXPECT_EQ(report.warp_instructions, interpreted.warp_instructions) << size << " threads a block";
      const auto sums = read<float>(to);
      const auto wide_sums = read<double>(wide_to);
      for (std::size_t b = 0; b < blocks; ++b) {
        double wanted = 0;
        for (std::size_t i = b * size; i < std::min<std::size_t>(n, (b + 1) * size); ++i) wanted += wide[i];
        ASSERT_EQ(sums[b], wanted) << size << " threads a block, block " << b;
        ASSERT_EQ(wide_sums[b], wanted) << size << " threads a block, block " << b;
      }
    }
  }
}

/// Some lanes of a warp at consecutive places, others not: below an array's beginning, across its end, in reverse, from any lane
/// on; in shared memory near its ends too.
TEST_F(NativeCode, LetsSomeLanesAccessConsecutivePlaces) {
  compile(
      R"(extern "C" __global__ void some(const int* in, int* out, const long long* wide_in, long long* wide_out, int n, int first,
                                 int count, int shift) {
  __shared__ int s[40];
  const int t = threadIdx.x, at = blockIdx.x * 32 + t;
  s[t] = t;
  if (t < 8) s[32 + t] = 1000 + t;
  __syncthreads();
  int x = -1;
  long long y = -2;
  if (t >= first && t < first + count) {
    x = in[at + shift] + s[t + 8 - first % 8];
    y = wide_in[at + shift];
    out[at + shift] = x * 2;
    wide_out[n - 1 - at] = y;
  }
  __syncthreads();
  if (t - first < count) s[t + 3] = x + (int)y;
  __syncthreads();
  if (t % 3 != 1) out[n + at] = s[t] + x;
})");
  constexpr int n = 64 * 32;
  std::vector<int> in(n);
  std::vector<std::int64_t> wide(n);
  for (int i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = i * 7, wide[static_cast<std::size_t>(i)] = i * 3'000'000'000;
  request.grid = {n / 32};
  request.block = {32};
  for (const auto& [first, count, shift] : {std::array{0, 16, 0},
                                            {0, 32, 0},
                                            {5, 9, -5},
                                            {3, 2, -3},
                                            {17, 15, 0},
                                            {31, 1, -31},
                                            {0, 1, 31},
                                            {0, 5, 27},
                                            {8, 24, -8},
                                            {12, 11, 9}}) {
    std::vector<int> wanted(2 * n, 7);
    std::vector<std::int64_t> wide_wanted(n, 7);
    for (int block = 0; block < n / 32; ++block) {
      std::array<int, 40> s;
      std::array<int, 32> x;
      for (int k = 0; k < 40; ++k) s[static_cast<std::size_t>(k)] = k < 32 ? k : 968 + k;
      std::array<int, 40> later = s;
      for (int t = 0; t < 32; ++t) {
        const int at = block * 32 + t;
        std::int64_t y = -2;
        x[static_cast<std::size_t>(t)] = -1;
        if (t >= first && t < first + count) {
          const auto from = static_cast<std::size_t>(at + shift);
          x[static_cast<std::size_t>(t)] = in[from] + s[static_cast<std::size_t>(t + 8 - first % 8)];
          y = wide[from];
          wanted[from] = x[static_cast<std::size_t>(t)] * 2;
          wide_wanted[static_cast<std::size_t>(n - 1 - at)] = y;
        }
        if (t - first < count) later[static_cast<std::size_t>(t + 3)] = x[static_cast<std::size_t>(t)] + static_cast<int>(y);
      }
      for (int t = 0; t < 32; ++t)
        if (t % 3 != 1)
          wanted[static_cast<std::size_t>(n + block * 32 + t)] =
              later[static_cast<std::size_t>(t)] + x[static_cast<std::size_t>(t)];
    }
    const Buffer out = array("out", ScalarType::int32, std::vector<int>(2 * n));
    const Buffer wide_out = array("wide_out", ScalarType::int64, std::vector<std::int64_t>(n));
    request.arguments = {array("in", ScalarType::int32, in),
                         out,
                         array("wide_in", ScalarType::int64, wide),
                         wide_out,
                         Scalar::of(n),
                         Scalar::of(first),
                         Scalar::of(count),
                         Scalar::of(shift)};
    for (int launch = 0; launch < 30; ++launch) {
      ASSERT_TRUE(device->fill(out, Scalar::of(7)));
      ASSERT_TRUE(device->fill(wide_out, Scalar::of(std::int64_t{7})));
      const LaunchReport report = device->launch(request);
      ASSERT_TRUE(report.ok()) << say(report.message);
      ASSERT_EQ(read<int>(out), wanted) << first << ", " << count << ", " << shift;
      ASSERT_EQ(read<std::int64_t>(wide_out), wide_wanted) << first << ", " << count << ", " << shift;
    }
  }
  // One element further than the last: the last of the lanes that go there is named, and nothing of theirs was stored.
  request.arguments[5] = Scalar::of(4), request.arguments[6] = Scalar::of(20), request.arguments[7] = Scalar::of(9);
  const LaunchReport report = device->launch(request);
  EXPECT_EQ(report.status, "cudaErrorIllegalAddress");
  EXPECT_NE(say(report.message).find("(23,0,0)"), std::string::npos) << say(report.message);
  EXPECT_NE(say(report.message).find("(63,0,0)"), std::string::npos) << say(report.message);
}

/// What a lane alone computes at a kernel's end, from what would be the same in all lanes.
TEST_F(NativeCode, LoadsConstantsInOneLane) {
  compile(R"(__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
extern "C" __global__ void last(int* out, int n, int lane) {
  __shared__ int s[64];
  s[threadIdx.x] = n;
  __syncthreads();
  if (threadIdx.x == lane) {
    const int x = table[n];
    out[blockIdx.x] = x * 1000 + table[x & 7] * 10 + s[3];
  }
})");
  constexpr int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
  request.grid = {500};
  request.block = {64};
  for (const auto& [n, lane] : {std::pair{2, 5}, {5, 0}, {0, 40}}) {
    const Buffer out = array("out", ScalarType::int32, std::vector<int>(500));
    request.arguments = {out, Scalar::of(n), Scalar::of(lane)};
    for (int launch = 0; launch < 10; ++launch) ASSERT_TRUE(device->launch(request).ok());
    EXPECT_EQ(read<int>(out), std::vector<int>(500, table[n] * 1000 + table[table[n] & 7] * 10 + n)) << n << ", " << lane;
  }
}

TEST_F(NativeCode, HearsTheTimeLimitBetweenBarriers) {
  compile(R"(extern "C" __global__ void endless(int* out, int n) {
  __shared__ int s[128];
  s[threadIdx.x] = 0;
  for (int k = 0; k != n; k += 2) {
    if (threadIdx.x < 16) s[threadIdx.x] += k;
    __syncthreads();
  }
  out[threadIdx.x] = s[threadIdx.x];
})");
  request.grid = {1};
  request.block = {128};
  request.limits.max_seconds = 0.5;
  request.arguments = {array("out", ScalarType::int32, std::vector<int>(128)), Scalar::of(-1)};
  const LaunchReport report = device->launch(request);
  EXPECT_EQ(report.status, "cudaErrorLaunchTimeout") << say(report.message);
}

/// Equal in all lanes where all execute: a loop's counter that counts alike in all threads, not one that lanes leave at turns of
/// their own, and not what stands where some lanes are elsewhere.
TEST_F(NativeCode, KnowsWhatIsAlikeInAllLanes) {
  const auto module = ptx::parse(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{
  .reg .pred %p, %q, %first;
  .reg .b32 %n, %t, %width, %own, %inside, %loaded, %chosen;
  .reg .b64 %in;
  ld.param.u64 %in, [in];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %own, 0;
  mov.u32 %inside, 5;
HALVES:
  shr.u32 %width, %width, 1;
  setp.ge.u32 %first, %t, %width;
  @%first bra BEHIND;
  add.u32 %inside, %inside, 1;
BEHIND:
  bar.sync 0;
  setp.gt.u32 %p, %width, 1;
  @%p bra HALVES;
OWN:
  add.u32 %own, %own, 1;
  setp.lt.u32 %q, %own, %t;
  @%q bra OWN;
  ld.global.u32 %loaded, [%in];
  selp.u32 %chosen, %n, %width, %p;
  ret;
}
)");
  ASSERT_TRUE(module) << module.error().message;
  const ptx::Function& kernel = module->functions.front();
  const std::vector<bool> varying = ptx::varying_registers(kernel);
  std::string alike;
  for (std::size_t r = 0; r < kernel.registers.size(); ++r)
    if (!varying[r]) alike += kernel.registers[r].name + ' ';
  EXPECT_EQ(alike, "%p %n %width %chosen %in ");
}

TEST_F(NativeCode, StoresCanonicalNaNs) {
  compile(R"(extern "C" __global__ void nans(const float* x, float* sums, float* least, float* chosen, double* wide,
                                 double* plain, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[i], b = x[n - 1 - i], s = a * 2.0f + b;
  sums[i] = s;
  least[i] = fminf(s, fmaxf(a, b));
  chosen[i] = i % 2 ? a * 0.5f : 1.0f;
  wide[i] = (double)s * 0.5 - b;
  plain[i] = s;
})");
  constexpr std::size_t n = 100'000;
  const float quiet = std::bit_cast<float>(0xffc12345u), signalling = std::bit_cast<float>(0x7f812345u);
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 3 == 0 ? quiet : i % 7 == 0 ? signalling : static_cast<float>(i % 100);
  const Buffer sums = array("sums", ScalarType::float32, std::vector<float>(n));
  const Buffer least = array("least", ScalarType::float32, std::vector<float>(n));
  const Buffer chosen = array("chosen", ScalarType::float32, std::vector<float>(n));
  const Buffer wide = array("wide", ScalarType::float64, std::vector<double>(n));
  const Buffer plain = array("plain", ScalarType::float64, std::vector<double>(n));
  request.grid = {(n + 255) / 256};
  request.block = {256};
  request.arguments = {array("x", ScalarType::float32, x), sums, least, chosen, wide, plain, Scalar::of(static_cast<int>(n))};
  for (int launch = 0; launch < 20; ++launch) ASSERT_TRUE(device->launch(request).ok());
  const auto bits = read<std::uint32_t>(sums), of_least = read<std::uint32_t>(least), of_chosen = read<std::uint32_t>(chosen);
  const auto of_wide = read<std::uint64_t>(wide), of_plain = read<std::uint64_t>(plain);
  for (std::size_t i = 0; i < n; ++i) {
    const float a = x[i], b = x[n - 1 - i];
    const bool nan = a != a || b != b;
    const float sum = a * 2 + b, most = a != a ? b : b != b ? a : std::max(a, b);
    ASSERT_EQ(bits[i], nan ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum)) << i;
    const float smaller = nan ? most : std::min(sum, most);
    ASSERT_EQ(of_least[i], smaller != smaller ? 0x7fffffffu : std::bit_cast<std::uint32_t>(smaller)) << i;
    ASSERT_EQ(of_chosen[i], i % 2 == 0 ? 0x3f800000u : a != a ? 0x7fffffffu : std::bit_cast<std::uint32_t>(a * 0.5f)) << i;
    ASSERT_EQ(of_plain[i], nan ? 0x7fffffffe0000000u : std::bit_cast<std::uint64_t>(double{sum})) << i;
    ASSERT_EQ(of_wide[i], nan ? 0xfff8000000000000u : std::bit_cast<std::uint64_t>(double{sum} * 0.5 - double{b})) << i;
  }
}

/// An image that the compiler of native code refuses is interpreted, and nothing else tells.
TEST_F(NativeCode, IsMadeOfRandomKernels) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto module = ptx::parse(test::random_kernel(seed).ptx);
    ASSERT_TRUE(module) << module.error().message;
    for (const vm::Mode mode : {vm::Mode::fast, vm::Mode::observed}) {
      const auto kernel = std::ranges::find_if(module->functions, &ptx::Function::entry);
      vm::Layout layout = vm::lay_out_shared(*module, *kernel);
      layout.parameters = 4096;
      auto image = vm::decode(*module, *kernel, std::move(layout), mode, vm::best_instruction_set());
      ASSERT_TRUE(image) << image.error().message;
      vm::prepare_native_code(*image, mode == vm::Mode::observed ? vm::Observed::yes : vm::Observed::no);
      if (!image->native) GTEST_SKIP() << "This host has none, or was told to do without.";
      image->native->make_at_once(*image);
      const auto has_native = [](const vm::Inst& inst) { return vm::native_at(inst) != nullptr; };
      EXPECT_TRUE(std::ranges::any_of(image->kernel->insts, has_native)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace warpbook::gpu
