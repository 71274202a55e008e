// AnswerKeys: reads the keys of task.toml for exercises that are not kernels (answers.h lists the keys).
//
//     read_answer_keys(table, exercise, [&](const toml::node& at, std::string_view what) { task.wrong(at, what); });
#pragma once

#include <toml++/toml.h>

#include <functional>
#include <string_view>

#include "lessons/exercise.h"

namespace warpbook::lessons {

/// Called with each error: where it is, and what is wrong.
using WrongNode = std::function<void(const toml::node&, std::string_view)>;

/// Reads `kind`. The default is a kernel.
[[nodiscard]] ExerciseKind read_kind(const toml::table& table, const WrongNode& wrong);

/// Reads the questions of a quiz, and the answers and wrong marks of a program. The exercise's kind must be set.
void read_answer_keys(const toml::table& table, Exercise& exercise, const WrongNode& wrong);

/// Reads the names that a case of `choose` uses in grid, block and shared.
[[nodiscard]] LaunchNames read_launch_names(const toml::table& table, const WrongNode& wrong);

}  // namespace warpbook::lessons
