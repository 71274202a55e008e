// Drawing from the device's memory: the order of register, map, launch and unmap; the copying path, and why it was chosen.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/gpu/cuda/scenario.h"

namespace warpbook::gpu::testing {
namespace {

using Calls = std::vector<std::string>;

class Interop : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu.on_launch = add_one;
    gpu.gl_buffers[7].resize(16);
    device = open(gpu);
    ASSERT_TRUE(device);
    a = *device->allocate(ints("a", 4));
    heat = *device->allocate(ints("heat", 4));
    ASSERT_TRUE(write(*device, a, {1, 2, 3, 4}));
    ASSERT_TRUE(write(*device, heat, {9, 9, 9, 9}));
    ASSERT_TRUE(step().ok());  // the program is loaded
    gpu.forget_calls();
  }
  void TearDown() override {
    device.reset();
    EXPECT_EQ(gpu.misuse(), "");
    EXPECT_EQ(gpu.alive(), "");
  }

  LaunchReport step() { return device->launch(add_request(add, a, heat, 4), nullptr); }
  GraphicsInterop& graphics() { return *device->graphics(); }
  std::vector<int> gl() { return numbers_in(gpu.gl_buffers[7]); }
  Calls drawing_calls() {
    Calls calls;
    for (const std::string& call : gpu.calls())
      if (call.starts_with("graphics") || call == "glGetDevices" || call == "launchKernel" || call.starts_with("memcpy"))
        calls.push_back(call);
    return calls;
  }

  ScriptedDriver gpu;
  std::unique_ptr<CudaDevice> device;
  Buffer a, heat;
  const ProgramPtr add = program();
};

TEST_F(Interop, KernelsWriteWhatOpenGLDraws) {
  ASSERT_TRUE(graphics().attach(heat, 7));
  EXPECT_EQ(graphics().path().kind, DrawPath::Kind::shared);
  EXPECT_NE(graphics().path().sentence.find("Scripted GPU"), std::string::npos);
  for (int frame = 0; frame < 2; ++frame) {
    ASSERT_TRUE(step().ok());
    const auto pixels = graphics().publish(heat);
    ASSERT_TRUE(pixels);
    EXPECT_TRUE(pixels->empty());
    EXPECT_EQ(gl(), (std::vector<int>{2, 3, 4, 5}));
  }
  EXPECT_EQ(drawing_calls(),
            (Calls{"glGetDevices", "graphicsGLRegisterBuffer", "graphicsMapResources", "graphicsResourceGetMappedPointer",
                   "memcpyDtoD", "launchKernel", "graphicsUnmapResources", "graphicsMapResources",
                   "graphicsResourceGetMappedPointer", "launchKernel", "graphicsUnmapResources"}));
}

