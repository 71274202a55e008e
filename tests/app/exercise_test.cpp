// Exercises in the window: from the lesson's page to a kernel that passes, and what is kept of it.
#include "lessons/exercise.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "lessons/catalog.h"
#include "lessons/progress.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

constexpr std::string_view right = R"(extern "C" __global__ void square(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
)";

class ExerciseInTheWindow : public testing::Test {
 protected:
  explicit ExerciseInTheWindow(const app::NvidiaGpus& gpus = {.found = {}, .none = "none", .why = ""}) : window_(1440, 900, gpus) {
    EXPECT_TRUE(window_.settle());
  }
  [[nodiscard]] const lessons::Lesson& exercise() const { return (*lessons::find_exercise("square"))->as_lesson; }
  void open() {
    ASSERT_TRUE(window_.click("exercise/square"));
    ASSERT_TRUE(window_.settle());
    ASSERT_EQ(window_.session().open, &exercise());
  }
  void write(std::string_view kernel) {
    app::EditorText& text = window_.session().lesson().text;
    text.select_all();
    text.insert(kernel);
    window_.book().text_changed();
    ASSERT_TRUE(window_.settle());
  }
  void check() {
    ASSERT_TRUE(window_.click("run"));
    ASSERT_TRUE(window_.settle());
  }
  [[nodiscard]] bool made() {
    const auto stages = stages_of(window_.session(), *lessons::find_lesson("01"));
    return stages.back().name == "make" && stages.back().done;
  }

  Headless window_;
};

TEST_F(ExerciseInTheWindow, IsWrittenCheckedAndPassed) {
  open();
  window_.click("tab/solution");
  EXPECT_EQ(window_.find("solution_code"), nullptr) << "before the first try";
  window_.click("tab/kernel");
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], 0);
  EXPECT_NE(window_.find("view/checks"), nullptr);
  EXPECT_FALSE(made());
  window_.click("tab/solution");
  window_.frame();
  EXPECT_NE(window_.find("solution_code"), nullptr);
  window_.click("tab/kernel");

  write(right);
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], window_.state()["numbers"]["cases"]);
  EXPECT_FALSE(made()) << "the lesson has another one";
  window_.session().passed.insert("number_them");
  EXPECT_TRUE(made());
  EXPECT_TRUE(window_.wait([&] {
    const auto kept = lessons::Progress(window_.session().kept_in).load(exercise());
    return kept && kept->passed && kept->kernel == right;
  }));

  ASSERT_TRUE(window_.click("exercise/back"));
  EXPECT_EQ(window_.session().open, lessons::find_lesson("01"));
  write(lessons::kernel_text(*lessons::find_lesson("01")).value() + "\n");
  open();
  EXPECT_EQ(window_.session().lesson().text.str(), right) << "another text than the lesson's";
}

TEST_F(ExerciseInTheWindow, ALaunchThatFailsIsACaseThatFails) {
  open();
  write(R"(extern "C" __global__ void square(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * in[i];
}
)");
  check();
  const app::LessonState& state = window_.session().lesson();
  ASSERT_NE(state.shown, nullptr);
  EXPECT_FALSE(state.failed()) << "the check itself has an answer";
  const double passed = window_.state()["numbers"]["passed"], cases = window_.state()["numbers"]["cases"];
  EXPECT_GT(passed, 0) << "the first case has a thread an element";
  EXPECT_LT(passed, cases);
  ASSERT_FALSE(state.observed()->report.findings.empty());
  EXPECT_EQ(state.observed()->report.findings.front().at.line, 4U) << "in the editor's gutter";
}

TEST_F(ExerciseInTheWindow, HintsAreAskedForOneByOne) {
  open();
  check();
  const auto steps = [&] {
    int asked = 0;
    while (window_.find("checks/next_hint") != nullptr && asked < 9) {
      EXPECT_TRUE(window_.click("checks/next_hint"));
      ++asked;
    }
    return asked;
  };
  EXPECT_EQ(steps(), 2) << "the first of three is told";
  check();
  EXPECT_EQ(steps(), 0) << "the same failure: what was told is not taken back";
  write(R"(extern "C" __global__ void square(const float* in, float* out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
)");
  check();
  EXPECT_EQ(steps(), 2) << "another failure begins with its nudge";
}

TEST_F(ExerciseInTheWindow, StagesLeadBackToTheLesson) {
  open();
  ASSERT_TRUE(window_.click("stage/look"));
  ASSERT_TRUE(window_.settle());
  EXPECT_EQ(window_.session().open, lessons::find_lesson("01"));
  open();
  ASSERT_TRUE(window_.click("rail/01"));
  EXPECT_EQ(window_.session().open, lessons::find_lesson("01"));
}

