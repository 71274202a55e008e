// What a hand on the keyboard does, and what of the window itself is remembered.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

nlohmann::json is(const Window& window, const std::string& key) {
  const auto state = window.state();
  return state.is_object() && state.contains(key) ? state[key] : nlohmann::json();
}

// Tab, until the widget has the focus. Each is waited for: a busy machine draws late.
void go_to(const Window& window, const std::string& name) {
  for (int i = 0; i < 120 && is(window, "focus") != name; ++i) {
    const auto before = is(window, "focus");
    window.key("Tab", 0);
    (void)window.wait([&] { return is(window, "focus") != before; }, 2);
  }
  ASSERT_EQ(is(window, "focus"), name) << seen(window);
}

bool kept(const std::filesystem::path& file, const std::string& words) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {}).find(words) != std::string::npos;
}

/// The first time it asks for the predictions.
void run_unasked(const Window& window) {
  window.key("ctrl+Return");
  ASSERT_TRUE(window.wait([&] { return is(window, "asking") == true; })) << seen(window);
  window.key("ctrl+Return");
  ASSERT_TRUE(window.wait([&] { return is(window, "stages")["run"] == true; }, 60)) << seen(window);
}

TEST(Keys, TheRailShowsHowFarOneHasCome) {
  Window window;
  EXPECT_EQ(is(window, "stages"),
            (nlohmann::json{{"predict", false}, {"run", false}, {"look", false}, {"change", false}, {"make", false}}));
  run_unasked(window);
  EXPECT_EQ(is(window, "stages")["look"], false);
  window.drag("view/thread_map", 0.2, 0.2, 0.4, 0.4);
  EXPECT_TRUE(window.wait([&] { return is(window, "stages")["look"] == true; })) << seen(window);
  EXPECT_EQ(is(window, "stages")["change"], false);
  window.click("more");
  window.click("control/guard", 0.1);
  EXPECT_TRUE(window.wait([&] { return is(window, "stages")["change"] == true; })) << seen(window);
  ASSERT_TRUE(window.wait([&] { return kept(window.kept() / "01_first_kernel" / "progress.toml", "looked = true"); }));
  ASSERT_TRUE(window.wait([&] { return kept(window.kept() / "01_first_kernel" / "progress.toml", "changed = true"); }));
  window.restart();
  EXPECT_EQ(is(window, "stages"),
            (nlohmann::json{{"predict", true}, {"run", true}, {"look", true}, {"change", true}, {"make", false}}));
}

TEST(Keys, AGuessIsChosenOrMarked) {
  Window window;
  window.click("rail/06");
  ASSERT_TRUE(window.wait_for("guess/lost_share/1"));
  go_to(window, "guess/lost_share/0");
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return is(window, "guesses").contains("lost_share"); })) << seen(window);
  EXPECT_EQ(is(window, "questions")["lost_share"]["open"], false);

  window.click("rail/12");
  const std::string strip = "guess/third_level";
  ASSERT_TRUE(window.wait_for(strip));
  const double middle = 0.125;  // of the first of four warps
  window.click(strip + "/give");
  EXPECT_FALSE(is(window, "guesses").contains("third_level")) << "nothing is marked yet";
  window.drag(strip, 0.5 / 32, middle, 7.5 / 32, middle);
  window.click(strip, 3.5 / 32, middle);
  go_to(window, strip);
  for (const char* key : {"Right", "Right", "Return"}) window.key(key);
  window.click(strip + "/give");
  EXPECT_TRUE(window.wait([&] { return is(window, "guesses")["third_level"] == nlohmann::json{0, 1, 2, 4, 6, 7}; }))
      << seen(window);
  window.key("ctrl+Return");
  ASSERT_TRUE(window.wait([&] { return is(window, "asking") == true; })) << "the other question is still open";
  window.key("ctrl+Return");
  ASSERT_TRUE(window.wait([&] { return is(window, "stages")["run"] == true; }, 60)) << seen(window);
  ASSERT_TRUE(window.wait([&] { return kept(window.kept() / "12_reduction" / "progress.toml", "marks = [ 0, 1"); }));
  window.restart();
  EXPECT_EQ(is(window, "guesses")["third_level"], (nlohmann::json{0, 1, 2, 4, 6, 7}));
}

TEST(Keys, TheRailFoldsAndStaysFolded) {
  Window window;
  const double unfolded = window.find("rail/01")->width;
  window.click("rail/fold");
  ASSERT_TRUE(window.wait([&] { return window.find("rail/01")->width < unfolded / 2; }));
  ASSERT_TRUE(window.wait([&] { return kept(window.kept() / "desk.toml", "rail_folded = true"); }));
  window.restart();
  EXPECT_LT(window.find("rail/01")->width, unfolded / 2);
  window.click("rail/fold");
  EXPECT_TRUE(window.wait([&] { return window.find("rail/01")->width == unfolded; }));
}

