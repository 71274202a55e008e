// Exercises: every folder is whole; what a learner begins with does not pass, and the solution does. Damaged tasks are said.
#include "lessons/exercise.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "lessons/catalog.h"
#include "lessons/check.h"
#include "lessons/dry_run.h"
#include "lessons/page.h"
#include "lessons/progress.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

TEST(Exercises, AreFoundByIdAndByLesson) {
  ASSERT_TRUE(all_exercises()) << all_exercises().error().message;
  const auto square = find_exercise("square");
  ASSERT_TRUE(square) << square.error().message;
  EXPECT_EQ((*square)->lesson, find_lesson("01"));
  EXPECT_EQ(*find_exercise("01/square"), *square);
  EXPECT_EQ(*find_exercise("01_first_kernel/square"), *square);
  EXPECT_EQ(find_lesson("01_first_kernel/square"), &(*square)->as_lesson);
  EXPECT_EQ(exercises_of(*find_lesson("01")), (std::vector{*find_exercise("number_them"), *square}));
  EXPECT_TRUE(exercises_of(*find_lesson("playground")).empty());
}

TEST(Exercises, StandAsTheirPageNamesThemTheEasiestFirst) {
  std::vector<std::string> ids;
  for (const Exercise* exercise : exercises_of(*find_lesson("02"))) ids.push_back(exercise->id);
  EXPECT_EQ(ids, (std::vector<std::string>{"shift", "gray", "pitch", "volume_slice"}));
}

TEST(Exercises, AnUnknownNameIsAnsweredWithThoseThatThereAre) {
  for (const char* const name : {"", "squares", "07/square", "squar"}) {
    const auto found = find_exercise(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, "unknown_exercise");
    EXPECT_NE(found.error().message.find("square"), std::string::npos);
  }
}

class EveryExercise : public ::testing::TestWithParam<const Exercise*> {
 protected:
  [[nodiscard]] const Exercise& exercise() const { return *GetParam(); }
  [[nodiscard]] Result<CheckReport> check_file(const fs::path& file) const {
    return check(testing::virtual_gpu(), exercise(), {.file = file.filename().string(), .text = *read_text(file)});
  }
};

TEST_P(EveryExercise, HasItsFilesAndNoOther) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(exercise().folder)) files.insert(entry.path().filename().string());
  std::set<std::string> wanted{start_file(exercise()).filename().string(), solution_file(exercise()).filename().string(),
                               "task.toml", "text.en.md"};
  if (exercise().kind == ExerciseKind::choose) wanted.insert("kernel.cu");
  EXPECT_EQ(files, wanted);
}

TEST_P(EveryExercise, HasLinesThatFitTheEditor) {
  constexpr std::size_t columns = 52;  // of a bench beside its page, at 1440 pixels
  for (const fs::path& file : {start_file(exercise()), solution_file(exercise())}) {
    std::istringstream lines(*read_text(file));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), columns) << file << ": " << line;
  }
}

TEST_P(EveryExercise, StandsOnItsLessonsPageUnderMake) {
  const Lesson& lesson = *exercise().lesson;
  const auto page = parse_page(*page_text(lesson), lesson);
  ASSERT_TRUE(page) << page.error().message;
  std::string stage;
  int found = 0;
  for (const Block& block : page->blocks) {
    if (block.kind == Block::Kind::stage) stage = block.name;
    if (block.kind != Block::Kind::exercise || block.name != exercise().id) continue;
    ++found;
    EXPECT_EQ(stage, "make");
  }
  EXPECT_EQ(found, 1);
}

TEST_P(EveryExercise, HasAPageOfItsOwnInAFewSentences) {
  const Lesson& lesson = exercise().as_lesson;
  const auto text = page_text(lesson);
  ASSERT_TRUE(text) << text.error().message;
  const auto page = parse_page(*text, lesson);
  ASSERT_TRUE(page) << page.error().message;
  std::vector<std::string> views;
  std::size_t prose = 0;
  for (const Block& block : page->blocks) {
    if (block.kind == Block::Kind::view) views.push_back(block.name);
    for (const Span& span : block.spans) prose += span.text.size();
  }
  EXPECT_EQ(views, lesson.views);
  EXPECT_GT(prose, 80U);
  EXPECT_LT(prose, 900U + 500U * exercise().questions.size());
}

