// The way back of controls: what one step is, and how the window offers it.
#include <gtest/gtest.h>

#include <string>

#include "app/panels/change_values.h"
#include "app/session/values_history.h"
#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

using Key = app::KeyEvent::Key;

lessons::Values with(std::initializer_list<std::pair<const char*, double>> values) {
  lessons::Values made;
  for (const auto& [id, value] : values) made.set(id, value);
  return made;
}

TEST(ValuesHistory, ChangesOfOneControlWithinASecondAreOneStep) {
  app::ValuesHistory history;
  const auto a = with({{"blocks", 1}, {"threads", 1}}), b = with({{"blocks", 2}, {"threads", 1}}),
             c = with({{"blocks", 3}, {"threads", 1}}), d = with({{"blocks", 3}, {"threads", 2}}),
             e = with({{"blocks", 4}, {"threads", 2}});
  history.note(a, b, 10);
  history.note(b, c, 10.9);  // dragged on
  history.note(c, d, 11);    // another control
  history.note(d, e, 13);    // the first again, later
  EXPECT_EQ(history.undo(e), d);
  EXPECT_EQ(history.undo(d), c);
  EXPECT_EQ(history.undo(c), a) << "not b";
  EXPECT_EQ(history.undo(a), std::nullopt);
  EXPECT_EQ(history.redo(a), c);
  EXPECT_EQ(history.redo(c), d);
  EXPECT_EQ(history.redo(d), e);
  EXPECT_EQ(history.redo(e), std::nullopt);
}

TEST(ValuesHistory, ASlowSecondChangeIsAStepOfItsOwn) {
  app::ValuesHistory history;
  const auto a = with({{"blocks", 1}}), b = with({{"blocks", 2}}), c = with({{"blocks", 3}});
  history.note(a, b, 10);
  history.note(b, c, 11.1);
  EXPECT_EQ(history.undo(c), b);
}

TEST(ValuesHistory, WhatWasDraggedBackLeavesNothingToUndo) {
  app::ValuesHistory history;
  const auto a = with({{"blocks", 1}}), b = with({{"blocks", 2}});
  history.note(a, a, 9);
  history.note(a, b, 10);
  history.note(b, a, 10.5);
  EXPECT_EQ(history.earlier(), nullptr);
}

TEST(ValuesHistory, ANewChangeEndsTheWayForward) {
  app::ValuesHistory history;
  const auto a = with({{"blocks", 1}}), b = with({{"blocks", 2}}), c = with({{"blocks", 3}});
  history.note(a, b, 10);
  EXPECT_EQ(history.undo(b), a);
  history.note(a, c, 10.1);
  EXPECT_EQ(history.later(), nullptr);
  EXPECT_EQ(history.undo(c), a) << "a step of its own, although it came soon";
}

class ControlUndo : public testing::Test {
 protected:
  ControlUndo() { EXPECT_TRUE(window_.settle()); }
  void type(const std::string& control, const std::string& value) {
    ASSERT_TRUE(window_.click("control/" + control));
    window_.key(Key::a, false, true);
    window_.type(value);
    window_.key(Key::enter);
    ASSERT_TRUE(window_.settle());
  }
  void click(const std::string& name) {
    ASSERT_TRUE(window_.click(name)) << name;
    ASSERT_TRUE(window_.settle());
  }
  [[nodiscard]] double value(const std::string& control) const { return window_.state()["values"][control]; }

  Headless window_;
};

TEST_F(ControlUndo, StandsBesideTheControlThatChangedAndRunsAgain) {
  EXPECT_EQ(window_.find("undo/blocks"), nullptr) << "nothing changed yet";
  click("run");
  type("blocks", "31");
  ASSERT_EQ(window_.state()["numbers"]["untouched"], 996);
  EXPECT_EQ(window_.find("undo/threads"), nullptr);
  click("undo/blocks");
  EXPECT_EQ(value("blocks"), 32);
  EXPECT_EQ(window_.state()["numbers"]["untouched"], 896);
  EXPECT_EQ(window_.find("undo/blocks"), nullptr);
  click("redo/blocks");
  EXPECT_EQ(value("blocks"), 31);
  EXPECT_EQ(window_.state()["numbers"]["untouched"], 996);
}

