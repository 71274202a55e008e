#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/report_text.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

void print_list(bool as_json) {
  if (as_json) {
    nlohmann::ordered_json lessons = nlohmann::ordered_json::array();
    for (const lessons::Lesson* lesson : lessons::all_lessons()) {
      lessons.push_back({{"id", lesson->id}, {"title", lesson->title}, {"kernels", {lesson->kernel}}});
    }
    fmt::print("{}\n", dump({{"lessons", lessons}, {"exercises", nlohmann::ordered_json::array()}}, 2));
    return;
  }
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    fmt::print("{}  {}\n    {}, kernel {} of kernels/{}\n", lesson->number, lesson->title, lesson->id, lesson->kernel,
               lesson->kernel_file);
    for (const lessons::Control& control : lesson->controls) {
      std::string range;
      switch (control.kind) {
        case lessons::Control::Kind::toggle:
          range = "on or off";
          break;
        case lessons::Control::Kind::choice:
          for (const auto& option : control.options) range += (range.empty() ? "" : " | ") + option.id;
          break;
        case lessons::Control::Kind::integer:
        case lessons::Control::Kind::real:
          range = fmt::format("{} to {}", control.least, control.most);
          break;
      }
      fmt::print("    --set {:<14} {}: {}\n", control.id + "=…", control.label, range);
    }
    fmt::print("\n");
  }
  fmt::print("'warpbook run 07' does one of them as text; 'warpbook' alone opens the workbook.\n");
}

}  // namespace

void add_list(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("list", "the lessons, and the controls of each");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "one JSON object instead of text");
  command->callback([json, &exit_code] {
    print_list(*json);
    exit_code = exit_clean;
  });
}

}  // namespace warpbook::app
