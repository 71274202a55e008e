// Lesson playground: any kernel, on any input; judged against the CPU.
#include "lessons/playground.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "gpu/elements.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using Texts = std::map<std::string, std::string>;

class PlaygroundLesson : public LessonRun {
 protected:
  PlaygroundLesson() : LessonRun("playground") {}

  [[nodiscard]] Values given(const testing::Settings& controls, const Texts& texts) const {
    Values all = values(controls);
    for (const auto& [id, words] : texts) all.set_text(id, words);
    return all;
  }
  [[nodiscard]] Result<Outcome> launch(const std::string& source, const testing::Settings& controls = {}, const Texts& texts = {}) {
    Host host(device(), {.kernel_file = "mine.cu", .kernel_text = source, .defines = {}});
    return lesson().run(host, given(controls, texts), nullptr);
  }
  [[nodiscard]] Outcome good(const std::string& source, const testing::Settings& controls = {}, const Texts& texts = {}) {
    auto outcome = launch(source, controls, texts);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    if (!outcome) return {};
    EXPECT_EQ(outcome->report.status, "ok") << say(outcome->report.message);
    return std::move(*outcome);
  }
  [[nodiscard]] gpu::ProgramPtr compile(const std::string& source) {
    auto program = device().compile({.file = "mine.cu", .text = source, .defines = {}, .instantiate = {}});
    EXPECT_TRUE(program) << (program ? "" : program.error().log);
    return program ? *program : nullptr;
  }

  static const Arrays::One& array(const Outcome& outcome, std::string_view name) {
    for (const Arrays::One& one : *testing::figure<Arrays>(outcome).arrays) {
      if (one.array.name == name) return one;
    }
    throw std::runtime_error("no array " + std::string(name));
  }
  static double element(const Arrays::One& one, std::size_t index) { return gpu::element_value(one.array.type, one.after, index); }

  static constexpr const char* line = R"(
extern "C" __global__ void line(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})";
  const testing::Settings one_dimension{{"threads", "128"}, {"threads_y", "1"}, {"blocks", "32"}, {"blocks_y", "1"}};
};

TEST_F(PlaygroundLesson, TheShippedKernelsComputeWhatTheySay) {
  const Outcome set = run({});
  const Arrays::One& steps = array(set, "steps");
  for (std::size_t y = 0; y < 64; y += 7) {
    for (std::size_t x = 0; x < 64; ++x) {
      // In float64 the border between two counts lies elsewhere by rounding: only points whose neighbours in C agree are asked.
      const auto count = [&](double cx, double cy) {
        double zx = 0, zy = 0;
        int n = 0;
        for (; n < 64 && zx * zx + zy * zy < 4; ++n) {
          const double next = zx * zx - zy * zy + cx;
          zy = 2 * zx * zy + cy;
          zx = next;
        }
        return n;
      };
      const double cx = -2.2 + 3.0 * double(x) / 64, cy = -1.5 + 3.0 * double(y) / 64;
      const int expected = count(cx, cy);
      if (count(cx + 1e-4, cy) == expected && count(cx - 1e-4, cy) == expected && count(cx, cy + 1e-4) == expected) {
        EXPECT_EQ(element(steps, y * 64 + x), expected) << x << ", " << y;
      }
    }
  }
  EXPECT_EQ(number(set, "steps_changed"), 4096);
  EXPECT_FALSE(testing::findings(set, gpu::FindingKind::divergence).empty()) << "lanes escape at different times";
}

TEST_F(PlaygroundLesson, InputsAreWhatWasAskedFor) {
  const Outcome outcome =
      good(line, one_dimension, {{"line/x", "[100]=iota"}, {"line/y", "[100]=7"}, {"line/a", "=0.5"}, {"line/n", "=90"}});
  const Arrays::One& y = array(outcome, "y");
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(element(y, i), i < 90 ? 7 + 0.5 * double(i) : 7);
  EXPECT_EQ(y.changed, 89U) << "element 0 stays 7";
  EXPECT_EQ(y.least, 7);
  EXPECT_EQ(y.most, 7 + 0.5 * 89);
  EXPECT_NEAR(y.mean, 7 + 0.5 * 89 * 90 / 2 / 100, 1e-9);
  EXPECT_TRUE(array(outcome, "x").read_only);
  EXPECT_EQ(array(outcome, "x").changed, 0U);
  EXPECT_EQ(y.parts.size(), 100U);
}

TEST_F(PlaygroundLesson, WithoutAWordItGetsInputsThatSuitIt) {
  const Outcome outcome = good(line, one_dimension);
  EXPECT_EQ(array(outcome, "x").array.shape, (std::vector<std::size_t>{4096}));
  EXPECT_GT(number(outcome, "y_changed"), 4000);
  EXPECT_EQ(outcome.report.findings.size(), 0U);
}

