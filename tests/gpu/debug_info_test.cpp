// Source variables: what a replay says of a kernel's variables, against what the kernel's arithmetic makes of them. The expected
// values are worked out here, in C++, from the thread's indices.
#include "gpu/debug_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <set>

#include "gpu/device.h"
#include "gpu/history.h"
#include "gpu/source_variables.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

/// A kernel that was compiled for stepping and launched once.
struct Stepped {
  std::unique_ptr<Device> device = std::move(*make_virtual_device(compiler()));
  std::string source;
  ProgramPtr program;
  DebugInfo debug;
  LaunchReport report;
  Dim3 grid, block;
  std::vector<Buffer> buffers;

  explicit Stepped(const std::string& text) : source(text) {
    const auto compiled = compiler().compile({.file = "test.cu", .text = text}, {.resource_usage = false, .device_debug = true});
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message + compiled.error().log);
    if (!compiled) return;
    program = *compiled;
    auto read = read_debug_info(program->ptx);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    if (!read) return;
    debug = std::move(*read);
    add_shared_variables(debug, program->ptx, source);
  }

  template <class T>
  Buffer buffer(const std::string& name, const std::vector<T>& values) {
    const Buffer made = *device->allocate({name, scalar_type_of<T>(), {values.size()}});
    EXPECT_TRUE(device->write(made, std::as_bytes(std::span(values))));
    buffers.push_back(made);
    return made;
  }

  void launch(Dim3 in_grid, Dim3 in_block, std::vector<Argument> arguments, std::uint32_t dynamic_shared = 0) {
    grid = in_grid;
    block = in_block;
    LaunchRequest request;
    request.program = program;
    request.grid = grid;
    request.block = block;
    request.dynamic_shared_bytes = dynamic_shared;
    request.arguments = std::move(arguments);
    request.observe.history = Observe::history_bytes;
    report = device->launch(request);
    EXPECT_TRUE(report.ok() && report.history) << say(report.message);
  }

  /// The first step of the warp on a line, or the one of its nth visit.
  [[nodiscard]] std::size_t on_line(std::uint32_t line, WarpRef warp, int visit = 1) const {
    std::size_t at = report.history->next_of(0, warp).value_or(0);
    for (; at < report.history->steps().size(); at = report.history->next(at, Stride::line, warp))
      if (report.history->steps()[at].line == line && --visit == 0) return at;
    ADD_FAILURE() << "line " << line << " is not reached";
    return 0;
  }
  [[nodiscard]] SourceVariables::Where where(WarpRef warp) const {
    return {.warp = warp, .grid = grid, .block = block, .source = source};
  }
};

double real(const LaneValues& values, unsigned lane) { return floating_number(*values.type, values.bits[lane]); }

/// A place in a launch, and what is asked there.
struct Here {
  Replay replay;
  SourceVariables variables;
  Here(const Stepped& stepped, std::size_t step, WarpRef warp)
      : replay(moved(stepped, step)), variables(stepped.debug, replay, stepped.where(warp)) {}
  static Replay moved(const Stepped& stepped, std::size_t step) {
    Replay made(stepped.report.history);
    made.to(step);
    return made;
  }
  [[nodiscard]] LaneValues of(const std::string& expression, std::size_t level = 0) const {
    const auto found = variables.evaluate(variables.levels().at(level), expression);
    EXPECT_TRUE(found) << expression;
    return found.value_or(same_in_all(number_type(DebugType::Kind::signed_integer, 4), 0));
  }
  void expect(const std::string& expression, const std::function<double(unsigned)>& wanted, std::uint32_t lanes = ~0u,
              std::size_t level = 0) const {
    const LaneValues values = of(expression, level);
    for (unsigned l = 0; l < 32; ++l) {
      if (!(lanes >> l & 1u)) continue;
      EXPECT_EQ(values.states[l], ValueState::known) << expression << ", lane " << l;
      if (values.states[l] != ValueState::known) continue;
      EXPECT_EQ(real(values, l), wanted(l)) << expression << ", lane " << l;
    }
  }
  void expect_state(const std::string& expression, ValueState state, std::size_t level = 0) const {
    const LaneValues values = of(expression, level);
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(values.states[l], state) << expression << ", lane " << l;
  }
};

