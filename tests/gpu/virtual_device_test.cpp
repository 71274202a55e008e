// The virtual GPU from outside: kernels against references that the host computes, under both schedules; progress, faults, limits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

/// A device with one program on it and the few lines that every test needs.
struct Bench {
  std::unique_ptr<Device> device;
  ProgramPtr program;

  explicit Bench(const std::string& source, const std::string& profile = "T4") {
    auto made = make_virtual_device(compiler(), profile);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    device = std::move(*made);
    auto compiled = device->compile({.file = "test.cu", .text = source, .defines = {}, .instantiate = {}});
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message + "\n" + compiled.error().log);
    if (compiled) program = *compiled;
  }
  template <class T>
  Buffer put(const std::string& name, const std::vector<T>& values) {
    auto buffer = device->allocate({name, scalar_type_of<T>(), {values.size()}});
    EXPECT_TRUE(buffer && device->write(*buffer, std::as_bytes(std::span(values))));
    return *buffer;
  }
  template <class T>
  Buffer zeros(const std::string& name, std::size_t n) {
    return put(name, std::vector<T>(n));
  }
  template <class T>
  std::vector<T> get(const Buffer& buffer) {
    std::vector<T> values(buffer.array.count());
    EXPECT_TRUE(device->read(buffer, std::as_writable_bytes(std::span(values))));
    return values;
  }
  LaunchRequest request(Dim3 grid, Dim3 block, std::vector<Argument> arguments) {
    LaunchRequest r;
    r.program = program;
    r.grid = grid;
    r.block = block;
    r.arguments = std::move(arguments);
    r.limits.max_seconds = 120;  // with sanitizers the clock takes over 20 s on a slow host
    return r;
  }
  LaunchReport launch(Dim3 grid, Dim3 block, std::vector<Argument> arguments, Schedule schedule = Schedule::fast) {
    LaunchRequest r = request(grid, block, std::move(arguments));
    r.schedule = schedule;
    return device->launch(r);
  }
};

/// Runs a kernel of signature (const In*, Out*, int) under both schedules and compares every element.
template <class In, class Out, class Reference>
void expect_elementwise(const std::string& source, const std::vector<In>& in, Reference reference, Dim3 block = {96},
                        double tolerance = 0) {
  Bench bench(source);
  const Buffer input = bench.put("in", in);
  const auto n = static_cast<int>(in.size());
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    const Buffer output = bench.zeros<Out>("out", in.size());
    const LaunchReport report =
        bench.launch({(static_cast<std::uint32_t>(n) + block.x - 1) / block.x}, block, {input, output, Scalar::of(n)}, schedule);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    const auto out = bench.get<Out>(output);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Out wanted = reference(in[i], i);
      if (tolerance == 0)
        ASSERT_EQ(out[i], wanted) << "element " << i << " of " << static_cast<double>(in[i]);
      else
        ASSERT_LE(std::abs(static_cast<double>(out[i]) - static_cast<double>(wanted)),
                  tolerance * std::max(1.0, std::abs(static_cast<double>(wanted))))
            << "element " << i << " of " << static_cast<double>(in[i]);
    }
  }
}

template <class T>
std::vector<T> iota(std::size_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

// As in the CUDA Programming Guide, where matrices are handed over by value.
struct Table {
  std::int32_t width, height;
  std::uint64_t elements;
};
constexpr const char* product = R"(
typedef struct { int width; int height; float* elements; } Table;
extern "C" __global__ void product(const Table a, const Table b, Table c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= c.width || y >= c.height) return;
  float sum = 0;
  for (int k = 0; k < a.width; ++k) sum += a.elements[y * a.width + k] * b.elements[k * b.width + x];
  c.elements[y * c.width + x] = sum;
})";

Struct table(std::int32_t width, std::int32_t height, const Buffer& elements) {
  const Table bytes{width, height, 0};
  Struct made{.bytes = std::vector<std::byte>(sizeof bytes),
              .pointers = {{.offset = offsetof(Table, elements), .buffer = elements}}};
  std::memcpy(made.bytes.data(), &bytes, sizeof bytes);
  return made;
}