TEST_F(PlaygroundLesson, EveryParameterOfCudaHasATypeOrASentence) {
  const auto program = compile(R"(
#include <cuda_fp16.h>
struct Pair { int a; float b; double c; };
struct Base { int a; };
struct Other : Base { float b[4]; };
extern "C" __global__ void all(bool flag, char c, unsigned short s, long long l, double d, const float4* v, uchar3* p, __half* h, void* raw,
                               const int* __restrict__ r, int* const* q, Pair pair, Other other) {})");
  ASSERT_NE(program, nullptr);
  const gpu::Kernel& kernel = program->kernels.front();
  const std::map<std::string, std::optional<gpu::ScalarType>> expected{
      {"flag", gpu::ScalarType::uint8}, {"c", gpu::ScalarType::int8},    {"s", gpu::ScalarType::uint16},
      {"l", gpu::ScalarType::int64},    {"d", gpu::ScalarType::float64}, {"v", gpu::ScalarType::float32},
      {"p", gpu::ScalarType::uint8},    {"h", gpu::ScalarType::uint16},  {"raw", gpu::ScalarType::float32},
      {"r", gpu::ScalarType::int32},    {"pair", std::nullopt},          {"other", std::nullopt}};
  for (const gpu::Parameter& parameter : kernel.parameters) {
    if (const auto found = expected.find(parameter.name); found != expected.end()) {
      EXPECT_EQ(type_of_input(parameter), found->second) << parameter.name << ", " << parameter.type;
    }
  }
  EXPECT_TRUE(read_only(kernel.parameters[5]));
  EXPECT_FALSE(read_only(kernel.parameters[6]));
  EXPECT_TRUE(read_only(kernel.parameters[9]));
  EXPECT_EQ(input_text(*program, kernel, 5, Values()), "[16384]=uniform:0:1:7") << "as many float4 as there are elements";
  EXPECT_EQ(input_text(*program, kernel, 11, Values()), "{int32=4096,float32=1,float64=1}");
  EXPECT_TRUE(input_of(*program, kernel, 11, Values()));
  EXPECT_EQ(input_text(*program, kernel, 12, Values()), "");
  const auto input = input_of(*program, kernel, 12, Values());
  ASSERT_FALSE(input);
  EXPECT_NE(input.error().message.find("other is a struct of 20 bytes (Other)"), std::string::npos) << input.error().message;
  EXPECT_NE(input.error().message.find("{int32=16,"), std::string::npos) << "what to type";
}

constexpr const char* matrices = R"(
typedef struct { int width; int height; float* elements; } Matrix;
__global__ void product(const Matrix A, const Matrix B, Matrix C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= C.height || column >= C.width) return;
  float sum = 0;
  for (int k = 0; k < A.width; ++k) sum += A.elements[row * A.width + k] * B.elements[k * B.width + column];
  C.elements[row * C.width + column] = sum;
})";

TEST_F(PlaygroundLesson, StructsByValueAreGivenAndShown) {
  const Outcome outcome = good(matrices, {},
                               {{"product/A", "{int32=7,int32=5,float32[5x7]=iota}"},
                                {"product/B", "{int32=9, int32=7, float32[7x9]=iota}"},
                                {"product/C", "{int32=9,int32=5,float32[5x9]=-1}"}});
  const Arrays::One& c = array(outcome, "C.elements");
  EXPECT_EQ(c.array.shape, (std::vector<std::size_t>{5, 9}));
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 9; ++column) {
      double sum = 0;
      for (int k = 0; k < 7; ++k) sum += (row * 7 + k) * (k * 9 + column);
      EXPECT_EQ(element(c, static_cast<std::size_t>(row * 9 + column)), sum) << row << ", " << column;
    }
  }
  EXPECT_EQ(number(outcome, "C.elements_changed"), 45);
  EXPECT_EQ(array(outcome, "A.elements").changed, 0U);
  EXPECT_EQ(outcome.report.findings.size(), 0U);
}

TEST_F(PlaygroundLesson, AStructThatTheFileNamesHasADefault) {
  const auto program = compile(matrices);
  EXPECT_EQ(input_text(*program, program->kernels.front(), 0, Values()), "{int32=64,int32=64,float32[64x64]=uniform:0:1:7}");
  const Outcome outcome = good(matrices);
  EXPECT_EQ(number(outcome, "C.elements_changed"), 64 * 64);
  const Outcome vector = good("__global__ void k(float4 v, int2 n, float* out) { out[n.y] = v.w; }", one_dimension,
                              {{"k/v", "{float32=1,float32=2,float32=3,float32=4}"}, {"k/n", "{int32=5,int32=6}"}});
  EXPECT_EQ(element(array(vector, "out"), 6), 4);
}

