// Answers: the exercises that are no kernel. The learner's answer is a text as a kernel is, so that it is edited, kept and checked
// in the same way; it is no CUDA C++ that anybody compiles. An exercise's `kind` is one of these:
//
//     kernel   a kernel to write: start.cu, solution.cu
//     choose   a launch to choose for a kernel that is given: start.txt, solution.txt, kernel.cu
//                  blocks = 39                  # a name that a case has in its grid, its block or its shared bytes
//     mark     lines of a host program to mark: start.cu, solution.cu
//                  cudaMemcpy(…);  // here
//     quiz     questions to answer: start.txt, solution.txt
//                  1 = b                        # an option
//                  2 = 40 * 64                  # a number, or a formula (device_formula.h)
//
//     if (auto fault = fault_in(exercise, source)) show(fault->diagnostics);     // nothing can be made of the text
//     Result<CheckReport> report = check_answers(exercise, source, device.info());   // of a mark or a quiz; check() calls it
//
// What task.toml says of them:
//     kind = "mark"                       # left out: kernel
//     [[case]]                            # choose: names may stand for numbers
//     grid = ["blocks"]
//     block = ["threads"]
//     shared = "bytes"
//     [[answer]]                          # mark: lines that are right as well as those that solution.cu marks
//     lines = ["cudaMemcpy(out"]          # by what stands in them; each means exactly one line
//     [[wrong]]                           # mark: a line that people mean
//     line = "cudaMalloc(&out"
//     sentence = "…"                      # why it is not one of those asked for
//     steps = ["…", "…", "…"]             # may be left out: then the exercise's hint
//     [[question]]                        # quiz
//     text = "Two threads …?"
//     options = ["…", "…", "…"]           # called a, b, c … Left out: a number is asked for
//     answer = "b"                        # or a number, or a formula: answer = "multiProcessorCount * cores"
//     tolerance = 0.01                    # of a number, relative; left out: exact
//     why = {a = "…", c = "…"}            # what is said of a wrong answer; `else` is said of any other one
// In all words of a quiz {device: FORMULA} stands for a figure of the device that checks it.
// Messages never say what is right.
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
  std::vector<std::string> options;  // empty: a number is asked for
  std::string answer;                // "b", or a formula; a number is one, too
  double tolerance = 0;
  std::map<std::string, std::string> why;  // by the answer; "else"
};

/// A line of a marked program that people mean, and that is wrong.
struct WrongMark {
  std::string line, sentence;
  std::vector<std::string> steps;
};

/// Names that stand for numbers in a case of `choose`; empty: the number stands there.
struct LaunchNames {
  std::vector<std::string> grid, block;
  std::string shared;
};

/// Whether the learner's text is CUDA C++ to be compiled.
[[nodiscard]] bool is_compiled(const Exercise& exercise);
/// Whether a check launches something.
[[nodiscard]] bool launches(const Exercise& exercise);
/// How many rows a check of it has.
[[nodiscard]] std::size_t rows_of(const Exercise& exercise);
[[nodiscard]] std::filesystem::path start_file(const Exercise& exercise);
[[nodiscard]] std::filesystem::path solution_file(const Exercise& exercise);
/// "write the kernel square", "answer 5 questions".
[[nodiscard]] std::string what_to_do(const Exercise& exercise);

/// Why a text is no answer, with its line; nothing where it is one, right or wrong, and of a kernel.
[[nodiscard]] std::optional<gpu::CompileFailure> fault_in(const Exercise& exercise, const gpu::Source& source);

/// The cases of `choose` with an answer's numbers in them, of which fault_in() has nothing to say.
[[nodiscard]] Exercise chosen(const Exercise& exercise, std::string_view text);

[[nodiscard]] Result<CheckReport> check_answers(const Exercise& exercise, const gpu::Source& source, const gpu::DeviceInfo& device);

/// The questions as Markdown, for the page of a quiz.
[[nodiscard]] std::string questions_text(const Exercise& exercise);

}  // namespace warpbook::lessons