TEST_P(EveryExercise, StartsWithAKernelThatCompilesAndDoesNotPass) {
  const auto report = check_file(start_file(exercise()));
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_FALSE(report->compile_failure) << report->compile_failure->message << report->compile_failure->log;
  EXPECT_FALSE(report->all_passed());
  if (!launches(exercise())) return;
  gpu::Source source;
  source.text = *read_text(is_compiled(exercise()) ? start_file(exercise()) : exercise().folder / "kernel.cu");
  const auto program = testing::virtual_gpu().compile(source);
  ASSERT_TRUE(program);
  for (const gpu::Diagnostic& warning : (*program)->warnings) ADD_FAILURE() << warning.message;
}

TEST_P(EveryExercise, PassesWithItsSolution) {
  const auto report = check_file(solution_file(exercise()));
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_FALSE(report->compile_failure) << report->compile_failure->log;
  ASSERT_EQ(report->cases.size(), rows_of(exercise()));
  for (const CheckReport::Case& each : report->cases) {
    EXPECT_EQ(name_of(each.verdict), "passed") << each.name << ": " << each.message;
    EXPECT_EQ(each.launched, launches(exercise()));
    if (!each.launched) continue;
    EXPECT_TRUE(each.report.observed[gpu::FindingKind::race] == gpu::Observation::none_found) << "watched";
    EXPECT_LT(each.report.run_ms, exercise().seconds * 1000 / 4) << "a slow machine has to pass, too";
  }
  EXPECT_EQ(next_step(*report), "");
}

TEST_P(EveryExercise, HasHintsInThreeStepsForWhatItsLearnersGetWrong) {
  std::set<std::string> spoken_of;
  const auto look = [&](const std::vector<Hint>& hints) {
    for (const Hint& hint : hints) {
      EXPECT_EQ(hint.steps.size(), 3U) << hint.steps.front() << ": a nudge, where, how";
      spoken_of.insert(hint.when);
    }
  };
  look(exercise().hints);
  for (const Exercise::Case& each : exercise().cases) look(each.hints);
  EXPECT_FALSE(spoken_of.empty());
  if (!is_compiled(exercise())) return;
  for (const char* const when : {"race", "memory", "unwritten", "too_slow"}) EXPECT_TRUE(spoken_of.contains(when)) << when;
}

TEST_P(EveryExercise, IsALessonWhoseRunIsTheCheck) {
  const Lesson& lesson = exercise().as_lesson;
  EXPECT_EQ(lesson.exercise, GetParam());
  EXPECT_TRUE(lesson.watched);
  EXPECT_EQ(folder_of(lesson), fs::path(exercise().lesson->id) / "exercises" / exercise().id);
  const std::string start = *kernel_text(lesson);
  EXPECT_EQ(start, *read_text(start_file(exercise())));
  Host host(testing::virtual_gpu(), {.kernel_file = lesson.kernel_file, .kernel_text = start, .defines = {}});
  const auto outcome = lesson.run(host, Values::defaults(lesson.controls), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->figures.size(), 1U);
  ASSERT_EQ(view_of(outcome->figures.front()), "checks");
  const auto& rows = std::get<Checks>(outcome->figures.front()).rows;
  const std::size_t anew = exercise().kind == ExerciseKind::kernel ? 1 : 0;
  ASSERT_EQ(rows.size(), rows_of(exercise()) + anew);
  const auto passed =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.verdict == Checks::Verdict::passed; });
  ASSERT_EQ(outcome->numbers.front().name, "passed");
  EXPECT_EQ(outcome->numbers.front().value, static_cast<double>(passed));
  EXPECT_FALSE(outcome->note.empty());
  const DryRun dry = dry_run(lesson, {}, start, testing::virtual_gpu().info(), host.program());
  EXPECT_FALSE(dry.problem.empty());
}