TEST_F(PlaygroundLesson, APointerToStructsIsGivenAsManyStructs) {
  const std::string particles = R"(
struct Particle { float x, y, vx, vy; };
struct Body { float mass; int id; double at; };
__global__ void step(Particle* p, const Particle* before, Body* bodies, const Body* seen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].x = before[i].x + before[i].vx + 1;
  bodies[i].id = i + 1 + seen[i].id;
})";
  const auto program = compile(particles);
  const gpu::Kernel& kernel = program->kernels.front();
  EXPECT_EQ(input_text(*program, kernel, 0, Values()), "[16384]=zeros");
  EXPECT_EQ(input_text(*program, kernel, 1, Values()), "[16384]=uniform:0:1:7");
  EXPECT_EQ(input_text(*program, kernel, 2, Values()), "[8192]=zeros");
  EXPECT_EQ(input_text(*program, kernel, 3, Values()), "[8192]=zeros") << "no bits of floats are made from counting";
  const Outcome outcome = good(particles, one_dimension);
  EXPECT_EQ(outcome.report.observed[gpu::FindingKind::memory], gpu::Observation::none_found);
  EXPECT_EQ(outcome.report.observed[gpu::FindingKind::init], gpu::Observation::none_found);
  EXPECT_EQ(number(outcome, "p_changed"), 4096);
  EXPECT_EQ(number(outcome, "bodies_changed"), 4096);
}

TEST_F(PlaygroundLesson, AStructThatTheFileHidesIsGivenByPlaces) {
  const std::string hidden = R"(
struct Base { int n; };
struct Derived : Base { float* out; const float* in; };
__global__ void k(Derived d) { if (threadIdx.x < d.n) d.out[threadIdx.x] = 2 * d.in[threadIdx.x]; })";
  const Outcome outcome = good(hidden, one_dimension, {{"k/d", "{int32=3,float32[4]=zeros,float32[4]=iota}"}});
  const Arrays::One& out = array(outcome, "d.1");
  EXPECT_EQ(element(out, 2), 4);
  EXPECT_EQ(element(out, 3), 0);
}

TEST_F(PlaygroundLesson, AStructThatDoesNotFitSaysHow) {
  const auto why = [&](const char* text) {
    const auto outcome = launch(matrices, {}, {{"product/A", text}});
    EXPECT_FALSE(outcome) << text;
    return outcome ? std::string() : outcome.error().message;
  };
  EXPECT_NE(why("{int32=7,int32=5}").find("2 members"), std::string::npos);
  EXPECT_NE(why("{int32=7,int32=5,int64=0}").find("Member 2 of A"), std::string::npos);
  EXPECT_NE(why("{int32=7,int32=5,float32[4]=zeros").find("'}' is missing"), std::string::npos);
  EXPECT_NE(why("{int32=7,int32=5,float32[99999999999]=zeros}").find("GiB"), std::string::npos);
  const auto program = compile(matrices);
  Values values;
  values.set_text("product/A", "=5");
  EXPECT_NE(check_texts(*program, values).error().message.find("A is a struct"), std::string::npos);
  values.set_text("product/A", "{int32=1}");
  EXPECT_TRUE(check_texts(*program, values));
  Values number;
  number.set_text("line/n", "{int32=1}");
  EXPECT_NE(check_texts(*compile(line), number).error().message.find("n is a number"), std::string::npos);
}

