// The path through the lessons goes on: what comes after a lesson, what is still open in it, what counts; and results that are
// there again when a lesson is opened anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

class Path : public testing::Test {
 protected:
  Path() : window_(1280, 720) { EXPECT_TRUE(window_.settle()); }

  void open(const char* lesson) {
    window_.book().open(*lessons::find_lesson(lesson));
    ASSERT_TRUE(window_.settle());
  }
  /// As if the learner had done all of it in an earlier session.
  void finish(const std::string& id) {
    for (lessons::StageDone& stage : window_.session().stages[id]) stage.done = true;
  }
  void go_on() {
    ASSERT_TRUE(window_.click("next"));
    ASSERT_TRUE(window_.settle());
  }
  /// The id of a lesson by its place in the course, from 0.
  [[nodiscard]] static const std::string& lesson(std::size_t place) { return lessons::all_lessons()[place]->id; }
  [[nodiscard]] static auto counted() {
    return std::ranges::count_if(lessons::all_lessons(), [](const lessons::Lesson* each) { return lessons::counts(*each); });
  }
  [[nodiscard]] const std::string& opened() { return window_.session().open->id; }
  [[nodiscard]] std::string below() {
    window_.frame();
    return window_.find("still_open") != nullptr ? "still open" : "";
  }

  Headless window_;
};

TEST_F(Path, LeadsFromTheEndOfALessonToTheTopOfTheNext) {
  go_on();
  EXPECT_EQ(opened(), lesson(1));
  const app::NamedRect* const top = window_.find("stage/predict");
  ASSERT_NE(top, nullptr);
  EXPECT_EQ(top->seen.a.y, top->area.a.y) << "from its beginning";
  go_on();
  EXPECT_EQ(opened(), lesson(2));
}

TEST_F(Path, PassesOverWhatIsDoneAndComesBackForWhatWasLeftOut) {
  finish(lesson(1));
  go_on();
  EXPECT_EQ(opened(), lesson(2));
  for (const lessons::Lesson* const each : lessons::all_lessons()) {
    if (each->id != lesson(0) && each->id != lesson(2)) finish(each->id);
  }
  go_on();
  EXPECT_EQ(opened(), "01_first_kernel") << "the only other one that is open";
}

TEST_F(Path, EndsInThePlaygroundWhereNothingComesNext) {
  for (const lessons::Lesson* const lesson : lessons::all_lessons()) {
    if (lesson != window_.session().open) finish(lesson->id);
  }
  go_on();
  EXPECT_EQ(opened(), "playground");
  open("01");
  go_on();
  ASSERT_EQ(opened(), "playground");
  ASSERT_NE(window_.find("next"), nullptr) << "lesson 01 is open";
  open("01");
  app::LessonState& first = window_.session().lesson();
  first.ran_ever = first.looked_ever = first.changed_ever = true;
  window_.session().passed.insert({"number_them", "square"});
  open("playground");
  EXPECT_EQ(window_.find("next"), nullptr) << "all are done, and this is the playground";
}

TEST_F(Path, AnExerciseLeadsOnFromItsLesson) {
  window_.book().open((*lessons::find_exercise("square"))->as_lesson);
  ASSERT_TRUE(window_.settle());
  go_on();
  EXPECT_EQ(opened(), lesson(1));
}

TEST_F(Path, APassedExerciseLeadsToWhatIsOpenOfItsLessonFirst) {
  const auto exercises = lessons::exercises_of(*lessons::find_lesson("01"));
  ASSERT_EQ(exercises.size(), 2U);
  for (const std::size_t here : {std::size_t{0}, std::size_t{1}}) {
    window_.session().passed = {exercises[here]->id};
    window_.book().open(exercises[here]->as_lesson);
    ASSERT_TRUE(window_.settle());
    go_on();
    EXPECT_EQ(window_.session().open, &exercises[1 - here]->as_lesson);
  }
  window_.session().passed = {exercises[0]->id, exercises[1]->id};
  window_.frame();
  go_on();
  EXPECT_EQ(opened(), lesson(1)) << "nothing is open in it any more";
}

