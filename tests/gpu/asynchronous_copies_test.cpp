// Asynchronous copies on a GPU whose own architecture has none: the source's copies are followed all the same, or it is said that
// they are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

constexpr char shift[] = R"(#include <cuda_pipeline.h>
extern "C" __global__ void shift(const float* in, float* out) {
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float));
#ifdef WAIT
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
})";

LaunchReport launch_watched(Device& device, const ProgramPtr& program) {
  const auto array = [&](const char* name) {
    auto buffer = device.allocate({.name = name, .type = ScalarType::float32, .shape = {64}});
    EXPECT_TRUE(buffer);
    EXPECT_TRUE(device.fill(*buffer, Scalar::of(1.0f)));
    return *buffer;
  };
  LaunchRequest request;
  request.program = program;
  request.kernel = "shift";
  request.block = {64};
  request.arguments = {array("in"), array("out")};
  request.observe.race = true;
  return device.launch(request);
}

Source shift_source(bool waits) {
  Source source{.file = "shift.cu", .text = shift, .defines = {}, .instantiate = {}};
  if (waits) source.defines.emplace_back("WAIT", "1");
  return source;
}

TEST(AsynchronousCopies, AreFollowedOnAGpuWithoutThem) {
  auto device = make_virtual_device(compiler(), "T4");
  ASSERT_TRUE(device);
  for (const bool waits : {false, true}) {
    const auto program = (*device)->compile(shift_source(waits));
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_EQ((*program)->architecture, 75);  // registers and shared memory are this GPU's
    EXPECT_TRUE((*program)->kernels.at(0).registers);
    EXPECT_NE((*program)->ptx.find("cp.async.ca.shared.global"), std::string::npos);
    const LaunchReport report = launch_watched(**device, *program);
    EXPECT_EQ(report.status, "ok") << report.message;
    EXPECT_EQ(report.observed[FindingKind::race], waits ? Observation::none_found : Observation::observed);
    EXPECT_TRUE(report.remarks.empty());
  }
}

TEST(AsynchronousCopies, AreNotObservedInPtxThatHasLostThem) {
  auto device = make_virtual_device(compiler(), "T4");
  ASSERT_TRUE(device);
  const auto earlier = compiler().compile(shift_source(false), {.architecture = 75});
  ASSERT_TRUE(earlier) << earlier.error().message;
  EXPECT_EQ((*earlier)->ptx.find("cp.async"), std::string::npos);
  const auto program = compiler().adopt_ptx("shift.ptx", (*earlier)->ptx);
  ASSERT_TRUE(program) << program.error().message;
  const LaunchReport report = launch_watched(**device, *program);
  EXPECT_EQ(report.status, "ok") << report.message;
  EXPECT_EQ(report.observed[FindingKind::race], Observation::not_observed);
  EXPECT_TRUE(std::ranges::any_of(
      report.remarks, [](const std::string& remark) { return remark.find("copies that are not waited for") != remark.npos; }));
}

}  // namespace
}  // namespace warpbook::gpu