TEST_F(PlaygroundLesson, ChoosingAKernelGivesItALaunchOfItsDimensions) {
  const auto program = compile(R"(
extern "C" __global__ void one(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
extern "C" __global__ void two(float* x) { x[threadIdx.y * blockDim.x + threadIdx.x] = 1; }
extern "C" __global__ void three(float* x) { x[(blockIdx.z * blockDim.y + threadIdx.y) * 4 + threadIdx.x] = 1; })");
  Values values = this->values({});
  const auto choose = [&](const char* name) {
    choose_kernel(*program, *program->find(name), values);
    EXPECT_EQ(chosen_kernel(*program, values)->name, name);
    std::uint64_t threads = 1;
    for (const char* id : {"threads", "threads_y", "threads_z", "blocks", "blocks_y", "blocks_z"}) {
      threads *= static_cast<std::uint64_t>(values.integer(id));
    }
    EXPECT_EQ(threads, 4096U) << name;
  };
  choose("one");
  EXPECT_EQ(values.integer("threads_y"), 1);
  EXPECT_EQ(input_text(*program, *program->find("one"), 0, values), "[4096]=zeros");
  choose("two");
  EXPECT_GT(values.integer("threads_y"), 1);
  EXPECT_EQ(input_text(*program, *program->find("two"), 0, values), "[64x64]=zeros");
  choose("three");
  EXPECT_GT(values.integer("blocks_z"), 1);
  values.set("threads", 4);
  choose_kernel(*program, *program->find("three"), values);
  EXPECT_EQ(values.integer("threads"), 4) << "a launch that suits it stays";
}

constexpr const char* whole_program = R"(#include <vector>
__global__ void unused(float* x) { x[threadIdx.x] = 1; }
__global__ void line(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void turned(const float* in, float* out, int width, int height) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) out[column * height + row] = in[row * width + column];
}
__global__ void counted(const unsigned char* text, int* bins, int n) {
  extern __shared__ int own[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[text[i] % 8], own[0] * 0 + 1);
}
int main() {
  const int n = 1000, width = 40, height = 24;
  std::vector<float> host(n, 2.0f);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMemcpy(y, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  line<<<(n + 63) / 64, 64>>>(x, y, 0.25f, n);
  float *in, *out;
  cudaMalloc(&in, width * height * sizeof(float));
  cudaMalloc(&out, width * height * sizeof(float));
  dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
  turned<<<grid, block>>>(in, out, width, height);
  int length = read_length();
  counted<<<1, 96, 4096>>>(read_text(), bins(), length);
})";

LaunchShape shape(gpu::Dim3 grid, gpu::Dim3 block, std::uint32_t shared_bytes = 0) { return {grid, block, shared_bytes}; }

TEST_F(PlaygroundLesson, AFilesOwnLaunchAndInputsAreTaken) {
  const auto program = compile(whole_program);
  ASSERT_NE(program, nullptr);
  Values values = this->values({});
  EXPECT_EQ(chosen_kernel(*program, values)->name, "line") << "the first that is launched";
  take_launch(*program, values);
  EXPECT_EQ(shape_in(values), shape({16}, {64}));
  const gpu::Kernel& line = *program->find("line");
  EXPECT_EQ(input_text(*program, line, 0, values), "[1000]=2");
  EXPECT_EQ(input_text(*program, line, 1, values), "[1000]=iota");
  EXPECT_EQ(input_text(*program, line, 2, values), "=0.25");
  EXPECT_EQ(input_text(*program, line, 3, values), "=1000");
  EXPECT_NE(about_launch(*program, line, values).find("line 24"), std::string::npos) << about_launch(*program, line, values);
  EXPECT_TRUE(is_own_launch(*program, line, values));

  const Outcome outcome = good(whole_program, {{"threads", "64"}, {"threads_y", "1"}, {"blocks", "16"}, {"blocks_y", "1"}});
  EXPECT_EQ(element(array(outcome, "y"), 999), 999 + 0.5);
  EXPECT_EQ(outcome.report.findings.size(), 0U);

  choose_kernel(*program, *program->find("turned"), values);
  EXPECT_EQ(shape_in(values), shape({3, 3, 1}, {16, 8, 1}));
  EXPECT_EQ(input_text(*program, *program->find("turned"), 0, values), "[24x40]=zeros")
      << "rows and columns of the numbers beside it";
  EXPECT_EQ(input_text(*program, *program->find("turned"), 3, values), "=24");

  values.set("threads", 8);
  EXPECT_FALSE(is_own_launch(*program, *program->find("turned"), values));
  EXPECT_NE(about_launch(*program, *program->find("turned"), values).find("otherwise"), std::string::npos);
  values.set_text("turned/width", "=20");
  use_own_launch(*program, *program->find("turned"), values);
  EXPECT_TRUE(is_own_launch(*program, *program->find("turned"), values));
  EXPECT_EQ(input_text(*program, *program->find("turned"), 2, values), "=40");
}