TEST(DebugInfo, ParametersLocalsAndElements) {
  Stepped stepped(R"(__global__ void add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}
)");
  std::vector<float> a(128), b(128);
  for (std::size_t i = 0; i < 128; ++i) a[i] = static_cast<float>(i) * 0.5f, b[i] = 100 - static_cast<float>(i);
  const Buffer out = stepped.buffer("out", std::vector<float>(128, -1.0f));
  stepped.launch({2}, {64}, {stepped.buffer("a", a), stepped.buffer("b", b), out, Scalar::of(128)});
  const WarpRef warp{1, 1};
  const auto i = [](unsigned l) { return 64.0 + 32 + l; };

  const Here first(stepped, stepped.on_line(2, warp), warp);
  first.expect_state("i", ValueState::not_computed);
  first.expect("n", [](unsigned) { return 128; });
  first.expect("threadIdx.x", [](unsigned l) { return 32.0 + l; });
  first.expect("blockIdx.x * blockDim.x", [](unsigned) { return 64; });

  const std::size_t sum = stepped.on_line(4, warp);
  const Here before(stepped, sum, warp);
  before.expect("i", i);
  before.expect("a[i]", [&](unsigned l) { return 0.5 * i(l); });
  before.expect("b[i]", [&](unsigned l) { return 100 - i(l); });
  before.expect("out[i]", [](unsigned) { return -1; });
  before.expect("a[i - 1] + 2 * b[0]", [&](unsigned l) { return 0.5 * (i(l) - 1) + 200; });
  const Here after(stepped, stepped.report.history->next(sum, Stride::line, warp), warp);
  after.expect("out[i]", [&](unsigned l) { return 100 - 0.5 * i(l); });
  // And back again: the store is taken away.
  Replay back(stepped.report.history);
  back.to(stepped.report.history->steps().size());
  back.to(sum);
  const SourceVariables there(stepped.debug, back, stepped.where(warp));
  EXPECT_EQ(real(*there.evaluate(there.levels()[0], "out[i]"), 5), -1.0);
  EXPECT_FALSE(there.evaluate(there.levels()[0], "nobody[i]"));
  EXPECT_FALSE(there.evaluate(there.levels()[0], "f(i)"));
  EXPECT_FALSE(there.evaluate(there.levels()[0], "i = 2"));
  EXPECT_EQ(there.evaluate(there.levels()[0], "a[i + 1000]")->states[0], ValueState::not_recorded);
}

TEST(DebugInfo, SharedMemoryStructsVectorsAndEnumerations) {
  Stepped stepped(R"(#define WIDTH 8
struct Body { float x, y; int id; };
enum Mode { slow, fast };
__constant__ int table[4] = {10, 20, 30, 40};
extern __shared__ int extra[];
__global__ void mix(Body* bodies, Body one, float4 v, double* out) {
  __shared__ float tile[4][WIDTH];
  int x = threadIdx.x, row = x / WIDTH;
  tile[row][x % WIDTH] = x * 2;
  extra[x] = -x;
  float local[3];
  for (int j = 0; j < 3; ++j)
    local[j] = x + 10 * j;
  Mode mode = x > 15 ? fast : slow;
  Body mine = bodies[x];
  Body* other = &bodies[31 - x];
  bool odd = x % 2;
  out[x] = tile[row][7] + extra[x] + local[1] + mine.x + other->y + one.id + v.z + mode + odd + table[x % 4];
}
)");
  struct Body {
    float x, y;
    std::int32_t id;
  };
  std::vector<float> words(96);
  for (std::uint32_t b = 0; b < 32; ++b) {
    words[3 * b] = static_cast<float>(b) + 0.25f;
    words[3 * b + 1] = static_cast<float>(b) + 0.75f;
    words[3 * b + 2] = std::bit_cast<float>(static_cast<std::int32_t>(1000 + b));
  }
  const Buffer bodies = stepped.buffer("bodies", words);
  const auto bytes_of = [](const auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return Struct{.bytes = {bytes.begin(), bytes.end()}};
  };
  const std::array<float, 4> v{1, 2, 3.5f, 4};
  stepped.launch({1}, {32}, {bodies, bytes_of(Body{7, 8, 77}), bytes_of(v), stepped.buffer("out", std::vector<double>(32))}, 128);
  const WarpRef warp{0, 0};
  const Here early(stepped, stepped.on_line(9, warp), warp);
  early.expect_state("tile[0][0]", ValueState::not_computed);
  early.expect("one.id", [](unsigned) { return 77; });
  const Here here(stepped, stepped.on_line(18, warp), warp);
  here.expect("x", [](unsigned l) { return l; });
  here.expect("row", [](unsigned l) { return l / 8; });
  here.expect("tile[row][x % WIDTH]", [](unsigned l) { return 2.0 * l; });
  here.expect("tile[1][7]", [](unsigned) { return 30; });
  here.expect("extra[x]", [](unsigned l) { return -static_cast<double>(l); });
  here.expect("local[2]", [](unsigned l) { return l + 20.0; });
  here.expect("mine.x", [](unsigned l) { return l + 0.25; });
  here.expect("mine.id", [](unsigned l) { return 1000.0 + l; });
  here.expect("other->y", [](unsigned l) { return 31 - l + 0.75; });
  here.expect("(*other).id", [](unsigned l) { return 1031.0 - l; });
  here.expect("one.y", [](unsigned) { return 8; });
  here.expect("v.z", [](unsigned) { return 3.5; });
  here.expect("mode", [](unsigned l) { return l > 15; });
  here.expect("table[x % 4]", [](unsigned l) { return 10.0 * (l % 4 + 1); });
  EXPECT_EQ(here.of("mode").type->kind, DebugType::Kind::enumeration);
  EXPECT_EQ(here.of("one").type->name, "Body");
  EXPECT_EQ(here.of("tile").type->name, "float[4][8]");
}