TEST_F(ExerciseInTheWindow, IsThereAgainAfterTheWindowWasClosed) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("warpbook_exercise_" + std::to_string(::getpid()));
  const lessons::Progress progress(folder);
  ASSERT_TRUE(progress.save(exercise(), {.kernel = std::string(right), .ran = true, .passed = true}));
  app::Session session = app::make_session(*lessons::find_lesson("01"), app::Appearance::dark);
  app::Workbook book(session, {.device = {.profile = "T4", .gpu = {}}, .wake = {}, .make_device = {}}, folder);
  EXPECT_TRUE(session.passed.contains("square"));
  book.open(exercise());
  EXPECT_EQ(session.lesson().text.str(), right);
  std::filesystem::remove_all(folder);
}

class AnswersInTheWindow : public ExerciseInTheWindow {
 protected:
  void open_it(const char* lesson, const char* id) {
    window_.book().open(*lessons::find_lesson(lesson));
    ASSERT_TRUE(window_.settle());
    window_.book().open((*lessons::find_exercise(id))->as_lesson);
    ASSERT_TRUE(window_.settle());
  }
};

TEST_F(AnswersInTheWindow, AQuizIsAnsweredAndPassed) {
  open_it("05", "about_races");
  const app::LessonState& state = window_.session().lesson();
  ASSERT_NE(state.compiled, nullptr);
  EXPECT_FALSE(state.compiled->failure) << "no compiler has seen it";
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], 0);
  EXPECT_EQ(window_.state()["numbers"]["cases"], 5);
  EXPECT_NE(window_.find("view/checks"), nullptr);
  EXPECT_EQ(window_.find("report/race"), nullptr) << "there is no launch to report of";

  write("1 = b\n2 = z\n");
  ASSERT_TRUE(state.compiled->failure);
  EXPECT_EQ(state.compiled->failure->diagnostics.at(0).line, 2) << "in the editor's gutter";
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], 0) << "the last check's";

  write("1 = b\n2 = c\n3 = b\n4 = 1\n5 = b\n");
  EXPECT_FALSE(state.compiled->failure);
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], 4);
  EXPECT_FALSE(window_.session().passed.contains("about_races"));
  write("1 = b\n2 = c\n3 = a\n4 = 1\n5 = b\n");
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], 5);
  EXPECT_TRUE(window_.session().passed.contains("about_races"));
  EXPECT_TRUE(window_.wait([&] {
    const auto kept = lessons::Progress(window_.session().kept_in).load(*window_.session().open);
    return kept && kept->passed && kept->kernel == "1 = b\n2 = c\n3 = a\n4 = 1\n5 = b\n";
  }));
}

TEST_F(AnswersInTheWindow, LinesAreMarkedAndTheProgramIsNotCompiled) {
  open_it("06", "missing_barriers");
  const app::LessonState& state = window_.session().lesson();
  const auto& exercise = **lessons::find_exercise("missing_barriers");
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], 0);
  write("int main() {}\n");
  ASSERT_TRUE(state.compiled->failure);
  EXPECT_EQ(state.compiled->failure->diagnostics.at(0).line, 1);
  write(*lessons::read_text(solution_file(exercise)));
  EXPECT_FALSE(state.compiled->failure);
  check();
  EXPECT_EQ(window_.state()["numbers"]["passed"], 2);
  EXPECT_TRUE(window_.session().passed.contains("missing_barriers"));
}

class ExerciseBesideAGpu : public ExerciseInTheWindow {
 protected:
  ExerciseBesideAGpu() : ExerciseInTheWindow({.found = {{.name = "NVIDIA H200", .problem = {}}}, .none = {}, .why = {}}) {}
};

TEST_F(ExerciseBesideAGpu, IsCheckedWhereItIsWatched) {
  window_.book().choose_device({.profile = "T4", .gpu = 0});
  ASSERT_TRUE(window_.settle());
  open();
  check();
  ASSERT_NE(window_.session().lesson().shown, nullptr);
  EXPECT_FALSE(window_.session().lesson().shown->on_gpu);
  EXPECT_NE(window_.session().lesson().observed()->report.observed[gpu::FindingKind::race], gpu::Observation::not_observed);
  EXPECT_EQ(window_.session().chosen.gpu, 0) << "the choice stands";
}

}  // namespace
}  // namespace warpbook::test
