// The tour of a first start, and Help.
#include "app/panels/tour.h"

#include <gtest/gtest.h>

#include <string>

#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

using Key = app::KeyEvent::Key;

class Tour : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  Tour() : window_(GetParam().first, GetParam().second) {
    EXPECT_TRUE(window_.settle());
    app::start_tour(window_.session(), window_.book());
    for (int i = 0; i < 3; ++i) window_.frame();
  }
  [[nodiscard]] int at() const { return window_.state()["tour"]; }
  [[nodiscard]] const app::Rect& area(const std::string& name) const { return window_.find(name)->area; }
  void press_at(ImVec2 where) {
    ImGui::GetIO().MousePos = where;
    window_.frame();
    for (const bool down : {true, false}) {
      ImGui::GetIO().MouseDown[0] = down;
      window_.frame();
    }
    window_.frame();
  }

  Headless window_;
};

TEST_P(Tour, FiveCalloutsLieInTheWindowAndBesideWhatTheySpeakOf) {
  const char* const parts[] = {"rail/01", "question/written", "run", "view/thread_map", "editor"};
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(at(), i);
    const app::Rect card = area("tour/card");
    EXPECT_GE(card.a.x, 0);
    EXPECT_GE(card.a.y, 0);
    EXPECT_LE(card.b.x, GetParam().first);
    EXPECT_LE(card.b.y, GetParam().second);
    const char* const name = window_.find(parts[i]) != nullptr ? parts[i] : "bench/unfold";  // a narrow window's bench is a strip
    ASSERT_NE(window_.find(name), nullptr) << parts[i];
    const app::Rect seen = window_.find(name)->seen;
    EXPECT_GT(seen.height(), 0) << name << " is in sight";
    const bool apart = card.b.x <= seen.a.x || card.a.x >= seen.b.x || card.b.y <= seen.a.y || card.a.y >= seen.b.y;
    EXPECT_TRUE(apart) << name << " is covered";
    ASSERT_TRUE(window_.click("tour/next"));
  }
  EXPECT_EQ(at(), -1);
  EXPECT_TRUE(window_.session().toured);
  EXPECT_EQ(window_.find("tour/card"), nullptr);
}

TEST_P(Tour, GoesBackAndOnByKeysAndEscapeEndsIt) {
  window_.key(Key::right);
  window_.key(Key::enter);
  EXPECT_EQ(at(), 2);
  window_.key(Key::left);
  EXPECT_EQ(at(), 1);
  ASSERT_TRUE(window_.click("tour/back"));
  EXPECT_EQ(at(), 0);
  EXPECT_EQ(window_.find("tour/back"), nullptr) << "the first one";
  window_.key(Key::escape);
  EXPECT_EQ(at(), -1);
  EXPECT_TRUE(window_.session().toured);
}

TEST_P(Tour, CanBeSkipped) {
  ASSERT_TRUE(window_.click("tour/skip"));
  EXPECT_EQ(at(), -1);
  EXPECT_TRUE(window_.session().toured);
}

TEST_P(Tour, WhatItSpeaksOfCanBeTriedAndAPressElsewhereEndsIt) {
  window_.key(Key::right);
  const app::Rect field = area("guess/written");
  press_at(field.centre());
  EXPECT_EQ(window_.session().typing.name, "guess/written") << "the press is the field's as always";
  EXPECT_EQ(at(), 2) << "it leads on";
  press_at(area("stage/predict").centre());
  EXPECT_EQ(at(), -1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Tour, testing::Values(std::pair(1280, 720), std::pair(1440, 900), std::pair(1020, 720)),
                         [](const auto& size) { return "w" + std::to_string(size.param.first); });

TEST(Help, OpensTheTourTheShortcutsAndTheGlossary) {
  Headless window;
  ASSERT_TRUE(window.settle());
  EXPECT_EQ(window.state()["tour"], -1);
  window.book().open(*lessons::find_lesson("07"));
  ASSERT_TRUE(window.settle());
  window.session().presenting = false;
  ASSERT_TRUE(window.click("help"));
  ASSERT_TRUE(window.click("help/shortcuts"));
  EXPECT_EQ(window.state()["overlay"], "shortcuts");
  window.key(Key::escape);
  ASSERT_TRUE(window.click("help"));
  ASSERT_TRUE(window.click("help/glossary"));
  EXPECT_EQ(window.state()["overlay"], "glossary");
  window.key(Key::escape);
  ASSERT_TRUE(window.click("help"));
  ASSERT_TRUE(window.click("help/tour"));
  for (int i = 0; i < 3; ++i) window.frame();
  EXPECT_EQ(window.state()["lesson"], "01_first_kernel") << "where all is that it speaks of";
  EXPECT_EQ(window.state()["tour"], 0);
  EXPECT_NE(window.find("tour/card"), nullptr);
}

}  // namespace
}  // namespace warpbook::test
