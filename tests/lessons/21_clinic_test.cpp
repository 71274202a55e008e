// Lesson 21: each broken kernel shows what its author saw and what the checker finds, and the mended one is right and clean; so do
// the starts of its exercises, and their solutions. What is right is computed here from the words above each kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "lessons/21_clinic/broken_kernels.h"
#include "lessons/check.h"
#include "lessons/exercise.h"
#include "tests/lessons/holds.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRunOnce;
using testing::number;

using Integers = std::vector<std::int64_t>;
using Kinds = std::set<std::string>;

class Clinic : public LessonRunOnce {
 protected:
  Clinic() : LessonRunOnce("21") {}

  [[nodiscard]] const Outcome& of(std::string_view id, bool mended = false) {
    return run({{"kernel", std::string(id)}, {"mended", mended ? "on" : "off"}});
  }
};

Kinds kinds_of(const gpu::LaunchReport& report) {
  Kinds kinds;
  for (const gpu::Finding& finding : report.findings) kinds.insert(std::string(gpu::name_of(finding.kind)));
  return kinds;
}

Integers input_of(std::string_view id) {
  for (const BrokenKernel& kernel : broken_kernels()) {
    if (kernel.id != id) continue;
    const auto x = values_of(kernel);
    return {x.begin(), x.end()};
  }
  ADD_FAILURE() << "no kernel " << id;
  return {};
}

/// What a kernel was meant to store, element by element.
Integers wanted(std::string_view id, const Integers& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto at = [&](std::int64_t i) { return x[static_cast<std::size_t>((i + n) % n)]; };
  const std::int64_t sum = std::accumulate(x.begin(), x.end(), std::int64_t{0});
  const std::int64_t block = id == "tail" || id == "misaligned" ? 250 : 256;
  Integers out;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t opposite = at(i / block * block + block - 1 - i % block);
    const auto begin = x.begin() + i / block * block;
    if (id == "index") out.push_back(at(i) + at(i));
    if (id == "barrier") out.push_back(opposite);
    if (id == "branch") out.push_back(i % 256 > 0 ? at(i) - at(i - 1) : 0);
    if (id == "beyond") out.push_back(i + 1 < n ? at(i) + at(i + 1) : at(i));
    if (id == "swapped") out.push_back(256 - at(i));
    if (id == "overflow") out.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(at(i)) * 1000 / 4096)));
    if (id == "grid") out.push_back(1'000'000 * at(i) / sum);
    if (id == "misaligned") out.push_back(opposite % 2 == 1 ? 0 : opposite);
    if (id == "halo") out.push_back(at(i - 2) + 2 * at(i - 1) + 3 * at(i) + 2 * at(i + 1) + at(i + 2));
    if (id == "reused") out.push_back(*std::max_element(begin, begin + 256) - *std::min_element(begin, begin + 256));
    if ((id == "unset" || id == "tail") && i % block == 0) out.push_back(std::accumulate(begin, begin + block, std::int64_t{0}));
  }
  return out;
}

TEST_F(Clinic, WhatIsExpectedIsWhatTheKernelWasMeantToStore) {
  for (const BrokenKernel& kernel : broken_kernels()) {
    const Integers right = wanted(kernel.id, input_of(kernel.id));
    EXPECT_EQ(right.size(), kernel.results) << kernel.id;
    const Curves& curves = testing::figure<Curves>(of(kernel.id, true));
    ASSERT_EQ(curves.expected.size(), right.size()) << kernel.id;
    for (std::size_t i = 0; i < right.size(); ++i) {
      ASSERT_EQ(curves.expected[i], static_cast<float>(right[i])) << kernel.id << ", " << i;
      ASSERT_EQ(curves.got[i], static_cast<float>(right[i])) << kernel.id << ", mended, " << i;
    }
  }
}

