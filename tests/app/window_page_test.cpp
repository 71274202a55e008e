// A page in its window: its terms and links, the glossary, and the lesson from the start again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

TEST(Page, ATermOpensTheGlossaryAndTheGlossaryALesson) {
  const Window window;
  window.click("term/kernel");
  ASSERT_TRUE(window.wait([&] { return word(window, "overlay") == "glossary"; })) << seen(window);
  EXPECT_EQ(window.state()["glossary"]["at"], "kernel");
  ASSERT_TRUE(window.wait_for("glossary/kernel"));
  window.type("bank");
  ASSERT_TRUE(window.wait([&] { return window.find("glossary/bank conflict") && !window.find("glossary/kernel"); }))
      << seen(window);
  window.key("Escape");
  ASSERT_TRUE(window.wait([&] { return word(window, "overlay") == "none"; })) << seen(window);

  window.key("F2");
  ASSERT_TRUE(window.wait([&] { return word(window, "overlay") == "glossary"; })) << seen(window);
  window.type("race");
  // Every letter moves the rows: they have come to rest when a row stays where it is.
  ASSERT_TRUE(window.wait([&] {
    const auto before = window.find("glossary/data race/lesson");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto now = window.find("glossary/data race/lesson");
    return before && now && before->y == now->y && !window.find("glossary/kernel");
  })) << seen(window);
  window.click("glossary/data race/lesson");
  EXPECT_TRUE(window.wait([&] { return word(window, "lesson") == "05_race_conditions"; })) << seen(window);
  EXPECT_EQ(word(window, "overlay"), "none");
  // The keys are the workbook's again.
  window.key("question");
  EXPECT_TRUE(window.wait([&] { return word(window, "overlay") == "shortcuts"; })) << seen(window);
}

TEST(Page, TheRailOpensTheGlossary) {
  const Window window;
  window.click("glossary");
  ASSERT_TRUE(window.wait([&] { return word(window, "overlay") == "glossary"; })) << seen(window);
  window.click("overlay/close");
  EXPECT_TRUE(window.wait([&] { return word(window, "overlay") == "none"; })) << seen(window);
}

TEST(Page, AWordPointsAtItsControlAndALinkOpensALesson) {
  const Window window(1440, 900);
  open_lesson(window, "05", "05_race_conditions");
  window.click("stage/change");
  ASSERT_TRUE(window.wait([&] {
    const auto seed = window.find("link/control:seed");
    return seed && seed->y > 0 && seed->y < 850;
  })) << seen(window);
  const auto before = window.find("control/seed");
  window.point("link/control:seed");
  EXPECT_TRUE(window.wait([&] { return word(window, "pointed_control") == "seed"; })) << seen(window);
  ASSERT_TRUE(before && window.find("control/seed"));
  EXPECT_EQ(window.find("control/seed")->x, before->x) << "nothing moves";
  window.point("tab/kernel");
  EXPECT_TRUE(window.wait([&] { return word(window, "pointed_control").empty(); })) << seen(window);
  window.click("link/control:seed");
  EXPECT_TRUE(window.wait([&] {
    const auto seed = window.find("control/seed");
    return seed && seed->y > 0 && seed->y < 850;
  })) << "the control is in sight";
  const auto link_at = [&] {
    const auto link = window.find("link/lesson:07");
    return link ? link->y : 0;
  };
  const auto in_sight = [&] { return link_at() > 0 && link_at() < 850; };
  for (int presses = 0; presses < 100 && !in_sight(); ++presses) {
    const double before_key = link_at();
    window.key("Down");
    (void)window.wait([&] { return link_at() != before_key; }, 2);  // a slow machine is not sent past the link
  }
  window.click("link/lesson:07");
  EXPECT_TRUE(window.wait([&] { return word(window, "lesson") == "07_histogram"; })) << seen(window);
}

TEST(Page, ALessonIsResetAndTheWayBackIsOffered) {
  const Window window;
  set_control(window, "blocks", "31");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "untouched") == 996; }, 60)) << seen(window);
  const auto progress = window.kept() / "01_first_kernel" / "progress.toml";
  const auto scroll_to_reset = [&] {
    window.click("stage/change");
    for (int i = 0; i < 10; ++i) window.key("Down");
    return window.wait([&] {
      const auto reset = window.find("lesson/reset");
      return reset && reset->y > 0 && reset->y < 880;
    });
  };
  ASSERT_TRUE(scroll_to_reset()) << seen(window);
  window.click("lesson/reset");
  ASSERT_TRUE(window.wait([&] { return window.state()["values"]["blocks"] == 32 && window.state()["numbers"].empty(); }))
      << seen(window);
  window.click("lesson/undo_reset");
  ASSERT_TRUE(window.wait([&] { return window.state()["values"]["blocks"] == 31 && number(window, "untouched") == 996; }))
      << seen(window);
  EXPECT_TRUE(window.wait([&] { return !window.find("lesson/undo_reset"); }, 5)) << "taken back, it is not offered any longer";

  ASSERT_TRUE(scroll_to_reset()) << seen(window);
  window.click("lesson/reset");
  ASSERT_TRUE(window.wait_for("lesson/undo_reset"));
  EXPECT_TRUE(window.wait([&] { return !window.find("lesson/undo_reset"); }, 18)) << "offered for ten seconds";
  EXPECT_EQ(window.state()["values"]["blocks"], 32);
  EXPECT_TRUE(std::filesystem::exists(progress));
}

TEST(Page, ShowsWhatItsAuthorSaves) {
  namespace fs = std::filesystem;
  const fs::path data = fs::temp_directory_path() / ("warpbook-author-" + std::to_string(getpid()));
  fs::create_directories(data);
  for (const char* folder : {"lessons", "kernels", "assets"})
    fs::copy(fs::path(WARPBOOK_ROOT) / folder, data / folder, fs::copy_options::recursive);
  setenv("WARPBOOK_DATA", data.c_str(), 1);
  {
    const Window window;
    ASSERT_TRUE(window.wait_for("term/kernel"));
    const fs::path file = data / "lessons" / "01_first_kernel" / "text.en.md";
    std::ifstream in(file);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto save = [&](const std::string& words) { std::ofstream(file) << words; };
    save("A word on [blocks](control:blocks).\n\n" + text);
    EXPECT_TRUE(window.wait_for("link/control:blocks", 3)) << seen(window);
    const auto pictures = file.parent_path();
    save("![A page](page.png)\n\n" + text);
    EXPECT_TRUE(window.wait([&] { return word(window, "page_problem").find("page.png") != std::string::npos; }, 3)) << seen(window);
    fs::copy_file(fs::path(WARPBOOK_ROOT) / "docs/pictures/race.png", pictures / "page.png");
    save("![A page](page.png)\n\n\n" + text);
    EXPECT_TRUE(window.wait_for("image/page.png", 3)) << seen(window);
    std::ofstream(pictures / "page.png") << "no picture";
    EXPECT_TRUE(window.wait([&] { return word(window, "page_problem").find("PNG") != std::string::npos; }, 3)) << seen(window);
    save("::veiw thread_map\n" + text);
    EXPECT_TRUE(window.wait([&] { return word(window, "page_problem").find("line 1") != std::string::npos; }, 3)) << seen(window);
    EXPECT_TRUE(window.find("image/page.png")) << "the last good page stays";
    save(text);
    EXPECT_TRUE(window.wait([&] { return word(window, "page_problem").empty(); }, 3)) << seen(window);
  }
  unsetenv("WARPBOOK_DATA");
  fs::remove_all(data);
}

}  // namespace
}  // namespace warpbook::test