TEST_P(EveryExercise, IsRememberedApartFromItsLesson) {
  const fs::path folder = fs::temp_directory_path() / ("warpbook_exercises_" + std::to_string(getpid()));
  const Progress progress(folder);
  const Lesson& lesson = exercise().as_lesson;
  const Kept kept{.values = Values::defaults(lesson.controls), .kernel = "// mine", .ran = true, .passed = true};
  ASSERT_TRUE(progress.save(lesson, kept));
  EXPECT_EQ(*progress.load(lesson), kept);
  EXPECT_FALSE(progress.load(*exercise().lesson)->kernel);
  fs::remove_all(folder);

  const auto page = *parse_page(*page_text(*exercise().lesson), *exercise().lesson);
  std::set<std::string> all;
  for (const Exercise* each : exercises_of(*exercise().lesson)) all.insert(each->id);
  const auto make_is_done = [&](const std::set<std::string>& passed) {
    const auto stages = stages_of(page, done_of(page, {}, passed));
    EXPECT_EQ(stages.back().name, "make");
    return stages.back().done;
  };
  EXPECT_TRUE(make_is_done(all));
  all.erase(exercise().id);
  EXPECT_FALSE(make_is_done(all));
}

class ATask : public ::testing::Test {
 protected:
  ATask() { fs::create_directories(folder_); }
  ~ATask() override { fs::remove_all(folder_.parent_path()); }
  Result<Exercise> read(const std::string& task) {
    std::ofstream(folder_ / "task.toml") << task;
    return read_exercise(*find_lesson("01"), folder_);
  }
  fs::path folder_ = fs::temp_directory_path() / ("warpbook_task_" + std::to_string(getpid())) / "twice";
};

const std::string good_head = "title = \"Twice\"\nkernel = \"twice\"\n";
const std::string good_case =
    "[[case]]\nname = \"one\"\ngrid = [2, 3]\nblock = [4]\narguments = [\"int32[8]=iota\", \"int32=8\"]\n";

TEST_F(ATask, IsReadWithWhatMayBeLeftOut) {
  const auto least = read(good_head + good_case);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_EQ(least->id, "twice");
  EXPECT_EQ(least->lesson, find_lesson("01"));
  EXPECT_EQ(least->tolerance, 0);
  EXPECT_EQ(least->forbidden.size(), 4U);
  ASSERT_EQ(least->cases.size(), 1U);
  EXPECT_EQ(least->cases[0].grid, (gpu::Dim3{2, 3, 1}));
  EXPECT_EQ(least->cases[0].block, (gpu::Dim3{4, 1, 1}));
  EXPECT_EQ(least->cases[0].arguments[0].shape, std::vector<std::size_t>{8});
  EXPECT_TRUE(least->cases[0].hints.empty());
  EXPECT_TRUE(least->hints.empty());

  const auto more = read(good_head + "tolerance = 1e-3\nalso = [\"banks\"]\n" + good_case + "shared = 64\nhint = \"Look.\"\n");
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->tolerance, 1e-3);
  EXPECT_EQ(more->forbidden.back(), gpu::FindingKind::banks);
  EXPECT_EQ(more->cases[0].shared_bytes, 64U);
  ASSERT_EQ(more->cases[0].hints.size(), 1U);
  EXPECT_EQ(more->cases[0].hints[0].steps, std::vector<std::string>{"Look."});
  EXPECT_EQ(more->cases[0].hints[0].when, "");

  EXPECT_EQ(least->seconds, case_seconds);
  EXPECT_EQ(read(good_head + "seconds = 0.5\n" + good_case)->seconds, 0.5);

  EXPECT_FALSE(least->limits.any());
  const auto limited = read(good_head + "[limits]\ntime = 1.2\nbank_conflicts = 0\nprofile = \"A40\"\n" + good_case);
  ASSERT_TRUE(limited) << limited.error().message;
  EXPECT_EQ(limited->limits[Limit::time], 1.2);
  EXPECT_EQ(limited->limits[Limit::bank_conflicts], 0);
  EXPECT_EQ(limited->limits[Limit::sectors], std::nullopt);
  EXPECT_EQ(limited->limits.profile, "A40");
}