TEST_F(Clinic, EachMendedKernelIsRightAndClean) {
  for (const BrokenKernel& kernel : broken_kernels()) {
    const Outcome& outcome = of(kernel.id, true);
    EXPECT_EQ(number(outcome, "wrong"), 0) << kernel.id;
    EXPECT_EQ(number(outcome, "findings"), 0) << kernel.id;
    EXPECT_EQ(number(outcome, "ended"), 1) << kernel.id;
    EXPECT_EQ(number(outcome, "answers_error"), 0) << kernel.id;
    EXPECT_EQ(outcome.report.observed[gpu::FindingKind::race], gpu::Observation::none_found) << kernel.id;
    EXPECT_EQ(outcome.note, "All results are right, and nothing was found.") << kernel.id;
    const Checks& checks = testing::figure<Checks>(outcome);
    EXPECT_EQ(checks.title, "The kernel as it was written, and mended") << "these are no cases of an exercise, which pass";
    ASSERT_EQ(checks.rows.size(), 2U);
    EXPECT_NE(checks.rows[0].verdict, Checks::Verdict::passed) << kernel.id << " is not broken";
    EXPECT_EQ(checks.rows[1].verdict, Checks::Verdict::passed) << kernel.id << ": " << checks.rows[1].message;
    EXPECT_EQ(number(of(kernel.id), "mended_wrong") + number(of(kernel.id), "mended_findings"), 0) << kernel.id;
  }
}

TEST_F(Clinic, EverySymptomStandsAboveItsKernelAndOnThePage) {
  const auto page = page_text(lesson());
  ASSERT_TRUE(page);
  for (const BrokenKernel& kernel : broken_kernels()) {
    const std::string symptom(kernel.symptom);
    EXPECT_TRUE(holds(LessonRunOnce::kernel(), "// Author: " + symptom + "\n")) << symptom;
    EXPECT_TRUE(holds(*page, ". " + symptom + " |")) << symptom;
    EXPECT_TRUE(holds(of(kernel.id).note, symptom)) << symptom;
  }
}

