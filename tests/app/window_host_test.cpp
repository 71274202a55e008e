// The host's program beside the kernel: it follows the controls, before a run and after, and can be copied.
#include <gtest/gtest.h>

#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

std::string launch(const Window& window) {
  const auto state = window.state();
  if (!state.is_object() || !state.contains("host") || !state["host"]["current"].get<bool>()) return {};
  return state["host"]["launch"];
}

bool tells(const Window& window, const std::string& words) {
  return window.wait([&] { return launch(window).find(words) != std::string::npos; });
}

TEST(Host, TheLaunchFollowsTheControlsBeforeAnyRun) {
  const Window window;
  window.click("tab/host");
  ASSERT_TRUE(tells(window, "add<<<32, 100>>>(a, b, out, 4096);")) << seen(window);
  EXPECT_TRUE(window.find("launch_line").has_value()) << "it is in sight and marked";
  EXPECT_TRUE(window.state()["numbers"].empty()) << "nothing has run";
  set_control(window, "blocks", "17");
  EXPECT_TRUE(tells(window, "add<<<17, 100>>>")) << seen(window);
  window.drag("control/threads", 0.2, 0.5, 0.6, 0.5);
  EXPECT_TRUE(window.wait([&] {
    const auto state = window.state();
    return launch(window).find("add<<<17, " + std::to_string(state["values"]["threads"].get<int>()) + ">>>") != std::string::npos;
  })) << seen(window);
}

TEST(Host, NumbaSaysTheSameAndItsTextIsCopied) {
  const Window window;
  open_lesson(window, "05", "05_race_conditions");
  window.click("tab/numba");
  ASSERT_TRUE(tells(window, "count[64, 64](c)")) << seen(window);
  window.click("numba_code", 0.5, 0.3);
  window.key("ctrl+a");
  EXPECT_TRUE(window.wait([&] {
    return window.state()["host"]["selected"].get<std::string>().find("def count(c):") != std::string::npos;
  })) << seen(window);
  // What is only read takes no letters, and the kernel's text neither.
  window.type("x");
  window.key("Delete");
  EXPECT_EQ(launch(window), "    count[64, 64](c)");
  window.click("tab/kernel");
  ASSERT_TRUE(window.wait([&] { return word(window, "tab") == "kernel"; }));
  EXPECT_FALSE(window.state()["edited"].get<bool>());
  // Pasted into the editor, the copied program stands there: the clipboard had it.
  window.click("tab/numba");
  ASSERT_TRUE(window.wait([&] { return word(window, "tab") == "numba"; }));
  window.click("numba_code", 0.5, 0.3);
  window.key("ctrl+a");
  window.key("ctrl+c");
  window.click("tab/kernel");
  window.click("editor", 0.5, 0.3);
  window.key("ctrl+a");
  window.key("ctrl+v");
  EXPECT_TRUE(window.wait([&] { return window.state()["edited"].get<bool>(); })) << seen(window);
}

TEST(Host, TheKeyboardReachesTheTabs) {
  const Window window;
  window.click("tab/host");
  ASSERT_TRUE(tells(window, "add<<<")) << seen(window);
  window.key("Tab");
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return word(window, "tab") == "numba"; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Host, ThePlaygroundHasItsProgramsToo) {
  const Window window;
  open_lesson(window, "playground", "playground");
  window.click("tab/numba");
  EXPECT_TRUE(tells(window, "mandelbrot[")) << seen(window);
  window.click("tab/host");
  EXPECT_TRUE(tells(window, "mandelbrot<<<")) << seen(window);
}

}  // namespace
}  // namespace warpbook::test
