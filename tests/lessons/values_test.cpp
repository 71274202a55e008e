// Values: what --set and the page's fields accept, and the sentences they are refused with.
#include <gtest/gtest.h>

#include "lessons/lesson.h"
#include "tests/lessons/control.h"

namespace warpbook::lessons {
namespace {

using ControlKind = Control::Kind;
using testing::control;

const std::vector<Control> controls{
    control("threads", ControlKind::integer, 128, 1, 1024), control("share", ControlKind::real, 0.25, 0, 0.5),
    control("guard", ControlKind::toggle, 1, 0, 1),
    control("atomics", ControlKind::choice, 0, 0, 2,
            {{"none", to_say("None")}, {"global", to_say("Global")}, {"shared", to_say("Shared bins")}})};

TEST(Values, DefaultsAreTheControlsOwn) {
  const Values values = Values::defaults(controls);
  EXPECT_EQ(values.integer("threads"), 128);
  EXPECT_DOUBLE_EQ(values.real("share"), 0.25);
  EXPECT_TRUE(values.on("guard"));
  EXPECT_EQ(values.integer("atomics"), 0);
}

TEST(Values, TakesTextOfEveryKind) {
  Values values = Values::defaults(controls);
  ASSERT_TRUE(values.set(controls, "threads", "1024"));
  ASSERT_TRUE(values.set(controls, "share", "0.24"));
  ASSERT_TRUE(values.set(controls, "guard", "Off"));
  ASSERT_TRUE(values.set(controls, "atomics", "shared"));
  EXPECT_EQ(values.integer("threads"), 1024);
  EXPECT_DOUBLE_EQ(values.real("share"), 0.24);
  EXPECT_FALSE(values.on("guard"));
  EXPECT_EQ(values.integer("atomics"), 2);
  ASSERT_TRUE(values.set(controls, "atomics", "GLOBAL"));
  EXPECT_EQ(values.integer("atomics"), 1);
}

TEST(Values, RefusesWithTheRangeAndKeepsTheOldValue) {
  Values values = Values::defaults(controls);
  for (const char* text : {"1025", "0", "-1", "64.5", "64x", "", "nan", "inf", " 64"}) {
    const Result<void> set = values.set(controls, "threads", text);
    ASSERT_FALSE(set) << text;
    EXPECT_EQ(set.error().code, "invalid_value");
    EXPECT_NE(set.error().message.find("from 1 to 1024"), std::string::npos) << set.error().message;
  }
  EXPECT_EQ(values.integer("threads"), 128);
  EXPECT_FALSE(values.set(controls, "share", "0.51"));
  EXPECT_FALSE(values.set(controls, "guard", "perhaps"));
  const Result<void> choice = values.set(controls, "atomics", "local");
  ASSERT_FALSE(choice);
  EXPECT_NE(choice.error().message.find("none, global, shared"), std::string::npos);
}

TEST(Values, AnUnknownControlIsAnsweredWithTheKnownOnes) {
  Values values = Values::defaults(controls);
  const Result<void> set = values.set(controls, "thread", "64");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, "unknown_control");
  EXPECT_NE(set.error().message.find("threads, share, guard, atomics"), std::string::npos);
}

TEST(Macros, AreTheControlsOwnAndThoseThatFollowFromSeveral) {
  Lesson lesson;
  lesson.controls = controls;
  lesson.controls[0].define = "THREADS";
  lesson.controls[1].define = "SHARE";
  lesson.more_macros = [](const Values& values) -> Macros {
    return {{"BOTH", values.on("guard") && values.integer("atomics") == 2 ? "1" : "0"}};
  };
  Values values = Values::defaults(controls);
  values.set("atomics", 2);
  EXPECT_EQ(macros_of(lesson, values), (Macros{{"THREADS", "128"}, {"SHARE", "0.25"}, {"BOTH", "1"}}));
}

}  // namespace
}  // namespace warpbook::lessons
