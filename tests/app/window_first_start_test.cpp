// The first minute in the real window: the tour begins by itself, once; and what a learner comes back to.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

bool kept(const Window& window, const std::string& words) {
  std::ifstream in(window.kept() / "desk.toml");
  return std::string(std::istreambuf_iterator<char>(in), {}).find(words) != std::string::npos;
}

TEST(FirstStart, TheTourBeginsByItselfOnce) {
  Window window(1280, 720, 1, Window::Learner::first);
  ASSERT_TRUE(window.wait([&] { return window.state()["tour"] == 0; })) << seen(window);
  for (int i = 1; i < 5; ++i) {
    window.click("tour/next");
    ASSERT_TRUE(window.wait([&] { return window.state()["tour"] == i; })) << seen(window);
  }
  window.click("tour/next");
  ASSERT_TRUE(window.wait([&] { return window.state()["tour"] == -1; })) << seen(window);
  ASSERT_TRUE(window.wait([&] { return kept(window, "toured = true"); }));
  window.restart();
  EXPECT_EQ(window.state()["tour"], -1);
  window.click("help");
  window.click("help/tour");
  EXPECT_TRUE(window.wait([&] { return window.state()["tour"] == 0; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(FirstStart, AResultIsThereAgainAfterwards) {
  Window window;
  EXPECT_EQ(window.state()["tour"], -1) << "who knows it is not shown around";
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "written") == 3200; }, 60)) << seen(window);
  std::filesystem::path file = window.kept() / "01_first_kernel" / "progress.toml";
  ASSERT_TRUE(window.wait([&] { return std::filesystem::exists(file); }));
  window.restart();
  EXPECT_TRUE(window.wait([&] { return number(window, "written") == 3200; }, 60)) << "nobody pressed Run; " << seen(window);
  EXPECT_EQ(window.state()["asking"], false);
  EXPECT_EQ(word(window, "other_windows"), "") << "a window that was killed holds nothing";
}

TEST(FirstStart, ADriverWithAnOlderOpenGlIsNoReasonToStop) {
  const Window window(1280, 720, 1, Window::Learner::known, Window::Driver::old);
  window.click("run");
  EXPECT_TRUE(window.wait([&] { return word(window, "status") == "ok"; }, 60)) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

}  // namespace
}  // namespace warpbook::test
