// Files written whole or not at all, and files read without waiting.
#include "gpu/output_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gpu/input_file.h"

namespace warpbook {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpbook_files_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(Files, AreThereWhenTheyAreWhole) {
  put("x", "old");
  {
    auto file = OutputFile::open(folder_ / "x");
    ASSERT_TRUE(file);
    file->write("new");
    EXPECT_EQ(text_of("x"), "old");
    ASSERT_TRUE(file->close());
  }
  EXPECT_EQ(text_of("x"), "new");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, ThatAreGivenUpLeaveNothing) {
  put("x", "old");
  auto file = OutputFile::open(folder_ / "x");
  ASSERT_TRUE(file);
  file->write("new");
  { const OutputFile ends = std::move(*file); }
  EXPECT_EQ(text_of("x"), "old");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, ThatDoNotFitLeaveTheOldOne) {
  put("x", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
  const auto signal_before = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const auto done = write_file(folder_ / "x", std::string_view("longer than ten bytes"));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, signal_before);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "write_failed");
  EXPECT_EQ(text_of("x"), "old");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, KeepTheirPermissions) {
  put("x", "old");
  fs::permissions(folder_ / "x", fs::perms(0640));
  ASSERT_TRUE(write_file(folder_ / "x", std::string_view("new")));
  EXPECT_EQ(fs::status(folder_ / "x").permissions(), fs::perms(0640));
}

TEST_F(Files, AreFollowedThroughLinks) {
  fs::create_directories(folder_ / "deep");
  fs::create_symlink("deep/x", folder_ / "link");
  fs::create_symlink("link", folder_ / "link_to_it");
  const auto place = place_of_output(folder_ / "link_to_it");
  ASSERT_TRUE(place) << place.error().message;
  EXPECT_EQ(place->path, fs::canonical(folder_ / "deep") / "x");
  EXPECT_FALSE(place->there);
  ASSERT_TRUE(write_file(folder_ / "link_to_it", std::string_view("new")));
  EXPECT_EQ(text_of("deep/x"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  fs::create_symlink("round", folder_ / "round");
  EXPECT_EQ(place_of_output(folder_ / "round").error().code, "cannot_write");
}

TEST_F(Files, HaveAFolderThatIsThere) {
  EXPECT_EQ(place_of_output(folder_ / "no" / "x").error().code, "cannot_write");
  EXPECT_NE(place_of_output(folder_ / "no" / "x").error().message.find("There is no folder"), std::string::npos);
  EXPECT_EQ(place_of_output(folder_).error().code, "cannot_write");
  put("file", "");
  EXPECT_EQ(place_of_output(folder_ / "file" / "x").error().code, "cannot_write");
  EXPECT_EQ(place_of_output(folder_ / std::string(300, 'x')).error().code, "cannot_write");
}

TEST_F(Files, ThatAreDevicesAreWrittenToDirectly) {
  EXPECT_TRUE(write_file("/dev/null", std::string_view("x")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(write_file("/dev/full", std::string_view("x")).error().code, "write_failed");
}

TEST_F(Files, ThatArePipesWaitForNobody) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(write_file(pipe, std::string_view("x")).error().code, "cannot_write");
  EXPECT_EQ(size_of_input(pipe).error().code, "bad_file");
  EXPECT_EQ(read_input(pipe).error().code, "bad_file");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(Files, AreReadWholeOrNotAtAll) {
  put("x", "text");
  EXPECT_EQ(*read_input(folder_ / "x"), "text");
  EXPECT_EQ(*size_of_input(folder_ / "x"), 4u);
  EXPECT_EQ(read_input(folder_ / "x", 3).error().code, "bad_file");
  EXPECT_EQ(read_input(folder_ / "none").error().code, "missing_file");
  EXPECT_EQ(read_input(folder_).error().code, "bad_file");
  EXPECT_EQ(read_input("/dev/zero").error().code, "bad_file");
  put("empty", "");
  EXPECT_EQ(*read_input(folder_ / "empty"), "");
}

}  // namespace
}  // namespace warpbook