TEST(DebugInfo, BlocksLoopsAndShadowedNames) {
  Stepped stepped(R"(__global__ void loops(int* out) {
  int x = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    int twice = 2 * k + x;
    sum += twice;
  }
  {
    int x = 99;
    sum += x;
  }
  out[x] = sum;
}
)");
  stepped.launch({1}, {32}, {stepped.buffer("out", std::vector<std::int32_t>(32))});
  const WarpRef warp{0, 0};
  const Here outside(stepped, stepped.on_line(3, warp), warp);
  outside.expect_state("k", ValueState::out_of_scope);
  outside.expect_state("twice", ValueState::out_of_scope);
  const Here second(stepped, stepped.on_line(5, warp, 2), warp);
  second.expect("k", [](unsigned) { return 1; });
  second.expect_state("twice", ValueState::not_computed);
  const Here next(stepped, stepped.on_line(6, warp, 2), warp);
  next.expect("twice", [](unsigned l) { return 2.0 + l; });
  next.expect("sum", [](unsigned l) { return l; });
  const Here shadowed(stepped, stepped.on_line(10, warp), warp);
  shadowed.expect("x", [](unsigned) { return 99; });
  const Here last(stepped, stepped.on_line(12, warp), warp);
  last.expect("x", [](unsigned l) { return l; });
  last.expect("sum", [](unsigned l) { return 3.0 * l + 6 + 99; });
}

TEST(DebugInfo, WrittenParametersPointersAndDynamicSharedMemory) {
  Stepped stepped(R"(struct Pair { int a, b; };
__device__ __noinline__ void fill(int* at, int value) { *at = value; }
__global__ void pairs(Pair p, int* out) {
  extern __shared__ float room[];
  int x = threadIdx.x;
  p.b += x;
  for (int i = 0; i < 2; ++i) {
    int through;
    fill(&through, x + i);
    out[x] = through + p.b;
    room[x] = i + 0.5f;
  }
}
)");
  const std::array<std::int32_t, 2> pair{4, 10};
  const auto bytes = std::as_bytes(std::span(pair));
  stepped.launch({1}, {32}, {Struct{.bytes = {bytes.begin(), bytes.end()}}, stepped.buffer("out", std::vector<std::int32_t>(32))},
                 128);
  const WarpRef warp{0, 0};
  const Here before(stepped, stepped.on_line(6, warp), warp);
  before.expect("p.b", [](unsigned) { return 10; });
  before.expect_state("room[x]", ValueState::not_computed);
  const Here second(stepped, stepped.on_line(10, warp, 2), warp);
  second.expect("p.a", [](unsigned) { return 4; });
  second.expect("p.b", [](unsigned l) { return 10.0 + l; });
  second.expect("through", [](unsigned l) { return 1.0 + l; });
  second.expect("room[x]", [](unsigned) { return 0.5; });
  EXPECT_EQ(second.of("room").type->name, "float[]");
}

