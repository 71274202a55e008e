// The catalog: all lessons in order. To add a lesson, write lessons/NN_name/ and add its line in catalog.cpp.
//
//     for (const Lesson* lesson : all_lessons()) print(lesson->title);
//     const Lesson* race = find_lesson("05");          // by number, id (also a former one) or unique part of an id
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
/// The id that the lesson had before the course was reordered. Empty: none. Progress that was saved under it still counts.
[[nodiscard]] std::string_view former_id(const Lesson& lesson);

/// Whether the lesson can be completed. A playground cannot.
[[nodiscard]] bool counts(const Lesson& lesson);
/// The next lesson after `here` (or after the lesson of an exercise) that is not done, or else the first one that is not done, or
/// else nullptr. `done` says whether a lesson is done.
[[nodiscard]] const Lesson* next_lesson(const Lesson& here, const std::function<bool(const Lesson&)>& done);

/// An entry of the list of lessons: every lesson of the course, and the playground, which has no number. `lesson` is nullptr for
/// lessons that are not written yet.
struct RailEntry {
  std::string_view number, title;
  const Lesson* lesson = nullptr;
};
[[nodiscard]] std::span<const RailEntry> curriculum();

/// The folder with lessons/, kernels/ and assets/: WARPBOOK_DATA, or else beside the program (from a build folder: the source
/// tree), or else ../share/warpbook relative to it. If none of them exists, the last one is returned, and reading from it gives the
/// error.
[[nodiscard]] const std::filesystem::path& data_directory();
/// The folder with the catalogues of other languages (gpu/language.h): in a build folder the built ones, else languages/ in the
/// data.
[[nodiscard]] const std::filesystem::path& language_directory();
[[nodiscard]] Result<std::string> read_text(const std::filesystem::path& file);
/// The folder of a lesson's or exercise's files, relative to lessons/ and to the learner's saved work: "01_first_kernel",
/// "01_first_kernel/exercises/square".
[[nodiscard]] std::filesystem::path folder_of(const Lesson& lesson);
[[nodiscard]] Result<std::string> kernel_text(const Lesson& lesson);  // of an exercise: the text that the learner starts from
/// The lesson's kernel in Numba CUDA Python. Error: "no_twin" if the kernel is the learner's own.
[[nodiscard]] Result<std::string> numba_text(const Lesson& lesson);
[[nodiscard]] std::filesystem::path page_file(const Lesson& lesson);
[[nodiscard]] Result<std::string> page_text(const Lesson& lesson);

}  // namespace warpbook::lessons
