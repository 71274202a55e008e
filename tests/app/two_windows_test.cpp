// Two windows on one folder: they say so, and nothing that was done in either is lost.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "app/folder_lock.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

/// Another window's session and work, without being drawn.
struct Other {
  explicit Other(const fs::path& folder)
      : session(app::make_session(*lessons::find_lesson("01"), app::Appearance::dark)),
        book(std::make_unique<app::Workbook>(session, app::Runner::Options{.device = {}, .wake = {}, .make_device = {}}, folder)) {}
  void write(const std::string& lesson, const std::string& kernel) {
    book->open(*lessons::find_lesson(lesson));
    session.lesson().text.assign(kernel);
    book->text_changed();
  }
  [[nodiscard]] std::string kernel(const std::string& lesson) {
    book->open(*lessons::find_lesson(lesson));
    return session.lesson().text.str();
  }

  app::Session session;
  std::unique_ptr<app::Workbook> book;
};

class TwoWindows : public testing::Test {
 protected:
  TwoWindows() { EXPECT_TRUE(window_.settle()); }
  void write(const std::string& lesson, const std::string& kernel) {
    window_.book().open(*lessons::find_lesson(lesson));
    window_.session().lesson().text.assign(kernel);
    window_.book().text_changed();
    ASSERT_TRUE(window_.settle());
    const fs::path file = window_.kept() / lessons::folder_of(*lessons::find_lesson(lesson)) / "kernel.cu";
    ASSERT_TRUE(window_.wait([&] { return lessons::read_text(file).value_or("") == kernel; })) << "it is kept";
  }
  [[nodiscard]] std::string kernel(const std::string& lesson) {
    window_.book().open(*lessons::find_lesson(lesson));
    EXPECT_TRUE(window_.settle());
    return window_.session().lesson().text.str();
  }

  Headless window_;
};

TEST(FolderLock, IsHeldByOneAndFreeAfterwards) {
  const fs::path folder = fs::temp_directory_path() / ("warpbook_lock_" + std::to_string(::getpid()));
  {
    const auto first = app::FolderLock::take(folder);
    ASSERT_TRUE(first);
    EXPECT_FALSE(app::FolderLock::take(folder));
    EXPECT_EQ(app::FolderLock::holder(folder), ::getpid());
  }
  EXPECT_TRUE(app::FolderLock::take(folder));
  fs::remove_all(folder);
}

TEST_F(TwoWindows, TheFirstIsAloneAndTheSecondSaysSo) {
  EXPECT_EQ(window_.session().other_windows, "");
  const Other second(window_.kept()), third(window_.kept());
  EXPECT_NE(second.session.other_windows.find("another window"), std::string::npos) << second.session.other_windows;
  EXPECT_EQ(second.session.kept_in, (window_.kept() / "window_2").string());
  EXPECT_EQ(third.session.kept_in, (window_.kept() / "window_3").string());
  // As the second window shows it.
  window_.session().other_windows = second.session.other_windows;
  window_.frame();
  ASSERT_TRUE(window_.click("other_windows/close"));
  EXPECT_EQ(window_.session().other_windows, "");
  EXPECT_EQ(window_.find("other_windows/close"), nullptr);
}

TEST_F(TwoWindows, NeitherOverwritesTheOther) {
  write("05", "// first\n");
  {
    Other second(window_.kept());
    EXPECT_EQ(second.kernel("05"), "// first\n") << "it begins with what the first has";
    second.write("05", "// second\n");
    write("05", "// first again\n");
  }
  EXPECT_EQ(kernel("05"), "// first again\n");
  Other second(window_.kept());
  EXPECT_EQ(second.kernel("05"), "// second\n") << "what it kept is its own";
}

TEST_F(TwoWindows, TheNextOneAloneTakesOverWhatTheSecondDid) {
  write("05", "// first\n");
  {
    Other second(window_.kept());
    second.write("07", "// second\n");
    app::LessonState& state = second.session.lesson();
    state.ran_ever = state.looked_ever = true;
    state.guesses["counted"].skipped = true;
    second.book->open((*lessons::find_exercise("square"))->as_lesson);
    second.session.passed.insert("square");
  }
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.session().other_windows, "") << "there is nothing that one would have to look for";
  EXPECT_FALSE(fs::exists(window_.kept() / "window_2"));
  EXPECT_EQ(kernel("07"), "// second\n");
  EXPECT_EQ(window_.state()["stages"]["look"], true);
  EXPECT_TRUE(window_.session().passed.contains("square"));
  EXPECT_EQ(kernel("05"), "// first\n");
}

TEST_F(TwoWindows, OfTwoKernelsNoneIsLost) {
  write("05", "// first\n");
  {
    Other second(window_.kept());
    second.write("05", "// second\n");
    second.session.lesson().looked_ever = true;
  }
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(kernel("05"), "// first\n");
  EXPECT_EQ(window_.state()["stages"]["look"], true) << "what was done is joined";
  const std::string where = (window_.kept() / "window_2").string();
  EXPECT_NE(window_.session().other_windows.find(where), std::string::npos) << window_.session().other_windows;
  std::ifstream in(window_.kept() / "window_2" / "05_race_conditions" / "kernel.cu");
  std::string line;
  EXPECT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "// second");
}

TEST_F(TwoWindows, AWindowThatIsStillOpenKeepsItsFolder) {
  Other second(window_.kept());
  second.write("07", "// second\n");
  second.book->open(*lessons::find_lesson("01"));  // which writes what stood there
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_TRUE(fs::exists(window_.kept() / "window_2" / "07_histogram" / "kernel.cu"));
  EXPECT_NE(kernel("07"), "// second\n");
}

}  // namespace
}  // namespace warpbook::test