TEST_F(PlaygroundLesson, ValuesThatTheFileWritesDownAreTaken) {
  const std::string source = R"(
struct Params { int n; float scale; const int* a; };
__constant__ float weights[4];
__managed__ int offset = 1;
__global__ void add(int* c, const int* a, const int* b) {
  int i = threadIdx.x;
  c[i] = a[i] + b[i];
}
__global__ void scaled(Params p, float3 by, float* out) {
  int i = threadIdx.x;
  if (i < p.n) out[i] = p.scale * p.a[i] * weights[i % 4] + by.y + offset;
}
int main() {
  const int size = 5;
  const int a[size] = {1, 2, 3, 4, 5};
  const int b[size] = {10, 20, 30, 40, 50};
  int *dev_a = 0, *dev_b = 0, *dev_c = 0;
  cudaMalloc((void**)&dev_c, size * sizeof(int));
  cudaMalloc((void**)&dev_a, size * sizeof(int));
  cudaMalloc((void**)&dev_b, size * sizeof(int));
  cudaMemcpy(dev_a, a, size * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dev_b, b, size * sizeof(int), cudaMemcpyHostToDevice);
  add<<<1, size>>>(dev_c, dev_a, dev_b);
  float h[4] = {1, 4, 6, 0.5};
  cudaMemcpyToSymbol(weights, h, sizeof(h));
  offset = 100;
  Params p;
  p.n = size;
  p.scale = 2;
  p.a = dev_a;
  float* out;
  cudaMalloc(&out, size * sizeof(float));
  scaled<<<1, 8>>>(p, make_float3(0, 0.25f, 0), out);
})";
  const auto program = compile(source);
  ASSERT_NE(program, nullptr);
  const gpu::Kernel& add = *program->find("add");
  Values values = this->values({});
  take_launch(*program, values);
  EXPECT_EQ(input_text(*program, add, 1, values), "[5]=1,2,3,4,5");
  EXPECT_EQ(about_launch(*program, add, values).find("default"), std::string::npos) << about_launch(*program, add, values);
  const testing::Settings one_block{{"blocks", "1"}, {"blocks_y", "1"}, {"threads_y", "1"}, {"threads", "5"}};
  const Outcome sums = good(source, one_block);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(element(array(sums, "c"), i), 11.0 * static_cast<double>(i + 1));

  const gpu::Kernel& scaled = *program->find("scaled");
  choose_kernel(*program, scaled, values);
  EXPECT_EQ(shape_in(values), shape({1}, {8}));
  EXPECT_EQ(input_text(*program, scaled, 0, values), "{int32=5,float32=2,int32[5]=1,2,3,4,5}");
  EXPECT_EQ(input_text(*program, scaled, 1, values), "{float32=0,float32=0.25,float32=0}");
  const Outcome outcome =
      good(source, {{"blocks", "1"}, {"blocks_y", "1"}, {"threads_y", "1"}, {"threads", "8"}}, {{"kernel", "scaled"}});
  constexpr double weights[] = {1, 4, 6, 0.5};
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(element(array(outcome, "out"), i), 2.0 * static_cast<double>(i + 1) * weights[i % 4] + 0.25 + 100) << i;
  EXPECT_EQ(outcome.note.find("holds zeros"), std::string::npos) << outcome.note;
}

TEST_F(PlaygroundLesson, WhatAnEarlierLaunchWroteIsNotCalledTheFilesOwn) {
  const auto program = compile(
      "__global__ void first(float* x) { x[threadIdx.x] = 1; }\n__global__ void second(const float* x, float* y) { y[0] = x[0]; }\n"
      "int main() { float *x, *y; cudaMalloc(&x, 256); cudaMalloc(&y, 4); first<<<1, 64>>>(x); second<<<1, 1>>>(x, y); }");
  Values values = this->values({});
  choose_kernel(*program, *program->find("second"), values);
  EXPECT_NE(about_launch(*program, *program->find("second"), values).find("default values"), std::string::npos);
  choose_kernel(*program, *program->find("first"), values);
  EXPECT_EQ(about_launch(*program, *program->find("first"), values).find("default values"), std::string::npos);
}

TEST_F(PlaygroundLesson, WhatOnlyARunOfTheHostWouldTellHasDefaultsAndSaysSo) {
  const auto program = compile(whole_program);
  ASSERT_NE(program, nullptr);
  const gpu::Kernel& counted = *program->find("counted");
  Values values = this->values({});
  choose_kernel(*program, counted, values);
  EXPECT_EQ(shape_in(values), shape({1}, {96}, 4096));
  EXPECT_EQ(input_text(*program, counted, 0, values), "[96]=iota") << "as many elements as threads";
  EXPECT_EQ(input_text(*program, counted, 2, values), "=96");
  EXPECT_NE(about_launch(*program, counted, values).find("default values"), std::string::npos);
  choose_kernel(*program, *program->find("unused"), values);
  EXPECT_EQ(shape_in(values), shape({32}, {128}));
  EXPECT_EQ(about_launch(*program, *program->find("unused"), values), "") << "nothing launches it";

  const auto unknown = compile(
      "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
      "int main() { int n = size(); k<<<n / 256, 256>>>(array(n), n); }");
  take_launch(*unknown, values);
  EXPECT_EQ(shape_in(values), shape({16}, {256})) << "its block, over 4096 elements";
  EXPECT_NE(about_launch(*unknown, unknown->kernels[0], values).find("only a run of the host program"), std::string::npos);
  const auto huge = compile("__global__ void k(float* x) { x[0] = 1; }\nint main() { k<<<1 << 30, 256>>>(nullptr); }");
  take_launch(*huge, values);
  EXPECT_EQ(shape_in(values), shape({16}, {256}));
}

