// "Your progress": what is done, what passed, what is worth to be asked again; and where its rows lead.
#include <gtest/gtest.h>

#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

using Key = app::KeyEvent::Key;

TEST(YourProgress, HasARowForEveryLessonAndExerciseAndARowOpensIt) {
  Headless window;
  ASSERT_TRUE(window.settle());
  ASSERT_TRUE(window.click("progress")) << "under the list of lessons";
  EXPECT_EQ(window.state()["overlay"], "progress");
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    EXPECT_EQ(window.find("progress/lesson/" + std::string(lesson->number)) != nullptr, lessons::counts(*lesson)) << lesson->id;
  }
  for (const lessons::Exercise& exercise : *lessons::all_exercises())
    EXPECT_NE(window.find("progress/exercise/" + exercise.id), nullptr) << exercise.id;
  ASSERT_TRUE(window.click("progress/exercise/warp_max")) << "further down: the list scrolls";
  EXPECT_EQ(window.state()["overlay"], "none");
  EXPECT_EQ(window.session().open->exercise->id, "warp_max");
  window.command(app::Command::progress);
  window.frame();
  ASSERT_TRUE(window.click("progress/lesson/05"));
  EXPECT_EQ(window.state()["lesson"], "05_race_conditions");
  ASSERT_TRUE(window.click("help"));
  ASSERT_TRUE(window.click("help/progress"));
  EXPECT_EQ(window.state()["overlay"], "progress");
  window.key(Key::escape);
  EXPECT_EQ(window.state()["overlay"], "none");
}

/// An answer to the open lesson's question, and what a run gave.
lessons::Answer told(const app::Session& session, double guessed, double found) {
  return {
      .settings = session.lessons.at(session.open->id).values, .value = guessed, .found = lessons::Answer::Found{.value = found}};
}

TEST(YourProgress, AWrongPredictionIsWorthAskingAgainUntilItIsRight) {
  Headless window;
  ASSERT_TRUE(window.settle());
  const lessons::Lesson& race = *lessons::find_lesson("05");
  window.book().open(race);
  ASSERT_TRUE(window.settle());
  EXPECT_FALSE(has_missed(window.session(), race)) << "not asked yet";
  window.session().lesson().guesses["got"].answers.push_back(told(window.session(), 4096, 3200));
  EXPECT_TRUE(has_missed(window.session(), race));
  window.reopen();  // with the first lesson: what this one kept is read from its file
  ASSERT_TRUE(window.settle());
  EXPECT_TRUE(has_missed(window.session(), race)) << "it is kept";
  window.book().open(race);
  ASSERT_TRUE(window.settle());
  window.session().lesson().guesses["got"].answers.push_back(told(window.session(), 3200, 3200));
  EXPECT_FALSE(has_missed(window.session(), race)) << "the newest one counts";
}

}  // namespace
}  // namespace warpbook::test
