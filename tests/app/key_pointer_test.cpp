// Views without a mouse: arrows point, Enter presses, Shift drags, + and − zoom; the mouse and Escape end it.
#include "app/ui/key_pointer.h"

#include <gtest/gtest.h>

#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

using Key = app::KeyEvent::Key;

class KeyPointer : public testing::Test {
 protected:
  void open(const char* lesson) {
    ASSERT_TRUE(window_.settle());
    window_.book().open(*lessons::find_lesson(lesson));
    ASSERT_TRUE(window_.settle());
  }
  void run() {
    window_.click("run");
    ASSERT_TRUE(window_.wait([&] { return window_.session().lesson().shown != nullptr; }));
    window_.leave();
  }
  double number(const char* name) {
    const auto state = window_.state();
    return state["numbers"].contains(name) ? state["numbers"][name].get<double>() : -1;
  }
  Headless window_;
};

TEST_F(KeyPointer, ArrowsPointAtAThreadAndEscapeLeavesIt) {
  open("01");
  window_.session().lesson().values.set("threads", 128);
  run();
  ASSERT_TRUE(window_.settle());
  ASSERT_TRUE(window_.tab_to("view/thread_map"));
  EXPECT_FALSE(window_.session().hover) << "nothing is pointed at yet";
  window_.key(Key::up);
  ASSERT_TRUE(window_.session().hover) << "the first arrow points into the middle";
  const auto before = *window_.session().hover;
  window_.key(Key::left);
  ASSERT_TRUE(window_.session().hover);
  const std::uint32_t there = window_.session().hover->thread;
  EXPECT_LT(there, before.thread);
  EXPECT_EQ(window_.session().hover->block, before.block) << "sideways, it stays in its block's row";
  window_.key(Key::left, false, true);
  ASSERT_TRUE(window_.session().hover);
  EXPECT_LE(there - window_.session().hover->thread, 1U) << "with Ctrl, a pixel";
  window_.key(Key::escape);
  EXPECT_FALSE(window_.session().hover);
  EXPECT_EQ(window_.focus(), "view/thread_map");
  window_.key(Key::down);
  ASSERT_TRUE(window_.session().hover) << "and begins again";
  ImGui::GetIO().MousePos = {5, 5};
  window_.frame();
  window_.frame();
  EXPECT_FALSE(window_.session().hover) << "the mouse has moved";
}

TEST_F(KeyPointer, EnterDrawsHeat) {
  open("06");
  window_.session().lesson().values.set("side", 64);
  run();
  ASSERT_TRUE(window_.tab_to("view/field"));
  window_.key(Key::enter);
  EXPECT_EQ(number("drawn"), 0) << "only pointed";
  for (int i = 0; i < 10; ++i) window_.key(Key::left);
  window_.key(Key::enter);
  EXPECT_TRUE(window_.wait([&] { return number("drawn") > 0; }, 10)) << window_.state()["numbers"].dump();
  EXPECT_EQ(window_.focus(), "view/field") << "the focus stays where it was";
  window_.book().pause();
}

TEST_F(KeyPointer, EnterSetsTheControlsToASweepsPoint) {
  open("01");
  for (const char* name : {"sweep", "sweep/over/blocks", "sweep/start"}) window_.click(name);
  ASSERT_TRUE(window_.settle());
  window_.leave();
  ASSERT_TRUE(window_.tab_to("sweep/chart"));
  const double before = window_.session().lesson().values.real("blocks");
  window_.key(Key::right);
  for (int i = 0; i < 30; ++i) window_.key(Key::right);
  EXPECT_EQ(window_.session().lesson().values.real("blocks"), before);
  window_.key(Key::enter);
  EXPECT_NE(window_.session().lesson().values.real("blocks"), before);
}

TEST_F(KeyPointer, PlusZoomsATimelineAndShiftDragsIt) {
  open("07");
  run();
  ASSERT_TRUE(window_.settle());
  ASSERT_TRUE(window_.tab_to("view/sm_timeline"));
  window_.key(Key::right);
  window_.key(Key::right);
  const auto part = [&] { return window_.session().lesson().views["sm_timeline"]; };
  EXPECT_EQ(part().to - part().from, 1);
  window_.type("+");
  window_.type("+");
  const double wide = part().to - part().from, from = part().from;
  EXPECT_LT(wide, 0.9);
  for (int i = 0; i < 3; ++i) window_.key(Key::left, true);
  EXPECT_GT(part().from, from) << "dragged to the left, what is later comes into sight";
  EXPECT_NEAR(part().to - part().from, wide, 1e-6);
  window_.type("-");
  EXPECT_GT(part().to - part().from, wide);
}

}  // namespace
}  // namespace warpbook::test
