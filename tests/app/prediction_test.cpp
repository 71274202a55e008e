// Predictions in the window: a Run asks for one first, once; answers and verdicts belong to the settings they were given for; and
// nothing moves while a question goes through its states.
#include "app/session/prediction.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "lessons/catalog.h"
#include "lessons/progress.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

class Prediction : public testing::Test {
 protected:
  Prediction() { EXPECT_TRUE(window_.settle()); }

  void open(const char* lesson) {
    window_.book().open(*lessons::find_lesson(lesson));
    ASSERT_TRUE(window_.settle());
  }
  void press_run() {
    window_.command(app::Command::run);
    ASSERT_TRUE(window_.settle());
  }
  void answer(const std::string& question, const std::string& number) {
    ASSERT_TRUE(window_.click("guess/" + question));
    window_.type(number);
    ASSERT_TRUE(window_.click("guess/" + question + "/give"));
    ASSERT_TRUE(window_.settle());
  }
  void set(const std::string& control, double value) {
    lessons::Values values = window_.session().lesson().values;
    values.set(control, value);
    window_.book().set_values(values);
    ASSERT_TRUE(window_.settle());
  }
  [[nodiscard]] nlohmann::json question(const std::string& name) const { return window_.state()["questions"][name]; }
  [[nodiscard]] bool ran() { return window_.session().lesson().shown != nullptr; }
  /// Where the question's box lies, and the controls below it.
  [[nodiscard]] std::string places(const std::string& name, const std::string& control) const {
    const app::Rect box = window_.find("question/" + name)->area, below = window_.find("control/" + control)->area;
    return std::to_string(box.a.y) + " " + std::to_string(box.b.y) + " " + std::to_string(below.a.y);
  }

  Headless window_;
};

TEST(PredictionInANarrowWindow, HasRoomForAllItsChoices) {
  Headless narrow(1100, 900);
  ASSERT_TRUE(narrow.settle());
  narrow.book().open(*lessons::find_lesson("11"));
  ASSERT_TRUE(narrow.settle());
  std::size_t choices = 0;
  for (const app::NamedRect& widget : app::named_widgets()) {
    if (!widget.name.starts_with("guess/times/")) continue;
    const app::Rect box = narrow.find("question/times")->area;
    choices += std::isdigit(static_cast<unsigned char>(widget.name.back())) != 0 ? 1 : 0;
    EXPECT_LE(widget.area.b.x, box.b.x) << widget.name;
    EXPECT_LE(widget.area.b.y, box.b.y) << widget.name;
  }
  EXPECT_EQ(choices, 4U);
}

TEST_F(Prediction, ARunAsksOnceAndCanBeDeclined) {
  const std::string before = places("written", "blocks");
  press_run();
  EXPECT_FALSE(ran());
  EXPECT_EQ(window_.state()["asking"], true);
  ASSERT_NE(window_.find("guess/written/run_anyway"), nullptr);
  EXPECT_EQ(places("written", "blocks"), before);
  ASSERT_TRUE(window_.click("guess/written/run_anyway"));
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.state()["numbers"]["written"], 3200);
  EXPECT_EQ(question("written")["open"], false);
  EXPECT_EQ(places("written", "blocks"), before) << "the question stays where it was";
  set("blocks", 31);
  EXPECT_EQ(window_.state()["numbers"]["written"], 3100) << "who does not want to be asked waits for nothing";
  press_run();
  EXPECT_EQ(window_.state()["asking"], false);
}

TEST_F(Prediction, RunPressedTwiceRuns) {
  press_run();
  ASSERT_FALSE(ran());
  press_run();
  EXPECT_TRUE(ran());
  EXPECT_EQ(window_.state()["asking"], false);
}

TEST_F(Prediction, AQuestionOutOfSightIsBroughtWhenARunAsks) {
  window_.session().scroll_by = 900;
  for (int i = 0; i < 3; ++i) window_.frame();
  ASSERT_LT(window_.find("question/written")->area.b.y, 0);
  press_run();
  for (int i = 0; i < 3; ++i) window_.frame();
  const app::NamedRect& box = *window_.find("question/written");
  EXPECT_EQ(box.seen.a.y, box.area.a.y) << "not under the page's head";
  EXPECT_EQ(box.seen.b.y, box.area.b.y);
}

TEST_F(Prediction, TheAnswerThatARunHasAskedForStartsIt) {
  press_run();
  answer("written", "4000");
  EXPECT_TRUE(ran());
  EXPECT_EQ(question("written")["answer"], 4000);
  EXPECT_EQ(question("written")["found"], 3200);
}

TEST_F(Prediction, AnAnswerAloneRunsNothing) {
  answer("written", "4000");
  EXPECT_FALSE(ran());
  EXPECT_EQ(question("written")["open"], false);
  press_run();
  EXPECT_TRUE(ran()) << "what is answered is not asked for";
}

