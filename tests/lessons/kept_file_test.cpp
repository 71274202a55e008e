// A file that is kept: whatever stands in its place, nobody waits for it, nothing is lost, and no sentence is missing.
#include "lessons/kept_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "lessons/catalog.h"
#include "tests/lessons/in_the_way.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

class KeptFile : public ::testing::Test {
 protected:
  KeptFile() { fs::create_directories(folder_); }
  ~KeptFile() override { fs::remove_all(folder_); }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
  static std::string text(const fs::path& file) { return read_text(file).value_or("(nothing)"); }
  /// Names in the folder, sorted.
  [[nodiscard]] std::string names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) all.insert(entry.path().filename().string());
    std::string line;
    for (const std::string& name : all) line += name + " ";
    return line;
  }

  const fs::path folder_ = fs::temp_directory_path() / ("warpbook_kept_file_" + std::to_string(getpid()));
  const fs::path file_ = folder_ / "kernel.cu";
};

TEST_F(KeptFile, WhatIsReadIsWhatWasWritten) {
  const auto absent = read_kept(file_);
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent) << "there is no such file";
  EXPECT_FALSE(*read_kept(folder_ / "no" / "folder")) << "nor such a folder";
  for (const std::string& words : {std::string("int a;\r\n"), std::string(), std::string("a\0b", 3), std::string(200'000, 'x')}) {
    ASSERT_TRUE(write_kept(file_, words));
    EXPECT_EQ(*read_kept(file_), words);
  }
  ASSERT_TRUE(write_kept(folder_ / "a" / "b" / "c", "made"));
  EXPECT_EQ(names(), "a kernel.cu ") << "nothing is left beside it";
}

TEST_F(KeptFile, WhatIsNoFileIsAnErrorAndNeverEmpty) {
  for (const test::InTheWay& way : test::all_in_the_way()) {
    SCOPED_TRACE(way.name);
    way.put(file_);
    const auto read = read_kept(file_);
    ASSERT_FALSE(read) << "it is no file that could be read";
    EXPECT_EQ(read.error().code, "unreadable_file");
    EXPECT_NE(read.error().message.find(file_.string()), std::string::npos) << read.error().message;
    EXPECT_NE(read.error().message.find(way.words), std::string::npos) << read.error().message;
    fs::remove_all(file_);
  }
}

TEST_F(KeptFile, ALinkIsFollowedAndStaysOne) {
  write(folder_ / "mine.cu", "before");
  fs::create_symlink("mine.cu", file_);
  EXPECT_EQ(*read_kept(file_), "before");
  ASSERT_TRUE(write_kept(file_, "after"));
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_EQ(text(folder_ / "mine.cu"), "after");
}

TEST_F(KeptFile, WhatLiesBesideItStays) {
  write(folder_ / "other", "other");
  write(file_, "before");
  fs::create_symlink("other", folder_ / "kernel.cu.new");
  ::mkfifo((folder_ / "kernel.cu.new2").c_str(), 0600);
  fs::create_directory(folder_ / "kernel.cu.new3");
  write(folder_ / "kernel.cu.new4", "left of a write that a crash has cut off");
  ASSERT_TRUE(write_kept(file_, "after"));
  EXPECT_EQ(text(file_), "after");
  EXPECT_EQ(text(folder_ / "other"), "other") << "no link is followed beside it";
  EXPECT_EQ(names(), "kernel.cu kernel.cu.new kernel.cu.new2 kernel.cu.new3 other ");
}

TEST_F(KeptFile, AFullDiskLeavesTheOldOne) {
  write(file_, "before");
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit nothing{.rlim_cur = 4, .rlim_max = limit.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &nothing);
  const auto wrote = write_kept(file_, "after, and longer");
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(wrote);
  EXPECT_EQ(wrote.error().code, "bad_file");
  EXPECT_NE(wrote.error().message.find(file_.string()), std::string::npos) << wrote.error().message;
  EXPECT_EQ(text(file_), "before");
  EXPECT_EQ(names(), "kernel.cu ") << "and nothing half written";
}

TEST_F(KeptFile, WhereNothingCanBeWrittenIsSaid) {
  write(folder_ / "file", "");
  const auto wrote = write_kept(folder_ / "file" / "kernel.cu", "x");
  ASSERT_FALSE(wrote);
  EXPECT_NE(wrote.error().message.find("Not a directory"), std::string::npos) << wrote.error().message;
  EXPECT_FALSE(write_kept(file_, std::string(most_kept_bytes + 1, 'x'))) << "it could not be read again";
  EXPECT_FALSE(is_there(file_));
}

TEST_F(KeptFile, IsSetAsideUnderANameThatNothingHas) {
  const fs::path first = folder_ / "kernel.cu.damaged", second = folder_ / "kernel.cu.damaged2";
  write(first, "an older one");
  write(file_, "damaged");
  const auto aside = set_aside(file_);
  ASSERT_TRUE(aside) << aside.error().message;
  EXPECT_EQ(*aside, second);
  EXPECT_EQ(text(first), "an older one");
  EXPECT_EQ(text(second), "damaged");
  EXPECT_FALSE(is_there(file_));
}

TEST_F(KeptFile, WhatCannotBeSetAsideStays) {
  write(file_, "damaged");
  for (int number = 1; number < 100; ++number)
    fs::create_directory(folder_ / ("kernel.cu.damaged" + (number == 1 ? "" : std::to_string(number))));
  const auto aside = set_aside(file_);
  ASSERT_FALSE(aside);
  EXPECT_EQ(text(file_), "damaged");
}

}  // namespace
}  // namespace warpbook::lessons