TEST(DebugInfo, VariablesOfAKernelWithoutParameters) {
  Stepped stepped(R"(__device__ int seen;
__global__ void counts() {
  for (int k = 0; k < 2; ++k) {
    int twice = 2 * k;
    seen = twice;
  }
}
)");
  stepped.launch({1}, {32}, {});
  const WarpRef warp{0, 0};
  const Here last(stepped, stepped.on_line(5, warp, 2), warp);
  last.expect("k", [](unsigned) { return 1; });
  last.expect("twice", [](unsigned) { return 2; });
}

TEST(DebugInfo, CallsShowTheirOwnVariablesAndTheCallers) {
  Stepped stepped(R"(__device__ int depth(int n, int start) {
  int here = n * 10 + start;
  if (n == 0)
    return here;
  return depth(n - 1, start) + here;
}
__global__ void k(int* out) {
  int i = threadIdx.x;
  int result = depth(2, i);
  out[i] = result;
}
)");
  stepped.launch({1}, {32}, {stepped.buffer("out", std::vector<std::int32_t>(32))});
  const WarpRef warp{0, 0};
  const Here deepest(stepped, stepped.on_line(4, warp), warp);
  ASSERT_EQ(deepest.variables.levels().size(), 4u);
  EXPECT_EQ(deepest.variables.levels()[0].function->name, "depth");
  EXPECT_EQ(deepest.variables.levels()[3].function->name, "k");
  EXPECT_EQ(deepest.variables.levels()[3].line, 9u);
  for (std::size_t level = 0; level < 3; ++level) {
    deepest.expect(
        "n", [&](unsigned) { return static_cast<double>(level); }, ~0u, level);
    deepest.expect(
        "here", [&](unsigned l) { return 10.0 * static_cast<double>(level) + l; }, ~0u, level);
  }
  deepest.expect(
      "i", [](unsigned l) { return l; }, ~0u, 3);
  deepest.expect_state("result", ValueState::not_computed, 3);
  const Here after(stepped, stepped.on_line(10, warp), warp);
  ASSERT_EQ(after.variables.levels().size(), 1u);
  after.expect("result", [](unsigned l) { return 3.0 * l + 30; });
}

TEST(DebugInfo, LanesInTheOtherBranchStandElsewhere) {
  Stepped stepped(R"(__global__ void sides(int* out) {
  int i = threadIdx.x;
  if (i < 12) {
    int low = i + 1;
    out[i] = low;
  } else {
    int high = i * 2;
    out[i] = high;
  }
}
)");
  stepped.launch({1}, {32}, {stepped.buffer("out", std::vector<std::int32_t>(32))});
  const WarpRef warp{0, 0};
  const Here low(stepped, stepped.on_line(5, warp), warp);
  const LaneValues values = low.of("low");
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(values.states[l], l < 12 ? ValueState::known : ValueState::out_of_scope) << l;
  low.expect(
      "low", [](unsigned l) { return l + 1; }, 0xfff);
  low.expect("i", [](unsigned l) { return l; });
  const Here high(stepped, stepped.on_line(8, warp), warp);
  high.expect(
      "high", [](unsigned l) { return 2.0 * l; }, ~0xfffu);
}

