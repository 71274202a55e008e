// Exercise: the stage *make* of a lesson: a kernel that the learner writes, and that is checked (check.h).
//
//     Result<const Exercise*> square = find_exercise("square");        // or "01/square", "01_first_kernel/square"
//     for (const Exercise* each : exercises_of(*find_lesson("01"))) print(each->title);
//     session.open = &(*square)->as_lesson;                            // a lesson whose run is the check
//
// It is a folder, lessons/NN_name/exercises/ID, and no code:
//     text.en.md    its page: the task, what is given, what is checked
//     start.cu      what the learner begins with: compiles, and does not pass
//     solution.cu   is right: what it leaves in the arrays is what a learner's kernel has to leave there
//     task.toml     title = "Square every element"
//                   kernel = "square"                    # the __global__ function of both files
//                   tolerance = 1e-5                     # of floats, relative to what is right; left out: exact
//                   also = ["divergence"]                # findings that fail it beside memory, race, init and sync
//                   orders = 8                           # in how many orders of the warps a case is launched; left out: one
//                   seconds = 0.5                        # that a launch of a case may take; left out: 5
//                   [limits]                             # what it may cost: limits.h; may be left out
//                   time = 1.2
//                   [[case]]
//                   name = "4096 elements, 32 blocks of 128"
//                   grid = [32]                          # x, or x, y, or x, y, z
//                   block = [128]
//                   shared = 512                         # dynamic shared memory a block, in bytes; left out: 0
//                   arguments = ["float32[4096]=uniform:-8:8:1", "float32[4096]=zeros", "int32=4096"]   # arguments/argument_spec.h
//                   hint = ["…", "…", "…"]               # for who fails this case, whatever fails; one string is one step
//     A hint may instead say which failure it speaks of (hint.h), in a case or, as [[hint]], in any case; all but `steps` may be
//     left out:
//                   [[case.hint]]
//                   when = "race"                        # a kind of finding, "unwritten", "too_large" …
//                   space = "shared"                     # the finding's
//                   same_block = true                    # whether a race's two threads are of one block
//                   element = 0                          # the first wrong one
//                   wrong = 1                            # how many elements are wrong; or "all"
//                   steps = ["…", "…", "…"]              # first a nudge, then where, then how
//
// Exercises that are no kernel have a `kind`, other files beside task.toml and text.en.md, and keys of their own: answers.h.
//
// The folders are read once. Ownership: exercises and their lessons live as long as the program. Errors: "bad_task" with the file
// and its line, "unknown_exercise" with those that there are, "missing_file".
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

inline constexpr double case_seconds = 5;  // that a launch of a case may take, unless its exercise says otherwise

struct Exercise {
  struct Case {
    std::string name;
    gpu::Dim3 grid, block;
    std::uint32_t shared_bytes = 0;  // dynamic, a block
    std::vector<ArgumentSpec> arguments;
    std::vector<Hint> hints;  // may be empty
    LaunchNames names = {};   // kind choose: what the learner gives numbers for
  };
  std::string id;                  // "square": its folder's name, and no other exercise's
  const Lesson* lesson = nullptr;  // to which it belongs
  std::string title, kernel;       // kernel: the __global__ function
  std::filesystem::path folder;
  double tolerance = 0;                     // of floats, relative
  double seconds = case_seconds;            // that a launch may take
  std::vector<gpu::FindingKind> forbidden;  // findings that fail a case
  std::uint32_t orders = 1;                 // each case in so many; it has to pass in all of them
  std::vector<Case> cases;                  // at least one; of a mark or a quiz none
  std::vector<Hint> hints;                  // of whichever case; may be empty
  Limits limits;
  ExerciseKind kind = ExerciseKind::kernel;
  std::vector<Question> questions;                // kind quiz
  std::vector<std::vector<std::string>> answers;  // kind mark: right beside what solution.cu marks
  std::vector<WrongMark> wrong_marks;
  Lesson as_lesson;  // id "01_first_kernel/square", view "checks", and `run` is the check
};

/// All of them, in the order of the lessons, and within one as its page names them: the easiest first.
[[nodiscard]] const Result<std::vector<Exercise>>& all_exercises();

/// Whatever a learner can open: the lessons, and the exercises as lessons; none of these where all_exercises() is an error.
[[nodiscard]] std::vector<const Lesson*> lessons_and_exercises();
/// None where all_exercises() is an error.
[[nodiscard]] std::vector<const Exercise*> exercises_of(const Lesson& lesson);

[[nodiscard]] Result<const Exercise*> find_exercise(std::string_view name);

/// One folder; all_exercises() reads them with it. What it gives has no as_lesson yet.
[[nodiscard]] Result<Exercise> read_exercise(const Lesson& lesson, const std::filesystem::path& folder);

}  // namespace warpbook::lessons
