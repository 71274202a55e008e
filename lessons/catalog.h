// The catalog: every lesson in its order. To add one, write lessons/NN_name/ and add its line in catalog.cpp.
//
//     for (const Lesson* lesson : all_lessons()) print(lesson->title);
//     const Lesson* race = find_lesson("05");          // by number, id (also a former one), or unique part of the id; an exercise by its whole id
//     Result<std::string> text = page_text(*race);     // text.en.md, from the installed or the source tree
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "lessons/lesson.h"

namespace warpbook::lessons {

[[nodiscard]] std::span<const Lesson* const> all_lessons();
[[nodiscard]] const Lesson* find_lesson(std::string_view name);
/// The id that a lesson had before the course was put into another order; empty: none. What a learner kept under it still counts.
[[nodiscard]] std::string_view former_id(const Lesson& lesson);

/// Whether it is one of the lessons that can be done: a playground is not.
[[nodiscard]] bool counts(const Lesson& lesson);
/// The lesson to go on with from `here` (an exercise: its lesson): the first after it that is not done, else the first of all that
/// is not, else nullptr. `done` tells of a lesson whether it is.
[[nodiscard]] const Lesson* next_lesson(const Lesson& here, const std::function<bool(const Lesson&)>& done);

/// What the rail shows: all lessons of the course, and the playground, which has no number; `lesson` is nullptr for those not
/// written yet.
struct RailEntry {
  std::string_view number, title;
  const Lesson* lesson = nullptr;
};
[[nodiscard]] std::span<const RailEntry> curriculum();

/// Where lessons/, kernels/ and assets/ lie: WARPBOOK_DATA, else beside the program (in a build folder: the source tree), else in
/// ../share/warpbook as seen from it. Where none of them is there, the last: what is missing is named when it is read.
[[nodiscard]] const std::filesystem::path& data_directory();
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& file);
/// Of a lesson's own files, below lessons/ and in what a learner leaves behind: "01_first_kernel",
/// "01_first_kernel/exercises/square".
[[nodiscard]] std::filesystem::path folder_of(const Lesson& lesson);
[[nodiscard]] Result<std::string> kernel_text(const Lesson& lesson);  // of an exercise: what the learner starts from
/// The kernel's twin in Numba CUDA Python. Error: "no_twin" for a lesson whose kernel is the learner's own.
[[nodiscard]] Result<std::string> numba_text(const Lesson& lesson);
[[nodiscard]] std::filesystem::path page_file(const Lesson& lesson);
[[nodiscard]] Result<std::string> page_text(const Lesson& lesson);

}  // namespace warpbook::lessons