TEST(Keys, TheBenchIsAsWideAsItWasDragged) {
  Window window;
  const auto width = [&] { return window.find("bench/edge")->height > 0 ? 1440 - window.find("bench/edge")->x : 0; };
  const double before = width();
  window.drag("bench/edge", 0.5, 0.5, -19.5, 0.5);  // 120 pixels to the left
  EXPECT_TRUE(window.wait([&] { return std::abs(width() - before - 120) < 4; })) << width();
  go_to(window, "bench/edge");
  const double dragged = width();
  window.key("Right");
  EXPECT_TRUE(window.wait([&] { return std::abs(dragged - width() - 16) < 2; })) << width();
  const double kept_width = width();
  ASSERT_TRUE(
      window.wait([&] { return kept(window.kept() / "desk.toml", "bench_width = " + std::to_string(std::lround(kept_width))); }));
  window.restart();
  EXPECT_NEAR(width(), kept_width, 1);
  // And the way back: by the edge, with the mouse and without, and in the settings.
  window.double_click("bench/edge");
  EXPECT_TRUE(window.wait([&] { return width() == before; })) << width();
  go_to(window, "bench/edge");
  window.key("Left");
  EXPECT_TRUE(window.wait([&] { return width() > before; })) << width();
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return width() == before; })) << width();
  window.key("Left");
  window.click("rail/fold");
  ASSERT_TRUE(window.wait([&] { return window.find("rail/01")->width < 100 && width() > before; }));
  window.key("ctrl+comma");
  ASSERT_TRUE(window.wait_for("settings/reset_layout"));
  window.click("settings/reset_layout");
  EXPECT_TRUE(window.wait([&] { return window.find("rail/01")->width > 100 && width() == before; })) << width();
}

TEST(Keys, AViewIsPointedIntoWithoutAMouse) {
  const Window window;
  window.point("rail/01");
  run_unasked(window);
  go_to(window, "view/thread_map");
  window.key("Up");
  ASSERT_TRUE(window.wait([&] { return is(window, "hovered").is_object(); })) << seen(window);
  const int block = is(window, "hovered")["block"];
  window.key("Up");
  window.key("Up");
  EXPECT_TRUE(window.wait([&] { return is(window, "hovered").value("block", block) < block; })) << seen(window);
  window.key("Escape");
  EXPECT_TRUE(window.wait([&] { return is(window, "hovered").is_null(); })) << seen(window);
  EXPECT_EQ(is(window, "focus"), "view/thread_map");
  window.key("Up");
  ASSERT_TRUE(window.wait([&] { return is(window, "hovered").is_object(); })) << seen(window);
  window.point("rail/05");
  EXPECT_TRUE(window.wait([&] { return is(window, "hovered").is_null(); })) << "the mouse has taken over";
}

TEST(Keys, ShortcutsAreListedAndClosed) {
  const Window window;
  window.key("question");
  ASSERT_TRUE(window.wait([&] { return is(window, "overlay") == "shortcuts"; })) << seen(window);
  window.key("Tab");
  EXPECT_TRUE(window.wait([&] { return is(window, "focus") == "overlay/close"; })) << "Tab stays in what lies over the window";
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return is(window, "overlay") == "none"; })) << seen(window);
  window.key("F1");
  EXPECT_TRUE(window.wait([&] { return is(window, "overlay") == "shortcuts"; }));
  window.key("Escape");
  EXPECT_TRUE(window.wait([&] { return is(window, "overlay") == "none"; }));
  // In the kernel it is a character.
  window.click("editor", 0.5, 0.05);
  window.key("ctrl+Home");
  window.key("question");
  EXPECT_TRUE(window.wait([&] { return is(window, "edited") == true; })) << seen(window);
  EXPECT_EQ(is(window, "overlay"), "none");
}

