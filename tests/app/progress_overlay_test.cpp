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

/// The number that the first lesson asks for, as a run gave it.
lessons::Answer told(const app::Session& session, double guessed, double found) {
  return {
      .settings = session.lessons.at(session.open->id).values, .value = guessed, .found = lessons::Answer::Found{.value = found}};
}

TEST(YourProgress, AWrongPredictionIsWorthToBeAskedAgainUntilItIsRight) {
  Headless window;
  ASSERT_TRUE(window.settle());
  const lessons::Lesson& first = *window.session().open;
  EXPECT_FALSE(has_missed(window.session(), first)) << "not asked yet";
  auto& answers = window.session().lesson().guesses["written"].answers;
  answers.push_back(told(window.session(), 4096, 3200));
  EXPECT_TRUE(has_missed(window.session(), first));
  window.book().open(*lessons::find_lesson("05"));
  ASSERT_TRUE(window.settle());
  window.reopen();  // in lesson 05: what the first one kept is read from its file
  ASSERT_TRUE(window.settle());
  EXPECT_TRUE(has_missed(window.session(), first)) << "it is kept";
  window.book().open(first);
  ASSERT_TRUE(window.settle());
  window.session().lesson().guesses["written"].answers.push_back(told(window.session(), 3200, 3200));
  EXPECT_FALSE(has_missed(window.session(), first)) << "the newest one counts";
}

}  // namespace
}  // namespace warpbook::test
