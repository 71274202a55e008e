// LESSON and --set, which `run`, `sweep` and `picture` have in common.
//
//     LessonChoice choice;
//     choice.add_to(*command);
//     Result<const lessons::Lesson*> lesson = choice.lesson();
//     Result<lessons::Values> values = choice.values(**lesson);
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu/result.h"
#include "lessons/lesson.h"

namespace warpbook::app {

struct LessonChoice {
  std::string name;
  std::vector<std::string> settings;  // "threads=64"

  void add_to(CLI::App& command);

  enum class Exercises { refused, too };  // an exercise has a page, and no experiment of its own
  [[nodiscard]] Result<const lessons::Lesson*> lesson(Exercises exercises = Exercises::refused) const;
  [[nodiscard]] Result<lessons::Values> values(const lessons::Lesson& lesson) const;
};

/// "05  Race conditions", or the title alone where there is no number.
[[nodiscard]] std::string heading_of(const lessons::Lesson& lesson);
/// A control's value in JSON: a number, true or false, or an option's id.
[[nodiscard]] nlohmann::ordered_json control_json(const lessons::Control& control, double value);
/// … and of all controls, by id.
[[nodiscard]] nlohmann::ordered_json controls_json(const lessons::Lesson& lesson, const lessons::Values& values);

}  // namespace warpbook::app
