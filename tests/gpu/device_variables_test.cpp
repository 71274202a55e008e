// __constant__ and __device__ variables: which there are, which no thread has filled, and what the virtual GPU does with those it
// is given.
#include "gpu/device_variables.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

constexpr const char* lens_source = R"(#define RADIUS 2
struct Lens { float x, y; };
namespace n { __device__ double table[3][4]; }
typedef unsigned short level;
__constant__ float weights[2 * RADIUS + 1], gain;
__constant__ Lens lenses[2];
__constant__ level steps[] = {1, 2, 3};
__device__ int counter;
__device__ int limit = 7;
__device__ float scratch[8];
__device__ float told(int i) { return weights[i] * n::table[1][i]; }

extern "C" __global__ void use(float* out) {
  int i = threadIdx.x;
  out[i] = told(i) + gain + lenses[i % 2].y + steps[i % 3] + scratch[i];
  if (i < limit) atomicAdd(&counter, 1);
}
extern "C" __global__ void other(float* out) { out[0] = gain; }
int main() {
  float h[5];
  cudaMemcpyToSymbol(weights, h, sizeof h);
  void* p;
  cudaGetSymbolAddress(&p, n::table);
  use<<<1, 4>>>(nullptr);
}
)";

ProgramPtr compiled_lens() {
  const auto program = compiler().compile({.file = "lens.cu", .text = lens_source});
  EXPECT_TRUE(program) << program.error().message;
  return program ? *program : nullptr;
}

const Variable& variable_of(const ProgramPtr& program, const char* name) {
  const Variable* found = program->variable(name);
  EXPECT_NE(found, nullptr) << name;
  static const Variable none;
  return found == nullptr ? none : *found;
}

TEST(DeviceVariables, AreListedWithTheirNumbers) {
  const ProgramPtr program = compiled_lens();
  ASSERT_NE(program, nullptr);
  const auto expect = [&](const char* name, ScalarType type, std::vector<std::size_t> shape, bool constant, bool initialised,
                          const char* filled_by) {
    const Variable& one = variable_of(program, name);
    EXPECT_EQ(one.array.type, type) << name;
    EXPECT_EQ(one.array.shape, shape) << name;
    EXPECT_EQ(one.constant, constant) << name;
    EXPECT_EQ(one.initialised, initialised) << name;
    EXPECT_EQ(one.filled_by, filled_by) << name;
  };
  expect("weights", ScalarType::float32, {5}, true, false, "cudaMemcpyToSymbol");
  expect("gain", ScalarType::float32, {1}, true, false, "");
  expect("lenses", ScalarType::float32, {4}, true, false, "");
  expect("steps", ScalarType::uint16, {3}, true, true, "");
  expect("counter", ScalarType::int32, {1}, false, false, "");
  expect("limit", ScalarType::int32, {1}, false, true, "");
  expect("n::table", ScalarType::float64, {3, 4}, false, false, "cudaGetSymbolAddress");
  EXPECT_EQ(program->variable("table"), program->variable("n::table")) << "the last part is enough";
  EXPECT_EQ(program->variable("absent"), nullptr);
}

std::vector<std::string> unfilled_names(const std::vector<UnfilledVariable>& unfilled) {
  std::vector<std::string> names;
  for (const UnfilledVariable& each : unfilled) names.push_back(each.name);
  std::sort(names.begin(), names.end());
  return names;
}

/// Those that a kernel uses, through functions too; not counters, which may well begin at zero, nor what the source fills.
TEST(DeviceVariables, ThatNobodyFilledAreNamed) {
  using Names = std::vector<std::string>;
  const ProgramPtr program = compiled_lens();
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(unfilled_names(unfilled_variables(*program, *program->find("use"), {})),
            (Names{"gain", "lenses", "n::table", "weights"}));
  EXPECT_EQ(unfilled_names(unfilled_variables(*program, *program->find("other"), {})), Names{"gain"});
  const std::set<std::string> given{variable_of(program, "gain").symbol, variable_of(program, "weights").symbol};
  EXPECT_EQ(unfilled_names(unfilled_variables(*program, *program->find("use"), given)), (Names{"lenses", "n::table"}));
  for (const UnfilledVariable& each : unfilled_variables(*program, *program->find("use"), {})) {
    if (each.name != "weights" && each.name != "gain") continue;
    const char* const why = each.name == "weights" ? "(cudaMemcpyToSymbol)" : "nothing has given it a value";
    EXPECT_NE(each.sentence.find(why), std::string::npos) << each.sentence;
  }
}

TEST(DeviceVariables, OfTheVirtualGpuKeepWhatTheyAreGiven) {
  const ProgramPtr program = compiled_lens();
  ASSERT_NE(program, nullptr);
  auto device = make_virtual_device(compiler(), "T4");
  ASSERT_TRUE(device);
  const auto give = [&](const char* name, const auto& values) {
    return (*device)->write_variable(program, variable_of(program, name), std::as_bytes(std::span(values)));
  };
  EXPECT_TRUE(give("weights", std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(give("n::table", std::vector<double>{0, 0, 0, 0, 10, 20, 30, 40, 0, 0, 0, 0}));
  EXPECT_TRUE(give("gain", std::vector<float>{0.5}));
  EXPECT_TRUE(give("lenses", std::vector<float>{9, 100, 9, 200}));
  auto out = (*device)->allocate({"out", ScalarType::float32, {4}});
  ASSERT_TRUE(out);
  for (int launches = 1; launches <= 2; ++launches) {
    LaunchRequest request;
    request.program = program;
    request.kernel = "use";
    request.block = {4, 1, 1};
    request.arguments = {*out};
    const LaunchReport report = (*device)->launch(request, nullptr);
    ASSERT_EQ(report.status, "ok") << say(report.message);
    EXPECT_TRUE(report.unfilled.empty());
    std::vector<float> values(4);
    ASSERT_TRUE((*device)->read(*out, std::as_writable_bytes(std::span(values))));
    EXPECT_EQ(values, (std::vector<float>{1 * 10 + 0.5F + 100 + 1, 2 * 20 + 0.5F + 200 + 2, 3 * 30 + 0.5F + 100 + 3,
                                          4 * 40 + 0.5F + 200 + 1}));
    std::vector<int> counted(1);
    ASSERT_TRUE((*device)->read_variable(program, variable_of(program, "counter"), std::as_writable_bytes(std::span(counted))));
    EXPECT_EQ(counted[0], 4 * launches) << "kept between launches";
  }
  const auto short_one = give("weights", std::vector<float>{1, 2});
  ASSERT_FALSE(short_one);
  EXPECT_NE(short_one.error().message.find("20 bytes"), std::string::npos) << short_one.error().message;
  Variable absent = variable_of(program, "gain");
  absent.symbol = "absent";
  const std::vector<float> one{1};
  EXPECT_EQ((*device)->write_variable(program, absent, std::as_bytes(std::span(one))).error().code, "cudaErrorInvalidSymbol");
}

TEST(DeviceVariables, OfPtxAreKnownByTheirBytes) {
  const auto program = compiler().adopt_ptx("k.ptx",
                                            ".version 7.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 filt[20];\n"
                                            ".visible .entry k()\n{\n\tret;\n}\n");
  ASSERT_TRUE(program);
  ASSERT_EQ((*program)->variables.size(), 1U);
  EXPECT_EQ((*program)->variables[0].array.bytes(), 20U);
  EXPECT_TRUE((*program)->variables[0].constant);
}

}  // namespace
}  // namespace warpbook::gpu