TEST_F(Interop, KeepsContentsOnTheWayInAndOut) {
  ASSERT_TRUE(graphics().attach(heat, 7));
  EXPECT_EQ(gl(), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(*read(*device, heat), (std::vector<int>{2, 3, 4, 5}));
  ASSERT_TRUE(write(*device, heat, {5, 6, 7, 8}));
  ASSERT_TRUE(graphics().publish(heat));
  EXPECT_EQ(gl(), (std::vector<int>{5, 6, 7, 8}));
  ASSERT_TRUE(graphics().publish(heat));  // nothing has changed: nothing to unmap
  graphics().detach(heat);
  EXPECT_EQ(*read(*device, heat), (std::vector<int>{5, 6, 7, 8}));
  EXPECT_EQ(gpu.count("graphicsUnregisterResource"), 1);
  gpu.gl_buffers.erase(7);  // OpenGL may delete it now
  EXPECT_TRUE(step().ok());
  EXPECT_FALSE(graphics().publish(heat));
}

TEST_F(Interop, ReleasingOrEndingDetaches) {
  ASSERT_TRUE(graphics().attach(heat, 7));
  device->release(heat);
  EXPECT_EQ(gpu.count("graphicsUnmapResources"), 1);
  EXPECT_EQ(gpu.count("graphicsUnregisterResource"), 1);
  gpu.gl_buffers[8].resize(16);
  ASSERT_TRUE(graphics().attach(a, 8));
  device.reset();
  EXPECT_EQ(gpu.count("graphicsUnregisterResource"), 2);
}

TEST_F(Interop, RefusesWhatCannotBeAttached) {
  ASSERT_TRUE(graphics().attach(heat, 7));
  EXPECT_EQ(graphics().attach(heat, 7).error().code, "cudaErrorInvalidValue");  // twice
  auto mapped = device->allocate_mapped(ints("mapped", 4));
  EXPECT_EQ(graphics().attach(*mapped, 7).error().code, "cudaErrorInvalidValue");
  EXPECT_EQ(graphics().attach({99, ints("other", 4)}, 7).error().code, "cudaErrorInvalidValue");
  EXPECT_EQ(graphics().publish(a).error().code, "cudaErrorInvalidValue");
}

struct Reason {
  const char* name;
  CUresult answer;
  std::vector<CUdevice> drawing;
  const char* words;
};
class CopyingPath : public Interop, public ::testing::WithParamInterface<Reason> {};

TEST_P(CopyingPath, IsChosenByItselfAndSaysWhy) {
  if (GetParam().answer != CUDA_SUCCESS) gpu.fail({.name = "glGetDevices", .with = GetParam().answer, .always = true});
  gpu.gl_devices = GetParam().drawing;
  EXPECT_EQ(graphics().examine().kind, DrawPath::Kind::pinned_copy);
  ASSERT_TRUE(graphics().attach(heat, 7));
  EXPECT_EQ(graphics().path().kind, DrawPath::Kind::pinned_copy);
  EXPECT_NE(graphics().path().sentence.find(GetParam().words), std::string::npos) << graphics().path().sentence;
  EXPECT_TRUE(is_sentence(graphics().path().sentence));
  ASSERT_TRUE(step().ok());
  const auto pixels = graphics().publish(heat);
  ASSERT_TRUE(pixels);
  EXPECT_EQ(numbers_in(*pixels), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(gpu.count("memHostAlloc"), 1);
  EXPECT_EQ(gpu.count("graphicsGLRegisterBuffer"), 0);
  graphics().detach(heat);
  EXPECT_EQ(gpu.count("memFreeHost"), 1);
  EXPECT_EQ(*read(*device, heat), (std::vector<int>{2, 3, 4, 5}));
}

INSTANTIATE_TEST_SUITE_P(Reasons, CopyingPath,
                         ::testing::Values(Reason{"another_gpu", CUDA_SUCCESS, {1}, "another GPU than Scripted GPU"},
                                           Reason{"no_nvidia", CUDA_ERROR_NO_DEVICE, {0}, "is not NVIDIA's driver"},
                                           Reason{"remote", CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, {0}, "remote display"},
                                           Reason{"not_supported", CUDA_ERROR_NOT_SUPPORTED, {0}, "WSL"},
                                           Reason{"wsl", CUDA_ERROR_OPERATING_SYSTEM, {0}, "WSL"},
                                           Reason{"unknown", CUDA_ERROR_UNKNOWN, {0}, "cudaErrorUnknown"}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST_F(Interop, SaysWhatDrawsInstead) {
  gpu.fail({.name = "glGetDevices", .with = CUDA_ERROR_NO_DEVICE, .always = true});
  graphics().drawn_by("llvmpipe (LLVM 15.0.6, 256 bits)");
  EXPECT_NE(graphics().examine().sentence.find("`llvmpipe (LLVM 15.0.6, 256 bits)`"), std::string::npos)
      << graphics().path().sentence;
  EXPECT_EQ(graphics().path().sentence.find("PRIME"), std::string::npos) << graphics().path().sentence;
  // A laptop whose processor's GPU draws.
  graphics().drawn_by("Mesa Intel(R) UHD Graphics 620 (KBL GT2)");
  const std::string sentence = graphics().examine().sentence;
  for (const char* word : {"UHD Graphics 620", "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia", "Scripted GPU"})
    EXPECT_NE(sentence.find(word), std::string::npos) << sentence;
  EXPECT_TRUE(is_sentence(sentence)) << sentence;
}

TEST_F(Interop, WhereRegisteringFailsItCopies) {
  gpu.fail({.name = "graphicsGLRegisterBuffer", .with = CUDA_ERROR_UNKNOWN});
  ASSERT_TRUE(graphics().attach(heat, 7));
  EXPECT_EQ(graphics().path().kind, DrawPath::Kind::pinned_copy);
  EXPECT_NE(graphics().path().sentence.find("could not be registered"), std::string::npos) << graphics().path().sentence;
  const auto pixels = graphics().publish(heat);
  ASSERT_TRUE(pixels);
  EXPECT_EQ(numbers_in(*pixels), (std::vector<int>{2, 3, 4, 5}));
}

TEST_F(Interop, ABufferThatIsTooSmallIsCopied) {
  gpu.gl_buffers[8].resize(12);
  ASSERT_TRUE(graphics().attach(heat, 8));
  EXPECT_EQ(graphics().path().kind, DrawPath::Kind::pinned_copy);
  EXPECT_NE(graphics().path().sentence.find("has 12 bytes, the array needs 16"), std::string::npos) << graphics().path().sentence;
}

// What OpenGL's buffer held cannot be reached then, so the step that meets it says so, and the next goes on by copying.
TEST_F(Interop, ASharedPathThatFailsInUseBecomesACopyingOne) {
  ASSERT_TRUE(graphics().attach(heat, 7));
  ASSERT_TRUE(graphics().publish(heat));
  gpu.fail({.name = "graphicsMapResources", .with = CUDA_ERROR_MAP_FAILED});
  const LaunchReport failed = step();
  EXPECT_EQ(failed.status, "cudaErrorMapBufferObjectFailed");
  EXPECT_NE(say(failed.message).find("copied for drawing from now on"), std::string::npos) << say(failed.message);
  EXPECT_EQ(graphics().path().kind, DrawPath::Kind::pinned_copy);
  EXPECT_EQ(*read(*device, heat), (std::vector<int>{9, 9, 9, 9}));  // what the host last put into it
  ASSERT_TRUE(step().ok());
  const auto pixels = graphics().publish(heat);
  ASSERT_TRUE(pixels);
  EXPECT_EQ(numbers_in(*pixels), (std::vector<int>{2, 3, 4, 5}));
}

TEST_F(Interop, AfterAFaultTheBufferIsRegisteredAnewAndKeepsItsPicture) {
  ASSERT_TRUE(graphics().attach(heat, 7));
  ASSERT_TRUE(step().ok());
  ASSERT_TRUE(graphics().publish(heat));
  gpu.on_launch = [](ScriptedDriver::Launch& launch) { launch.result = CUDA_ERROR_ILLEGAL_ADDRESS; };
  EXPECT_EQ(step().status, "cudaErrorIllegalAddress");
  gpu.on_launch = add_one;
  EXPECT_EQ(*read(*device, heat), (std::vector<int>{2, 3, 4, 5}));  // OpenGL's memory outlives CUDA's context
  EXPECT_EQ(gpu.count("graphicsGLRegisterBuffer"), 2);
  ASSERT_TRUE(write(*device, a, {5, 5, 5, 5}));
  ASSERT_TRUE(step().ok());
  ASSERT_TRUE(graphics().publish(heat));
  EXPECT_EQ(gl(), (std::vector<int>{6, 6, 6, 6}));
  EXPECT_EQ(graphics().path().kind, DrawPath::Kind::shared);
}

TEST_F(Interop, ADriverWithoutOpenGLCopies) {
  Driver table = gpu.entries();
  table.glGetDevices = nullptr;
  table.graphicsGLRegisterBuffer = nullptr;
  auto made = make_cuda_device(compiler(), std::make_shared<const Driver>(table));
  ASSERT_TRUE(made);
  auto field = (*made)->allocate(ints("field", 4));
  ASSERT_TRUE((*made)->graphics()->attach(*field, 7));
  EXPECT_EQ((*made)->graphics()->path().kind, DrawPath::Kind::pinned_copy);
  EXPECT_NE((*made)->graphics()->path().sentence.find("without CUDA's part for OpenGL"), std::string::npos);
  EXPECT_EQ((*made)->graphics()->publish(*field)->size(), 16u);
}

TEST_F(Interop, ExamineAsksWithoutAttaching) {
  const DrawPath path = graphics().examine();
  EXPECT_EQ(path.kind, DrawPath::Kind::shared);
  EXPECT_EQ(drawing_calls(), (Calls{"glGetDevices"}));
  EXPECT_EQ(graphics().path().sentence, path.sentence);
}

}  // namespace
}  // namespace warpbook::gpu::testing