TEST_F(ATask, HasHintsInSteps) {
  const auto list = read(good_head + good_case + "hint = [\"Look.\", \"Look there.\"]\n");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->cases[0].hints.at(0).steps, (std::vector<std::string>{"Look.", "Look there."}));

  const auto tables =
      read(good_head + "[[hint]]\nwhen = \"race\"\nspace = \"shared\"\nsame_block = true\nsteps = \"Wait.\"\n" + good_case +
           "[[case.hint]]\nwhen = \"too_large\"\nelement = 0\nwrong = \"all\"\nsteps = [\"{element}?\"]\n" +
           "[[case.hint]]\nwrong = 3\nsteps = [\"All of it.\"]\n" +
           "[[case.hint]]\nwhen = \"too_large\"\nsteps = [\"The others.\"]\n");
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->hints.size(), 1U);
  EXPECT_EQ(tables->hints[0].when, "race");
  EXPECT_EQ(tables->hints[0].space, "shared");
  EXPECT_EQ(tables->hints[0].same_block, true);
  ASSERT_EQ(tables->cases[0].hints.size(), 3U);
  EXPECT_EQ(tables->cases[0].hints[0].element, 0U);
  EXPECT_TRUE(tables->cases[0].hints[0].all_wrong);
  EXPECT_EQ(tables->cases[0].hints[1].wrong, 3U);
  EXPECT_EQ(tables->cases[0].hints[1].when, "");
}