/// Where nothing launches the kernel: blocks and a grid of the dimensions that it reads, and 4096 threads.
TEST_F(PlaygroundLesson, WithoutALaunchItsShapeFollowsTheIndicesThatAreRead) {
  const auto proposed = [&](const std::string& index) {
    const auto program = compile("extern \"C\" __global__ void k(float* x) { x[" + index + "] = 1; }");
    return proposed_shape(*program, program->kernels[0]);
  };
  EXPECT_EQ(proposed("0"), shape({32}, {128}));
  EXPECT_EQ(proposed("blockIdx.x * blockDim.x + threadIdx.x"), shape({32}, {128}));
  EXPECT_EQ(proposed("(blockIdx.y * blockDim.y + threadIdx.y) * 64 + blockIdx.x * blockDim.x + threadIdx.x"),
            shape({4, 4, 1}, {16, 16, 1}));
  EXPECT_EQ(proposed("blockIdx.y * 64 + threadIdx.x"), shape({1, 64, 1}, {64, 1, 1}));
  EXPECT_EQ(proposed("blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x"), shape({16, 1, 1}, {16, 16, 1}));
  EXPECT_EQ(proposed("(blockIdx.z * 16 + blockIdx.y + threadIdx.z + threadIdx.y) * 16 + threadIdx.x"), shape({2, 2, 4}, {8, 8, 4}));
}

TEST_F(PlaygroundLesson, AnEditedTextKeepsWhatWasSetByHand) {
  const auto one = compile("__global__ void k(float* x) { x[threadIdx.x] = 1; }\nint main() { k<<<2, 64>>>(0); }");
  const auto two = compile("__global__ void k(float* x) { x[threadIdx.x] = 2; }\nint main() { k<<<3, 96>>>(0); }");
  Values values = this->values({});
  take_launch(*one, values);
  follow_program(*one, *two, values);
  EXPECT_EQ(shape_in(values), shape({3}, {96}));
  values.set("threads", 32);
  follow_program(*two, *one, values);
  EXPECT_EQ(shape_in(values), shape({3}, {32}));
}

constexpr const char* with_variables = R"(
__constant__ float weights[3];
__constant__ int shift;
__constant__ float table[2] = {5, 6};
__device__ int visits;
__device__ int unused[4];
extern "C" __global__ void weighted(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = weights[i % 3] * in[i] + shift + table[i % 2];
  if (i == 0) out[0] = ++visits;
}
extern "C" __global__ void plain(float* out) { out[threadIdx.x] = 1; }
int main() {
  float h[3] = {1, 2, 3};
  cudaMemcpyToSymbol(weights, h, sizeof h);
})";

TEST_F(PlaygroundLesson, VariablesThatTheHostWouldFillHaveFields) {
  const testing::Settings line{{"threads", "32"}, {"threads_y", "1"}, {"blocks", "1"}, {"blocks_y", "1"}};
  const Texts inputs{{"weighted/in", "[32]=ones"}, {"weighted/out", "[32]=zeros"}};
  const auto program = compile(with_variables);
  std::vector<std::string> fields;
  for (const gpu::Variable* variable : fields_of(*program, *program->find("weighted"))) fields.push_back(variable->array.name);
  std::sort(fields.begin(), fields.end());
  EXPECT_EQ(fields, (std::vector<std::string>{"shift", "visits", "weights"})) << "not what the source gives, not what is not used";
  EXPECT_TRUE(fields_of(*program, *program->find("plain")).empty());

  const Outcome without = good(with_variables, line, inputs);
  EXPECT_EQ(element(array(without, "out"), 4), 5) << "zeros";
  EXPECT_NE(without.note.find("holds zeros"), std::string::npos) << without.note;
  Texts given = inputs;
  given["__device__/weights"] = "[3]=2";
  given["__device__/shift"] = "=100";
  const Outcome with = good(with_variables, line, given);
  EXPECT_EQ(element(array(with, "out"), 4), 2 + 100 + 5);
  EXPECT_EQ(element(array(with, "out"), 0), 1) << "a counter begins anew, as in a process of its own";
  EXPECT_TRUE(with.report.unfilled.empty());
  EXPECT_EQ(with.note, "");
  const Outcome again = good(with_variables, line, inputs);
  EXPECT_EQ(element(array(again, "out"), 4), 5) << "nothing is left of what was given before";
}

