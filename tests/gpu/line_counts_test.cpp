// Figures by source line, from a compiled kernel: known truths, under both schedules.
#include <gtest/gtest.h>

#include "gpu/device.h"

namespace warpbook::gpu {
namespace {

LineCounts of_line(const LaunchReport& report, std::uint32_t line) {
  for (const LineCounts& counts : report.lines)
    if (counts.line == line) return counts;
  return {};
}

constexpr std::string_view kernel_text = R"(__global__ void truths(float* data, int* counter) {
  __shared__ float square[32][32];
  __shared__ float padded[32][33];
  const int lane = threadIdx.x;
  data[lane] = 1;                     // 5: 32 consecutive floats
  data[32 * lane] = 2;                // 6: 32 floats apart
  square[lane][0] = data[lane];       // 7
  padded[lane][0] = 3;                // 8
  __syncthreads();
  if (lane < 16)                      // 10
    data[100] = square[0][1] * 3;  // 11
  else
    data[200] = padded[0][1] + 1;  // 13
  atomicAdd(counter, 1);        // 14
  atomicAdd(&counter[lane], 1); // 15
}
)";

class LineCountsOf : public testing::TestWithParam<Schedule> {};

TEST_P(LineCountsOf, KnownTruths) {
  static Compiler compiler;
  const auto device = std::move(*make_virtual_device(compiler));
  const auto program = device->compile({.file = "truths.cu", .text = std::string(kernel_text), .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().message;
  const Buffer data = *device->allocate({"data", ScalarType::float32, {1024}});
  const Buffer counter = *device->allocate({"counter", ScalarType::int32, {32}});
  ASSERT_TRUE(device->fill(data, Scalar::of(1.0f)));
  ASSERT_TRUE(device->fill(counter, Scalar::of(1)));
  LaunchRequest request;
  request.program = *program;
  request.block = {32};
  request.arguments = {data, counter};
  request.observe = Observe::all();
  request.schedule = GetParam();
  const LaunchReport report = device->launch(request);
  ASSERT_TRUE(report.ok()) << say(report.message);
  EXPECT_EQ(of_line(report, 5).sectors, 4u);
  EXPECT_EQ(of_line(report, 6).sectors, 32u);
  EXPECT_EQ(of_line(report, 6).fewest_sectors, 4u);
  EXPECT_EQ(of_line(report, 7).shared_passes, 32u);
  EXPECT_EQ(of_line(report, 8).shared_passes, 1u);
  EXPECT_EQ(of_line(report, 10).split_branches, 1u);
  for (const std::uint32_t line : {11u, 13u}) {
    const LineCounts side = of_line(report, line);
    EXPECT_GT(side.warp_instructions, 0u) << line;
    EXPECT_EQ(side.thread_instructions, 16 * side.warp_instructions) << line;
  }
  EXPECT_EQ(of_line(report, 14).atomic_lanes, 32u);
  EXPECT_EQ(of_line(report, 14).atomic_passes, 32u);
  EXPECT_EQ(of_line(report, 15).atomic_passes, 1u);
}

TEST_P(LineCountsOf, FloatingPointOperationsOfThreads) {
  Compiler compiler;
  auto device = *make_virtual_device(compiler);
  const auto program = device->compile({.file = "k.cu", .text = R"(extern "C" __global__ void k(const float* a, float* out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const float x = a[i];
    float y = x * 3.0f + 1.0f;
    y = __fmul_rn(y, x);
    y = __fadd_rn(y, x);
    const double d = (double)x * 2.0 + 1.0;
    out[i] = y + i * 4;
    out[i + n] = (float)d;
})"});
  ASSERT_TRUE(program) << program.error().message;
  const Buffer a = *device->allocate({"a", ScalarType::float32, {32}}), out = *device->allocate({"out", ScalarType::float32, {64}});
  ASSERT_TRUE(device->fill(a, Scalar::of(1.0f)));
  LaunchRequest request;
  request.program = *program;
  request.block = {32};
  request.arguments = {a, out, Scalar::of(20)};
  request.observe = Observe::all();
  request.schedule = GetParam();
  const LaunchReport report = device->launch(request);
  ASSERT_TRUE(report.ok()) << say(report.message);
  EXPECT_EQ(of_line(report, 5).float32_operations, 40u) << "a fused multiply-add, of 20 threads";
  EXPECT_EQ(of_line(report, 9).float32_operations, 20u);
  std::uint64_t float32 = 0, float64 = 0;
  for (const LineCounts& line : report.lines) {
    float32 += line.float32_operations;
    float64 += line.float64_operations;
  }
  EXPECT_EQ(float32, 20u * 5) << "nothing for integers, loads and conversions";
  EXPECT_EQ(float64, 20u * 2);
}

INSTANTIATE_TEST_SUITE_P(Schedules, LineCountsOf, testing::Values(Schedule::fast, Schedule::clock),
                         [](const auto& schedule) { return schedule.param == Schedule::fast ? "fast" : "clock"; });

}  // namespace
}  // namespace warpbook::gpu
