#include "app/panels/exercise.h"

#include <fmt/format.h>

#include <string>

#include "gpu/message.h"

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
      // "3 of 4 answers are right"
      return exercise.kind == lessons::ExerciseKind::quiz
                 ? say("{right:.0f} {of_all} answers are right", "right"_a = number.value, "of_all"_a = number.unit)
                 : say("{passed:.0f} {of_all} cases pass", "passed"_a = number.value, "of_all"_a = number.unit);
    }
  }
  if (exercise.kind == lessons::ExerciseKind::choose)
    return say_many(cases, "A launch to choose, checked in {n} launch", "A launch to choose, checked in {n} launches",
                    "n"_a = cases);
  if (exercise.kind == lessons::ExerciseKind::mark) return say("Lines of a program to mark");
  if (exercise.kind == lessons::ExerciseKind::quiz) return say_many(cases, "{n} question", "{n} questions", "n"_a = cases);
  return say_many(cases, "A kernel to write, checked in {n} launch", "A kernel to write, checked in {n} launches", "n"_a = cases);
}

Wording begin_words(const lessons::Exercise& exercise) {
  constexpr ToSay words[] = {to_say("Write the kernel"), to_say("Choose the launch"), to_say("Mark the lines"), to_say("Answer")};
  return say(words[static_cast<std::size_t>(exercise.kind)]);
}

Wording next(const Session& session, const lessons::Exercise& exercise) {
  if (session.passed.contains(exercise.id)) return say("Open again");
  const auto begun = session.lessons.find(exercise.as_lesson.id);
  return begun != session.lessons.end() && begun->second.edited() ? say("Go on") : begin_words(exercise);
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
    text(draw, Face::label, {x + px(18), below}, t.text.second, say("Passed"));
  } else {
    text_clipped(draw, Face::label, {x, below}, right - x, t.text.second, how_far(session, exercise));
  }
  return opened;
}

float exercise_height() { return line_height(Face::body_strong) + line_height(Face::label) + px(2 * panel_padding + gap); }

}  // namespace warpbook::app
