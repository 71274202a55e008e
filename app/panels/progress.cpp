#include "app/panels/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/panels/stage_strip.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

constexpr float lesson_row = 40, exercise_row = 30, number_column = 40, mark_column = 28, id_column = 176;  // CSS pixels

/// How far a lesson is, in a few words; `good`: nothing of it is left.
struct Standing {
  std::string words;
  bool good = false;
};
Standing standing_of(const Session& session, const lessons::Lesson& lesson) {
  const auto stages = stages_of(session, lesson);
  const auto done = std::count_if(stages.begin(), stages.end(), [](const lessons::StageDone& each) { return each.done; });
  const bool missed = has_missed(session, lesson);
  if (lessons::all_done(stages))
    return {missed ? say("Done. Your last prediction was wrong: predict again") : say("Done"), !missed};
  if (done == 0) return {say("Not begun")};
  std::string first_open;
  for (const lessons::StageDone& each : stages) {
    if (!each.done && first_open.empty()) first_open = stage_word(each.name);
  }
  return {say("{done} of {steps} steps done, next: {next}", "done"_a = done, "steps"_a = stages.size(), "next"_a = first_open)};
}

/// A row that can be pressed, with its background and focus; true: it was.
bool row(const std::string& name, const Rect& area) {
  const Theme& t = theme();
  const HitArea at = hit_area(name, area);
  if (at.hovered) ImGui::GetWindowDrawList()->AddRectFilled(area.a, area.b, fill_of(at), px(t.radius.control));
  if (at.focused) focus_ring({{area.a.x + px(3), area.a.y + px(3)}, {area.b.x - px(3), area.b.y - px(3)}}, t.hand.line, 2);
  return at.clicked;
}

bool lesson_line(const Session& session, const lessons::Lesson& lesson, const Rect& area) {
  const Theme& t = theme();
  const bool clicked = row("progress/lesson/" + std::string(lesson.number), area);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = area.centre().y;
  text(draw, Face::digits, {area.a.x + px(12), middle - line_height(Face::digits) / 2}, t.text.third, lesson.number);
  const Standing standing = standing_of(session, lesson);
  const float end = area.b.x - px(12), wide = text_width(Face::label, standing.words);
  text(draw, Face::label, {end, middle - line_height(Face::label) / 2}, standing.good ? t.verdict.good : t.text.second,
       standing.words, Align::right);
  const float x = area.a.x + px(12 + number_column);
  text_clipped(draw, Face::body_strong, {x, middle - line_height(Face::body_strong) / 2}, end - wide - px(16) - x, t.text.first,
               lesson.title);
  return clicked;
}

bool exercise_line(const Session& session, const lessons::Exercise& exercise, const Rect& area) {
  const Theme& t = theme();
  const bool clicked = row("progress/exercise/" + exercise.id, area);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = area.centre().y;
  const bool passed = session.passed.contains(exercise.id);
  const ImVec2 mark(area.a.x + px(12 + number_column + 7), middle);
  if (passed)
    tick(draw, mark, px(11), t.hand.line);
  else
    draw->AddCircle(mark, px(5), t.background.line_strong, 0, px(1.5f));
  const float x = area.a.x + px(12 + number_column + mark_column), end = area.b.x - px(12 + id_column);
  text_clipped(draw, Face::body, {x, middle - line_height(Face::body) / 2}, end - px(12) - x, passed ? t.text.second : t.text.first,
               exercise.title);
  text_clipped(draw, Face::label_code, {end, middle - line_height(Face::label_code) / 2}, px(id_column), t.text.third, exercise.id);
  return clicked;
}

}  // namespace

bool draw_progress(Session& session, Actions& actions, const Rect& inside) {
  const Theme& t = theme();
  const auto& exercises = lessons::all_exercises();
  const auto [done, in_all] = lessons_done(session);
  const std::string words =
      exercises ? say("{done} of {lessons} lessons done, {passed} of {exercises} exercises passed.", "done"_a = done,
                      "lessons"_a = in_all, "passed"_a = session.passed.size(), "exercises"_a = exercises->size())
                : exercises.error().message;
  text_clipped(ImGui::GetWindowDrawList(), Face::body, inside.a, inside.width(), exercises ? t.text.second : t.verdict.bad, words);
  name_widget("progress/sum", rect(inside.a.x, inside.a.y, inside.width(), line_height(Face::body)));

  const Rect list = {{inside.a.x, inside.a.y + line_height(Face::body) + px(16)}, inside.b};
  hairline(ImGui::GetWindowDrawList(), list.a, {list.b.x, list.a.y}, t.background.line);
  ImGui::SetCursorScreenPos(list.a);
  ImGui::BeginChild("progress", {list.width(), list.height()});
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = list.width() - px(16);  // the scroll bar's
  const lessons::Lesson* chosen = nullptr;
  float y = top.y + px(8);
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    if (!lessons::counts(*lesson)) continue;
    if (lesson_line(session, *lesson, rect(top.x, y, width, px(lesson_row)))) chosen = lesson;
    y += px(lesson_row);
    for (const lessons::Exercise* exercise : lessons::exercises_of(*lesson)) {
      if (exercise_line(session, *exercise, rect(top.x, y, width, px(exercise_row)))) chosen = &exercise->as_lesson;
      y += px(exercise_row);
    }
    y += px(8);
    hairline(ImGui::GetWindowDrawList(), {top.x, y}, {top.x + width, y}, t.background.line);
    y += px(8);
  }
  ImGui::SetCursorScreenPos({top.x, y});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  if (chosen != nullptr && chosen != session.open) actions.open(*chosen);
  return chosen != nullptr;
}

}  // namespace warpbook::app