TEST_F(ControlUndo, APresetIsOneStep) {
  type("threads", "64");
  click("preset/3");  // 33 blocks, no guard
  ASSERT_EQ(value("guard"), 0);
  window_.key(Key::z, false, true);
  EXPECT_EQ(value("threads"), 64);
  EXPECT_EQ(value("blocks"), 32);
  EXPECT_EQ(value("guard"), 1);
  window_.key(Key::z, false, true);
  EXPECT_EQ(value("threads"), 100);
  window_.key(Key::y, false, true);
  window_.key(Key::z, true, true);
  EXPECT_EQ(value("guard"), 0) << "Ctrl+Shift+Z is Ctrl+Y";
}

TEST_F(ControlUndo, WhereTextIsTypedTheKeysAreTheTexts) {
  type("blocks", "31");
  ASSERT_TRUE(window_.click("editor", 0.5F, 0.2F));
  window_.type("x");
  ASSERT_TRUE(window_.session().lesson().edited());
  window_.key(Key::z, false, true);
  EXPECT_FALSE(window_.session().lesson().edited());
  EXPECT_EQ(value("blocks"), 31);
  ASSERT_TRUE(window_.click("control/threads"));
  window_.type("7");
  window_.key(Key::z, false, true);
  EXPECT_EQ(value("blocks"), 31) << "a field's, too";
}

TEST_F(ControlUndo, LessonsHaveTheirOwnAndAResetEndsIt) {
  type("blocks", "31");
  window_.book().open(*lessons::find_lesson("05"));
  ASSERT_TRUE(window_.settle());
  window_.key(Key::z, false, true);
  EXPECT_EQ(window_.session().lessons.at("01_first_kernel").values.real("blocks"), 31);
  window_.book().open(*lessons::find_lesson("01"));
  ASSERT_TRUE(window_.settle());
  click("lesson/reset");
  EXPECT_EQ(value("blocks"), 32);
  EXPECT_EQ(window_.find("undo/blocks"), nullptr) << "the bar below takes a reset back";
  window_.key(Key::z, false, true);
  EXPECT_EQ(value("blocks"), 32);
}

TEST_F(ControlUndo, ByKeyboardTheFocusGoesToTheWayForward) {
  type("blocks", "31");
  ASSERT_TRUE(window_.tab_to("undo/blocks"));
  window_.key(Key::enter);
  EXPECT_EQ(value("blocks"), 32);
  EXPECT_EQ(window_.focus(), "redo/blocks");
}

class OnlyNeeded : public ControlUndo {};

TEST_F(OnlyNeeded, LessonOneShowsWhatItNeedsAndTheRestOnDemand) {
  for (const char* const name : {"control/guard", "control/synchronise", "heat/sectors", "report/banks"})
    EXPECT_EQ(window_.find(name), nullptr) << name;
  click("more");
  for (const char* const name : {"control/guard", "control/synchronise", "heat/sectors", "report/banks"})
    EXPECT_NE(window_.find(name), nullptr) << name;
  window_.reopen();
  EXPECT_NE(window_.find("control/guard"), nullptr) << "it is remembered";
  click("more");
  EXPECT_EQ(window_.find("control/guard"), nullptr);
}

TEST_F(OnlyNeeded, WhatIsNotAsItComesIsShownAndALinkInTheTextBringsIt) {
  click("preset/3");  // 33 blocks, no guard
  EXPECT_NE(window_.find("control/guard"), nullptr);
  EXPECT_EQ(window_.find("control/synchronise"), nullptr);
  click("preset/0");
  EXPECT_EQ(window_.find("control/guard"), nullptr);
  click("link/control:guard");
  ASSERT_NE(window_.find("control/guard"), nullptr);
  EXPECT_GT(window_.find("control/guard")->seen.height(), 0) << "scrolled to";
}

TEST_F(OnlyNeeded, WhatWasFoundIsAlwaysReported) {
  type("blocks", "33");
  click("more");
  click("control/guard");
  click("more");
  click("run");
  EXPECT_NE(window_.find("report/memory"), nullptr);
  EXPECT_EQ(window_.find("report/divergence"), nullptr);
}

}  // namespace
}  // namespace warpbook::test
