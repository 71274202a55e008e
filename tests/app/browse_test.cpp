// Opening a file in the playground: the list of folders and kernels, and the path that is typed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "app/session/folder_listing.h"
#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;
using Key = app::KeyEvent::Key;

constexpr std::string_view kernel = "extern \"C\" __global__ void mine(int* x) { x[0] = 5; }\n";

/// A home with things in it.
class Home : public testing::Test {
 protected:
  Home() : home_(fs::temp_directory_path() / ("warpbook_home_" + std::to_string(::getpid()))) {
    for (const char* const folder : {"work/deep", "Alpha", ".hidden", "empty"}) fs::create_directories(home_ / folder);
    for (const char* const file : {"work/mine.cu", "work/Other.cu", "work/notes.txt", "work/mine.ptx", ".secret.cu"})
      std::ofstream(home_ / file) << kernel;
    if (const char* const before = std::getenv("HOME")) before_ = before;
    ::setenv("HOME", home_.c_str(), 1);
  }
  ~Home() override {
    ::setenv("HOME", before_.c_str(), 1);
    fs::remove_all(home_);
  }
  static std::string names(const app::FolderListing& listing) {
    std::string all;
    for (const auto& entry : listing.entries) all += entry.name + (entry.folder ? "/ " : entry.why_not.empty() ? " " : " (not) ");
    return all;
  }

  fs::path home_;
  std::string before_;
};

TEST_F(Home, AListHasFoldersFirstThenWhatCanBeOpened) {
  EXPECT_EQ(names(app::list_folder(home_)), "Alpha/ empty/ work/ ");
  EXPECT_EQ(names(app::list_folder(home_ / "work")), "deep/ mine.cu mine.ptx (not) Other.cu ");
  EXPECT_EQ(app::list_folder(home_ / "work" / ".." / "work/").folder, home_ / "work");
  EXPECT_EQ(app::list_folder("/").folder, "/");
}

TEST_F(Home, AFolderThatCannotBeReadIsSaid) {
  const auto listing = app::list_folder(home_ / "absent");
  EXPECT_TRUE(listing.entries.empty());
  EXPECT_NE(listing.problem.find("absent"), std::string::npos) << listing.problem;
}

TEST_F(Home, OfALargeFolderAPartIsListedAndTheRestCounted) {
  for (int i = 0; i < 510; ++i) std::ofstream(home_ / "empty" / ("k" + std::to_string(i) + ".cu"));
  const auto listing = app::list_folder(home_ / "empty");
  EXPECT_EQ(listing.entries.size(), 500U);
  EXPECT_EQ(listing.left_out, 10U);
}

TEST_F(Home, ATildeIsTheHome) {
  EXPECT_EQ(app::at_home("~/work/mine.cu"), (home_ / "work/mine.cu").string());
  EXPECT_EQ(app::at_home("~"), home_.string());
  EXPECT_EQ(app::at_home("~other/x"), "~other/x");
  EXPECT_EQ(app::at_home("/a/~"), "/a/~");
}

class Browse : public Home {
 protected:
  Browse() {
    window_.book().open(*lessons::find_lesson("playground"));
    EXPECT_TRUE(window_.settle());
  }
  void browse() {
    ASSERT_TRUE(window_.click("playground/browse"));
    for (int i = 0; i < 3; ++i) window_.frame();
    ASSERT_EQ(window_.state()["overlay"], "browse");
  }
  [[nodiscard]] bool opened_mine() {
    EXPECT_TRUE(window_.settle());
    return window_.state()["overlay"] == "none" && window_.session().lesson().text.str() == kernel &&
           window_.session().lesson().folder == home_ / "work" && window_.session().brought.problem.empty();
  }

  Headless window_;
};

TEST_F(Browse, ByMouseFromHomeToAFile) {
  browse();
  EXPECT_EQ(window_.session().browsed.folder, home_);
  ASSERT_TRUE(window_.click("browse/item/work"));
  EXPECT_EQ(window_.session().browsed.folder, home_ / "work");
  ASSERT_TRUE(window_.click("browse/item/mine.ptx"));
  EXPECT_EQ(window_.state()["overlay"], "browse") << "PTX is shown and cannot be chosen";
  ASSERT_TRUE(window_.click("browse/item/mine.cu"));
  EXPECT_TRUE(opened_mine());
  browse();
  EXPECT_EQ(window_.session().browsed.folder, home_ / "work") << "where the program came from";
  ASSERT_TRUE(window_.click("browse/up"));
  EXPECT_EQ(window_.session().browsed.folder, home_);
  ASSERT_TRUE(window_.click("browse/up"));
  ASSERT_TRUE(window_.click("browse/home"));
  EXPECT_EQ(window_.session().browsed.folder, home_);
}

TEST_F(Browse, ByKeyboard) {
  browse();
  EXPECT_EQ(window_.focus(), "browse/item/Alpha") << "the first row";
  window_.key(Key::down);
  window_.key(Key::down);
  EXPECT_EQ(window_.focus(), "browse/item/work");
  window_.key(Key::enter);
  EXPECT_EQ(window_.session().browsed.folder, home_ / "work");
  EXPECT_EQ(window_.focus(), "browse/item/deep");
  window_.key(Key::backspace);
  EXPECT_EQ(window_.session().browsed.folder, home_);
  window_.key(Key::down);
  window_.key(Key::down);
  window_.key(Key::enter);
  window_.key(Key::down);
  window_.key(Key::enter);
  EXPECT_TRUE(opened_mine());
}

TEST_F(Browse, EscapeClosesItAndNothingIsOpened) {
  const std::string before = window_.session().lesson().text.str();
  browse();
  window_.key(Key::escape);
  EXPECT_EQ(window_.state()["overlay"], "none");
  EXPECT_EQ(window_.session().lesson().text.str(), before);
}

TEST_F(Browse, EnterOpensTheTypedPath) {
  ASSERT_TRUE(window_.click("playground/file"));
  window_.type("~/work/mine.cu");
  window_.key(Key::enter);
  EXPECT_TRUE(opened_mine());
}

TEST_F(Browse, WhatCannotBeOpenedIsSaidAndTheKernelStays) {
  const std::string before = window_.session().lesson().text.str();
  ASSERT_TRUE(window_.click("playground/file"));
  window_.type("~/work/absent.cu");
  window_.key(Key::enter);
  EXPECT_NE(window_.session().brought.problem.find("absent.cu"), std::string::npos);
  EXPECT_EQ(window_.session().lesson().text.str(), before);
}

}  // namespace
}  // namespace warpbook::test
