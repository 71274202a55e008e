// What the learner does is kept, or it is said that it is not: saves that fail, files that cannot be read, files that somebody else
// writes while the window is open, and texts that an opened file takes the place of. Two windows: two_windows_test.cpp.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "app/session/autosave.h"
#include "app/session/earlier_texts.h"
#include "app/shell/workbook.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/lessons/in_the_way.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

/// A window's session and work on a folder, without being drawn. Time passes only when it is told to.
class OneWindow {
 public:
  explicit OneWindow(const fs::path& folder) : session(make_session(*lessons::find_lesson("01"), Appearance::dark)) {
    book = std::make_unique<Workbook>(session, Runner::Options{.device = {}, .wake = {}, .make_device = {}}, folder);
  }
  void open(const std::string& lesson) { book->open(*lessons::find_lesson(lesson)); }
  void type(const std::string& kernel) {
    session.lesson().text.assign(kernel);
    book->text_changed();
  }
  [[nodiscard]] std::string kernel(const std::string& lesson) {
    open(lesson);
    return session.lesson().text.str();
  }
  void pass(double seconds) {
    for (const double end = now_ + seconds; now_ < end; now_ += 0.25) book->poll(now_);
  }

  Session session;
  std::unique_ptr<Workbook> book;

 private:
  double now_ = 0;
};

class Keeping : public testing::Test {
 protected:
  Keeping() { fs::create_directories(folder_); }
  ~Keeping() override { fs::remove_all(folder_); }
  void write(const fs::path& file, const std::string& text) {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }
  [[nodiscard]] std::string text(const fs::path& file) { return lessons::read_text(folder_ / file).value_or("(nothing)"); }

  const fs::path folder_ = fs::temp_directory_path() / ("warpbook_keeper_" + std::to_string(::getpid()));
  const std::string race_ = "05_race_conditions", first_ = "01_first_kernel";
};

TEST_F(Keeping, ASaveThatFailedIsTriedAgainUntilItSucceeds) {
  write(race_, "a file, where a folder is to be");
  OneWindow hand(folder_);
  hand.open("05");
  hand.type("// typed\n");
  hand.pass(1);
  const std::string said = hand.session.not_kept;
  EXPECT_NE(said.find((folder_ / race_).string()), std::string::npos) << said;
  EXPECT_NE(said.find("“Race conditions” is not kept"), std::string::npos) << said;
  hand.pass(10);
  EXPECT_EQ(hand.session.not_kept, said) << "nothing else was typed: it stays until it is kept";
  EXPECT_TRUE(hand.book->wait()) << "the window wakes up by itself to try again";
  hand.open("07");
  hand.pass(5);
  EXPECT_EQ(hand.session.not_kept, said) << "the lesson was left, and is not forgotten";
  fs::remove(folder_ / race_);
  hand.pass(5);
  EXPECT_EQ(hand.session.not_kept, "");
  EXPECT_EQ(text(race_ + "/kernel.cu"), "// typed\n");
}

TEST_F(Keeping, ClosingAsksWhileSomethingIsNotKept) {
  write(race_, "a file, where a folder is to be");
  OneWindow hand(folder_);
  hand.open("05");
  hand.book->close();
  EXPECT_TRUE(hand.session.close) << "nothing was done";
  hand.session.close = false;
  hand.type("// typed\n");
  hand.book->close();
  EXPECT_FALSE(hand.session.close);
  EXPECT_EQ(hand.session.overlay, Overlay::closing);
  EXPECT_NE(hand.session.not_kept, "");
  fs::remove(folder_ / race_);
  hand.book->close();
  EXPECT_TRUE(hand.session.close);
  EXPECT_EQ(text(race_ + "/kernel.cu"), "// typed\n");
}

TEST_F(Keeping, BeginningAnewKeepsAllFirst) {
  OneWindow hand(folder_);
  hand.open("05");
  hand.type("// typed\n");
  hand.book->restart_with_gpu(1);
  EXPECT_TRUE(hand.session.close);
  EXPECT_EQ(hand.session.restart_with, 1);
  EXPECT_EQ(text(race_ + "/kernel.cu"), "// typed\n");
  hand.session.close = false;
  hand.book->close();
  EXPECT_FALSE(hand.session.restart_with) << "closing is no more than closing";
}

