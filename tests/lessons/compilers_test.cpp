// Every lesson, as it comes, with NVRTC and with clang: the same numbers and findings, but for what follows from other machine
// code.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "tests/kept_variable.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons::testing {
namespace {

/// A number that may differ, and why. "bin_*": all whose names begin so.
struct MayDiffer {
  std::string_view lesson, number, why;
};
constexpr std::string_view other_code = "the two compilers make other instructions of a line";
constexpr std::string_view race = "a race: who wins follows from the order of the instructions";
constexpr std::string_view no_registers = "clang does not know it";
constexpr std::array may_differ{MayDiffer{"04", "worst_error", "hypotf of Warpbook's own headers rounds better"},
                                MayDiffer{"04", "cpu_times_faster", other_code},
                                MayDiffer{"07", "bin_*", race},
                                MayDiffer{"07", "counted", race},
                                MayDiffer{"07", "missing", race},
                                MayDiffer{"07", "most_in_a_bin", race},
                                MayDiffer{"07", "cycles", other_code},
                                MayDiffer{"08", "largest_error", race},
                                MayDiffer{"08", "unexplained", race},
                                MayDiffer{"09", "registers", no_registers},
                                MayDiffer{"11", "branch_lines", "of a loop that is unrolled no branch is left"},
                                MayDiffer{"11", "branches", "of a loop that is unrolled no branch is left"},
                                MayDiffer{"11", "instructions", other_code},
                                MayDiffer{"11", "lanes_on", other_code},
                                MayDiffer{"11", "times", other_code},
                                MayDiffer{"11", "times_short", other_code},
                                MayDiffer{"12", "of_limit", other_code},
                                MayDiffer{"15", "cpu_share", "a time that is measured"},
                                MayDiffer{"16", "of_roof", other_code},
                                MayDiffer{"17", "of_roof", other_code},
                                MayDiffer{"18", "registers", no_registers},
                                MayDiffer{"18", "machine_stack", no_registers},
                                MayDiffer{"18", "faster", other_code},
                                MayDiffer{"18", "lanes_on", other_code},
                                MayDiffer{"19", "measured", "a time that is measured"},
                                MayDiffer{"playground", "cycles", other_code}};

bool differs_for_a_reason(std::string_view lesson, std::string_view number) {
  return std::any_of(may_differ.begin(), may_differ.end(), [&](const MayDiffer& each) {
    const bool all = each.number.ends_with('*');
    return lesson.starts_with(each.lesson) &&
           (all ? number.starts_with(each.number.substr(0, each.number.size() - 1)) : number == each.number);
  });
}

/// Times and what is made of them are the device's, and follow from the code.
bool is_time(const Number& number) {
  for (const char* unit : {"µs", "ms", "s", "ns", "GB/s", "GFLOP/s"})
    if (number.unit == unit) return true;
  return number.of_device || number.name.find("per_s") != std::string::npos || number.name.starts_with("us") ||
         number.name.ends_with("_us") || number.name.ends_with("_ms");
}

Outcome run_by(const Lesson& lesson, const char* compiler) {
  const test::KeptVariable kept("WARPBOOK_COMPILER");
  setenv("WARPBOOK_COMPILER", compiler, 1);
  Host host(virtual_gpu(), {.kernel_file = lesson.kernel_file, .kernel_text = *kernel_text(lesson), .defines = {}, .job = nullptr});
  auto outcome = lesson.run(host, Values::defaults(lesson.controls), nullptr);
  if (outcome) return std::move(*outcome);
  ADD_FAILURE() << compiler << ": " << outcome.error().message;
  return {};
}

std::set<std::string> kinds_and_lines(const Outcome& outcome) {
  std::set<std::string> all;
  for (const gpu::Finding& found : outcome.report.findings)
    all.insert(std::string(gpu::name_of(found.kind)) + " in line " + std::to_string(found.at.line));
  return all;
}

class BothCompilers : public ::testing::TestWithParam<const Lesson*> {};

TEST_P(BothCompilers, GiveTheSameNumbers) {
  static const gpu::Compiler::Status status = gpu::Compiler().status();
  if (!status.nvrtc.available) GTEST_SKIP() << status.nvrtc.problem;
  if (!status.clang.available) GTEST_SKIP() << status.clang.problem;
  const Lesson& lesson = *GetParam();
  const Outcome nvrtc = run_by(lesson, "nvrtc"), clang = run_by(lesson, "clang");
  EXPECT_EQ(kinds_and_lines(nvrtc), kinds_and_lines(clang));
  EXPECT_EQ(nvrtc.report.status, clang.report.status);
  for (const Number& one : nvrtc.numbers) {
    if (is_time(one) || differs_for_a_reason(lesson.id, one.name)) continue;
    const auto other =
        std::find_if(clang.numbers.begin(), clang.numbers.end(), [&](const Number& n) { return n.name == one.name; });
    ASSERT_NE(other, clang.numbers.end()) << one.name;
    EXPECT_NEAR(one.value, other->value, 1e-5 * std::max(1.0, std::abs(one.value))) << one.name;
  }
}

std::vector<const Lesson*> lessons_of(bool usual) {
  std::vector<const Lesson*> chosen;
  for (const Lesson* lesson : all_lessons()) {
    const bool is_usual = lesson->id.starts_with("05") || lesson->id.starts_with("10") || lesson->id.starts_with("12");
    if (is_usual == usual) chosen.push_back(lesson);
  }
  return chosen;
}
std::string lesson_number(const ::testing::TestParamInfo<const Lesson*>& one) { return "L" + one.param->id; }

// Atomics; shared and constant memory; warp functions. The rest with `script/test --all`.
INSTANTIATE_TEST_SUITE_P(Lessons, BothCompilers, ::testing::ValuesIn(lessons_of(true)), lesson_number);
INSTANTIATE_TEST_SUITE_P(MoreLessons, BothCompilers, ::testing::ValuesIn(lessons_of(false)), lesson_number);

}  // namespace
}  // namespace warpbook::lessons::testing
