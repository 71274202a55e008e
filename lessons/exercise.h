// Exercise: a kernel that the learner writes and that is checked (check.h). It belongs to a lesson's stage *make*.
//
//     Result<const Exercise*> square = find_exercise("square");        // or "01/square", "01_first_kernel/square"
//     for (const Exercise* each : exercises_of(*find_lesson("01"))) print(each->title);
//     session.open = &(*square)->as_lesson;                            // a lesson whose run() is the check
//
// An exercise is a folder without code, lessons/NN_name/exercises/ID:
//     text.en.md    its page: the task, what is given, what is checked
//     start.cu      where the learner starts: it compiles and does not pass
//     solution.cu   a correct kernel; its results are the expected results
//     task.toml     title = "Square every element"
//                   kernel = "square"                    # the __global__ function of both files
//                   tolerance = 1e-5                     # of floats, relative; default: exact
//                   also = ["divergence"]                # findings that fail it in addition to memory, race, init and sync
//                   orders = 8                           # number of orders of the warps in which a case is launched; default: 1
//                   by_registers = true                  # the launch fails by its registers, which clang does not tell; default: false
//                   seconds = 0.5                        # time limit of a launch; default: 5
//                   [limits]                             # optional: what it may cost (limits.h)
//                   time = 1.2
//                   [[case]]
//                   name = "4096 elements, 32 blocks of 128"
//                   grid = [32]                          # x, or x, y, or x, y, z
//                   block = [128]
//                   shared = 512                         # dynamic shared memory of a block in bytes; default: 0
//                   arguments = ["float32[4096]=uniform:-8:8:1", "float32[4096]=zeros", "int32=4096"]   # arguments/argument_spec.h
//                   hint = ["…", "…", "…"]               # for every failure of this case; a string is a single step
//     A hint may be restricted to one kind of failure (hint.h), for one case or, as [[hint]], for all. Only `steps` is required:
//                   [[case.hint]]
//                   when = "race"                        # a kind of finding, "unwritten", "too_large" …
//                   space = "shared"                     # the finding's
//                   same_block = true                    # race: whether both threads belong to one block
//                   element = 0                          # index of the first wrong element
//                   wrong = 1                            # how many elements are wrong; or "all"
//                   steps = ["…", "…", "…"]              # first a nudge, then where, then how
//
// Exercises that are not kernels have a `kind`, other files beside task.toml and text.en.md, and other keys: answers.h.
//
// The folders are read once. Ownership: exercises and their lessons live as long as the program. Errors: "bad_task" with the file
// and its line, "unknown_exercise" with a list of the existing ones, "missing_file".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/report.h"
#include "gpu/result.h"
#include "gpu/types.h"
#include "lessons/answers.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/hint.h"
#include "lessons/lesson.h"
#include "lessons/limits.h"

namespace warpbook::lessons {

inline constexpr double case_seconds = 5;  // default time limit of a case's launch

struct Exercise {
  struct Case {
    std::string name;
    gpu::Dim3 grid, block;
    std::uint32_t shared_bytes = 0;  // dynamic, of a block
    std::vector<ArgumentSpec> arguments;
    std::vector<Hint> hints;  // may be empty
    LaunchNames names = {};   // kind choose: the names that the learner gives values to
  };
  std::string id;                  // "square": the folder's name, unique among all exercises
  const Lesson* lesson = nullptr;  // the lesson that it belongs to
  std::string title, kernel;       // kernel: the __global__ function
  std::filesystem::path folder;
  double tolerance = 0;                     // of floats, relative
  double seconds = case_seconds;            // time limit of a launch
  std::vector<gpu::FindingKind> forbidden;  // findings that make a case fail
  std::uint32_t orders = 1;                 // number of orders of each case; it must pass in all of them
  bool by_registers = false;                // a launch fails by its registers: only a compiler that tells them can check it
  std::vector<Case> cases;                  // not empty, except for mark and quiz
  std::vector<Hint> hints;                  // for all cases; may be empty
  Limits limits;
  ExerciseKind kind = ExerciseKind::kernel;
  std::vector<Question> questions;                // kind quiz
  std::vector<std::vector<std::string>> answers;  // kind mark: correct sets of lines, besides the one that solution.cu marks
  std::vector<WrongMark> wrong_marks;
  Lesson as_lesson;  // id "01_first_kernel/square", view "checks"; its run() is the check
};

/// All exercises: in the order of the lessons, and within a lesson in the order of its page, the easiest first.
[[nodiscard]] const Result<std::vector<Exercise>>& all_exercises();

/// Everything that a learner can open: the lessons, and the exercises as lessons (unless all_exercises() is an error).
[[nodiscard]] std::vector<const Lesson*> lessons_and_exercises();
/// Empty if all_exercises() is an error.
[[nodiscard]] std::vector<const Exercise*> exercises_of(const Lesson& lesson);

[[nodiscard]] Result<const Exercise*> find_exercise(std::string_view name);

/// Reads one folder, for all_exercises(). The result has no as_lesson yet.
[[nodiscard]] Result<Exercise> read_exercise(const Lesson& lesson, const std::filesystem::path& folder);

}  // namespace warpbook::lessons
