// Answers: exercises whose answer is not a kernel. The answer is a text, so that it is edited, saved and checked in the same way as
// a kernel, but it is not compiled. An exercise's `kind` is one of these:
//
//     kernel   write a kernel: start.cu, solution.cu
//     choose   choose a launch for a given kernel: start.txt, solution.txt, kernel.cu
//                  blocks = 39                  # a name that a case uses in its grid, its block or its shared bytes
//     mark     mark lines of a host program: start.cu, solution.cu
//                  cudaMemcpy(…);  // here
//     quiz     answer questions: start.txt, solution.txt
//                  1 = b                        # an option
//                  2 = 40 * 64                  # a number, or a formula (device_formula.h)
//
//     if (auto fault = fault_in(exercise, source)) show(fault->diagnostics);     // the text is not an answer
//     Result<CheckReport> report = check_answers(exercise, source, device.info());   // for mark and quiz; check() calls it
//
// The keys in task.toml:
//     kind = "mark"                       # left out: kernel
//     [[case]]                            # choose: names instead of numbers are allowed
//     grid = ["blocks"]
//     block = ["threads"]
//     shared = "bytes"
//     [[answer]]                          # mark: another correct set of lines, besides the one that solution.cu marks
//     lines = ["cudaMemcpy(out"]          # parts of lines; each must occur in exactly one line
//     [[wrong]]                           # mark: a line that learners often mark
//     line = "cudaMalloc(&out"
//     sentence = "…"                      # why it is wrong
//     steps = ["…", "…", "…"]             # optional; default: the exercise's hint
//     [[question]]                        # quiz
//     text = "Two threads …?"
//     options = ["…", "…", "…"]           # called a, b, c … Without options, the answer is a number
//     answer = "b"                        # or a number, or a formula: answer = "multiProcessorCount * cores"
//     tolerance = 0.01                    # of a number, relative; default: exact
//     why = {a = "…", c = "…"}            # the message for each wrong answer; `else` for all others
// In all texts of a quiz, {device: FORMULA} stands for a figure of the device that checks it.
// Messages never give the right answer away.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::lessons {

struct Exercise;
struct CheckReport;

enum class ExerciseKind : std::uint8_t { kernel, choose, mark, quiz };
[[nodiscard]] std::string_view name_of(ExerciseKind kind);

struct Question {
  std::string text;
  std::vector<std::string> options;  // empty: the answer is a number
  std::string answer;                // "b", or a formula (a number is a formula)
  double tolerance = 0;
  std::map<std::string, std::string> why;  // by answer; "else" for all others
};

/// A line of the program that learners often mark and that is wrong.
struct WrongMark {
  std::string line, sentence;
  std::vector<std::string> steps;
};

/// The names in a case of `choose` that stand for numbers. Empty: the case has the number itself.
struct LaunchNames {
  std::vector<std::string> grid, block;
  std::string shared;
};

/// Whether the learner's answer is CUDA C++ that is compiled.
[[nodiscard]] bool is_compiled(const Exercise& exercise);
/// Whether a check launches a kernel.
[[nodiscard]] bool launches(const Exercise& exercise);
/// The number of rows of a check's result.
[[nodiscard]] std::size_t rows_of(const Exercise& exercise);
[[nodiscard]] std::filesystem::path start_file(const Exercise& exercise);
[[nodiscard]] std::filesystem::path solution_file(const Exercise& exercise);
/// The task in words: "write the kernel square", "answer 5 questions".
[[nodiscard]] std::string what_to_do(const Exercise& exercise);

/// Why a text is not an answer, with its line. Empty for every well-formed answer, right or wrong, and for kernels.
[[nodiscard]] std::optional<gpu::CompileFailure> fault_in(const Exercise& exercise, const gpu::Source& source);

/// The cases of `choose` with the numbers of an answer filled in. fault_in() must have accepted the answer.
[[nodiscard]] Exercise chosen(const Exercise& exercise, std::string_view text);

[[nodiscard]] Result<CheckReport> check_answers(const Exercise& exercise, const gpu::Source& source, const gpu::DeviceInfo& device);

/// The questions of a quiz as Markdown, for its page.
[[nodiscard]] std::string questions_text(const Exercise& exercise);

}  // namespace warpbook::lessons