TEST(VirtualDevice, StructsByValueReachTheirArrays) {
  Bench bench(product);
  constexpr int rows = 5, inner = 7, columns = 9;
  const auto a = iota<float>(rows * inner), b = iota<float>(inner * columns);
  const Buffer in_a = bench.put("a.elements", a), in_b = bench.put("b.elements", b);
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    const Buffer out = *bench.device->allocate({"c.elements", ScalarType::float32, {rows * columns}});
    const LaunchReport report =
        bench.launch({2, 2}, {8, 8}, {table(inner, rows, in_a), table(columns, inner, in_b), table(columns, rows, out)}, schedule);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    const auto c = bench.get<float>(out);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        float sum = 0;
        for (int k = 0; k < inner; ++k) sum += a[std::size_t(y * inner + k)] * b[std::size_t(k * columns + x)];
        EXPECT_EQ(c[std::size_t(y * columns + x)], sum) << x << ", " << y;
      }
    // What was written through a struct counts as written: a kernel that reads it then reads nothing uninitialised.
    LaunchRequest next =
        bench.request({1}, {1}, {table(columns, 1, out), table(1, 1, in_b), table(1, 1, bench.zeros<float>("sum", 1))});
    next.observe.init = true;
    const LaunchReport read = bench.device->launch(next);
    EXPECT_TRUE(read.ok() && read.findings.empty()) << say(read.message);
    EXPECT_EQ(read.observed[FindingKind::init], Observation::none_found);
  }
}

TEST(VirtualDevice, StructsThatDoNotFitAreRefused) {
  Bench bench(product);
  const Buffer some = bench.zeros<float>("some", 16), gone = bench.zeros<float>("gone", 16);
  bench.device->release(gone);
  const auto says = [&](Struct third) {
    const LaunchReport report = bench.launch({1}, {1}, {table(4, 4, some), table(4, 4, some), std::move(third)});
    EXPECT_EQ(report.status, "cudaErrorInvalidValue");
    return say(report.message);
  };
  EXPECT_NE(says(table(4, 4, gone)).find("`c` of `product` is given an array that has been released"), std::string::npos);
  Struct small = table(4, 4, some);
  small.bytes.resize(12);
  EXPECT_NE(says(small).find("takes 16 bytes, its argument has 12"), std::string::npos);
  Struct outside = table(4, 4, some);
  outside.pointers[0].offset = 9;
  EXPECT_NE(says(outside).find("pointer at byte 9, beyond its 16 bytes"), std::string::npos);
}

TEST(VirtualDevice, NestedDivergenceAndLoopsOfDifferentLength) {
  const auto steps = [](int n, std::size_t) {
    int count = 0;
    for (long long x = n + 1; x != 1 && count < 1000; ++count) {
      if (x % 2 == 0) {
        x /= 2;
        if (x % 3 == 0) continue;
      } else {
        x = 3 * x + 1;
      }
    }
    return count;
  };
  expect_elementwise<int, int>(R"(
    __global__ void steps(const int* in, int* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      int count = 0;
      for (long long x = in[i] + 1; x != 1 && count < 1000; ++count) {
        if (x % 2 == 0) { x /= 2; if (x % 3 == 0) continue; }
        else x = 3 * x + 1;
      }
      out[i] = count;
    })",
                               iota<int>(1000), steps);
}

TEST(VirtualDevice, SwitchStatement) {
  expect_elementwise<int, int>(R"(
    __global__ void f(const int* in, int* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      int x = in[i], r;
      switch (x % 11) {
        case 0: r = x * 3; break;
        case 1: r = x - 7;
        case 2: r = x * x; break;
        case 3: r = x ^ 0x55; break;
        case 4: r = -x; break;
        case 5: r = x << 2; break;
        case 6: r = x / 3; break;
        case 7: r = x % 5; break;
        default: r = 1;
      }
      out[i] = r;
    })",
                               iota<int>(500), [](int x, std::size_t) {
                                 switch (x % 11) {
                                   case 0:
                                     return x * 3;
                                   case 1:
                                   case 2:
                                     return x * x;
                                   case 3:
                                     return x ^ 0x55;
                                   case 4:
                                     return -x;
                                   case 5:
                                     return x << 2;
                                   case 6:
                                     return x / 3;
                                   case 7:
                                     return x % 5;
                                   default:
                                     return 1;
                                 }
                               });
}

TEST(VirtualDevice, RecursionAndFunctionPointers) {
  expect_elementwise<int, int>(R"(
    __device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
    __device__ __noinline__ int twice(int n) { return 2 * n; }
    __device__ int (*table[2])(int) = {fibonacci, twice};
    __global__ void f(const int* in, int* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = table[in[i] & 1](in[i] % 13);
    })",
                               iota<int>(200), [](int x, std::size_t) {
                                 const std::function<int(int)> fibonacci = [&](int n) {
                                   return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
                                 };
                                 return x & 1 ? 2 * (x % 13) : fibonacci(x % 13);
                               });
}

