// Animations of Export: the file read back by the library's own reader: how many pictures, how large, how fast, and that they move.
#include <gif_lib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "app/session/steps.h"
#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

struct CloseGif {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};
using Gif = std::unique_ptr<GifFileType, CloseGif>;

Gif read(const fs::path& file) {
  Gif gif(DGifOpenFileName(file.c_str(), nullptr));
  if (gif && DGifSlurp(gif.get()) != GIF_OK) gif.reset();
  return gif;
}

/// Hundredths of a second that a picture stands.
int delay(const Gif& gif, int picture) {
  GraphicsControlBlock block;
  return DGifSavedExtensionToGCB(gif.get(), picture, &block) == GIF_OK ? block.DelayTime : -1;
}

bool same(const Gif& gif, int a, int b) {
  const auto cells = static_cast<std::size_t>(gif->SWidth) * static_cast<std::size_t>(gif->SHeight);
  const SavedImage &first = gif->SavedImages[a], &second = gif->SavedImages[b];
  return std::equal(first.RasterBits, first.RasterBits + cells, second.RasterBits);
}

class Animation : public testing::Test {
 protected:
  void open(const char* number, const std::map<std::string, double>& values = {}) {
    window_.book().open(*lessons::find_lesson(number));
    for (const auto& [id, value] : values) window_.session().lesson().values.set(id, value);
    ASSERT_TRUE(window_.settle());
  }
  void start_field() {
    open("06", {{"side", 256}});
    window_.book().run();
    ASSERT_TRUE(window_.wait([&] { return window_.state()["activity"] == "live"; }));
  }
  app::Exported& exported() { return window_.session().lesson().exported; }
  void ask(app::Export::Kind kind) { window_.book().export_as({.kind = kind, .view = {}}); }
  [[nodiscard]] bool written() {
    return window_.wait([&] { return !exported().busy; }) && !exported().failed && !exported().path.empty();
  }

  Headless window_{1280, 720};
};

TEST_F(Animation, AFieldMovesForFourSeconds) {
  start_field();
  ask(app::Export::Kind::field);
  ASSERT_TRUE(exported().part) << "it says how far it is";
  ASSERT_TRUE(written()) << exported().words;
  const Gif gif = read(exported().path);
  ASSERT_TRUE(gif) << exported().path;
  EXPECT_EQ(gif->ImageCount, 48);
  EXPECT_EQ(delay(gif, 0), 8) << "twelve a second";
  EXPECT_GT(gif->SWidth, 300);
  EXPECT_GT(gif->SHeight, 300);
  EXPECT_FALSE(same(gif, 0, 47));
  EXPECT_TRUE(exported().path.ends_with(".gif"));
}

TEST_F(Animation, StepsAreAPictureEach) {
  open("01", {{"blocks", 1}, {"threads", 32}});
  ASSERT_TRUE(window_.click("tab/steps"));
  ASSERT_TRUE(window_.wait([&] { return window_.session().lesson().stepper.replay.has_value(); }));
  ASSERT_TRUE(window_.settle());
  app::Stepper stepper = window_.session().lesson().stepper;
  to_start(stepper);
  int positions = 1;
  for (std::size_t before = stepper.view.position; stride(stepper, app::Way::forward), stepper.view.position > before; ++positions)
    before = stepper.view.position;
  ask(app::Export::Kind::steps);
  ASSERT_TRUE(written()) << exported().words;
  const Gif gif = read(exported().path);
  ASSERT_TRUE(gif);
  EXPECT_EQ(gif->ImageCount, positions);
  EXPECT_EQ(delay(gif, 0), 33) << "three a second";
  for (int i = 1; i < gif->ImageCount; ++i) EXPECT_FALSE(same(gif, i - 1, i)) << "step " << i;
}

TEST_F(Animation, CancelLeavesNoFile) {
  start_field();
  ask(app::Export::Kind::field);
  window_.frame();
  ASSERT_TRUE(window_.click("exported/cancel"));
  ASSERT_TRUE(window_.wait([&] { return !exported().busy; }));
  EXPECT_FALSE(exported().failed);
  EXPECT_EQ(exported().path, "");
  const fs::path documents = std::getenv("XDG_DOCUMENTS_DIR");
  for (const auto& entry : fs::recursive_directory_iterator(documents)) EXPECT_NE(entry.path().extension(), ".gif") << entry.path();
}

TEST_F(Animation, WhatDoesNotMoveSaysWhatToDo) {
  open("06", {{"side", 256}});
  ask(app::Export::Kind::field);
  EXPECT_TRUE(exported().failed);
  EXPECT_NE(exported().words.find("Press Run"), std::string::npos) << exported().words;
  ask(app::Export::Kind::steps);
  EXPECT_NE(exported().words.find("Step through"), std::string::npos) << exported().words;
}

TEST_F(Animation, AFolderThatCannotBeWrittenIsSaid) {
  start_field();
  ::setenv("XDG_DOCUMENTS_DIR", "/proc/self/nobody", 1);  // the next window sets its own
  ask(app::Export::Kind::field);
  ASSERT_TRUE(window_.wait([&] { return !exported().busy; }));
  EXPECT_TRUE(exported().failed);
  EXPECT_EQ(exported().path, "");
}

}  // namespace
}  // namespace warpbook::test