TEST_F(ATask, ThatIsDamagedIsSaidWithFileAndLine) {
  struct {
    std::string task;
    int line;
    std::string words;
  } const damaged[] = {
      {"title = \"Twice\nkernel = \"twice\"\n" + good_case, 1, ""},  // no TOML
      {good_head, 1, "[[case]]"},
      {good_head + "case = 3\n", 3, "[[case]]"},
      {"kernel = \"twice\"\n" + good_case, 1, "title is missing"},
      {"title = 3\nkernel = \"twice\"\n" + good_case, 1, "title is words"},
      {good_head + "tolerence = 1e-3\n" + good_case, 3, "'tolerence' means nothing here"},
      {good_head + "tolerance = -1\n" + good_case, 3, "tolerance is a number"},
      {good_head + "tolerance = \"0\"\n" + good_case, 3, "tolerance is a number"},
      {good_head + "seconds = 0\n" + good_case, 3, "seconds is a number above 0"},
      {good_head + "seconds = 60\n" + good_case, 3, "up to 5"},
      {good_head + "also = [\"races\"]\n" + good_case, 3, "'races'"},
      {good_head + "also = \"banks\"\n" + good_case, 3, "a list"},
      {good_head + "limits = 3\n" + good_case, 3, "limits is a table"},
      {good_head + "[limits]\nsector = 1\n" + good_case, 4, "'sector' is no limit"},
      {good_head + "[limits]\nsectors = -1\n" + good_case, 4, "sectors is a number from 0 on"},
      {good_head + "[limits]\ntime = \"fast\"\n" + good_case, 4, "time is a number from 0 on"},
      {good_head + "[limits]\nprofile = 40\ntime = 1\n" + good_case, 4, "profile is words"},
      {"kind = \"choose\"\n" + good_head + "[limits]\nsectors_of_start = 0.5\n" +
           "[[case]]\nname = \"one\"\ngrid = [\"blocks\"]\nblock = [4]\narguments = [\"int32=8\"]\n",
       4, "writes none"},
      {good_head + good_case + good_case, 8, "this name already"},
      {good_head + "[[case]]\nname = \"one\"\n", 3, "grid is missing"},
      {good_head + good_case + "hints = \"Look.\"\n", 8, "'hints' means nothing here"},
      {good_head + good_case + "hint = \"\"\n", 8, "hint is words"},
      {good_head + good_case + "hint = []\n", 8, "hint has no step"},
      {good_head + good_case + "hint = [\"Look.\", 3]\n", 8, "hint is words"},
      {good_head + good_case + "hint = [\"In {lines}.\"]\n", 8, "{lines} means nothing here"},
      {good_head + good_case + "[[case.hint]]\nwhen = \"rase\"\nsteps = [\"a\"]\n", 9, "'rase' is no failure"},
      {good_head + good_case + "[[case.hint]]\nwhen = \"race\"\n", 8, "steps is missing"},
      {good_head + good_case +
           "[[case.hint]]\nwhen = \"wrong\"\nsteps = [\"a\"]\n[[case.hint]]\nwhen = \"unwritten\"\nsteps = [\"b\"]\n",
       11, "never shown"},
      {good_head + "[[hint]]\nsteps = [\"a\"]\nsame_block = 1\n" + good_case, 5, "true or false"},
      {good_head + "[[hint]]\nstep = [\"a\"]\n" + good_case, 4, "'step' means nothing here"},
      {good_head + good_case + "shared = -4\n", 8, "from 0 on"},
      {good_head + "[[case]]\nname = \"one\"\ngrid = [0]\nblock = [4]\narguments = []\n", 5, "from 1 on"},
      {good_head + "[[case]]\nname = \"one\"\ngrid = [1, 1, 1, 1]\nblock = [4]\narguments = []\n", 5, "one to three numbers"},
      {good_head + "[[case]]\nname = \"one\"\ngrid = [1]\nblock = 4\narguments = []\n", 6, "one to three numbers"},
      {good_head + "[[case]]\nname = \"one\"\ngrid = [1]\nblock = [4]\narguments = [\n  \"int32=8\",\n  \"int33=8\"\n]\n", 9,
       "int33"},
      {good_head + "[[case]]\nname = \"one\"\ngrid = [1]\nblock = [4]\n", 3, "arguments is a list"},
  };
  for (const auto& [task, line, words] : damaged) {
    SCOPED_TRACE(task);
    const auto exercise = read(task);
    ASSERT_FALSE(exercise);
    EXPECT_EQ(exercise.error().code, "bad_task");
    EXPECT_NE(exercise.error().message.find("twice/task.toml, line " + std::to_string(line) + ": "), std::string::npos)
        << exercise.error().message;
    EXPECT_NE(exercise.error().message.find(words), std::string::npos) << exercise.error().message;
  }
}

TEST_F(ATask, WhoseSolutionIsAtFaultIsNotBlamedOnTheLearner) {
  struct {
    const char *solution, *words;
  } const faults[] = {
      {"__global__ void twice(int* x, int n) { x[threadIdx.x] = y; }", "y"},
      {"__global__ void thrice(int* x, int n) {}", "no kernel 'twice'"},
      {"__global__ void twice(float* x, int n) {}", "case 'one'"},
      {"__global__ void twice(int* x, int n) { asm(\"trap;\"); }", "trap"},
  };
  auto exercise = read(good_head + good_case);
  ASSERT_TRUE(exercise);
  for (const auto& [solution, words] : faults) {
    std::ofstream(folder_ / "solution.cu") << solution;
    const auto report =
        check(testing::virtual_gpu(), *exercise, {.file = "mine.cu", .text = "__global__ void twice(int* x, int n) {}"});
    ASSERT_FALSE(report) << solution;
    EXPECT_EQ(report.error().code, "bad_task");
    EXPECT_NE(report.error().message.find(words), std::string::npos) << report.error().message;
  }
}

std::vector<const Exercise*> every_exercise() {
  std::vector<const Exercise*> all;
  if (!all_exercises()) return all;  // the first test says why
  for (const Exercise& exercise : *all_exercises()) all.push_back(&exercise);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Exercises, EveryExercise, ::testing::ValuesIn(every_exercise()),
                         [](const auto& exercise) { return exercise.param->id; });

}  // namespace
}  // namespace warpbook::lessons