TEST(VirtualDevice, WideIntegers) {
  std::vector<std::uint64_t> values{0, 1, 2, 3, ~0ull, ~0ull - 1, 1ull << 63, 0xffffffffull, 0x100000000ull};
  std::mt19937_64 random(7);
  while (values.size() < 300) values.push_back(random() >> (random() % 64));
  __extension__ typedef unsigned __int128 Wide;
  expect_elementwise<std::uint64_t, std::uint64_t>(R"(
    __global__ void f(const unsigned long long* in, unsigned long long* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      unsigned long long x = in[i], y = x | 1;
      unsigned __int128 wide = (unsigned __int128)x * 0x9e3779b97f4a7c15ull + x;
      out[i] = (unsigned long long)(wide >> 64) ^ (unsigned long long)wide ^ (0xfedcba9876543210ull / y) ^ (0xfedcba9876543210ull % y)
               ^ __popcll(x) ^ ((unsigned long long)__clzll(x) << 8) ^ __brevll(x);
    })",
                                                   values, [](std::uint64_t x, std::size_t) {
                                                     const std::uint64_t y = x | 1;
                                                     const Wide wide = Wide{x} * 0x9e3779b97f4a7c15ull + x;
                                                     std::uint64_t reversed = 0;
                                                     for (int b = 0; b < 64; ++b) reversed |= (x >> b & 1) << (63 - b);
                                                     return static_cast<std::uint64_t>(wide >> 64) ^
                                                            static_cast<std::uint64_t>(wide) ^ (0xfedcba9876543210ull / y) ^
                                                            (0xfedcba9876543210ull % y) ^
                                                            static_cast<std::uint64_t>(__builtin_popcountll(x)) ^
                                                            static_cast<std::uint64_t>(x ? __builtin_clzll(x) : 64) << 8 ^ reversed;
                                                   });
}

TEST(VirtualDevice, DoubleMathsAgreesWithTheHost) {
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(0.01 + i * 0.173);
  expect_elementwise<double, double>(R"(
    __global__ void f(const double* in, double* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = sin(in[i]) + cos(in[i] * 3) + log(in[i]) + sqrt(in[i]) / (1 + in[i]) + pow(in[i], 1.3) + exp(-in[i]) + atan2(in[i], 2.0);
    })",
                                     values,
                                     [](double x, std::size_t) {
                                       return std::sin(x) + std::cos(x * 3) + std::log(x) + std::sqrt(x) / (1 + x) +
                                              std::pow(x, 1.3) + std::exp(-x) + std::atan2(x, 2.0);
                                     },
                                     {64}, 1e-13);
}

TEST(VirtualDevice, FloatMathsAgreesWithTheHost) {
  std::vector<float> values;
  for (int i = 0; i < 400; ++i) values.push_back(0.01f + static_cast<float>(i) * 0.173f);
  expect_elementwise<float, float>(R"(
    __global__ void f(const float* in, float* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = sinf(in[i]) + cosf(in[i] * 3) + logf(in[i]) + sqrtf(in[i]) / (1 + in[i]) + powf(in[i], 1.3f) + expf(-in[i]) + floorf(in[i]);
    })",
                                   values,
                                   [](float x, std::size_t) {
                                     const double d = static_cast<double>(x);
                                     return static_cast<float>(std::sin(d) + std::cos(static_cast<double>(x * 3)) + std::log(d) +
                                                               std::sqrt(d) / (1 + d) + std::pow(d, static_cast<double>(1.3f)) +
                                                               std::exp(-d) + std::floor(d));
                                   },
                                   {64}, 4e-6);
}