TEST_F(Keeping, BeginningAnewAsksWhileSomethingIsNotKept) {
  write(race_, "a file, where a folder is to be");
  OneWindow hand(folder_);
  hand.open("05");
  hand.type("// typed\n");
  hand.book->restart_with_gpu(0);
  EXPECT_FALSE(hand.session.close);
  EXPECT_EQ(hand.session.overlay, Overlay::closing);
  EXPECT_EQ(hand.session.restart_with, 0) << "\"Close anyway\" begins anew";
}

TEST_F(Keeping, SettingsThatCannotBeWrittenAreSaidToo) {
  fs::create_directories(folder_ / "desk.toml");
  OneWindow hand(folder_);
  EXPECT_NE(hand.session.not_read.find("desk.toml cannot be read: it is a folder"), std::string::npos) << hand.session.not_read;
  hand.session.rerun = false;
  hand.pass(1);
  EXPECT_NE(hand.session.not_kept.find("Your last settings are not kept."), std::string::npos) << hand.session.not_kept;
  fs::remove(folder_ / "desk.toml");
  hand.pass(5);
  EXPECT_EQ(hand.session.not_kept, "");
  EXPECT_NE(text("desk.toml").find("rerun = false"), std::string::npos);
}

TEST_F(Keeping, WhatARunDoesAfterItsLessonWasLeftIsKept) {
  OneWindow hand(folder_);
  const lessons::Lesson& square = (*lessons::find_exercise("square"))->as_lesson;
  hand.book->open(square);
  hand.open("07");
  hand.session.passed.insert("square");
  hand.session.lessons.at(first_).ran_ever = true;
  hand.pass(1);
  EXPECT_NE(text(first_ + "/exercises/square/progress.toml").find("passed = true"), std::string::npos);
  EXPECT_NE(text(first_ + "/progress.toml").find("ran = true"), std::string::npos);
}

TEST_F(Keeping, WhatCannotBeReadStaysAndWhatIsTypedIsKeptElsewhere) {
  for (const test::InTheWay& way : test::all_in_the_way()) {
    for (const char* const name : {"kernel.cu", "progress.toml"}) {
      SCOPED_TRACE(way.name + " in place of " + name);
      fs::create_directories(folder_ / race_);
      way.put(folder_ / race_ / name);
      const std::string before = test::seen_at(folder_ / race_ / name);
      {
        OneWindow hand(folder_);
        const std::string said = hand.session.not_read;
        EXPECT_NE(said.find((folder_ / race_ / name).string() + " cannot be read: "), std::string::npos) << said;
        EXPECT_NE(said.find(way.words), std::string::npos) << said;
        hand.open("05");
        EXPECT_FALSE(hand.session.lesson().edited()) << "it is not empty";
        hand.pass(1);
        EXPECT_EQ(hand.session.kept_in, folder_.string()) << "nothing was typed yet";
        hand.type("// typed\n");
        hand.pass(1);
        EXPECT_EQ(hand.session.not_kept, "");
        EXPECT_EQ(hand.session.kept_in, (folder_ / "window_2").string());
        EXPECT_NE(hand.session.other_windows.find("It is left as it is. From now on this window keeps"), std::string::npos)
            << hand.session.other_windows;
      }
      EXPECT_EQ(test::seen_at(folder_ / race_ / name), before);
      EXPECT_EQ(text("window_2/" + race_ + "/kernel.cu"), "// typed\n");
      {
        const OneWindow again(folder_);  // with both still there
        EXPECT_EQ(test::seen_at(folder_ / race_ / name), before);
      }
      EXPECT_EQ(text("window_2/" + race_ + "/kernel.cu"), "// typed\n");
      fs::remove_all(folder_ / race_);
      OneWindow mended(folder_);
      EXPECT_EQ(mended.kernel("05"), "// typed\n") << "it is taken over once nothing stands in the way";
      mended.book.reset();
      fs::remove_all(folder_);
    }
  }
}