TEST(DebugInfo, ResultsAreThoseOfTheOrdinaryCompile) {
  const std::string text = R"(struct Pair { float first; int second; };
__device__ Pair joined(Pair a, float by) { a.first = fmaf(a.first, by, 0.1f); a.second += 3; return a; }
__global__ void k(const float* in, float* out, int n) {
  __shared__ float sums[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float local[4] = {1, 2, 3, 4};
  Pair p{in[i], i};
  for (int j = 0; j < n; ++j) p = joined(p, local[j % 4]);
  sums[threadIdx.x] = sinf(p.first) / (1 + p.second);
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  out[i] = sums[0] + __shfl_down_sync(~0u, p.first, 1) * rsqrtf(i + 1.0f);
  atomicAdd(&out[128], 1.0f);
}
)";
  std::vector<float> in(128), first(129), second(129);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) / 7;
  for (std::vector<float>* out : {&first, &second}) {
    const auto program = compiler().compile({.file = "test.cu", .text = text}, {.device_debug = out == &second});
    ASSERT_TRUE(program) << program.error().log;
    for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
      auto device = std::move(*make_virtual_device(compiler()));
      const Buffer from = *device->allocate({"in", ScalarType::float32, {128}}),
                   to = *device->allocate({"out", ScalarType::float32, {129}});
      ASSERT_TRUE(device->write(from, std::as_bytes(std::span(in))) && device->fill(to, Scalar::of(0.0f)));
      LaunchRequest request;
      request.program = *program;
      request.grid = {2};
      request.block = {64};
      request.arguments = {from, to, Scalar::of(5)};
      request.schedule = schedule;
      const LaunchReport report = device->launch(request);
      ASSERT_TRUE(report.ok()) << say(report.message);
      std::vector<float> got(129);
      ASSERT_TRUE(device->read(to, std::as_writable_bytes(std::span(got))));
      if (schedule == Schedule::fast) *out = got;
      EXPECT_EQ(got, *out);
    }
  }
  EXPECT_EQ(first[128], 128.0f);
  // Without optimisation, products and sums are not fused where the source does not say so: the last digits may differ.
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(first[i], second[i], 1e-5f * std::max(1.0f, std::abs(first[i]))) << i;
}

TEST(DebugInfo, WhatIsNoDebugInformationIsRefused) {
  const auto ordinary = compiler().compile({.file = "test.cu", .text = "__global__ void k(int* p) { *p = 1; }"});
  ASSERT_TRUE(ordinary);
  EXPECT_EQ(read_debug_info((*ordinary)->ptx).error().code, "no_debug_info");
  EXPECT_EQ(read_debug_info("").error().code, "no_debug_info");
  EXPECT_EQ(read_debug_info(".section .debug_info\n{\n.b8 what\n.b8 1,,2\n}\n.section .debug_abbrev\n{\n}\n").error().code,
            "bad_debug_info");
  // Mutilated: whatever comes of it, it comes back.
  const auto whole =
      compiler().compile({.file = "test.cu", .text = "__global__ void k(int* p) { int i = 4; p[i] = i; }"}, {.device_debug = true});
  ASSERT_TRUE(whole);
  const std::string& ptx = (*whole)->ptx;
  ASSERT_TRUE(read_debug_info(ptx));
  std::uint32_t random = 1;
  for (int n = 0; n < 300; ++n) {
    std::string broken = ptx;
    for (int change = 0; change < 3; ++change) {
      random = random * 1664525u + 1013904223u;
      const std::size_t begin = broken.find(".section");
      const std::size_t at = begin + random % (broken.size() - begin);
      if (std::isdigit(static_cast<unsigned char>(broken[at]))) broken[at] = static_cast<char>('0' + random / 7 % 10);
    }
    (void)read_debug_info(broken);
  }
}

TEST(DebugInfo, ExpressionsOfALine) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(expressions_of("    out[i] = a[i] + b[idx[i] + 1];  // a[0]"), (Texts{"out[i]", "a[i]", "b[idx[i] + 1]", "idx[i]"}));
  EXPECT_EQ(expressions_of("int i = blockIdx.x * blockDim.x + threadIdx.x;"), (Texts{"blockIdx.x", "blockDim.x", "threadIdx.x"}));
  EXPECT_EQ(expressions_of("p->x += *q * 2;"), (Texts{"p->x", "*q"}));
  EXPECT_EQ(expressions_of("float* p = a + f(i);"), Texts{});
  EXPECT_EQ(expressions_of("s[threadIdx.x + 1] = cell.next(2);"), (Texts{"s[threadIdx.x + 1]", "threadIdx.x"}));
  EXPECT_EQ(names_of("sum += twice + p->x + f(n);"), (Texts{"sum", "twice", "p", "n"}));
  EXPECT_EQ(constant_value("TILE + 1", "#define TILE (4 * 4)\n", {}), 17);
  EXPECT_EQ(constant_value("N * 2", "constexpr int N = 3;", {}), 6);
  EXPECT_EQ(constant_value("N", "int N = 3;", {}), std::nullopt);
  EXPECT_EQ(constant_value("N", "#define N 3\n#define N 4\n", {}), std::nullopt);
}

}  // namespace
}  // namespace warpbook::gpu
