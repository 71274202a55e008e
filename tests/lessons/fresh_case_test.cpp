// Fresh cases: another size and other values, which every solution passes and a table of answers does not.
#include "lessons/fresh_case.h"

#include <gtest/gtest.h>

#include <set>

#include "lessons/catalog.h"
#include "lessons/check.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons {
namespace {

const Exercise& exercise(const char* name) { return **find_exercise(name); }

CheckReport check_with(const Exercise& exercise, const std::string& text, std::uint64_t seed) {
  auto report = check(testing::virtual_gpu(), exercise, {.file = "mine.cu", .text = text}, nullptr, seed);
  EXPECT_TRUE(report) << report.error().message;
  return report ? std::move(*report) : CheckReport();
}

std::vector<std::string> specs_of(const Exercise::Case& one) {
  std::vector<std::string> specs;
  for (const ArgumentSpec& spec : one.arguments)
    specs.push_back(spec.type_text() + " " + std::to_string(spec.seed) + " " + std::to_string(spec.value.bits));
  return specs;
}

TEST(FreshCase, TheSameSeedGivesTheSameAndAnotherGivesAnother) {
  const auto first = fresh_cases(exercise("square"), 7), again = fresh_cases(exercise("square"), 7);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(specs_of(first.front()), specs_of(again.front()));
  std::set<std::vector<std::string>> all;
  for (std::uint64_t seed = 0; seed < 20; ++seed) all.insert(specs_of(fresh_cases(exercise("square"), seed).front()));
  EXPECT_GT(all.size(), 15U);
}

TEST(FreshCase, ArraysFollowTheLengthThatAnArgumentSays) {
  const Exercise& points = exercise("aos_to_soa");
  std::set<std::size_t> lengths;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto cases = fresh_cases(points, seed);
    ASSERT_FALSE(cases.empty());
    const std::vector<ArgumentSpec>& given = cases.front().arguments;
    const std::size_t n = given[2].value.bits;
    EXPECT_EQ(given[0].shape, (std::vector<std::size_t>{n, 3}));
    EXPECT_EQ(given[1].shape, std::vector<std::size_t>{3 * n});
    EXPECT_LE(n, cases.front().grid.count() * cases.front().block.count());
    lengths.insert(n);
  }
  EXPECT_GT(lengths.size(), 8U);
}

/// Of `square`: right for the sizes that its cases have, and for no other.
std::string knows_the_sizes_of(const Exercise& square) {
  std::string sizes;
  for (const Exercise::Case& one : square.cases) sizes += " || n == " + std::to_string(one.arguments[2].value.bits);
  return "__global__ void square(const float* in, float* out, int n)\n{\n"
         "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    if (i < n && (false" +
         sizes + ")) out[i] = in[i] * in[i];\n}\n";
}

TEST(FreshCase, ATableOfTheWrittenCasesFailsIt) {
  const std::string knows = knows_the_sizes_of(exercise("square"));
  const auto written = check(testing::virtual_gpu(), exercise("square"), {.file = "mine.cu", .text = knows});
  ASSERT_TRUE(written);
  EXPECT_TRUE(written->all_passed()) << "by what is written";
  int caught = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CheckReport report = check_with(exercise("square"), knows, seed);
    ASSERT_EQ(report.cases.size(), exercise("square").cases.size() + 1);
    caught += report.cases.back().verdict == Checks::Verdict::wrong;
  }
  EXPECT_GE(caught, 4) << "but for a length that happens to be a written one";
}

TEST(FreshCase, IsMadeInTheWindowTooAndCanBeLaunchedAgain) {
  const Exercise& square = exercise("square");
  const std::string text = knows_the_sizes_of(square);
  gpu::Device& device = testing::virtual_gpu();
  Host host(device, {.kernel_file = "mine.cu", .kernel_text = text, .defines = {}, .seed = 4711});
  const auto outcome = run_check(host, square, nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto& checks = std::get<Checks>(outcome->figures.at(0));
  EXPECT_EQ(checks.seed, 4711U);
  ASSERT_EQ(checks.rows.size(), square.cases.size() + 1);
  for (std::size_t i = 0; i + 1 < checks.rows.size(); ++i) EXPECT_EQ(checks.rows[i].verdict, Checks::Verdict::passed);
  EXPECT_EQ(checks.rows.back().verdict, Checks::Verdict::wrong);
  const auto again = launch_case(device, square, square.cases.size(), text, "mine.cu", nullptr, checks.seed);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->grid, checks.rows.back().grid);

  Host by_the_clock(device, {.kernel_file = "mine.cu", .kernel_text = text, .defines = {}});
  const auto other = run_check(by_the_clock, square, nullptr);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(std::get<Checks>(other->figures.at(0)).seed.has_value());
}

bool registers_are_known() {
  const auto program = testing::virtual_gpu().compile({.file = "k.cu", .text = "__global__ void k(int* x) { *x = 1; }"});
  return program && (*program)->find("k")->registers.has_value();
}

TEST(FreshCase, EverySolutionPassesThemAndEveryExerciseHasOne) {
  for (const Exercise& each : *all_exercises()) {
    if (each.kind != ExerciseKind::kernel) {
      EXPECT_TRUE(fresh_cases(each, 1).empty());
      continue;
    }
    SCOPED_TRACE(each.id);
    if (each.by_registers && !registers_are_known()) continue;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const CheckReport report = check_with(each, *read_text(solution_file(each)), seed);
      EXPECT_TRUE(report.all_passed());
      EXPECT_EQ(report.cases.size(), each.cases.size() + 1);
    }
  }
}

}  // namespace
}  // namespace warpbook::lessons