TEST(VirtualDevice, NarrowAndVectorAccesses) {
  expect_elementwise<std::int8_t, std::int16_t>(
      R"(
    __global__ void f(const signed char* in, short* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = (short)(in[i] * 3 - (unsigned char)in[i]);
    })",
      [] {
        std::vector<std::int8_t> v;
        for (int i = -128; i < 128; ++i) v.push_back(static_cast<std::int8_t>(i));
        return v;
      }(),
      [](std::int8_t x, std::size_t) { return static_cast<std::int16_t>(x * 3 - static_cast<std::uint8_t>(x)); });

  Bench bench(R"(
    __global__ void f(const float4* in, float4* out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) { float4 v = in[i]; out[i] = make_float4(v.w, v.z + 1, v.y, v.x); }
    })");
  std::vector<float> in(400);
  std::iota(in.begin(), in.end(), 0.0f);
  const Buffer input = bench.put("in", in), output = bench.zeros<float>("out", 400);
  ASSERT_EQ(bench.launch({2}, {64}, {input, output, Scalar::of(100)}).status, "ok");
  const auto out = bench.get<float>(output);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(out[4 * i], in[4 * i + 3]);
    EXPECT_EQ(out[4 * i + 1], in[4 * i + 2] + 1);
  }
}

TEST(VirtualDevice, BlockReductionWithDynamicSharedMemoryAndConstants) {
  Bench bench(R"(
    __constant__ int factor = 3;
    __device__ int launches = 0;
    __global__ void sum(const int* in, int* out, int n) {
      extern __shared__ int s[];
      int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
      s[t] = i < n ? in[i] * factor : 0;
      __syncthreads();
      for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
      }
      if (t == 0) { out[blockIdx.x] = s[0]; if (blockIdx.x == 0) out[gridDim.x] = ++launches; }
    })");
  const auto in = iota<int>(1000);
  const Buffer input = bench.put("in", in), output = bench.zeros<int>("out", 9);
  for (int round = 1; round <= 2; ++round) {
    LaunchRequest r = bench.request({8}, {128}, {input, output, Scalar::of(1000)});
    r.dynamic_shared_bytes = 512;
    r.schedule = round == 1 ? Schedule::fast : Schedule::clock;
    const LaunchReport report = bench.device->launch(r);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    const auto out = bench.get<int>(output);
    EXPECT_EQ(std::accumulate(out.begin(), out.begin() + 8, 0), 3 * 999 * 1000 / 2);
    EXPECT_EQ(out[8], round) << "device variables keep their values between launches";
  }
}

TEST(VirtualDevice, WarpExchanges) {
  Bench bench(R"(
    __global__ void f(const int* in, int* out) {
      int t = threadIdx.x, lane = t & 31, v = in[t];
      int sum = v;
      for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
      int scan = v;
      for (int d = 1; d < 32; d *= 2) { int other = __shfl_up_sync(~0u, scan, d); if (lane >= d) scan += other; }
      int segment = __shfl_sync(~0u, v, 2, 8);
      int some = -1;
      if (lane >= 12) some = __popc(__ballot_sync(0xfffff000u, v & 1)) * 100 + __any_sync(0xfffff000u, v == 50) * 2 + __all_sync(0xfffff000u, v >= 12);
      out[t] = sum; out[64 + t] = scan; out[128 + t] = segment; out[192 + t] = some; out[256 + t] = __match_any_sync(~0u, v / 10);
    })");
  const Buffer in = bench.put("in", iota<int>(64));
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    const Buffer output = bench.zeros<int>("out", 320);
    const LaunchReport report = bench.launch({1}, {64}, {in, output}, schedule);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    const auto out = bench.get<int>(output);
    for (int t = 0; t < 64; ++t) {
      const int lane = t % 32, first = t - lane;
      const auto at = static_cast<std::size_t>(t);
      EXPECT_EQ(out[at], 32 * first + 496);
      EXPECT_EQ(out[64 + at], (lane + 1) * first + lane * (lane + 1) / 2);
      EXPECT_EQ(out[128 + at], t / 8 * 8 + 2);
      EXPECT_EQ(out[192 + at], lane < 12 ? -1 : 1000 + (first == 32 ? 2 : 0) + 1);
      unsigned same = 0;
      for (int k = 0; k < 32; ++k) same |= static_cast<unsigned>((first + k) / 10 == t / 10) << k;
      EXPECT_EQ(static_cast<unsigned>(out[256 + at]), same);
    }
  }
}

TEST(VirtualDevice, SpinLockBetweenLanesOfAWarpEnds) {
  for (const char* form : {R"(
    __device__ int lock = 0;
    __global__ void f(int* counter) {
      while (atomicCAS(&lock, 0, 1) != 0);
      __threadfence();
      *counter = *counter + 1;
      __threadfence();
      atomicExch(&lock, 0);
    })",
                           R"(
    __device__ int lock = 0;
    __global__ void f(int* counter) {
      for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
          __threadfence();
          *(volatile int*)counter = *(volatile int*)counter + 1;
          __threadfence();
          atomicExch(&lock, 0);
          done = true;
        }
      }
    })"})
    for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
      Bench bench(form);
      const Buffer counter = bench.zeros<int>("counter", 1);
      const LaunchReport report = bench.launch({2}, {64}, {counter}, schedule);
      ASSERT_EQ(report.status, "ok") << say(report.message);
      EXPECT_EQ(bench.get<int>(counter)[0], 128);
    }
}

