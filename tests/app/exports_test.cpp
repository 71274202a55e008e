// Where the window's files go, and "Open folder".
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session/desktop.h"
#include "app/shell/canvas.h"
#include "app/shell/export_file.h"
#include "app/shell/gif.h"
#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

class Exports : public testing::Test {
 protected:
  Exports() : home_(fs::temp_directory_path() / ("warpbook_exports_" + std::to_string(::getpid()))) {
    for (const char* const name : {"HOME", "PATH", "XDG_CONFIG_HOME", "XDG_DOCUMENTS_DIR"}) {
      const char* const value = std::getenv(name);
      before_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
    }
    fs::create_directories(home_ / ".config");
    ::setenv("HOME", home_.c_str(), 1);
    ::unsetenv("XDG_CONFIG_HOME");
    ::unsetenv("XDG_DOCUMENTS_DIR");
  }
  ~Exports() override {
    for (const auto& [name, value] : before_) value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    fs::remove_all(home_);
  }
  /// A program in place of xdg-open.
  void desktop(const std::string& script) const {
    const fs::path program = home_ / "bin" / "xdg-open";
    fs::create_directories(program.parent_path());
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
    ::setenv("PATH", (home_ / "bin").c_str(), 1);
  }
  static std::string problem_of(const app::DesktopAnswer& answer) {
    for (int i = 0; i < 500 && answer.problem().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return answer.problem();
  }

  fs::path home_;
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(Exports, GoToTheDocumentsAsTheDesktopNamesThem) {
  EXPECT_EQ(app::documents_folder(), home_) << "nothing else is there";
  fs::create_directories(home_ / "Documents");
  EXPECT_EQ(app::documents_folder(), home_ / "Documents");
  ::setenv("XDG_DOCUMENTS_DIR", (home_ / "papers").c_str(), 1);
  EXPECT_EQ(app::documents_folder(), home_ / "papers");
  std::ofstream(home_ / ".config/user-dirs.dirs") << "# XDG_DOCUMENTS_DIR=\"/wrong\"\nXDG_MUSIC_DIR=\"$HOME/Musik\"\n"
                                                     "XDG_DOCUMENTS_DIR=\"$HOME/Dokumente\"\n";
  EXPECT_EQ(app::documents_folder(), home_ / "Dokumente") << "the desktop's own word";
  std::ofstream(home_ / ".config/user-dirs.dirs") << "  XDG_DOCUMENTS_DIR=\"/srv/shelf\"\n";
  EXPECT_EQ(app::documents_folder(), "/srv/shelf");
}

TEST_F(Exports, LieBesideTheProgramThatWasOpenedIfTheyCan) {
  fs::create_directories(home_ / "program");
  EXPECT_EQ(*app::export_file("x", ".csv", home_ / "program"), home_ / "program" / "x.csv");
  EXPECT_EQ(*app::export_file("x", ".csv", home_ / "gone"), home_ / "x.csv");
}

TEST_F(Exports, NeverOverwrite) {
  const fs::path first = *app::export_file("x", ".csv");
  std::ofstream(first) << "kept";
  const fs::path second = *app::export_file("x", ".csv");
  EXPECT_NE(second, first);
  EXPECT_EQ(second.parent_path(), first.parent_path());
  fs::create_symlink(home_ / "elsewhere", home_ / "y.csv");
  EXPECT_NE(*app::export_file("y", ".csv"), home_ / "y.csv") << "a link to nothing would be followed";
}

TEST_F(Exports, TakeTheirNameWhenTheyAreWhole) {
  const app::Pixels picture{.width = 4, .height = 2, .rgb = std::vector<std::uint8_t>(24, 7)};
  const auto full = app::write_png(picture, "/dev/full");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("the disk is full"), std::string::npos) << full.error().message;
  {
    auto gif = app::GifFile::create(home_ / "x.gif", 4, 2, 12);
    ASSERT_TRUE(gif) << gif.error().message;
    EXPECT_TRUE(gif->add(picture));
    EXPECT_FALSE(fs::exists(home_ / "x.gif"));
    ASSERT_TRUE(gif->close());
    EXPECT_GT(fs::file_size(home_ / "x.gif"), 30u);
  }
  {
    auto given_up = app::GifFile::create(home_ / "y.gif", 4, 2, 12);
    ASSERT_TRUE(given_up);
    EXPECT_TRUE(given_up->add(picture));
  }
  std::ptrdiff_t files = 0;
  for (const auto& each : fs::directory_iterator(home_)) files += each.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1) << "of what was given up nothing is left";
  const auto no_room = app::GifFile::create("/dev/full", 4, 2, 12);
  ASSERT_FALSE(no_room);
  EXPECT_NE(no_room.error().message.find("the disk is full"), std::string::npos) << no_room.error().message;
}