TEST_F(PlaygroundLesson, EveryRunBeginsWithTheSourcesValues) {
  constexpr const char* source = R"(
__device__ int left = 3;
extern "C" __global__ void take(int* out) { out[threadIdx.x] = threadIdx.x == 0 ? left-- : 0; }
)";
  const testing::Settings line{{"threads", "32"}, {"threads_y", "1"}, {"blocks", "1"}, {"blocks_y", "1"}};
  const Texts inputs{{"take/out", "[32]=zeros"}};
  for (int run = 0; run < 3; ++run) EXPECT_EQ(element(array(good(source, line, inputs), "out"), 0), 3) << "run " << run;
}

TEST_F(PlaygroundLesson, AVariablesFieldThatDoesNotFitSaysWhatWould) {
  const auto program = compile(with_variables);
  const gpu::Variable& weights = *program->variable("weights");
  Values values;
  EXPECT_EQ(variable_text(weights, values, {}), "[3]=zeros");
  EXPECT_EQ(variable_text(*program->variable("shift"), values, {}), "=0");
  values.set_text(variable_key(weights), "[4]=ones");
  const auto input = variable_of(weights, values, {});
  ASSERT_FALSE(input);
  EXPECT_NE(input.error().message.find("float32[3]"), std::string::npos) << input.error().message;
  EXPECT_FALSE(check_texts(*program, values));
  values.set_text(variable_key(weights), "[3]=ones");
  EXPECT_TRUE(check_texts(*program, values));
  values.set_text("__device__/absent", "=1");
  EXPECT_FALSE(check_texts(*program, values));
}

TEST_F(PlaygroundLesson, ATextThatFitsNoMoreGivesWayToADefault) {
  const auto program = compile(line);
  Values values;
  values.set_text("line/a", "[64]=zeros");  // it was a pointer once
  EXPECT_EQ(input_text(*program, program->kernels.front(), 2, values), "=1");
  values.set_text("line/n", "=-5");
  EXPECT_EQ(input_text(*program, program->kernels.front(), 3, values), "=-5");
  values.set_text("line/n", "7");
  EXPECT_EQ(input_text(*program, program->kernels.front(), 3, values), "=7") << "as --set line/n=7 has it";
  values.set_text("kernel", "gone");
  EXPECT_EQ(chosen_kernel(*program, values)->name, "line");
}

TEST_F(PlaygroundLesson, WhatCannotRunSaysWhy) {
  const auto why = [&](const std::string& source, const Texts& texts = {}) {
    const auto outcome = launch(source, one_dimension, texts);
    EXPECT_FALSE(outcome && outcome->report.ok());
    return outcome ? say(outcome->report.message) : outcome.error().message;
  };
  EXPECT_NE(why("__device__ int f() { return 1; }").find("__global__"), std::string::npos);
  EXPECT_NE(why(line, {{"line/x", "[12x]=iota"}}).find("x: "), std::string::npos) << "which parameter";
  EXPECT_NE(why(line, {{"line/x", "[4]=@absent.csv"}}).find("absent.csv"), std::string::npos);
  EXPECT_NE(why(line, {{"line/x", "[99999999999]=zeros"}}).find("GiB"), std::string::npos);
  EXPECT_NE(why(line, {{"line/n", "=4.5"}}).find("n: "), std::string::npos);
  EXPECT_NE(why("struct S { int a : 4; int b[4]; }; extern \"C\" __global__ void k(S s) {}").find("struct"), std::string::npos);
  const auto outside = launch(line, one_dimension, {{"line/y", "[100]=zeros"}});
  ASSERT_TRUE(outside);
  EXPECT_FALSE(testing::findings(*outside, gpu::FindingKind::memory).empty())
      << "an input that is too small is a finding, not a crash";
}

TEST_F(PlaygroundLesson, PicturesAreReadFilteredAndShown) {
  const auto file = std::filesystem::temp_directory_path() / ("warpbook_playground_" + std::to_string(::getpid()) + ".csv");
  std::ofstream(file) << "1,2,3\n4,5,6\n";
  const Outcome outcome = good(
      R"(
extern "C" __global__ void invert(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = 10 - in[y * width + x];
})",
      {},
      {{"invert/in", "[2x3]=@" + file.string()}, {"invert/out", "[2x3]=zeros"}, {"invert/width", "=3"}, {"invert/height", "=2"}});
  std::filesystem::remove(file);
  const Arrays::One& out = array(outcome, "out");
  EXPECT_EQ(out.rows, 2U);
  EXPECT_EQ(out.columns, 3U);
  EXPECT_EQ(out.cells, (std::vector<float>{9, 8, 7, 6, 5, 4}));
}