TEST_F(Path, SaysWhatIsStillOpen) {
  EXPECT_EQ(below(), "still open");
  app::LessonState& first = window_.session().lesson();
  first.ran_ever = first.looked_ever = first.changed_ever = true;
  EXPECT_EQ(below(), "still open") << "the exercises are";
  window_.session().passed.insert("square");
  EXPECT_EQ(below(), "still open") << "one of them is";
  window_.session().passed.insert("number_them");
  EXPECT_EQ(below(), "");
  EXPECT_EQ(window_.state()["lessons"], (nlohmann::json{{"done", 1}, {"of", counted()}}));
}

TEST_F(Path, ThePlaygroundCountsForNoLesson) {
  for (const lessons::Lesson* const lesson : lessons::all_lessons())
    EXPECT_EQ(lessons::counts(*lesson), lesson->id != "playground");
  open("playground");
  ASSERT_TRUE(window_.click("run"));
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.state()["lessons"], (nlohmann::json{{"done", 0}, {"of", counted()}}));
  EXPECT_EQ(below(), "") << "nothing is to be done in it";
}

class Reopened : public Path {
 protected:
  void run() {
    ASSERT_TRUE(window_.click("run"));
    ASSERT_TRUE(window_.settle());
    ASSERT_TRUE(window_.session().lesson().shown);
  }
  void set(const std::string& control, double value) {
    lessons::Values values = window_.session().lesson().values;
    values.set(control, value);
    window_.book().set_values(values);
    ASSERT_TRUE(window_.settle());
  }
};

TEST_F(Reopened, AQuickResultIsThereAgain) {
  run();
  set("blocks", 31);
  window_.reopen();
  EXPECT_EQ(window_.state()["asking"], false);
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.state()["numbers"]["untouched"], 996) << "with the controls as they were";
  EXPECT_EQ(window_.state()["asked_to_predict"], false);
  EXPECT_EQ(window_.state()["stale"], false);
}

TEST_F(Reopened, SoIsThatOfALessonThatIsOpenedLater) {
  open("05");
  run();
  const auto before = window_.state()["numbers"]["got"];
  open("01");
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_FALSE(window_.session().lesson().shown) << "01 never ran";
  open("05");
  EXPECT_EQ(window_.state()["numbers"]["got"], before);
}

TEST_F(Reopened, ALiveExperimentShowsItsFieldAndRests) {
  open("06");
  ASSERT_TRUE(window_.click("run"));
  ASSERT_TRUE(window_.wait([&] { return window_.session().lesson().shown != nullptr; }));
  window_.book().pause();
  ASSERT_TRUE(window_.settle());
  window_.reopen();
  open("06");
  ASSERT_TRUE(window_.wait([&] { return window_.session().lesson().shown != nullptr; })) << "nobody pressed Run";
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.state()["activity"], "idle");
}

TEST_F(Reopened, ASlowResultWaitsForRun) {
  window_.session().soon_made_again = 0;
  run();
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_FALSE(window_.session().lesson().shown);
  EXPECT_EQ(window_.state()["stages"]["run"], true);
}

TEST_F(Reopened, WhoRunsByHandIsNotRunFor) {
  run();
  window_.reopen();
  window_.session().rerun = false;
  ASSERT_TRUE(window_.settle());
  window_.reopen();
  window_.session().rerun = false;
  open("05");
  run();
  window_.reopen();
  window_.session().rerun = false;
  open("05");
  EXPECT_FALSE(window_.session().lesson().shown);
}

TEST_F(Reopened, AnOpenQuestionIsNotAnsweredByIt) {
  ASSERT_TRUE(window_.click("guess/written"));
  window_.type("4096");
  ASSERT_TRUE(window_.click("guess/written/give"));
  run();
  set("blocks", 31);  // asks anew, and so has not run
  ASSERT_EQ(window_.state()["questions"]["written"]["open"], true);
  window_.reopen();
  ASSERT_TRUE(window_.settle());
  EXPECT_FALSE(window_.session().lesson().shown) << "who predicts is asked before a run that nobody pressed";
  EXPECT_EQ(window_.state()["questions"]["written"]["open"], true);
}

}  // namespace
}  // namespace warpbook::test
