// Asynchronous copies on a GPU whose own architecture has none: the source's copies are followed all the same, or it is said that
// they are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>

#include "gpu/device.h"
#include "gpu/virtual/vm/clock/copies.h"
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

/// The first array is there once one group may be under way, the second once none may; a barrier alone brings neither.
constexpr char two_copies[] = R"(#include <cuda_pipeline.h>
extern "C" __global__ void two(const float* in, float* first, float* second) {
  __shared__ float a[64], b[64];
  const int t = threadIdx.x;
  a[t] = b[t] = -1;
  __pipeline_memcpy_async(&a[t], &in[t], sizeof(float));
  __pipeline_commit();
  __pipeline_memcpy_async(&b[t], &in[t + 4096], sizeof(float));
  __pipeline_commit();
#if ALLOWED < 2
  __pipeline_wait_prior(ALLOWED);
#endif
  __syncthreads();
  first[t] = a[63 - t];
  second[t] = b[63 - t];
})";

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
    EXPECT_EQ((*program)->kernels.at(0).registers.has_value(), nvrtc_compiles());
    EXPECT_NE((*program)->ptx.find("cp.async.ca.shared.global"), std::string::npos);
    const LaunchReport report = launch_watched(**device, *program);
    EXPECT_EQ(report.status, "ok") << say(report.message);
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
  EXPECT_EQ(report.status, "ok") << say(report.message);
  EXPECT_EQ(report.observed[FindingKind::race], Observation::not_observed);
  EXPECT_TRUE(std::ranges::any_of(report.remarks, [](const Message& remark) {
    return in_english(remark).find("copies that are not waited for") != std::string::npos;
  }));
}

TEST(CopyGroups, AWaitLeavesTheNewestUnderWay) {
  vm::CopyGroups groups;
  EXPECT_EQ(groups.all(), 0u);
  groups.begin(100);
  groups.commit();
  groups.begin(300);
  groups.begin(200);
  groups.commit();
  groups.begin(500);  // of no group yet
  EXPECT_EQ(groups.all_but(0), 300u);
  EXPECT_EQ(groups.all_but(1), 100u);
  EXPECT_EQ(groups.all_but(2), 0u);
  EXPECT_EQ(groups.all(), 500u);
  groups.commit();
  groups.commit();  // of nothing
  EXPECT_EQ(groups.all_but(1), 500u);
  EXPECT_EQ(groups.all_but(2), 300u);
}

TEST(AsynchronousCopies, AreThereOnTheClockOnlyOnceTheyAreWaitedFor) {
  auto device = make_virtual_device(compiler(), "A40");
  ASSERT_TRUE(device);
  const auto array = [&](std::uint64_t elements) {
    auto buffer = (*device)->allocate({.name = "array", .type = ScalarType::float32, .shape = {elements}});
    EXPECT_TRUE(buffer);
    EXPECT_TRUE((*device)->fill(*buffer, Scalar::of(1.0f)));
    return *buffer;
  };
  for (const int allowed : {0, 1, 2}) {
    Source source{.file = "two.cu", .text = two_copies, .defines = {{"ALLOWED", std::to_string(allowed)}}, .instantiate = {}};
    const auto program = (*device)->compile(source);
    ASSERT_TRUE(program) << program.error().message;
    for (const bool watched : {false, true}) {
      SCOPED_TRACE(std::to_string(allowed) + (watched ? " watched" : ""));
      const Buffer in = array(8192), first = array(64), second = array(64);
      LaunchRequest request;
      request.program = *program;
      request.kernel = "two";
      request.block = {64};
      request.arguments = {in, first, second};
      request.schedule = Schedule::clock;
      request.observe.race = watched;
      const LaunchReport report = (*device)->launch(request);
      EXPECT_EQ(report.status, "ok") << say(report.message);
      std::array<float, 64> a{}, b{};
      ASSERT_TRUE((*device)->read(first, std::as_writable_bytes(std::span{a})));
      ASSERT_TRUE((*device)->read(second, std::as_writable_bytes(std::span{b})));
      for (std::size_t t = 0; t < 64; ++t) {
        EXPECT_EQ(a[t], allowed < 2 ? 1.0f : -1.0f) << t;
        if (allowed != 1) {
          EXPECT_EQ(b[t], allowed == 0 ? 1.0f : -1.0f) << t;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpbook::gpu