TEST_F(PlaygroundLesson, NotANumberIsCountedAndLeftOut) {
  const Outcome outcome =
      good(R"(extern "C" __global__ void divide(float* x) { x[threadIdx.x] = threadIdx.x % 2 ? 0.0f / 0.0f : threadIdx.x; })",
           {{"threads", "8"}, {"threads_y", "1"}, {"blocks", "1"}, {"blocks_y", "1"}}, {{"divide/x", "[8]=zeros"}});
  const Arrays::One& x = array(outcome, "x");
  EXPECT_EQ(x.not_numbers, 4U);
  EXPECT_EQ(x.least, 0);
  EXPECT_EQ(x.most, 6);
  EXPECT_EQ(x.mean, 3);
  EXPECT_NE(outcome.note.find("4 of x's elements"), std::string::npos) << outcome.note;
}

/// On the clock a copy that nobody waits for comes too late, and the page says where to look. Without a finding it asks for a
/// guard.
TEST_F(PlaygroundLesson, WhereNothingChangedTheReportIsReadFirst) {
  const testing::Settings one_block = {{"threads", "64"}, {"threads_y", "1"}, {"blocks", "1"}, {"blocks_y", "1"}};
  const std::string copies = R"(#include <cuda_pipeline.h>
extern "C" __global__ void shift(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = 0;
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float));
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
})";
  const Outcome late = good(copies, one_block, {{"shift/in", "[64]=ones"}, {"shift/out", "[64]=zeros"}});
  EXPECT_EQ(array(late, "out").changed, 0U);
  EXPECT_NE(late.note.find("read it first"), std::string::npos) << late.note;
  const Outcome idle = good(R"(extern "C" __global__ void idle(float* out) { if (threadIdx.x > 99) out[0] = 1; })", one_block,
                            {{"idle/out", "[64]=zeros"}});
  EXPECT_NE(idle.note.find("return at a guard"), std::string::npos) << idle.note;
}

TEST_F(PlaygroundLesson, SeveralOrdersShowWhatTheFirstDoesNot) {
  const char* const source = R"(
extern "C" __global__ void first(int* taken, int* winner) {
  if (atomicExch(taken, 1) == 0 || blockIdx.x == 0) winner[0] = 100 + blockIdx.x;
})";
  testing::Settings settings{{"threads", "1"}, {"threads_y", "1"}, {"blocks", "4"}, {"blocks_y", "1"}, {"schedule", "fast"}};
  const Texts inputs{{"first/taken", "[1]=zeros"}, {"first/winner", "[1]=zeros"}};
  const Outcome one = good(source, settings, inputs);
  EXPECT_TRUE(one.report.findings.empty());
  settings.emplace_back("orders", "12");
  const Outcome several = good(source, settings, inputs);
  EXPECT_EQ(several.report.orders, 12U);
  ASSERT_EQ(several.report.findings.size(), 1U);
  EXPECT_LT(several.report.findings.front().orders, 12U);
  EXPECT_EQ(element(array(several, "winner"), 0), 100) << "the first order's";
}

TEST_F(PlaygroundLesson, LargeArraysAreAveragedAndUnwatchedRunsAreQuick) {
  testing::Settings fast = one_dimension;
  fast.insert(fast.end(), {{"schedule", "fast"}, {"watch", "off"}});
  const Outcome outcome = good(line, fast, {{"line/x", "[1000000]=ones"}, {"line/y", "[1000x1000]=iota"}, {"line/n", "=1000000"}});
  const Arrays::One& y = array(outcome, "y");
  EXPECT_EQ(y.changed, 4096U);
  EXPECT_EQ(y.rows, 512U);
  ASSERT_EQ(y.cells.size(), 512U * 512U);
  // The last cell averages the last two rows and columns; 998'000 … 999'999 are exact in float32.
  EXPECT_EQ(y.cells.back(), (998'998 + 998'999 + 999'998 + 999'999) / 4.0F);
  EXPECT_FALSE(outcome.report.cycles);
  for (const gpu::Observation state : outcome.report.observed.of) EXPECT_EQ(state, gpu::Observation::not_observed);
}

TEST(PlaygroundTexts, InputsComeApartAndTogether) {
  for (const char* input :
       {"[64x64]=uniform:0:1:7", "[8]=@a file.npy", "=5", "[3]=zeros", "[3]=-1.5", "[10]=normal:0:2:3", "=1e-3"}) {
    EXPECT_EQ(text_of(words_of(input)), input);
  }
  const InputWords words = words_of("[64x64]=uniform:0:1:7");
  EXPECT_EQ(words.shape, "64x64");
  EXPECT_EQ(words.content, "uniform");
  EXPECT_EQ(words.details, "0:1:7");
  EXPECT_EQ(words_of("[8]=@x.npy").content, "file");
  EXPECT_EQ(words_of("=5").content, "value");
  EXPECT_EQ(words_of("").content, "value") << "nothing is harmless";
}

}  // namespace
}  // namespace warpbook::lessons