TEST(VirtualDevice, ResidentBlocksMayWaitForEachOther) {
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    Bench bench(R"(
      __global__ void f(volatile int* flag, int* out) {
        if (blockIdx.x == 0) { while (*flag == 0); out[0] = *flag; }
        else if (threadIdx.x == 0) *flag = 42;
      })");
    const Buffer flag = bench.zeros<int>("flag", 1), out = bench.zeros<int>("out", 1);
    LaunchRequest r = bench.request({2}, {32}, {flag, out});
    r.schedule = schedule;
    r.seed = 0;  // blocks in order on one worker: the hardest case
    const LaunchReport report = bench.device->launch(r);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    EXPECT_EQ(bench.get<int>(out)[0], 42);
  }
}

TEST(VirtualDevice, WhoPollsGivesUpItsTurnSoon) {
  // Seven warps wait for the last one, in each of the ways that a loop can look at what others change.
  Bench bench(R"(
__global__ void wait(int* flags, int* out) {
  volatile int* const flag = flags + blockIdx.x;
  const bool last = threadIdx.x / 32 == blockDim.x / 32 - 1;
  if (last) {
    __threadfence();
    *flag = 1;
  } else if (blockIdx.x == 0) {
    while (*flag == 0) {}
  } else if (blockIdx.x == 1) {
    while (atomicAdd(flags + 1, 0) == 0) {}
  } else if (threadIdx.x % 32 == 0) {
    while (atomicCAS(flags + 2, 1, 1) != 1) {}
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = *flag;
})");
  for (const bool watched : {false, true}) {
    const Buffer flags = bench.zeros<int>("flags", 3), out = bench.zeros<int>("out", 3 * 256);
    LaunchRequest request = bench.request({3}, {256}, {flags, out});
    request.observe.race = watched;
    const LaunchReport report = bench.device->launch(request);
    EXPECT_EQ(report.status, "ok") << say(report.message);
    EXPECT_EQ(bench.get<int>(out), std::vector<int>(3 * 256, 1));
    EXPECT_LT(report.thread_instructions, 1'000'000u);
  }
}

TEST(VirtualDevice, AtomicsOfEveryKind) {
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    Bench bench(R"(
      __device__ double add(double* at, double x) {
        unsigned long long* p = (unsigned long long*)at, old = *p, seen;
        do { seen = old; old = atomicCAS(p, seen, __double_as_longlong(x + __longlong_as_double(seen))); } while (old != seen);
        return __longlong_as_double(old);
      }
      __global__ void f(int* i, unsigned* u, float* x, double* d) {
        int t = blockIdx.x * blockDim.x + threadIdx.x;
        atomicAdd(&i[0], 1); atomicSub(&i[1], 2); atomicMin(&i[2], -t); atomicMax(&i[3], t); atomicXor(&i[4], t); atomicOr(&i[5], t);
        atomicAnd(&i[6], ~t);
        atomicInc(&u[0], 99); atomicDec(&u[1], 9);
        atomicAdd(&x[0], 0.5f);
        atomicAdd(&d[0], 0.25); add(&d[1], 1.0);
      })");
    const Buffer i = bench.put<int>("i", {0, 0, 0, 0, 0, 0, -1}), u = bench.zeros<unsigned>("u", 2), x = bench.zeros<float>("x", 1),
                 d = bench.zeros<double>("d", 2);
    const LaunchReport report = bench.launch({8}, {128}, {i, u, x, d}, schedule);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    EXPECT_EQ(bench.get<int>(i), (std::vector<int>{1024, -2048, -1023, 1023, 0, 1023, -1024}));
    EXPECT_EQ(bench.get<unsigned>(u), (std::vector<unsigned>{24, 6}));  // 1024 mod 100; 10 − 1024 mod 10
    EXPECT_EQ(bench.get<float>(x)[0], 512);
    EXPECT_EQ(bench.get<double>(d), (std::vector<double>{256, 1024}));
  }
}