TEST_F(Prediction, AVerdictIsThatOfItsSettingsAndAnotherSettingAsksAnew) {
  const std::string before = places("written", "blocks");
  answer("written", "3200");
  EXPECT_EQ(places("written", "blocks"), before) << "answered";
  press_run();
  EXPECT_EQ(places("written", "blocks"), before) << "run";
  EXPECT_EQ(question("written")["found"], 3200);

  set("blocks", 31);
  EXPECT_EQ(places("written", "blocks"), before) << "asked anew";
  EXPECT_EQ(question("written")["open"], true);
  EXPECT_EQ(window_.state()["numbers"]["written"], 3200) << "a run that nobody pressed waits for the answer";
  const auto* const kept = app::answer_before(window_.session(), "written");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->found->value, 3200) << "frozen";
  EXPECT_EQ(app::settings_words(*window_.session().open, kept->settings, &window_.session().lesson().values), "Blocks per grid 32");

  answer("written", "3000");
  EXPECT_EQ(window_.state()["numbers"]["written"], 3100) << "it has waited";
  EXPECT_EQ(question("written")["found"], 3100);
  set("blocks", 32);
  EXPECT_EQ(question("written")["answer"], 3200) << "back at the first settings";
  EXPECT_EQ(question("written")["found"], 3200);
  EXPECT_EQ(places("written", "blocks"), before);
}

TEST_F(Prediction, WhatComesOfAnotherKernelChangesNoVerdict) {
  answer("written", "3200");
  press_run();
  app::EditorText& text = window_.session().lesson().text;
  const std::string whole = text.str();
  const auto at = whole.find("out[i] = a[i] + b[i];");
  ASSERT_NE(at, std::string::npos);
  text.select_all();
  text.insert(std::string(whole).insert(at, "if (i != 7) "));
  window_.book().text_changed();
  ASSERT_TRUE(window_.wait([&] { return window_.state()["numbers"]["written"] == 3199; }));
  EXPECT_EQ(question("written")["found"], 3200);
}

TEST_F(Prediction, ASeedAsksNothingAnew) {
  open("05");
  answer("got", "4096");
  press_run();
  const double found = question("got")["found"];
  set("seed", 8);
  EXPECT_EQ(question("got")["open"], false);
  EXPECT_EQ(question("got")["found"], found) << "the first run's";
  EXPECT_EQ(window_.session().lesson().shown->values.integer("seed"), 8) << "and nothing has waited";
  set("threads", 32);
  EXPECT_EQ(question("got")["open"], true);
}

TEST_F(Prediction, SkippingAndTakingThatBackLeavesEverythingInItsPlace) {
  const std::string before = places("written", "blocks");
  ASSERT_TRUE(window_.click("guess/written/skip"));
  EXPECT_EQ(places("written", "blocks"), before);
  EXPECT_EQ(question("written")["open"], false);
  ASSERT_TRUE(window_.click("guess/written/ask"));
  EXPECT_EQ(question("written")["open"], true);
  ASSERT_TRUE(window_.click("guess/written/skip"));
  press_run();
  EXPECT_TRUE(ran()) << "skipped is not asked for";
  EXPECT_EQ(places("written", "blocks"), before);
}

TEST_F(Prediction, QuestionsOfEveryKindKeepTheirHeight) {
  for (const char* const lesson : {"06", "12"}) {
    open(lesson);
    const std::string name = std::string(lesson) == "06" ? "lost_share" : "third_level";
    const float before = window_.find("question/" + name)->area.height();
    window_.click("guess/" + name + "/skip");
    EXPECT_EQ(window_.find("question/" + name)->area.height(), before) << name;
    window_.click("guess/" + name + "/ask");
    if (name == "third_level") window_.click("guess/third_level", 0.1F, 0.2F);
    window_.click("guess/" + name + (name == "lost_share" ? "/1" : "/give"));
    EXPECT_EQ(question(name)["open"], false) << name;
    EXPECT_EQ(window_.find("question/" + name)->area.height(), before) << name;
  }
}

TEST_F(Prediction, IsKeptWithItsVerdict) {
  answer("written", "4000");
  press_run();
  EXPECT_TRUE(window_.wait([&] {
    const auto kept = lessons::Progress(window_.session().kept_in).load(*lessons::find_lesson("01"));
    if (!kept || !kept->guesses.contains("written")) return false;
    const auto& answers = kept->guesses.at("written").answers;
    return answers.size() == 1 && answers[0].value == 4000 && answers[0].found && answers[0].found->value == 3200;
  }));
}

TEST_F(Prediction, AResultAboveAnOpenQuestionIsNotShown) {
  answer("written", "3200");
  press_run();
  app::LessonState& state = window_.session().lesson();
  const auto page =
      lessons::parse_page("::controls\n::result\n::view thread_map\n::guess written \"How many now?\"\n", *window_.session().open);
  ASSERT_TRUE(page) << page.error().message;
  state.page = *page;
  window_.frame();
  EXPECT_NE(window_.find("view/thread_map"), nullptr) << "the question is answered";
  set("blocks", 31);
  EXPECT_EQ(window_.find("view/thread_map"), nullptr);
  answer("written", "3100");
  EXPECT_NE(window_.find("view/thread_map"), nullptr);
}

TEST_F(Prediction, ARunInAPresentationIsNotHeldUp) {
  window_.command(app::Command::present);
  window_.command(app::Command::run_slide);
  ASSERT_TRUE(window_.settle());
  EXPECT_TRUE(ran());
}

}  // namespace
}  // namespace warpbook::test
