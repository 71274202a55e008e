// What stays in sight while a page scrolls: title, Export and Present, the result's numbers, the presets and their figure.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

class PageHead : public testing::Test {
 protected:
  PageHead() : window_(1280, 720) { EXPECT_TRUE(window_.settle()); }

  void run() {
    ASSERT_TRUE(window_.click("run"));
    ASSERT_TRUE(window_.settle());
  }
  void scroll(float by) {
    window_.session().scroll_by = by;
    for (int i = 0; i < 3; ++i) window_.frame();
  }
  /// Whole, and not under the head.
  [[nodiscard]] bool in_sight(const std::string& name) const {
    const app::NamedRect* const widget = window_.find(name);
    return widget != nullptr && widget->seen.a.y == widget->area.a.y && widget->seen.b.y == widget->area.b.y &&
           widget->area.b.y <= 720;
  }

  Headless window_;
};

TEST_F(PageHead, StaysWhileThePageScrolls) {
  EXPECT_EQ(window_.find("head/numbers"), nullptr);
  scroll(700);
  for (const char* const name : {"present", "export"}) EXPECT_TRUE(in_sight(name)) << name;
  EXPECT_EQ(window_.find("head/numbers"), nullptr) << "nothing has run";
  run();
  scroll(700);
  EXPECT_TRUE(in_sight("head/numbers"));
  ASSERT_TRUE(in_sight("head/preset/0"));
  EXPECT_LE(window_.find("head/preset/0")->area.b.y, 100) << "it does not eat the page";
  ASSERT_TRUE(window_.click("present"));
  EXPECT_TRUE(window_.session().presenting);
}

TEST_F(PageHead, TheNumbersAreNotSaidTwice) {
  run();
  EXPECT_EQ(window_.find("head/numbers"), nullptr) << "the result is in sight";
  EXPECT_EQ(window_.find("head/preset/0"), nullptr);
}

TEST_F(PageHead, WhatScrollsUnderItCannotBeClicked) {
  run();
  scroll(120);
  const float head = window_.find("present")->area.b.y;
  for (const app::NamedRect& widget : app::named_widgets()) {
    if (!widget.name.starts_with("control/")) continue;
    EXPECT_GE(widget.seen.a.y, head - 8) << widget.name;
  }
}

TEST_F(PageHead, APresetsFigureIsInSightWhenItIsChosen) {
  for (const lessons::Lesson* const lesson : lessons::all_lessons()) {
    if (lesson->live) continue;  // its run does not end
    SCOPED_TRACE(lesson->id);
    window_.book().open(*lesson);
    ASSERT_TRUE(window_.settle());
    run();
    for (std::size_t i = 0; i < lesson->presets.size(); ++i) {
      const std::string view =
          lesson->presets[i].view.empty() ? window_.session().lesson().places.first_view : lesson->presets[i].view;
      ASSERT_TRUE(window_.click("preset/" + std::to_string(i)));  // far down the page
      ASSERT_TRUE(window_.settle());
      for (int frames = 0; frames < 4; ++frames) window_.frame();
      const app::NamedRect* const figure = window_.find("view/" + view);
      ASSERT_NE(figure, nullptr) << view;
      EXPECT_EQ(figure->seen.a.y, figure->area.a.y) << view << ": its top is not under the head";
      EXPECT_GE(figure->seen.height(), std::min(figure->area.height(), 150.0F)) << view;
    }
  }
}

TEST_F(PageHead, APresetOfTheHeadLeavesThePageWhereItIs) {
  run();
  ASSERT_TRUE(window_.click("preset/1"));
  ASSERT_TRUE(window_.settle());
  ASSERT_NE(window_.find("head/preset/2"), nullptr) << "chosen beside the figure";
  const float before = window_.find("view/thread_map")->area.a.y;
  ASSERT_TRUE(window_.click("head/preset/2"));
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.state()["values"]["threads"], 64);
  EXPECT_EQ(window_.find("view/thread_map")->area.a.y, before);
}

TEST_F(PageHead, NumbersWaitForAnAnswerToo) {
  ASSERT_TRUE(window_.click("guess/written"));
  window_.type("4096");
  ASSERT_TRUE(window_.click("guess/written/give"));
  run();
  scroll(700);
  ASSERT_NE(window_.find("head/numbers"), nullptr);
  lessons::Values values = window_.session().lesson().values;
  values.set("blocks", 31);
  window_.book().set_values(values);
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.find("head/numbers"), nullptr) << "above the question, the old answer is not to be read";
}

}  // namespace
}  // namespace warpbook::test
