#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/lesson_choice.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/progress.h"

namespace warpbook::app {
namespace {

/// Ids of the exercises that the learner has passed in the window; empty where nobody knows, and why stands on the error stream.
std::optional<std::set<std::string>> passed_exercises() {
  const std::filesystem::path folder = lessons::progress_directory();
  if (folder.empty()) return std::nullopt;
  auto passed = lessons::Progress(folder).passed();
  if (passed) return std::move(*passed);
  static_cast<void>(complain(passed.error()));
  return std::nullopt;
}

void print_list(const std::vector<lessons::Exercise>& all, bool as_json) {
  const auto passed = passed_exercises();
  if (as_json) {
    nlohmann::ordered_json lessons = nlohmann::ordered_json::array();
    for (const lessons::Lesson* lesson : lessons::all_lessons()) {
      lessons.push_back({{"id", lesson->id}, {"title", lesson->title}, {"kernels", {lesson->kernel}}});
    }
    nlohmann::ordered_json exercises = nlohmann::ordered_json::array();
    for (const lessons::Exercise& exercise : all) {
      exercises.push_back({{"id", exercise.id},
                           {"lesson", exercise.lesson->id},
                           {"title", exercise.title},
                           {"kind", name_of(exercise.kind)},
                           {"start", start_file(exercise).filename().string()},
                           {"solution", solution_file(exercise).filename().string()},
                           {"passed", passed ? nlohmann::ordered_json(passed->contains(exercise.id)) : nlohmann::ordered_json()}});
    }
    print_out("{}\n", dump({{"lessons", lessons}, {"exercises", exercises}}, 2));
    return;
  }
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    print_out("{}\n    {}, kernel {} of kernels/{}\n", heading_of(*lesson), lesson->id, lesson->kernel, lesson->kernel_file);
    for (const lessons::Control& control : lesson->controls) {
      std::string range;
      switch (control.kind) {
        case lessons::Control::Kind::toggle:
          range = say("on or off");
          break;
        case lessons::Control::Kind::choice:
          for (const auto& option : control.options) range += (range.empty() ? "" : " | ") + option.id;
          break;
        case lessons::Control::Kind::integer:
        case lessons::Control::Kind::real:
          range = fmt::format("{} to {}", control.least, control.most);
          break;
      }
      print_out("    --set {:<14} {}: {}\n", control.id + "=…", say(control.label), range);
    }
    for (const lessons::Exercise* exercise : lessons::exercises_of(*lesson)) {
      const bool done = passed && passed->contains(exercise->id);
      print_out("    exercise {:<15} {}: {}{}\n", exercise->id, exercise->title, what_to_do(*exercise), done ? " (passed)" : "");
    }
    print_out("\n");
  }
  if (passed) print_out("{}\n", say("{done} of {all} exercises passed.", "done"_a = passed->size(), "all"_a = all.size()));
  print_out("{}\n", say("'warpbook run 05' does one of them as text, 'warpbook check square mine.cu' says whether your kernel "
                        "solves an exercise;\n"
                        "'warpbook' alone opens the workbook."));
}

}  // namespace

void add_list(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("list", say("the lessons, with the controls and exercises of each"));
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, say("one JSON object instead of text"));
  command->callback([json, &exit_code] {
    const auto& exercises = lessons::all_exercises();
    if (exercises) print_list(*exercises, *json);
    exit_code = exercises ? exit_clean : complain(exercises.error());
  });
}

}  // namespace warpbook::app
