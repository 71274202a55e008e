#include "app/panels/page_head.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/panels/controls.h"
#include "app/panels/export_menu.h"
#include "app/panels/reference_run.h"
#include "app/panels/result.h"
#include "app/session/comparison.h"
#include "app/session/prediction.h"
#include "gpu/message.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

constexpr float scrolled_head = 48, presets_row = 44;  // CSS pixels

float head_height(float scrolled) { return std::max(px(scrolled_head), px(theme().space.header) - scrolled); }

/// A number of the result, small.
struct HeadNumber {
  const lessons::Number* number = nullptr;
  std::string digits;
  float label = 0, width = 0;
};

std::vector<HeadNumber> numbers_of_head(const LessonState& state) {
  std::vector<HeadNumber> numbers;
  for (const lessons::Number& number : state.shown->outcome->numbers) {
    if (!number.on_page) continue;
    HeadNumber each{.number = &number, .digits = printed(number), .label = text_width(Face::label, say(number.label))};
    each.width = std::ceil(each.label + px(8) + text_width(Face::head, each.digits) + unit_width(number));
    numbers.push_back(std::move(each));
  }
  return numbers;
}

/// They end at `right`; those for which there is no room are left out, from the last on. Returns where the first begins.
float draw_numbers(const Session& session, float left, float right, float line) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const LessonState& state = session.lesson();
  auto numbers = numbers_of_head(state);
  const float gap = px(20);
  const auto total = [&] {
    float wide = -gap;
    for (const HeadNumber& each : numbers) wide += each.width + gap;
    return wide;
  };
  while (!numbers.empty() && total() > right - left) numbers.pop_back();
  if (numbers.empty()) return right;
  const float begin = right - total();
  float x = begin;
  const bool stale = state.changed_since_run || state.latest != state.shown;
  for (const HeadNumber& each : numbers) {
    text(draw, Face::label, {x, line - baseline(Face::label)}, t.text.third, say(each.number->label));
    const float at = x + each.label + px(8);
    const ImU32 ink = stale ? t.text.third : colour_of(each.number->tone);
    const float digits = text(draw, Face::head, {at, line - baseline(Face::head)}, ink, each.digits);
    text(draw, Face::label, {at + digits + px(4), line - baseline(Face::label)}, t.text.third, unit_of(*each.number));
    x += each.width + gap;
  }
  name_widget("head/numbers", rect(begin, line - line_height(Face::head), right - begin, line_height(Face::head)));
  return begin;
}

/// The result has been scrolled away, or is cut off, and may be read: no question is open that it would answer.
bool result_out_of_sight(const Session& session, float bottom) {
  const LessonState& state = session.lesson();
  return state.shown && !state.failed() && state.places.result_end != 0 && state.places.result_end - px(48) < bottom &&
         !has_open_question(session);
}

bool presets_out_of_sight(const Session& session, const Rect& page, float bottom) {
  const LessonState& state = session.lesson();
  if (session.open->presets.empty() || state.places.presets_end == 0) return false;
  return state.places.presets_top > page.b.y || state.places.presets_end < bottom;
}

}  // namespace

float tallest_page_head(const Session& session) {
  return px(scrolled_head) + (session.open->presets.empty() ? 0 : px(presets_row));
}

float lesson_number(const lessons::Lesson& lesson, ImVec2 base) {
  if (lesson.number.empty()) return 0;
  const ImVec2 at(base.x, base.y - baseline(Face::prose_code));
  return text(ImGui::GetWindowDrawList(), Face::prose_code, at, theme().text.third, lesson.number) + px(12);
}

float draw_printed_head(const Session& session, ImVec2 at, float width) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float y = at.y + (px(t.space.header) - line_height(Face::title)) / 2, line = y + baseline(Face::title);
  const float left = lesson_number(*session.open, {at.x, line});
  text_clipped(draw, Face::title, {at.x + left, y}, width - left, t.text.first, session.open->title);
  return px(t.space.header);
}

float draw_page_head(Session& session, Actions& actions, const Rect& page, const PageColumn& column, TextLinks& links) {
  const Theme& t = theme();
  const lessons::Lesson& lesson = *session.open;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float scrolled = ImGui::GetScrollY(), height = head_height(scrolled);
  const float y = page.a.y + (height - line_height(Face::title)) / 2, line = y + baseline(Face::title);
  const float left = column.x + lesson_number(lesson, {column.x, line}), end = column.x + column.width;
  const float present = end - text_width(Face::label, say("Present"));
  if (link("present", Face::label, {present, line - baseline(Face::label)}, say("Present"), t.text.second))
    session.presenting = true;
  float right = present - px(24);
  right -= draw_export(session, actions, right, line);
  if (can_set_reference(session.lesson())) {
    right -= px(24) + text_width(Face::label, say("Compare"));
    if (link("kept/keep", Face::label, {right, line - baseline(Face::label)}, say("Compare"), t.text.second))
      set_reference(session);
  }
  if (lesson.exercise != nullptr) {
    right -= px(24) + text_width(Face::label, say("Back to the lesson"));
    if (link("exercise/back", Face::label, {right, line - baseline(Face::label)}, say("Back to the lesson"), t.text.second))
      links.lesson = lesson.exercise->lesson, links.stage = "make";
  }
  float bottom = page.a.y + height;
  const bool away = result_out_of_sight(session, bottom);
  // The title gives way to the numbers: the rail says which lesson it is.
  if (away) right = draw_numbers(session, left, right - px(24), line);
  text_clipped(draw, Face::title, {left, y}, std::max(right - px(16) - left, 0.0f), t.text.first,
               right - px(16) - left < px(48) ? "" : lesson.title);
  if (away && presets_out_of_sight(session, page, bottom)) {
    draw_presets(session, actions, {column.x, bottom + px(4)}, column.width, PresetPlace::head);
    bottom += px(presets_row);
  }
  if (scrolled > 0) hairline(draw, {page.a.x, bottom - px(1)}, {page.b.x, bottom - px(1)}, t.background.line);
  return bottom;
}

}  // namespace warpbook::app