// The page's table, row by row: which kinds are found, and how many results are wrong.
TEST_F(Clinic, EachBrokenKernelShowsWhatThePageSays) {
  const Integers large = input_of("overflow");
  const auto too_large = std::count_if(large.begin(), large.end(), [](std::int64_t value) { return 1000 * value > 2'147'483'647; });
  struct {
    const char* id;
    Kinds kinds;
    double wrong;
  } const rows[] = {{"index", {"race"}, 768}, {"branch", {"sync"}, 0}, {"beyond", {"memory"}, 3},
                    {"unset", {"init"}, 3},   {"swapped", {}, 512},    {"overflow", {}, static_cast<double>(too_large)},
                    {"tail", {}, 4},          {"grid", {}, 1024},      {"halo", {}, 32}};
  for (const auto& row : rows) {
    const Outcome& outcome = of(row.id);
    EXPECT_EQ(kinds_of(outcome.report), row.kinds) << row.id;
    EXPECT_EQ(number(outcome, "findings"), static_cast<double>(row.kinds.size())) << row.id;
    EXPECT_EQ(number(outcome, "wrong"), row.wrong) << row.id;
  }
  EXPECT_EQ(kinds_of(of("barrier").report), (Kinds{"init", "race"}));
  EXPECT_GT(number(of("barrier"), "wrong"), 400) << "the half that is read too early holds what the last block has left";
  EXPECT_LE(number(of("barrier"), "wrong"), 512);
  EXPECT_EQ(kinds_of(of("misaligned").report), Kinds{"memory"});
  EXPECT_EQ(kinds_of(of("reused").report), Kinds{"race"});
  EXPECT_GT(number(of("reused"), "wrong"), 0);
}

TEST_F(Clinic, SevenAreFoundFourAreOnlyWrongAndOneDoesNotEnd) {
  int found = 0, only_wrong = 0, endless = 0, right = 0;
  for (const BrokenKernel& kernel : broken_kernels()) {
    const Outcome& outcome = of(kernel.id);
    endless += number(outcome, "ended") == 0 ? 1 : 0;
    found += number(outcome, "findings") > 0 ? 1 : 0;
    only_wrong += number(outcome, "ended") == 1 && number(outcome, "findings") == 0 && number(outcome, "wrong") > 0 ? 1 : 0;
    right += number(outcome, "wrong") == 0 ? 1 : 0;
  }
  EXPECT_EQ(found, 7);
  EXPECT_EQ(only_wrong, 4);
  EXPECT_EQ(endless, 1);
  EXPECT_EQ(right, 1) << "although it breaks a rule";
}

/// The elements in which the chosen kernel is wrong.
std::set<std::size_t> wrong_elements(const Outcome& outcome) {
  const Curves& curves = testing::figure<Curves>(outcome);
  std::set<std::size_t> wrong;
  for (std::size_t i = 0; i < curves.got.size(); ++i) {
    if (curves.got[i] != curves.expected[i]) wrong.insert(i);
  }
  return wrong;
}

TEST_F(Clinic, TheWrongElementsFollowTheRuleThatThePageNames) {
  for (const std::size_t i : wrong_elements(of("index"))) EXPECT_GE(i, 256U);
  for (const std::size_t i : wrong_elements(of("beyond"))) EXPECT_EQ(i % 256, 255U);
  EXPECT_EQ(wrong_elements(of("unset")), (std::set<std::size_t>{1, 2, 3})) << "the first block is right";
  for (const std::size_t i : wrong_elements(of("swapped"))) EXPECT_GE(i % 48, 32U);
  for (const std::size_t i : wrong_elements(of("halo"))) EXPECT_TRUE(i % 64 == 0 || i % 64 == 63) << i;
  const Curves& overflow = testing::figure<Curves>(of("overflow"));
  EXPECT_LT(*std::min_element(overflow.got.begin(), overflow.got.end()), 0);
  const Curves& tail = testing::figure<Curves>(of("tail"));
  for (std::size_t i = 0; i < tail.got.size(); ++i) EXPECT_LT(tail.got[i], tail.expected[i]);
  for (const std::size_t i : wrong_elements(of("barrier"))) EXPECT_LT(i % 256, 128U) << "the first warps ran before the last ones";
}

TEST_F(Clinic, WhatDoesNotEndIsStoppedSoonAndSaysWhere) {
  const Outcome& outcome = of("grid");
  EXPECT_EQ(outcome.report.status, "cudaErrorLaunchTimeout");
  EXPECT_LT(outcome.seconds, 3);
  ASSERT_TRUE(outcome.report.stopped);
  EXPECT_TRUE(holds(line(outcome.report.stopped->line), "while") || holds(line(outcome.report.stopped->line), "__syncthreads"));
  EXPECT_TRUE(holds(say(outcome.report.message), "longer than 1 s")) << say(outcome.report.message);
  const Checks& checks = testing::figure<Checks>(outcome);
  EXPECT_EQ(checks.rows[0].verdict, Checks::Verdict::too_slow);
  EXPECT_EQ(checks.rows[0].grid.x, 700U);
  EXPECT_EQ(checks.rows[1].grid.x, 20U);
  EXPECT_TRUE(holds(testing::figure<Curves>(outcome).title, "No result came back"));
  // Of a T4, in which blocks of 32 threads are limited by their number.
  EXPECT_EQ(device().info().multiprocessors * 16, 640);
}

TEST_F(Clinic, WhatAGpuStopsTheCheckerNames) {
  for (const char* const id : {"beyond", "misaligned"}) {
    EXPECT_EQ(number(of(id), "answers_error"), 1) << id;
    EXPECT_EQ(number(of(id), "ended"), 1) << id << ": the checker goes on";
  }
  EXPECT_TRUE(holds(of("misaligned").note, "cudaErrorMisalignedAddress")) << of("misaligned").note;
  EXPECT_TRUE(holds(in_english(of("misaligned").report.findings.front().message), "multiple of 4"));
  EXPECT_TRUE(holds(line(of("misaligned").report.findings.front().at.line), "value[t] ="));
  EXPECT_TRUE(holds(line(of("branch").report.findings.front().at.line), "__syncthreads"));
  EXPECT_TRUE(holds(line(of("beyond").report.findings.front().at.line), "s[t + 1]"));
}

TEST_F(Clinic, ALearnerWhoMendsAKernelSeesBothRowsPass) {
  std::string text = kernel();
  const std::string broken = "    const int i = threadIdx.x;\n";
  ASSERT_NE(text.find(broken), std::string::npos);
  text.replace(text.find(broken), broken.size(), "    const int i = blockDim.x * blockIdx.x + threadIdx.x;\n");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}, .job = nullptr});
  const auto outcome = lesson().run(host, values({}), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  for (const Checks::Row& row : testing::figure<Checks>(*outcome).rows) EXPECT_EQ(row.verdict, Checks::Verdict::passed);
  EXPECT_EQ(number(*outcome, "wrong"), 0);
}