TEST(VirtualDevice, PrintfAndLocalArrays) {
  Bench bench(R"(
    #include <cstdio>
    __global__ void f(int n) {
      int a[8];
      for (int k = 0; k < 8; ++k) a[(k * 5 + n) % 8] = k;
      if (threadIdx.x == 1) printf("%d %5.2f %s %c|%-4d|%x %llu %%\n", a[n], 1.5 * n, "text", 'q', 7, 255u, 1ull << 40);
    })");
  const LaunchReport report = bench.launch({1}, {2}, {Scalar::of(3)});
  ASSERT_EQ(report.status, "ok") << say(report.message);
  EXPECT_EQ(report.output, "0  4.50 text q|7   |ff 1099511627776 %\n");
}

TEST(VirtualDevice, WhatIsPrintedHasALimit) {
  Bench bench("#include <cstdio>\n__global__ void f() { printf(\"0123456789\"); }");
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    LaunchRequest request = bench.request({2}, {64}, {});
    request.schedule = schedule;
    request.limits.max_output = 25;
    const LaunchReport report = bench.device->launch(request);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    EXPECT_EQ(report.output, "0123456789012345678901234");
  }
}

TEST(VirtualDevice, SameSeedSameRun) {
  Bench bench("extern \"C\" __global__ void count(int* c) { c[0] += 1; }");
  const Buffer c = bench.zeros<int>("c", 1);
  std::vector<std::pair<int, std::uint64_t>> results;
  for (const std::uint64_t seed : {1, 1, 2, 3}) {
    ASSERT_TRUE(bench.device->fill(c, Scalar::of(0)));
    LaunchRequest r = bench.request({64}, {64}, {c});
    r.schedule = Schedule::clock;
    r.seed = seed;
    const LaunchReport report = bench.device->launch(r);
    ASSERT_EQ(report.status, "ok");
    EXPECT_EQ(report.thread_instructions, 6u * 4096u);
    results.emplace_back(bench.get<int>(c)[0], report.cycles.value_or(0));
    EXPECT_GE(results.back().first, 1);
    EXPECT_LT(results.back().first, 10);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_TRUE(results[0].second != results[2].second || results[2].second != results[3].second)
      << "the seed changes the interleaving";
}

// ---- what goes wrong ------------------------------------------------------------------------------------------------

TEST(VirtualDevice, FaultsAreNamed) {
  Bench bench(R"(
    #include <cassert>
    __device__ int deep(int n, int* p) { int a[64]; a[n & 63] = n; return n > 0 ? deep(n - 1, p) + a[(n + *p) & 63] : *p; }
    __global__ void past(int* p, int n) { p[threadIdx.x + n] = 1; }
    __global__ void null(int* p, int n) { int* volatile nowhere = 0; nowhere[n] = 1; }
    __global__ void misaligned(int* p, int n) { *(int*)((char*)p + n) = 1; }
    __global__ void checked(int* p, int n) { assert(p[threadIdx.x] == n); }
    __global__ void stack(int* p, int n) { p[0] = deep(n, p); }
    __global__ void trapped(int* p, int n) { if (threadIdx.x == n) asm("trap;"); }
    __global__ void stray(int* p, int n) { __shared__ int s; asm volatile("st.global.u32 [%0], %1;" ::"l"(&s), "r"(n)); }
    __global__ void endless(volatile int* p, int n) { while (p[0] != -7); }
    __global__ void meeting(volatile int* p, int n) { while (p[0] != -7) __syncthreads(); }
    __global__ void handshake(volatile int* p, int n) { if (threadIdx.x & 1) while (p[0] != -7) __syncwarp(); else while (p[0] != -7) __syncwarp(); }
    __global__ void stuck(int* p, int n) { if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); else __syncthreads(); }
  )");
  const Buffer p = bench.zeros<int>("p", 64);
  const auto status = [&](const std::string& kernel, int n) {
    LaunchRequest r = bench.request({1}, {64}, {p, Scalar::of(n)});
    r.kernel = kernel;
    r.limits.max_seconds = n < 0 ? 0.3 : 20;
    const LaunchReport report = bench.device->launch(r);
    EXPECT_EQ(report.ok(), report.message.empty());
    return report.status;
  };
  EXPECT_EQ(status("past", 0), "ok");
  EXPECT_EQ(status("past", 1), "cudaErrorIllegalAddress");
  EXPECT_EQ(status("null", 1), "cudaErrorIllegalAddress");
  EXPECT_EQ(status("misaligned", 4), "ok");
  EXPECT_EQ(status("misaligned", 2), "cudaErrorMisalignedAddress");
  EXPECT_EQ(status("stray", 1), "cudaErrorIllegalAddress");
  EXPECT_EQ(status("checked", 5), "cudaErrorAssert");
  EXPECT_EQ(status("stack", 10), "ok");
  EXPECT_EQ(status("stack", 1000000), "cudaErrorIllegalAddress");
  EXPECT_EQ(status("trapped", 5), "cudaErrorLaunchFailure");
  for (const char* const kernel : {"endless", "meeting", "handshake"})
    EXPECT_EQ(status(kernel, -1), "cudaErrorLaunchTimeout") << kernel;
  EXPECT_EQ(status("stuck", 0), "cudaErrorLaunchTimeout");
}

