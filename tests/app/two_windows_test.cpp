// Two windows on one folder: they say so, and nothing that was done in either is lost.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "app/session/folder_lock.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/app/headless.h"
#include "tests/lessons/in_the_way.h"

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
  /// below: where in its folder it is kept.
  void write(const std::string& lesson, const std::string& kernel, const std::string& below = {}) {
    window_.book().open(*lessons::find_lesson(lesson));
    window_.session().lesson().text.assign(kernel);
    window_.book().text_changed();
    ASSERT_TRUE(window_.settle());
    const fs::path file = window_.kept() / below / lessons::folder_of(*lessons::find_lesson(lesson)) / "kernel.cu";
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

TEST(FolderLock, HoldsWhateverStandsInItsPlaceAndTouchesNone) {
  const fs::path folder = fs::temp_directory_path() / ("warpbook_lock_" + std::to_string(::getpid()));
  std::vector<InTheWay> ways = all_in_the_way();
  ways.push_back({"a link to a file of the learner's", "", [](const fs::path& file) {
                    std::ofstream(file.parent_path() / "mine.cu") << "// mine\n";
                    fs::create_symlink("mine.cu", file);
                  }});
  for (const InTheWay& way : ways) {
    SCOPED_TRACE(way.name);
    fs::create_directories(folder);
    way.put(folder / "window.lock");
    const auto first = app::FolderLock::take(folder);
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->holds());
    EXPECT_FALSE(app::FolderLock::take(folder));
    EXPECT_TRUE(app::FolderLock::is_taken(folder));
    static_cast<void>(app::FolderLock::holder(folder));  // waits for nothing
    const bool linked = fs::exists(folder / "mine.cu");
    EXPECT_EQ(lessons::read_text(folder / "mine.cu").value_or("no link"), linked ? "// mine\n" : "no link");
    fs::remove_all(folder);
  }
}

TEST(FolderLock, IsNoneOnceItsFileIsGone) {
  const fs::path folder = fs::temp_directory_path() / ("warpbook_lock_" + std::to_string(::getpid()));
  const auto first = app::FolderLock::take(folder);
  EXPECT_TRUE(app::FolderLock::is_taken(folder));
  fs::remove(folder / "window.lock");
  EXPECT_TRUE(app::FolderLock::take(folder)) << "as when a window that closes removes its folder";
  fs::remove_all(folder);
  EXPECT_FALSE(app::FolderLock::is_taken(folder));
  EXPECT_FALSE(fs::exists(folder)) << "to ask leaves no trace";
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

TEST_F(TwoWindows, AKernelThatStayedInASecondWindowsFolderIsTheNextSecondWindowsOwn) {
  write("05", "// first\n");
  { Other(window_.kept()).write("05", "// second\n"); }
  window_.reopen();  // what could be joined is
  ASSERT_TRUE(window_.settle());
  const fs::path stayed = window_.kept() / "window_2" / "05_race_conditions" / "kernel.cu";
  ASSERT_EQ(lessons::read_text(stayed).value_or(""), "// second\n");
  {
    Other second(window_.kept());
    EXPECT_EQ(second.kernel("05"), "// second\n") << "not the first one's, which would be written over it";
    second.session.lesson().ran_ever = true;
    second.book->open(*lessons::find_lesson("01"));
  }
  EXPECT_EQ(lessons::read_text(stayed).value_or(""), "// second\n");
  EXPECT_EQ(kernel("05"), "// first\n");
}

TEST_F(TwoWindows, AKernelWithoutProgressBesideItIsTakenForNoEmptyLesson) {
  write("05", "// first\n");
  { Other(window_.kept()).write("05", "// second\n"); }
  { Other(window_.kept()).write("07", "// second\n"); }
  // As after a crash between the two files of a lesson, here and there.
  fs::remove(window_.kept() / "05_race_conditions" / "progress.toml");
  fs::remove(window_.kept() / "window_2" / "07_histogram" / "progress.toml");
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(kernel("05"), "// first\n");
  EXPECT_EQ(kernel("07"), "// second\n");
  EXPECT_EQ(lessons::read_text(window_.kept() / "window_2" / "05_race_conditions" / "kernel.cu").value_or(""), "// second\n");
}

TEST_F(TwoWindows, AnswersAndEarlierTextsOfBothAreJoined) {
  const auto answer = [](app::Session& session, double value) {
    app::LessonState& state = session.lesson();
    state.guesses["counted"].answers.push_back({.settings = state.values, .value = value});
  };
  const auto keep = [](app::Session& session, const std::string& file) {
    app::LessonState& state = session.lesson();
    state.earlier.push_back({.file = file, .kernel = "// " + file + "\n", .folder = {}, .values = state.values});
  };
  {
    Other second(window_.kept());
    second.write("07", "// second\n");
    answer(second.session, 2);
    second.write("playground", "// second\n");
    keep(second.session, "2.cu");
    write("07", "// first\n");
    answer(window_.session(), 1);
    write("playground", "// first\n");
    keep(window_.session(), "1.cu");
  }
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(kernel("07"), "// first\n");
  const auto& answers = window_.session().lesson().guesses["counted"].answers;
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers.back().value, 1) << "the newest is this window's";
  EXPECT_EQ(kernel("playground"), "// first\n");
  const auto& earlier = window_.session().lesson().earlier;
  ASSERT_EQ(earlier.size(), 2U);
  EXPECT_EQ(earlier[1].kernel, "// 2.cu\n");
  EXPECT_TRUE(fs::exists(window_.kept() / "playground" / "earlier" / "2.cu"));
}

