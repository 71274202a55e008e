// The kernel's editor in its window: search, lines, comments, the compiler's list.
#include <gtest/gtest.h>

#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

std::string selected(const Window& window) { return word(window, "selected"); }

TEST(Editor, FindsGoesAndComments) {
  const Window window;
  open_lesson(window, "05", "05_race_conditions");
  window.key("ctrl+f");
  ASSERT_TRUE(window.wait_for("find")) << seen(window);
  window.type("c[0]");
  ASSERT_TRUE(window.wait([&] { return selected(window) == "7:16 c[0]"; })) << seen(window);
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return selected(window) == "9:5 c[0]"; })) << seen(window);
  window.key("F3");
  EXPECT_TRUE(window.wait([&] { return selected(window) == "7:16 c[0]"; })) << "around the end";
  window.key("shift+F3");
  EXPECT_TRUE(window.wait([&] { return selected(window) == "9:5 c[0]"; })) << seen(window);
  window.click("find/previous");
  EXPECT_TRUE(window.wait([&] { return selected(window) == "7:16 c[0]"; })) << seen(window);
  window.click("find/next");
  EXPECT_TRUE(window.wait([&] { return selected(window) == "9:5 c[0]"; })) << seen(window);
  window.click("find/close");
  EXPECT_TRUE(window.wait([&] { return !window.find("find"); }));

  // The editor has the keyboard again.
  window.key("ctrl+slash");
  EXPECT_TRUE(window.wait([&] { return window.state()["edited"] == true; })) << seen(window);
  window.key("ctrl+z");
  EXPECT_TRUE(window.wait([&] { return window.state()["edited"] == false; })) << seen(window);
  window.key("ctrl+g");
  ASSERT_TRUE(window.wait_for("find"));
  window.type("3");
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return word(window, "caret") == "3:1"; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Editor, TheCompilersListLeadsToItsPlaces) {
  const Window window;
  open_lesson(window, "05", "05_race_conditions");
  window.click("editor", 0.5, 0.05);
  window.key("ctrl+Home");
  window.type("wrong here");
  window.key("ctrl+End");
  window.type("also wrong");
  ASSERT_TRUE(window.wait_for("problem/1")) << seen(window);
  window.click("problem/1");
  EXPECT_TRUE(window.wait([&] { return word(window, "caret").starts_with("1:"); })) << seen(window);
  for (int i = 0; i < 12 && window.state()["edited"] == true; ++i) window.key("ctrl+z");
  EXPECT_TRUE(window.wait([&] { return window.state()["edited"] == false && !window.find("problem/1"); })) << seen(window);
}

TEST(Editor, AFrameOfALongTextIsTheWorkOfTheLinesThatShow) {
  const Window window;
  open_lesson(window, "05", "05_race_conditions");
  // 5,000 lines and more, by doubling what is there: copied and pasted.
  window.click("editor", 0.5, 0.05);
  const auto lines = [&] { return std::stoi(word(window, "caret").substr(0, word(window, "caret").find(':'))); };
  for (int doubled = 0; doubled < 9; ++doubled) {
    for (const char* key : {"ctrl+a", "ctrl+c", "ctrl+End", "ctrl+v"}) window.key(key);
  }
  ASSERT_TRUE(window.wait([&] { return lines() > 5000; })) << seen(window);
  for (const char* key : {"Page_Up", "Page_Up", "ctrl+Home", "Page_Down"}) {
    window.key(key);
    EXPECT_TRUE(window.wait([&] { return window.state()["lines_scanned"] == 0; }))
        << key << ": " << window.state()["lines_scanned"];
    EXPECT_LT(window.state()["lines_drawn"].get<int>(), 100) << key;
    EXPECT_GT(window.state()["lines_drawn"].get<int>(), 5) << key;
  }
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Editor, TabStopsAtItEnterBeginsAndEscapeLeaves) {
  const Window window;
  window.click("tab/host");
  ASSERT_TRUE(window.wait_for("launch_line")) << seen(window);
  window.key("shift+Tab");  // back at the tab before it: the kernel's
  window.key("Return");
  ASSERT_TRUE(window.wait([&] { return word(window, "tab") == "kernel"; })) << seen(window);
  for (int stop = 0; stop < 4; ++stop) window.key("Tab");  // Host, Numba, Step through, the editor
  EXPECT_TRUE(window.wait([&] { return word(window, "focus") == "editor"; })) << seen(window);
  window.key("Return");
  window.type("//");
  EXPECT_TRUE(window.wait([&] { return window.state()["edited"] == true; })) << seen(window);
  window.key("Escape");
  window.key("shift+Tab");
  window.key("Return");
  window.type("x");  // no longer the editor's
  EXPECT_TRUE(window.running()) << window.complaints();
}

}  // namespace
}  // namespace warpbook::test
