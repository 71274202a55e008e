// LESSON and --set, which `run` and `picture` have in common.
//
//     LessonChoice choice;
//     choice.add_to(*command);
//     Result<const lessons::Lesson*> lesson = choice.lesson();
//     Result<lessons::Values> values = choice.values(**lesson);
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "gpu/result.h"
#include "lessons/lesson.h"

namespace warpbook::app {

struct LessonChoice {
  std::string name;
  std::vector<std::string> settings;  // "threads=64"

  void add_to(CLI::App& command);

  [[nodiscard]] Result<const lessons::Lesson*> lesson() const;
  [[nodiscard]] Result<lessons::Values> values(const lessons::Lesson& lesson) const;
};

/// A control's value as --set takes it: "64", "on", "shared".
[[nodiscard]] std::string value_text(const lessons::Control& control, const lessons::Values& values);

}  // namespace warpbook::app