TEST_F(Keeping, ADamagedFileIsSetAsideAndTheKernelBesideItStays) {
  write(race_ + "/progress.toml", "ran = = true\n");
  write(race_ + "/progress.toml.damaged", "an older one\n");
  write(race_ + "/kernel.cu", "// mine\n");
  OneWindow hand(folder_);
  EXPECT_NE(hand.session.not_read.find("lies beside as progress.toml.damaged2 now"), std::string::npos) << hand.session.not_read;
  EXPECT_EQ(hand.kernel("05"), "// mine\n");
  hand.type("// typed\n");
  hand.pass(1);
  EXPECT_EQ(text(race_ + "/progress.toml.damaged"), "an older one\n");
  EXPECT_EQ(text(race_ + "/progress.toml.damaged2"), "ran = = true\n");
  EXPECT_EQ(text(race_ + "/kernel.cu"), "// typed\n");
}

TEST_F(Keeping, ADamagedFileThatCannotBeSetAsideStaysWithTheKernelBesideIt) {
  write(race_ + "/progress.toml", "ran = = true\n");
  write(race_ + "/kernel.cu", "// mine\n");
  for (int number = 1; number < 100; ++number)
    fs::create_directories(folder_ / race_ / ("progress.toml.damaged" + (number == 1 ? "" : std::to_string(number))));
  OneWindow hand(folder_);
  EXPECT_NE(hand.session.not_read.find("cannot be renamed: File exists. It is left as it is."), std::string::npos)
      << hand.session.not_read;
  EXPECT_EQ(hand.kernel("05"), "// mine\n");
  hand.session.lesson().ran_ever = true;
  hand.type(hand.session.lesson().shipped);
  hand.pass(1);
  EXPECT_EQ(text(race_ + "/progress.toml"), "ran = = true\n");
  EXPECT_EQ(text(race_ + "/kernel.cu"), "// mine\n")
      << "to go back to the kernel as it comes deletes nothing that was not written here";
  EXPECT_EQ(hand.session.not_kept, "");
}

TEST_F(Keeping, WhatAnotherProgramWritesWhileTheWindowIsOpenStays) {
  {
    OneWindow hand(folder_);
    hand.open("05");
    hand.type("// mine\n");
    hand.pass(1);
    write(race_ + "/kernel.cu", "// an editor's\n");
    hand.pass(5);
    EXPECT_EQ(text(race_ + "/kernel.cu"), "// an editor's\n") << "nothing is to be kept";
    hand.type("// mine, and more\n");
    hand.pass(1);
    EXPECT_EQ(text(race_ + "/kernel.cu"), "// an editor's\n");
    EXPECT_EQ(text("window_2/" + race_ + "/kernel.cu"), "// mine, and more\n");
    EXPECT_NE(hand.session.other_windows.find(race_ + "/kernel.cu was written by another window or program"), std::string::npos)
        << hand.session.other_windows;
    hand.type("// mine, and still more\n");
    hand.pass(1);
    EXPECT_EQ(text("window_2/" + race_ + "/kernel.cu"), "// mine, and still more\n");
    EXPECT_FALSE(fs::exists(folder_ / "window_3"));
  }
  OneWindow next(folder_);
  EXPECT_EQ(next.kernel("05"), "// an editor's\n");
  EXPECT_EQ(text("window_2/" + race_ + "/kernel.cu"), "// mine, and still more\n");
  EXPECT_NE(next.session.other_windows.find((folder_ / "window_2").string()), std::string::npos) << next.session.other_windows;
}

TEST_F(Keeping, AFolderThatIsAFileOrALinkToItselfKeepsNothingAndSaysSo) {
  for (const auto& put : {std::function<void(const fs::path&)>([](const fs::path& file) { std::ofstream(file) << "a file\n"; }),
                          std::function<void(const fs::path&)>([](const fs::path& file) { fs::create_symlink(file, file); }),
                          std::function<void(const fs::path&)>([](const fs::path& file) { ::mkfifo(file.c_str(), 0600); })}) {
    const fs::path folder = folder_ / "kept";
    put(folder);
    const std::string before = test::seen_at(folder);
    OneWindow hand(folder);
    hand.open("05");
    hand.type("// typed\n");
    hand.pass(1);
    EXPECT_NE(hand.session.not_kept.find(folder.string()), std::string::npos) << hand.session.not_kept;
    EXPECT_EQ(test::seen_at(folder), before);
    fs::remove(folder);
    hand.pass(5);
    EXPECT_EQ(hand.session.not_kept, "");
    EXPECT_EQ(lessons::read_text(folder / race_ / "kernel.cu").value_or(""), "// typed\n");
    hand.book.reset();
    fs::remove_all(folder);
  }
}

