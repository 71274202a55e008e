#include "app/panels/exercise.h"

#include <fmt/format.h>

#include <string>

namespace warpbook::app {
namespace {

constexpr float gap = 4;

/// "2 of 4 cases pass" of the last check in this session; before it, what is asked for.
std::string how_far(const Session& session, const lessons::Exercise& exercise) {
  // Of a kernel, a case is made anew at each check, besides those that are written.
  const std::size_t cases = lessons::rows_of(exercise) + (lessons::is_compiled(exercise) ? 1 : 0);
  const auto begun = session.lessons.find(exercise.as_lesson.id);
  if (begun != session.lessons.end() && begun->second.shown) {
    for (const lessons::Number& number : begun->second.shown->outcome->numbers) {
      if (number.name != "passed") continue;
      return fmt::format("{:.0f} {} {}", number.value, number.unit,
                         exercise.kind == lessons::ExerciseKind::quiz ? "answers are right" : "cases pass");
    }
  }
  if (exercise.kind == lessons::ExerciseKind::choose)
    return fmt::format("A launch to choose, checked in {} {}", cases, cases == 1 ? "launch" : "launches");
  if (exercise.kind == lessons::ExerciseKind::mark) return "Lines of a program to mark";
  if (exercise.kind == lessons::ExerciseKind::quiz) return fmt::format("{} {}", cases, cases == 1 ? "question" : "questions");
  return fmt::format("A kernel to write, checked in {} {}", cases, cases == 1 ? "launch" : "launches");
}

std::string_view begin_words(const lessons::Exercise& exercise) {
  constexpr std::string_view words[] = {"Write the kernel", "Choose the launch", "Mark the lines", "Answer"};
  return words[static_cast<std::size_t>(exercise.kind)];
}

std::string_view next(const Session& session, const lessons::Exercise& exercise) {
  if (session.passed.contains(exercise.id)) return "Open again";
  const auto begun = session.lessons.find(exercise.as_lesson.id);
  return begun != session.lessons.end() && begun->second.edited() ? "Go on" : begin_words(exercise);
}

}  // namespace

bool draw_exercise(const Session& session, const lessons::Exercise& exercise, ImVec2 at, float width, bool printed) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect box = rect(at.x, at.y, width, exercise_height());
  draw->AddRectFilled(box.a, box.b, t.background.raised, px(t.radius.box));
  float right = box.b.x - px(panel_padding);
  bool opened = false;
  if (!printed) {
    const ButtonLook look{.label = next(session, exercise)};
    right -= button_width(look);
    opened = button("exercise/" + exercise.id, rect(right, box.centre().y - px(16), button_width(look), px(32)), look);
    right -= px(panel_padding);
  }
  const float x = box.a.x + px(panel_padding), y = box.a.y + px(panel_padding);
  text_clipped(draw, Face::body_strong, {x, y}, right - x, t.text.first, exercise.title);
  const float below = y + line_height(Face::body_strong) + px(gap);
  if (session.passed.contains(exercise.id)) {
    tick(draw, {x + px(6), below + line_height(Face::label) / 2}, px(11), t.hand.line);
    text(draw, Face::label, {x + px(18), below}, t.text.second, "Passed");
  } else {
    text_clipped(draw, Face::label, {x, below}, right - x, t.text.second, how_far(session, exercise));
  }
  return opened;
}

float exercise_height() { return line_height(Face::body_strong) + line_height(Face::label) + px(2 * panel_padding + gap); }

}  // namespace warpbook::app
