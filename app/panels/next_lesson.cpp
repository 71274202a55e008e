#include "app/panels/next_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/panels/stage_strip.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

constexpr float card_height = 64, widest = 480;  // CSS pixels

/// "Still open in this lesson: look, change."; empty where everything is done.
std::string still_open(const Session& session, const lessons::Lesson& lesson) {
  std::string names;
  for (const lessons::StageDone& stage : stages_of(session, lesson)) {
    if (!stage.done) names += (names.empty() ? "" : ", ") + std::string(stage_word(stage.name));
  }
  return names.empty() ? std::string() : say("Still open in this lesson: {stages}.", "stages"_a = names);
}

/// After a passed exercise, the next of its lesson that is still open, or an earlier one.
const lessons::Exercise* next_exercise(const Session& session) {
  const lessons::Exercise* const here = session.open->exercise;
  if (here == nullptr || !session.passed.contains(here->id)) return nullptr;
  const lessons::Exercise* earlier = nullptr;
  bool passed_here = false;
  for (const lessons::Exercise* const each : lessons::exercises_of(*here->lesson)) {
    if (each == here) passed_here = true;
    if (session.passed.contains(each->id)) continue;
    if (passed_here) return each;
    if (earlier == nullptr) earlier = each;
  }
  return earlier;
}

}  // namespace

float draw_next_lesson(const Session& session, ImVec2 at, float width, const lessons::Lesson*& chosen) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const lessons::Lesson& lesson = session.open->exercise != nullptr ? *session.open->exercise->lesson : *session.open;
  float y = at.y;
  const auto& blocks = session.lessons.at(session.open->id).page.blocks;
  const bool after_cases = !blocks.empty() && blocks.back().kind == lessons::Block::Kind::view && blocks.back().name == "checks";
  if (!after_cases) {  // they end with a line
    hairline(draw, at, {at.x + width, at.y}, t.background.line);
    y += px(24);
  }
  if (const std::string open = lessons::counts(lesson) ? still_open(session, lesson) : std::string(); !open.empty()) {
    text_clipped(draw, Face::body, {at.x, y}, width, t.text.third, open);
    name_widget("still_open", rect(at.x, y, width, line_height(Face::body)));
    y += line_height(Face::body) + px(12);
  }
  const lessons::Lesson* next =
      lessons::next_lesson(*session.open, [&](const lessons::Lesson& each) { return lessons::all_done(stages_of(session, each)); });
  std::string_view label = say("Next lesson");
  if (const lessons::Exercise* const exercise = next_exercise(session)) {
    next = &exercise->as_lesson;
    label = say("Next exercise");
  } else if (next == nullptr) {  // all are done
    const auto all = lessons::all_lessons();
    const auto playground = std::find_if(all.begin(), all.end(), [](const lessons::Lesson* each) { return each->playground; });
    if (playground == all.end() || *playground == session.open) return y - at.y;
    next = *playground;
    label = say("All lessons are done. Now your own kernels");
  }
  const HitArea touched = hit_area("next", rect(at.x, y, std::min(width, px(widest)), px(card_height)));
  const Rect& card = touched.area;
  draw->AddRectFilled(card.a, card.b, touched.hovered || touched.held ? fill_of(touched) : t.background.raised, px(t.radius.box));
  draw->AddRectFilled(card.a, {card.a.x + px(3), card.b.y}, t.hand.line, px(1));
  text(draw, Face::label, {card.a.x + px(20), card.a.y + px(10)}, t.text.third, label);
  const float line = card.a.y + px(30);
  float x = card.a.x + px(20);
  if (lessons::counts(*next) || next->exercise != nullptr)
    x += text(draw, Face::digits, {x, line + baseline(Face::head) - baseline(Face::digits)}, t.text.third, next->number) + px(10);
  text_clipped(draw, Face::head, {x, line}, card.b.x - px(44) - x, t.text.first, next->title);
  icon(draw, Icon::chevron_right, {card.b.x - px(24), card.centre().y}, px(12), t.text.second);
  if (touched.focused) focus_ring(card, t.hand.line, t.radius.box);
  if (touched.clicked) chosen = next;
  return card.b.y - at.y;
}

}  // namespace warpbook::app
