// doctor's check of drawing, with a scripted GPU and this machine's OpenGL: the copying path is right, and a buffer that does not
// hold what the GPU wrote is found out.
#include "app/worker/interop_check.h"

#include <gtest/gtest.h>

#include "app/shell/offscreen.h"
#include "tests/gpu/cuda/scenario.h"

namespace warpbook::app {
namespace {

namespace scripted = gpu::testing;

TEST(InteropCheck, CopiesWhereOpenGLDrawsElsewhere) {
  if (const auto opengl = offscreen_opengl(); !opengl) GTEST_SKIP() << opengl.error().message;
  scripted::ScriptedDriver driver;
  driver.gl_devices.clear();
  auto device = scripted::open(driver);
  ASSERT_TRUE(device);
  const auto way = with_offscreen_opengl([&] { return check_interop(*device); });
  ASSERT_TRUE(way) << way.error().message;
  EXPECT_NE(way->find("copy through pinned memory"), std::string::npos) << *way;
  EXPECT_NE(way->find("right"), std::string::npos) << *way;
  device.reset();
  EXPECT_EQ(driver.misuse(), "");
  EXPECT_EQ(driver.alive(), "");
}

// The scripted driver's OpenGL memory is its own, so what it "shares" never arrives.
TEST(InteropCheck, FindsOutABufferThatHoldsSomethingElse) {
  if (const auto opengl = offscreen_opengl(); !opengl) GTEST_SKIP() << opengl.error().message;
  scripted::ScriptedDriver driver;
  for (unsigned name = 1; name < 64; ++name) driver.gl_buffers[name].resize(std::size_t{1} << 18);
  auto device = scripted::open(driver);
  ASSERT_TRUE(device);
  const auto way = with_offscreen_opengl([&] { return check_interop(*device); });
  ASSERT_FALSE(way);
  EXPECT_EQ(way.error().code, "wrong_pixels");
}

}  // namespace
}  // namespace warpbook::app