class OpenedFiles : public Keeping {
 protected:
  [[nodiscard]] fs::path file(const std::string& name, const std::string& words) {
    const fs::path path = folder_.parent_path() / (folder_.filename().string() + "_" + name);
    std::ofstream(path) << words;
    files_.push_back(path);
    return path;
  }
  ~OpenedFiles() override {
    for (const fs::path& each : files_) fs::remove(each);
  }
  [[nodiscard]] std::size_t kept_texts() const {
    std::error_code none;
    const fs::directory_iterator all(folder_ / "playground" / "earlier", none);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  const std::string mine_ = "__global__ void mine(int* x) { x[0] = 1; }\n", a_ = "__global__ void a(int* x) { x[0] = 2; }\n",
                    b_ = "__global__ void b(int* x) { x[0] = 3; }\n";

 private:
  std::vector<fs::path> files_;
};

TEST_F(OpenedFiles, TheTextBeforeIsKeptBesideAndOfferedAgain) {
  const fs::path a = file("a.cu", a_), b = file("b.cu", b_);
  {
    OneWindow hand(folder_);
    hand.book->open_file(a);
    EXPECT_EQ(offered(hand.session.lesson()), nullptr) << "the playground's own text is not the learner's";
    hand.open("playground");
    hand.type(mine_);
    hand.session.lesson().values.set_text("mine/x", "[7]=ones");
    hand.book->open_file(a);
    ASSERT_NE(offered(hand.session.lesson()), nullptr);
    EXPECT_EQ(describe(*offered(hand.session.lesson())), "1 line, with `__global__ void mine(int* x) { x[0] = 1; }`");
    hand.book->open_file(b);
    EXPECT_EQ(hand.session.lesson().earlier.size(), 1U) << "a file as it was opened lies in that file";
    EXPECT_EQ(offered(hand.session.lesson())->kernel, mine_);
    hand.pass(1);
  }
  EXPECT_EQ(kept_texts(), 1U);
  OneWindow hand(folder_);
  EXPECT_EQ(hand.kernel("playground"), b_);
  LessonState& state = hand.session.lesson();
  ASSERT_NE(offered(state), nullptr) << "it is offered after the window was closed, too";
  put_back(hand.session, *hand.book);
  EXPECT_EQ(state.text.str(), mine_);
  EXPECT_EQ(state.values.text("mine/x"), "[7]=ones");
  ASSERT_NE(offered(state), nullptr);
  EXPECT_EQ(offered(state)->kernel, b_) << "the way there and back";
  put_back(hand.session, *hand.book);
  EXPECT_EQ(state.text.str(), b_);
  EXPECT_EQ(offered(state)->kernel, mine_);
  EXPECT_EQ(state.folder, a.parent_path()) << "its headers lie there";
  EXPECT_EQ(state.earlier.size(), 2U) << "each is kept once";
}

TEST_F(OpenedFiles, TheNewestAreOfferedAndNoneIsDeleted) {
  const fs::path a = file("a.cu", a_);
  OneWindow hand(folder_);
  hand.open("playground");
  const std::size_t many = lessons::most_earlier + 5;
  for (std::size_t i = 0; i < many; ++i) {
    hand.type("// text " + std::to_string(i) + "\n");
    hand.book->open_file(a);
    hand.pass(1);
  }
  EXPECT_EQ(hand.session.lesson().earlier.size(), lessons::most_earlier);
  EXPECT_EQ(offered(hand.session.lesson())->kernel, "// text " + std::to_string(many - 1) + "\n");
  EXPECT_EQ(kept_texts(), many);
}

TEST_F(OpenedFiles, WhatCannotBeOpenedTakesTheTextOfNobodysPlace) {
  const fs::path path = file("x.cu", "");
  OneWindow hand(folder_);
  hand.open("playground");
  hand.type(mine_);
  for (const test::InTheWay& way : test::all_in_the_way()) {
    SCOPED_TRACE(way.name);
    fs::remove_all(path);
    way.put(path);
    hand.book->open_file(path);
    EXPECT_NE(hand.session.brought.problem, "");
    EXPECT_EQ(hand.session.lesson().text.str(), mine_);
    EXPECT_EQ(offered(hand.session.lesson()), nullptr);
  }
  fs::remove_all(path);
}

}  // namespace
}  // namespace warpbook::app