TEST_F(TwoWindows, AFirstWindowSaysThatAnotherOneIsStillOpen) {
  Other second(window_.kept());
  second.write("07", "// second\n");
  second.book->open(*lessons::find_lesson("01"));
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  const std::string& said = window_.session().other_windows;
  EXPECT_NE(said.find("is open in another window (process " + std::to_string(::getpid()) + "), too"), std::string::npos) << said;
  EXPECT_EQ(said.find("Delete"), std::string::npos) << said;
}

TEST_F(TwoWindows, WithoutLocksNeitherOverwritesTheOther) {
  // As on a file system that knows none: the second window believes that it is alone.
  fs::remove(window_.kept() / "window.lock");
  write("05", "// first\n");
  std::string where;
  {
    Other second(window_.kept());
    EXPECT_EQ(second.session.kept_in, window_.kept().string());
    second.write("05", "// second\n");
    second.book->open(*lessons::find_lesson("01"));
    write("05", "// first again\n", "window_2/");
    second.write("05", "// second again\n");
    where = window_.session().other_windows;
  }
  EXPECT_NE(where.find("was written by another window or program"), std::string::npos) << where;
  EXPECT_EQ(lessons::read_text(window_.kept() / "05_race_conditions" / "kernel.cu").value_or(""), "// second again\n");
  EXPECT_EQ(lessons::read_text(window_.kept() / "window_2" / "05_race_conditions" / "kernel.cu").value_or(""), "// first again\n");
  EXPECT_EQ(kernel("05"), "// first again\n");
}

TEST_F(TwoWindows, AFolderOfThatNameThatIsNoneIsLeftAlone) {
  fs::create_directory_symlink("/", window_.kept() / "window_2");
  std::ofstream(window_.kept() / "window_3") << "a file\n";
  {
    Other second(window_.kept());
    EXPECT_EQ(second.session.kept_in, (window_.kept() / "window_4").string());
    second.write("05", "// second\n");
  }
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(kernel("05"), "// second\n");
  EXPECT_EQ(window_.session().other_windows, "");
  EXPECT_TRUE(fs::is_symlink(window_.kept() / "window_2"));
}

}  // namespace
}  // namespace warpbook::test
