// Beside a kernel that never ends: what may wait for it is left alone, and the device goes on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/gpu/cuda/scenario.h"

namespace warpbook::gpu::testing {
namespace {

const std::vector<int> given{1, 2, 3, 4}, one_more{2, 3, 4, 5}, nothing{0, 0, 0, 0};

/// Waits until nobody holds a context for its kernel any more.
void after_all_kernels(ScriptedDriver& gpu) {
  gpu.end_endless();
  ASSERT_TRUE(wait_for_kernels_left_behind());
}

LaunchReport launch_endlessly(ScriptedDriver& gpu, CudaDevice& device, const Buffer& buffer) {
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.endless = true; };
  LaunchRequest request = add_request(program(), buffer, buffer, 0);
  request.limits.max_seconds = 0.05;
  LaunchReport report = device.launch(request, nullptr);
  gpu.on_launch = add_one;
  return report;
}

// CUDA may wait for the kernel in each of these: the scripted driver calls that misuse.
TEST(CudaLeftBehind, BesideAnEndlessKernelPinnedMemoryIsLeftAlone) {
  ScriptedDriver gpu;
  auto device = open(gpu), other = open(gpu);
  auto a = device->allocate(ints("a", 4));
  auto early = device->allocate_mapped(ints("early", 4));
  auto others = other->allocate_mapped(ints("others", 4));
  ASSERT_TRUE(write(*device, *a, given) && write(*device, *early, given));
  EXPECT_EQ(launch_endlessly(gpu, *device, *a).status, "cudaErrorLaunchTimeout");

  const auto refused = device->allocate_mapped(ints("late", 4));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "cudaErrorMemoryAllocation");
  EXPECT_NE(refused.error().message.find("Start Warpbook again"), std::string::npos) << refused.error().message;
  // What was there before is the host's alone for now.
  EXPECT_EQ(numbers_in(device->mapped(*early)), given);
  EXPECT_TRUE(write(*device, *early, one_more));
  EXPECT_EQ(*read(*device, *early), one_more);
  const LaunchReport refused_launch = device->launch(add_request(program(), *a, *early, 4), nullptr);
  EXPECT_EQ(refused_launch.status, "cudaErrorMemoryAllocation");
  EXPECT_TRUE(is_sentence(say(refused_launch.message))) << say(refused_launch.message);
  EXPECT_TRUE(device->launch(add_request(program(), *a, *a, 4), nullptr).ok());
  other->release(*others);
  EXPECT_EQ(gpu.misuse(), "");

  after_all_kernels(gpu);
  EXPECT_TRUE(device->allocate_mapped(ints("late", 4)));
  EXPECT_EQ(*read(*device, *early), one_more);
  EXPECT_TRUE(device->launch(add_request(program(), *early, *a, 4), nullptr).ok());
  device.reset();
  other.reset();
  EXPECT_EQ(gpu.misuse(), "");
  EXPECT_EQ(gpu.alive(), "");
}

TEST(CudaLeftBehind, BesideAnEndlessKernelNoContextIsDestroyed) {
  ScriptedDriver gpu;
  auto device = open(gpu), other = open(gpu);
  auto a = device->allocate(ints("a", 4)), b = other->allocate(ints("b", 4));
  (void)launch_endlessly(gpu, *device, *a);
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  EXPECT_EQ(other->launch(add_request(program(), *b, *b, 0), nullptr).status, "cudaErrorIllegalAddress");
  EXPECT_EQ(other->lost(), "");
  gpu.on_launch = add_one;
  EXPECT_TRUE(other->launch(add_request(program(), *b, *b, 0), nullptr).ok());
  other.reset();
  device.reset();
  EXPECT_EQ(gpu.count("ctxDestroy"), 0);
  after_all_kernels(gpu);
  EXPECT_EQ(gpu.alive(), "");
  EXPECT_EQ(gpu.misuse(), "");
}

// OpenGL then takes its copy from ordinary memory; the buffer that the kernel has is never registered again.
TEST(CudaLeftBehind, AnEndlessKernelKeepsItsOpenGLBuffer) {
  ScriptedDriver gpu;
  gpu.gl_buffers[7].resize(16);
  auto device = open(gpu);
  auto a = device->allocate(ints("a", 4)), heat = device->allocate(ints("heat", 4));
  ASSERT_TRUE(write(*device, *a, given) && write(*device, *heat, nothing));
  ASSERT_TRUE(device->graphics()->attach(*heat, 7));
  EXPECT_EQ(device->graphics()->path().kind, DrawPath::Kind::shared);
  (void)launch_endlessly(gpu, *device, *heat);
  EXPECT_EQ(device->graphics()->path().kind, DrawPath::Kind::pinned_copy);
  EXPECT_NE(device->graphics()->path().sentence.find("still has the OpenGL buffer of `heat`"), std::string::npos)
      << device->graphics()->path().sentence;
  ASSERT_TRUE(device->launch(add_request(program(), *a, *heat, 4), nullptr).ok());
  const auto pixels = device->graphics()->publish(*heat);
  ASSERT_TRUE(pixels) << pixels.error().message;
  EXPECT_EQ(numbers_in(*pixels), one_more);
  EXPECT_EQ(gpu.count("graphicsGLRegisterBuffer"), 1);
  EXPECT_EQ(gpu.count("memHostAlloc"), 0);
  device->graphics()->detach(*heat);
  EXPECT_EQ(*read(*device, *heat), one_more);
  device.reset();
  after_all_kernels(gpu);
  EXPECT_EQ(gpu.misuse(), "");
  EXPECT_EQ(gpu.alive(), "");
}

}  // namespace
}  // namespace warpbook::gpu::testing
