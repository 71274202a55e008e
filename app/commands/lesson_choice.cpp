#include "app/commands/lesson_choice.h"

#include <fmt/format.h>

#include "app/commands/report_text.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/playground.h"

namespace warpbook::app {

void LessonChoice::add_to(CLI::App& command) {
  command.add_option("LESSON", name, say("its number, or part of its name: 05, race"))->required()->type_name("");
  command.add_option("--set", settings, say("a control's value, as threads=64, atomic=on, method=shared; again for more"))
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

std::string heading_of(const lessons::Lesson& lesson) {
  return lesson.number.empty() ? lesson.title : fmt::format("{}  {}", lesson.number, lesson.title);
}

Result<const lessons::Lesson*> LessonChoice::lesson(Exercises exercises) const {
  if (exercises == Exercises::too) {  // its whole name comes before a part of a lesson's
    if (const auto exercise = lessons::find_exercise(name); exercise && (*exercise)->id == name) return &(*exercise)->as_lesson;
  }
  if (const lessons::Lesson* found = lessons::find_lesson(name)) {
    if (found->exercise == nullptr || exercises == Exercises::too) return found;
    return failure("usage", say("{name} is an exercise: 'warpbook check {id} FILE' says whether your answer solves it.",
                                "name"_a = name, "id"_a = found->exercise->id));
  }
  if (exercises == Exercises::too) {
    if (const auto exercise = lessons::find_exercise(name)) return &(*exercise)->as_lesson;
  }
  std::string known;
  for (const lessons::Lesson* lesson : lessons::all_lessons()) known += fmt::format("{}{}", known.empty() ? "" : ", ", lesson->id);
  return failure("usage", say("'{name}' is not the number or name of one lesson. The lessons are {known}.", "name"_a = name,
                              "known"_a = known));
}

Result<lessons::Values> LessonChoice::values(const lessons::Lesson& lesson) const {
  lessons::Values values = lessons::Values::defaults(lesson.controls);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      const std::string example = lesson.controls.empty() ? "threads=64" : lesson.controls.front().id + "=…";
      return failure("usage", say("--set {setting} should read NAME=VALUE. Example: --set {example}.", "setting"_a = setting,
                                  "example"_a = example));
    }
    const std::string_view id = std::string_view(setting).substr(0, equals);
    if (lesson.playground && lessons::is_playground_text(id)) {
      values.set_text(id, std::string_view(setting).substr(equals + 1));
      continue;
    }
    if (auto done = values.set(lesson.controls, setting.substr(0, equals), setting.substr(equals + 1)); !done) {
      return failure("usage", fmt::format("--set {}: {}", setting, done.error().message));
    }
  }
  return values;
}

nlohmann::ordered_json control_json(const lessons::Control& control, double value) {
  switch (control.kind) {
    case lessons::Control::Kind::toggle:
      return value != 0;
    case lessons::Control::Kind::choice:
      return lessons::value_text(control, value);
    case lessons::Control::Kind::integer:
    case lessons::Control::Kind::real:
      break;
  }
  return number_json(value);
}

nlohmann::ordered_json controls_json(const lessons::Lesson& lesson, const lessons::Values& values) {
  auto controls = nlohmann::ordered_json::object();
  for (const lessons::Control& control : lesson.controls) controls[control.id] = control_json(control, values.real(control.id));
  for (const auto& [id, words] : values.texts()) controls[id] = words;
  return controls;
}

}  // namespace warpbook::app