/// Registers and local memory of what runs at once: few blocks under the fast schedule, under the clock as many as the GPU holds.
TEST(VirtualDevice, WarpsTakeNoMoreOfTheHostThanTheyMay) {
  Bench bench(R"(
    __device__ __noinline__ int deep(int n, volatile int* p) { return n == 0 ? p[0] : deep(n - 1, p) + p[n % 64]; }
    extern "C" __global__ void calls(int* p, int n) { p[threadIdx.x] = deep(n, p); }
    extern "C" __global__ void arrays(int* p, int n) {
      int own[4096];  // half a megabyte a warp
      for (int i = 0; i < 4096; ++i) own[i] = p[i % 64];
      p[threadIdx.x] = own[n];
    }
  )");
  const Buffer p = bench.zeros<int>("p", 64);
  const auto status = [&](const std::string& kernel, int n, std::size_t bytes, Schedule schedule) {
    LaunchRequest r = bench.request({200}, {64}, {p, Scalar::of(n)});
    r.kernel = kernel;
    r.schedule = schedule;
    r.limits.max_warp_bytes = bytes;
    return bench.device->launch(r).status;
  };
  EXPECT_EQ(status("arrays", 5, 64 << 20, Schedule::fast), "ok");
  EXPECT_EQ(status("arrays", 5, 256 << 10, Schedule::fast), "cudaErrorMemoryAllocation");
  EXPECT_EQ(status("arrays", 5, 64 << 20, Schedule::clock), "cudaErrorMemoryAllocation");
  EXPECT_EQ(status("arrays", 5, 512 << 20, Schedule::clock), "ok");
  EXPECT_EQ(status("calls", 100, 256 << 20, Schedule::fast), "ok");
  EXPECT_EQ(status("calls", 5000, 64 << 20, Schedule::fast), "cudaErrorMemoryAllocation");
}

TEST(VirtualDevice, LaunchLimitsCarryCudasNames) {
  Bench bench("extern \"C\" __global__ void f(int* p) { extern __shared__ int s[]; s[threadIdx.x] = 1; p[0] = s[0]; }");
  const Buffer p = bench.zeros<int>("p", 1);
  const auto status = [&](Dim3 grid, Dim3 block, std::uint32_t shared = 4096) {
    LaunchRequest r = bench.request(grid, block, {p});
    r.dynamic_shared_bytes = shared;
    return bench.device->launch(r).status;
  };
  EXPECT_EQ(status({1}, {1024}), "ok");
  EXPECT_EQ(status({1}, {1025}), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status({1}, {0}), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status({0}, {1}), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status({1}, {1, 1, 64}), "ok");
  EXPECT_EQ(status({1}, {1, 1, 65}), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status({1, 65535}, {1}), "ok");
  EXPECT_EQ(status({1, 65536}, {1}), "cudaErrorInvalidConfiguration");
  EXPECT_EQ(status({1}, {1}, 65536), "ok");
  EXPECT_EQ(status({1}, {1}, 65537), "cudaErrorInvalidValue");
}

TEST(VirtualDevice, CancelStopsARunningLaunch) {
  Bench bench("extern \"C\" __global__ void f(volatile int* p) { while (p[0] == 0); }");
  const Buffer p = bench.zeros<int>("p", 1);
  Job job;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    job.cancelled = true;
  });
  const LaunchReport report = bench.device->launch(bench.request({4}, {64}, {p}), &job);
  later.join();
  EXPECT_EQ(report.status, "cancelled");
}

}  // namespace
}  // namespace warpbook::gpu
