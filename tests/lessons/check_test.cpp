// Walks tests/cases/exercises: what learners write, and what a check must say of it. README.md there explains the directives.
#include "lessons/check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "lessons/catalog.h"
#include "lessons/element_words.h"
#include "lessons/wrong_elements.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

struct Expected {
  int line = 0;
  bool beside_code = false;
  std::string verdict, details;  // "wrong", "4000"
  std::vector<std::string> told;
  std::string hint, writer;
  std::optional<std::size_t> passes;
};

std::string after(const std::string& line, const std::string& directive) {
  for (const std::string mark : {"// ", "# "}) {
    if (const auto at = line.find(mark + directive + ": "); at != std::string::npos)
      return line.substr(at + mark.size() + directive.size() + 2);
  }
  return {};
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
      expected.beside_code = !line.starts_with("// ") && !line.starts_with("# ");
      expected.verdict = words.substr(0, space);
      expected.details = words.substr(std::min(space + 1, words.size()));
    }
    if (const std::string words = after(line, "passes"); !words.empty()) expected.passes = std::stoul(words);
    if (const std::string words = after(line, "told"); !words.empty()) expected.told.push_back(words);
    if (const std::string words = after(line, "hint"); !words.empty()) expected.hint = words;
    if (const std::string words = after(line, "writer"); !words.empty()) expected.writer = words;
  }
  EXPECT_NE(expected.verdict, "") << "nothing is expected";
  return expected;
}

/// Of a program whose lines are marked, what the learner has: without the lines that say what is expected.
std::string without_directives(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    bool is_directive = false;
    for (const char* const each : {"expect", "passes", "told", "hint"})
      is_directive |= line.starts_with("// " + std::string(each) + ": ");
    if (!is_directive) rest += line + "\n";
  }
  return rest;
}

class Learner : public ::testing::TestWithParam<fs::path> {};