TEST_F(Exports, APipeForTheDesktopsFoldersIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((home_ / ".config/user-dirs.dirs").c_str(), 0600), 0);
  EXPECT_EQ(app::documents_folder(), home_);
}

TEST_F(Exports, MakeTheFolderThatIsNamedOrSayWhyNot) {
  ::setenv("XDG_DOCUMENTS_DIR", (home_ / "a/b").c_str(), 1);
  EXPECT_EQ(*app::export_file("x", ".csv"), home_ / "a/b/x.csv");
  EXPECT_TRUE(fs::is_directory(home_ / "a/b"));
  std::ofstream(home_ / "file") << "in the way";
  ::setenv("XDG_DOCUMENTS_DIR", (home_ / "file").c_str(), 1);
  const auto failed = app::export_file("x", ".csv");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("XDG_DOCUMENTS_DIR"), std::string::npos) << failed.error().message;
}

TEST_F(Exports, TheDesktopIsAskedAndItsFailuresAreSentences) {
  desktop("echo \"$1\" > '" + (home_ / "asked").string() + "'");
  const auto answer = app::open_on_desktop(home_.string());
  EXPECT_TRUE(answer.asked());
  for (int i = 0; i < 500 && !fs::exists(home_ / "asked"); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(fs::exists(home_ / "asked"));
  EXPECT_EQ(answer.problem(), "");

  desktop("exit 3");
  EXPECT_NE(problem_of(app::open_on_desktop("/some/folder")).find("/some/folder could not be opened"), std::string::npos);
  fs::remove_all(home_ / "bin");
  EXPECT_NE(problem_of(app::open_on_desktop("/some/folder")).find("xdg-utils"), std::string::npos) << "it is not installed";
  EXPECT_FALSE(app::DesktopAnswer().asked());
}

class ExportsInTheWindow : public Exports {
 protected:
  ExportsInTheWindow() { EXPECT_TRUE(window_.settle()); }
  [[nodiscard]] fs::path write_program() {
    EXPECT_TRUE(window_.click("export"));
    EXPECT_TRUE(window_.click("export/cu"));
    EXPECT_TRUE(window_.wait([&] { return !window_.session().lesson().exported.path.empty(); }));
    EXPECT_TRUE(window_.settle());
    return window_.state()["exported"]["path"].get<std::string>();
  }

  Headless window_;
};

TEST_F(ExportsInTheWindow, OpenFolderAsksForTheFolderOfTheFile) {
  const fs::path file = write_program();
  EXPECT_TRUE(fs::exists(file));
  EXPECT_EQ(file.parent_path(), app::documents_folder());
  ASSERT_TRUE(window_.click("exported/folder"));
  EXPECT_TRUE(window_.wait([&] { return window_.opened() == file.parent_path().string() + "\n"; }, 10)) << window_.opened();
}

TEST_F(ExportsInTheWindow, WhatWasOpenedFromAFolderIsExportedThere) {
  fs::create_directories(home_ / "program");
  std::ofstream(home_ / "program" / "mine.cu") << "extern \"C\" __global__ void mine(int* x) { x[0] = 5; }\n";
  window_.book().open_file((home_ / "program" / "mine.cu").string());
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(write_program().parent_path(), home_ / "program");
}

}  // namespace
}  // namespace warpbook::test