// ---- The exercises. ---------------------------------------------------------------------------------------------------------

/// What the author of a start needed to be told, by hand from the task's words.
struct Diagnosis {
  const char* exercise;
  const char* verdict;  // of the first case that fails
  Kinds kinds;          // that must be among what is found in it
  const char* words;    // in the message or in the hint's first step
};

class DiagnosisOf : public ::testing::TestWithParam<Diagnosis> {
 protected:
  [[nodiscard]] static const Exercise& exercise() { return **find_exercise(GetParam().exercise); }
  [[nodiscard]] static CheckReport check_file(const std::filesystem::path& file) {
    auto report = check(testing::virtual_gpu(), exercise(), {.file = file.filename().string(), .text = *read_text(file)});
    EXPECT_TRUE(report) << report.error().message;
    return report ? std::move(*report) : CheckReport{};
  }
};

TEST_P(DiagnosisOf, IsMadeOfTheStartAndNothingIsLeftInTheSolution) {
  const auto begin = std::chrono::steady_clock::now();
  const CheckReport start = check_file(start_file(exercise()));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, 3) << "a learner waits for it";
  const CheckReport::Case* const first = start.first_failed();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(name_of(first->verdict), GetParam().verdict) << first->message;
  for (const std::string& kind : GetParam().kinds) EXPECT_TRUE(kinds_of(first->report).contains(kind)) << kind;
  EXPECT_TRUE(!GetParam().kinds.empty() || kinds_of(first->report).empty()) << "the kernel breaks no rule";
  EXPECT_TRUE(holds(first->message + " " + hints_for(*first).front(), GetParam().words)) << first->message;

  const CheckReport solved = check_file(solution_file(exercise()));
  EXPECT_TRUE(solved.all_passed());
  for (const CheckReport::Case& each : solved.cases) {
    EXPECT_EQ(kinds_of(each.report), Kinds()) << each.name;
    for (const auto kind : {gpu::FindingKind::memory, gpu::FindingKind::race, gpu::FindingKind::init, gpu::FindingKind::sync})
      EXPECT_EQ(each.report.observed[kind], gpu::Observation::none_found) << each.name << ": it was looked for";
  }
}

INSTANTIATE_TEST_SUITE_P(Clinic, DiagnosisOf,
                         ::testing::Values(Diagnosis{"to_celsius", "finding", {"race"}, "threadIdx without blockIdx"},
                                           Diagnosis{"time_stamps", "wrong", {}, "cut down to 32 bits"},
                                           Diagnosis{"bright_mask", "finding", {"memory"}, "as if a row were a column"},
                                           Diagnosis{
                                               "turn_around", "finding", {"init", "race"}, "no thread of its block has written"},
                                           Diagnosis{"count_bases", "finding", {"memory"}, "past the end of the block's 16 bytes"},
                                           Diagnosis{"slope", "finding", {"sync"}, "without reaching it"},
                                           Diagnosis{"water_level", "finding", {"init"}, "shared memory starts with garbage"},
                                           Diagnosis{"coldest", "wrong", {}, "a smaller value of the block is never compared"},
                                           Diagnosis{"stretch", "finding", {"memory"}, "no multiple of 4"},
                                           Diagnosis{"fill_gaps", "finding", {"race"}, "There is no barrier between them"},
                                           Diagnosis{"two_blurs", "wrong", {}, "first of its block"},
                                           Diagnosis{"smooth_twice", "too_slow", {}, "blocks that have no place yet"}),
                         [](const auto& tried) { return std::string(tried.param.exercise); });

TEST(ClinicExercises, AreTwelveInTheOrderOfThePage) {
  std::set<std::string> ids;
  for (const Exercise* exercise : exercises_of(*find_lesson("21"))) ids.insert(exercise->id);
  EXPECT_EQ(ids.size(), 12U);
}

}  // namespace
}  // namespace warpbook::lessons