TEST_P(Learner, IsToldThis) {
  const fs::path file = fs::path(WARPBOOK_ROOT) / "tests/cases/exercises" / GetParam();
  const auto exercise = find_exercise(file.parent_path().filename().string());
  ASSERT_TRUE(exercise) << exercise.error().message;
  const std::string text = *read_text(file);
  const Expected expected = expected_of(text);
  const bool marks = (*exercise)->kind == ExerciseKind::mark;
  const auto report =
      check(testing::virtual_gpu(), **exercise, {.file = "mine.cu", .text = marks ? without_directives(text) : text});
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
    EXPECT_TRUE(marks || report->compile_failure->diagnostics.front().line == expected.line);
    EXPECT_EQ(report->compile_failure->diagnostics.front().file, "mine.cu");
    EXPECT_FALSE(report->all_passed());
    return;
  }
  ASSERT_FALSE(report->compile_failure) << report->compile_failure->message;
  ASSERT_EQ(report->cases.size(), rows_of(**exercise)) << "every case is tried";
  EXPECT_EQ(report->passed(), expected.passes.value_or(report->passed()));
  const CheckReport::Case* const first = report->first_failed();
  const std::string said =
      first == nullptr ? "passed" : first->name + ": " + std::string(name_of(first->verdict)) + ", " + first->message;
  RecordProperty("said", said);
  EXPECT_EQ(report->all_passed(), expected.verdict == "passed") << said;
  if (expected.verdict == "passed" || first == nullptr) return;
  EXPECT_FALSE(first->message.empty());
  for (const std::string& words : expected.told) EXPECT_NE(first->message.find(words), std::string::npos) << said;
  const auto hints = hints_for(*first);
  ASSERT_FALSE(hints.empty()) << said;
  EXPECT_NE(hints.front().find(expected.hint), std::string::npos) << said << "\n" << hints.front();
  for (const std::string& step : hints) {
    EXPECT_EQ(step.find('{'), step.find("{ ")) << step;
    EXPECT_NE(next_step(*report, hints.size()).find(step), std::string::npos);
  }
  if (!expected.writer.empty()) {
    ASSERT_TRUE(first->wrong) << said;
    EXPECT_EQ(writer_of(first->wrong->first.front()), expected.writer) << said;
  }
  EXPECT_NE(next_step(*report).find(first->name), std::string::npos) << next_step(*report);
  if (expected.verdict == "wrong") {
    ASSERT_EQ(name_of(first->verdict), "wrong") << said;
    if (!first->launched) return;
    EXPECT_EQ(std::to_string(first->wrong->first.front().index), expected.details) << said;
  } else if (expected.verdict == "over_limit") {
    ASSERT_EQ(name_of(first->verdict), "over_limit") << said;
    EXPECT_EQ(first->over->limit, expected.details) << said;
    EXPECT_TRUE(!expected.beside_code || static_cast<int>(first->over->line) == expected.line) << said;
  } else if (expected.verdict == "too_slow") {
    EXPECT_EQ(name_of(first->verdict), "too_slow") << said;
    const std::string whole_time = fmt::format("longer than {} s", (*exercise)->seconds);
    for (const CheckReport::Case& later : report->cases) {
      if (&later == first || (*exercise)->seconds <= 0.5) continue;
      EXPECT_EQ(later.message.find(whole_time), std::string::npos) << "nobody waits as long again: " << later.message;
    }
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

/// A check of one's own making: what it calls right is what `solution` leaves.
class Judge : public ::testing::Test {
 protected:
  Judge() { fs::create_directories(folder_); }
  ~Judge() override { fs::remove_all(folder_); }
  CheckReport::Case check_one(const std::string& arguments, const std::string& solution, const std::string& learners,
                              const std::string& head = {}, int threads = 32) {
    std::ofstream(folder_ / "solution.cu") << solution;
    std::ofstream(folder_ / "task.toml") << "title = \"t\"\nkernel = \"k\"\n" + head +
                                                "[[case]]\nname = \"c\"\ngrid = [1]\nblock = [" + std::to_string(threads) + "]\n" +
                                                "arguments = " + arguments + "\n";
    auto exercise = read_exercise(*find_lesson("01"), folder_);
    EXPECT_TRUE(exercise) << (exercise ? "" : exercise.error().message);
    auto report = check(testing::virtual_gpu(), *exercise, {.file = "mine.cu", .text = learners});
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    EXPECT_FALSE(report->compile_failure);
    return report->cases.at(0);
  }
  static std::string kernel(const std::string& type, const std::string& value) {
    return "__global__ void k(" + type + "* out) { const int i = threadIdx.x; out[i] = " + value + "; }";
  }
  fs::path folder_ = fs::temp_directory_path() / ("warpbook_judge_" + std::to_string(getpid()));
};

TEST_F(Judge, NanIsRightWhereNanIsRightAndAnInfinityOnlyItself) {
  const std::string floats = "[\"float32[32]=zeros\"]", loose = "tolerance = 0.5\n";
  const std::string nan = kernel("float", "i == 3 ? 0.0f / (i - 3) : i"), inf = kernel("float", "i == 3 ? 1.0f / (i - 3) : i");
  EXPECT_EQ(name_of(check_one(floats, nan, nan).verdict), "passed");
  EXPECT_EQ(name_of(check_one(floats, inf, inf, loose).verdict), "passed");
  for (const auto& [right, is] : {std::pair{nan, inf},
                                  {inf, nan},
                                  {nan, kernel("float", "i")},
                                  {kernel("float", "i"), nan},
                                  {inf, kernel("float", "i == 3 ? 3e38f : i")},
                                  {kernel("float", "i == 3 ? 3e38f : i"), inf},
                                  {inf, kernel("float", "i == 3 ? -1.0f / (i - 3) : i")}}) {
    const auto checked = check_one(floats, right, is, loose);
    ASSERT_EQ(name_of(checked.verdict), "wrong") << is;
    EXPECT_EQ(checked.wrong->first.front().index, 3U);
    EXPECT_EQ(checked.wrong->wrong, 1U);
  }
}

TEST_F(Judge, FloatsMayDifferByTheToleranceAndIntegersNotAtAll) {
  const auto verdict = [&](const std::string& type, const char* head, const std::string& value) {
    const std::string name = type == "int" ? "int32" : type == "float" ? "float32" : "float64";
    return name_of(check_one("[\"" + name + "[32]=zeros\"]", kernel(type, "1000 + i"), kernel(type, value), head).verdict);
  };
  EXPECT_EQ(verdict("float", "tolerance = 1e-3\n", "1000.9f + i"), "passed");
  EXPECT_EQ(verdict("float", "tolerance = 1e-3\n", "1001.2f + i"), "wrong");
  EXPECT_EQ(verdict("float", "tolerance = 1e-3\n", "998.8f + i"), "wrong");
  EXPECT_EQ(verdict("float", "", "1000.0001f + i"), "wrong");
  EXPECT_EQ(verdict("double", "tolerance = 1e-12\n", "1000.0000000001 + i"), "passed");
  EXPECT_EQ(verdict("double", "", "1000.0000000001 + i"), "wrong");
  EXPECT_EQ(verdict("int", "tolerance = 0.5\n", "1001 + i"), "wrong");
}

TEST_F(Judge, ALargeIntegerIsComparedInFull) {
  const auto checked = check_one("[\"int64[32]=zeros\"]", kernel("long long", "(1LL << 62) + i"),
                                 kernel("long long", "(1LL << 62) + i + (i == 31)"));
  ASSERT_EQ(name_of(checked.verdict), "wrong");
  EXPECT_EQ(checked.wrong->first.front().index, 31U);
  EXPECT_NE(checked.message.find("4611686018427387935 and is 4611686018427387936"), std::string::npos) << checked.message;
}

TEST_F(Judge, NamesRowAndColumnTheLearnersWay) {
  const auto checked = check_one("[\"int32[4x8]=zeros\"]", "__global__ void k(int* field) { field[threadIdx.x] = 1; }",
                                 "__global__ void k(int* grid) { grid[threadIdx.x] = threadIdx.x != 13; }");
  EXPECT_EQ(checked.message,
            "grid[13] (row 1, column 5) should be 1 and is 0: thread (13,0,0) of block (0,0,0) wrote it in line 1.");
}

TEST_F(Judge, TellsWhoWroteTheFirstWrongElements) {
  // Of 64 elements those from 8 on are wrong: 8 to 9 by one thread's vector store, 10 by three stores, 11 by nobody.
  const std::string right = "__global__ void k(int* out) { out[threadIdx.x] = 100; out[threadIdx.x + 32] = 100; }";
  const std::string mine =
      "__global__ void k(int* out) { const int i = threadIdx.x; if (i < 8) out[i] = 100;\n"
      "if (i == 5) *(int2*)(out + 8) = make_int2(1, 2);\n"
      "if (i >= 20 && i < 23) atomicAdd(out + 10, 1);\n"
      "}";
  const auto checked = check_one("[\"int32[64]=zeros\"]", right, mine);
  ASSERT_TRUE(checked.wrong);
  EXPECT_EQ(checked.wrong->wrong, 56U);
  ASSERT_EQ(checked.wrong->first.size(), most_told_elements);
  const auto& told = checked.wrong->first;
  EXPECT_EQ(told[0].index, 8U);
  EXPECT_EQ(value_of(told[0].got), 1);
  EXPECT_EQ(value_of(told[0].expected), 100);
  EXPECT_EQ(writer_of(told[0]), "thread (5,0,0) of block (0,0,0)");
  EXPECT_EQ(told[0].writes->last->line, 2U);
  EXPECT_EQ(writer_of(told[1]), writer_of(told[0])) << "the same vector";
  EXPECT_EQ(told[2].writes->count, 3U);
  EXPECT_EQ(writer_of(told[2]), "thread (22,0,0) of block (0,0,0), the last of 3");
  EXPECT_EQ(writer_of(told[3]), "no thread");
  EXPECT_EQ(
      checked.message,
      "out[8] should be 100 and is 1: thread (5,0,0) of block (0,0,0) wrote it in line 2. It is the first of 56 wrong elements "
      "of 64.");
}

TEST_F(Judge, FillsInWhatAHintNames) {
  const std::string task =
      "[[hint]]\nwhen = \"too_small\"\nsteps = [\"{element} is {got}.\", \"Look at line {line}.\", \"Not {expected}?\"]\n"
      "[[hint]]\nwhen = \"too_large\"\nsteps = [\"Too much.\"]\n";
  const std::string ints = "[\"int32[32]=zeros\"]", right = kernel("int", "7");
  EXPECT_EQ(check_one(ints, right, kernel("int", "i == 9 ? 5 : 7"), task).hints,
            (std::vector<std::string>{"out[9] is 5.", "Not 7?"}))
      << "there is no line";
  EXPECT_EQ(check_one(ints, right, kernel("int", "i == 9 ? 8 : 7"), task).hints, std::vector<std::string>{"Too much."});
  EXPECT_TRUE(check_one(ints, right, kernel("int", "7"), task).hints.empty());
  const auto race = check_one(ints, right, "__global__ void k(int* out) { out[threadIdx.x / 2] = threadIdx.x; }", task);
  EXPECT_EQ(name_of(race.verdict), "finding");
  EXPECT_TRUE(race.hints.empty()) << "none speaks of it";
  EXPECT_EQ(hints_for(race).size(), 1U) << "so a sentence for the verdict stands in";
}

TEST_F(Judge, OnlyTheFindingsThatTheTaskForbidsCount) {
  const std::string diverging =
      "__global__ void k(int* x, int n) { int v = x[threadIdx.x];"
      "if (threadIdx.x % 2) { for (int i = 0; i < n; ++i) v = v * 3 + 1; } else { for (int i = 0; i < n; ++i) v = v ^ (v << 1) ^ "
      "i; }"
      "x[threadIdx.x] = v; }";
  const std::string arguments = "[\"int32[64]=iota\", \"int32=20\"]";
  EXPECT_EQ(name_of(check_one(arguments, diverging, diverging, "", 64).verdict), "passed");
  const auto checked = check_one(arguments, diverging, diverging, "also = [\"divergence\"]\n", 64);
  ASSERT_EQ(name_of(checked.verdict), "finding") << checked.message;
  EXPECT_EQ(gpu::name_of(checked.report.findings.at(*checked.found).kind), "divergence");
}

TEST_F(Judge, AStructsArraysAreComparedToo) {
  const std::string one =
      "struct Vector { int n; int* x; }; __global__ void k(Vector v) { if (threadIdx.x < v.n) v.x[threadIdx.x] = ";
  EXPECT_EQ(name_of(check_one("[\"{int32=5,int32[5]=zeros}\"]", one + "7; }", one + "7; }").verdict), "passed");
  const auto checked = check_one("[\"{int32=5,int32[5]=zeros}\"]", one + "7; }", one + "threadIdx.x < 3 ? 7 : 8; }");
  ASSERT_EQ(name_of(checked.verdict), "wrong");
  EXPECT_EQ(checked.wrong->first.front().index, 3U);
  EXPECT_NE(checked.message.find("v.x[3]"), std::string::npos) << checked.message;
}

TEST(LaunchCase, IsTheLearnersKernelInThatCase) {
  const auto square = find_exercise("square");
  const std::string text = *read_text(fs::path(WARPBOOK_ROOT) / "tests/cases/exercises/square/no_guard.cu");
  gpu::Device& device = testing::virtual_gpu();
  const auto launched = launch_case(device, **square, 2, text, "mine.cu");
  ASSERT_TRUE(launched) << launched.error().message;
  EXPECT_EQ(launched->block, (*square)->cases[2].block);
  ASSERT_FALSE(launched->findings.empty()) << "watched";
  EXPECT_EQ(launched->findings[0].at.file, "mine.cu");
  EXPECT_EQ(launch_case(device, **square, 0, "int", "mine.cu").error().code, "compile_error");
  EXPECT_EQ(launch_case(device, **square, 0, "__global__ void cube() {}", "mine.cu").error().code, "usage");
}

TEST_F(Judge, ACancelledCheckSaysNothingElse) {
  gpu::Job job;
  job.cancelled = true;
  const auto square = find_exercise("square");
  const auto report =
      check(testing::virtual_gpu(), **square, {.file = "mine.cu", .text = *read_text((*square)->folder / "solution.cu")}, &job);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "cancelled");
}

std::vector<fs::path> learners() {
  std::vector<fs::path> files;
  const fs::path root = fs::path(WARPBOOK_ROOT) / "tests/cases/exercises";
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".cu" || entry.path().extension() == ".txt")
      files.push_back(entry.path().lexically_relative(root));
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Check, Learner, ::testing::ValuesIn(learners()),
                         [](const auto& file) { return file.param.parent_path().string() + "_" + file.param.stem().string(); });

}  // namespace
}  // namespace warpbook::lessons
