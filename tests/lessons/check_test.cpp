// Walks tests/cases/exercises: what learners write, and what a check must say of it. README.md there explains the directives.
#include "lessons/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "lessons/catalog.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

struct Expected {
  int line = 0;
  std::string verdict, details;  // "wrong", "4000"
  std::optional<std::size_t> passes;
};

std::string after(const std::string& line, const std::string& directive) {
  const auto at = line.find("// " + directive + ": ");
  return at == std::string::npos ? std::string() : line.substr(at + directive.size() + 5);
}

Expected expected_of(const std::string& text) {
  Expected expected;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (const std::string words = after(line, "expect"); !words.empty()) {
      EXPECT_EQ(expected.verdict, "") << "one expectation a file";
      const auto space = std::min(words.find(' '), words.size());
      expected.line = number;
      expected.verdict = words.substr(0, space);
      expected.details = words.substr(std::min(space + 1, words.size()));
    }
    if (const std::string words = after(line, "passes"); !words.empty()) expected.passes = std::stoul(words);
  }
  EXPECT_NE(expected.verdict, "") << "nothing is expected";
  return expected;
}

class Learner : public ::testing::TestWithParam<fs::path> {};

TEST_P(Learner, IsToldThis) {
  const fs::path file = fs::path(WARPBOOK_ROOT) / "tests/cases/exercises" / GetParam();
  const auto exercise = find_exercise(file.parent_path().filename().string());
  ASSERT_TRUE(exercise) << exercise.error().message;
  const std::string text = *read_text(file);
  const Expected expected = expected_of(text);
  const auto report = check(testing::virtual_gpu(), **exercise, text, "mine.cu");
  if (expected.verdict == "refused") {
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, "usage");
    EXPECT_NE(report.error().message.find(expected.details), std::string::npos) << report.error().message;
    EXPECT_NE(report.error().message.find("mine.cu"), std::string::npos) << report.error().message;
    return;
  }
  ASSERT_TRUE(report) << report.error().message;
  if (expected.verdict == "error") {
    ASSERT_TRUE(report->compile_failure);
    ASSERT_FALSE(report->compile_failure->diagnostics.empty());
    EXPECT_EQ(report->compile_failure->diagnostics.front().line, expected.line);
    EXPECT_EQ(report->compile_failure->diagnostics.front().file, "mine.cu");
    EXPECT_FALSE(report->all_passed());
    return;
  }
  ASSERT_FALSE(report->compile_failure) << report->compile_failure->message;
  ASSERT_EQ(report->cases.size(), (*exercise)->cases.size()) << "every case is tried";
  EXPECT_EQ(report->passed(), expected.passes.value_or(report->passed()));
  const CheckReport::Case* const first = report->first_failed();
  const std::string said =
      first == nullptr ? "passed" : first->name + ": " + std::string(name_of(first->verdict)) + ", " + first->message;
  RecordProperty("said", said);
  EXPECT_EQ(report->all_passed(), expected.verdict == "passed") << said;
  if (expected.verdict == "passed" || first == nullptr) return;
  EXPECT_FALSE(first->message.empty());
  EXPECT_NE(next_step(*report).find(first->name), std::string::npos) << next_step(*report);
  if (expected.verdict == "wrong") {
    ASSERT_EQ(name_of(first->verdict), "wrong") << said;
    EXPECT_EQ(std::to_string(first->wrong->index), expected.details) << said;
  } else if (expected.verdict == "too_slow") {
    EXPECT_EQ(name_of(first->verdict), "too_slow") << said;
  } else if (expected.verdict == "failed") {
    EXPECT_EQ(name_of(first->verdict), "failed") << said;
    EXPECT_EQ(first->report.status, expected.details);
  } else {
    ASSERT_EQ(name_of(first->verdict), "finding") << said;
    EXPECT_TRUE(std::any_of(first->report.findings.begin(), first->report.findings.end(), [&](const gpu::Finding& finding) {
      return gpu::name_of(finding.kind) == expected.verdict && static_cast<int>(finding.at.line) == expected.line;
    })) << said;
  }
}

std::vector<fs::path> learners() {
  std::vector<fs::path> files;
  const fs::path root = fs::path(WARPBOOK_ROOT) / "tests/cases/exercises";
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".cu") files.push_back(entry.path().lexically_relative(root));
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Check, Learner, ::testing::ValuesIn(learners()),
                         [](const auto& file) { return file.param.parent_path().string() + "_" + file.param.stem().string(); });

}  // namespace
}  // namespace warpbook::lessons
