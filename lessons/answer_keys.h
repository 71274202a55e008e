// AnswerKeys: what a task.toml says of an exercise that is no kernel (answers.h lists the keys).
//
//     read_answer_keys(table, exercise, [&](const toml::node& at, std::string_view what) { task.wrong(at, what); });
#pragma once

#include <toml++/toml.h>

#include <functional>
#include <string_view>

#include "lessons/exercise.h"

namespace warpbook::lessons {

/// Is told what is wrong, and where.
using WrongNode = std::function<void(const toml::node&, std::string_view)>;

/// `kind`; a kernel where it is left out.
[[nodiscard]] ExerciseKind read_kind(const toml::table& table, const WrongNode& wrong);

/// The questions of a quiz; the answers and the wrong marks of a program. The exercise's kind is read.
void read_answer_keys(const toml::table& table, Exercise& exercise, const WrongNode& wrong);

/// Names where a case of `choose` has them in grid, block and shared.
[[nodiscard]] LaunchNames read_launch_names(const toml::table& table, const WrongNode& wrong);

}  // namespace warpbook::lessons
