// The window on displays of several scales: everything is as many times larger, and letters are baked anew, not stretched.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

double baked(const Window& window) { return window.state()["type"]["baked"]; }
double stretched(const Window& window) { return window.state()["type"]["stretched"]; }

void reads_and_runs(const Window& window) {
  window.click("control/blocks");
  window.key("ctrl+a");
  window.type("31");
  window.key("Return");
  window.click("run");
  EXPECT_TRUE(window.wait([&] { return number(window, "untouched") == 996; }, 60)) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Scale, IsTheDisplaysAndLettersAreBakedForIt) {
  const Window plain(1440, 900);
  const double size = baked(plain), button = plain.find("run")->height;
  EXPECT_EQ(stretched(plain), 1);
  for (const double scale : {1.5, 2.0}) {
    const Window window(static_cast<int>(1440 * scale), static_cast<int>(900 * scale), scale);
    EXPECT_NEAR(baked(window), scale * size, 0.51) << scale;
    EXPECT_EQ(stretched(window), 1) << scale;
    EXPECT_NEAR(window.find("run")->height, scale * button, 1) << scale;
    EXPECT_NEAR(window.find("rail/01")->width, scale * plain.find("rail/01")->width, 2) << scale << ": the same layout";
    reads_and_runs(window);
  }
}

TEST(Scale, AWindowIsNoLargerThanItsDisplay) {
  const Window window(2560, 1440, 2);
  const auto run = *window.find("run");
  EXPECT_LT(run.x + run.width, 2560);
  EXPECT_GT(window.find("bench/edge")->height, 0);
  EXPECT_LE(window.find("bench/edge")->height, 1440) << "as high as the display, not as the window was wanted";
  reads_and_runs(window);
}

}  // namespace
}  // namespace warpbook::test