TEST(Keys, ALessonWithoutAMouse) {
  const Window window;
  go_to(window, "control/blocks");
  window.key("Left");  // 32 blocks → 16: the slider moves in powers of two
  EXPECT_TRUE(window.wait([&] { return is(window, "values")["blocks"] == 16; })) << seen(window);
  window.key("Return");
  window.type("31");
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return is(window, "values")["blocks"] == 31; })) << seen(window);
  go_to(window, "more");
  window.key("Return");
  ASSERT_TRUE(window.wait_for("control/guard"));
  go_to(window, "control/guard");
  window.key("space");
  EXPECT_TRUE(window.wait([&] { return is(window, "values")["guard"] == 0; })) << seen(window);
  go_to(window, "run");
  window.key("Return");
  ASSERT_TRUE(window.wait([&] { return is(window, "asking") == true; })) << seen(window);
  go_to(window, "run");
  window.key("Return");
  EXPECT_TRUE(window.wait([&] { return is(window, "numbers")["untouched"] == 996; }, 60)) << seen(window);
  for (const char* key : {"Prior", "Prior"}) window.key(key);
  double top = 0;  // where it comes to rest
  EXPECT_TRUE(window.wait([&] {
    const double before = std::exchange(top, window.find("view/thread_map")->y);
    return top == before;
  }));
  EXPECT_GT(top, 0) << "Tab had scrolled it";
  window.key("Down");
  EXPECT_TRUE(window.wait([&] { return window.find("view/thread_map")->y < top; })) << "the page scrolls";
  window.key("Next");
  EXPECT_TRUE(window.wait([&] { return window.find("view/thread_map")->y < top - 300; })) << "by pages, too";
  window.key("ctrl+Next");
  EXPECT_TRUE(window.wait([&] { return is(window, "lesson") == "02_blocks_and_threads"; })) << seen(window);
  window.key("ctrl+Prior");
  EXPECT_TRUE(window.wait([&] { return is(window, "lesson") == "01_first_kernel"; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Keys, PresentingByKeysAndByMouse) {
  const Window window;
  window.key("F5");
  ASSERT_TRUE(window.wait([&] { return is(window, "slide") == 0; })) << seen(window);
  EXPECT_FALSE(window.find("rail/01")) << "no rail";
  EXPECT_FALSE(window.find("editor")) << "no bench";
  window.key("r");
  ASSERT_TRUE(window.wait([&] { return is(window, "numbers").value("written", 0) == 3200; }, 60)) << seen(window);
  window.key("Right");
  EXPECT_TRUE(window.wait([&] { return is(window, "slide") == 1 && window.find("view/thread_map"); })) << seen(window);
  window.key("Left");
  window.key("Left");
  EXPECT_TRUE(window.wait([&] { return is(window, "slide") == 2 && window.find("view/host_timeline"); })) << "around the ends";
  // The controls lie over the slide, and work.
  window.key("c");
  go_to(window, "control/blocks");
  window.key("Left");
  EXPECT_TRUE(window.wait([&] { return is(window, "values")["blocks"] == 16; })) << seen(window);
  EXPECT_EQ(is(window, "slide"), 2) << "the arrow was the slider's";
  window.click("present/controls");
  EXPECT_TRUE(window.wait([&] { return !window.find("control/blocks"); })) << seen(window);
  window.click("present/next");
  EXPECT_TRUE(window.wait([&] { return is(window, "slide") == 0; })) << seen(window);
  window.key("Escape");
  EXPECT_TRUE(window.wait([&] { return is(window, "slide") == -1 && window.find("rail/01"); })) << seen(window);
  window.click("present");
  ASSERT_TRUE(window.wait([&] { return is(window, "slide") == 0; })) << seen(window);
  window.click("present/leave");
  EXPECT_TRUE(window.wait([&] { return is(window, "slide") == -1; })) << seen(window);
  // A letter in the kernel is a letter.
  window.click("editor", 0.5, 0.05);
  window.key("r");
  EXPECT_TRUE(window.wait([&] { return is(window, "edited") == true; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Keys, SizeAndSettingsAreRemembered) {
  Window window(1600, 1100);
  const double before = window.find("run")->height;
  window.key("ctrl+equal");
  ASSERT_TRUE(window.wait([&] { return window.find("run")->height > before * 1.05; })) << seen(window);
  window.key("ctrl+0");
  ASSERT_TRUE(window.wait([&] { return window.find("run")->height == before; })) << seen(window);
  window.click("settings");
  ASSERT_TRUE(window.wait_for("settings/larger"));
  window.click("settings/larger");
  ASSERT_TRUE(window.wait([&] { return is(window, "zoom") == 1.1 && window.find("run")->height > before * 1.05; }));
  window.click("settings/larger");
  EXPECT_TRUE(window.wait([&] { return is(window, "zoom") == 1.25; })) << seen(window);
  window.click("settings/rerun", 0.05);
  window.click("settings/light");
  EXPECT_TRUE(window.wait([&] { return is(window, "appearance") == "light"; })) << seen(window);
  window.click("settings/copy_path");
  window.click("overlay/close");
  EXPECT_TRUE(window.wait([&] { return is(window, "overlay") == "none"; }));
  ASSERT_TRUE(window.wait([&] {
    const auto desk = window.kept() / "desk.toml";
    return kept(desk, "zoom = 1.25") && kept(desk, "rerun = false");
  }));
  window.restart();
  EXPECT_EQ(is(window, "zoom"), 1.25);
  EXPECT_GT(window.find("run")->height, before * 1.2);
  // A control that changes does not run by itself any more.
  window.click("more");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return is(window, "numbers").value("written", 0) == 3200; }, 60)) << seen(window);
  window.click("control/guard", 0.1);
  EXPECT_TRUE(window.wait([&] { return is(window, "stale") == true && is(window, "activity") == "idle"; })) << seen(window);
}

}  // namespace
}  // namespace warpbook::test
