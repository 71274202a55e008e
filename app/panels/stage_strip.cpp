#include "app/panels/stage_strip.h"

#include <algorithm>
#include <array>
#include <string>

#include "gpu/message.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

// As lessons::stage_names.
constexpr std::array<ToSay, 5> stage_titles = {to_say("Predict"), to_say("Run"), to_say("Look"), to_say("Change"), to_say("Make")};
constexpr std::array<ToSay, 5> stage_words = {to_say("predict"), to_say("run"), to_say("look"), to_say("change"), to_say("make")};

std::size_t index_of(std::string_view stage) {
  const auto& names = lessons::stage_names;
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), stage) - names.begin());
}

}  // namespace

Wording stage_title(std::string_view stage) { return say(stage_titles[index_of(stage)]); }
Wording stage_word(std::string_view stage) { return say(stage_words[index_of(stage)]); }
std::string stage_number(std::string_view stage) { return std::to_string(index_of(stage) + 1); }

float draw_stage_strip(Session& session, ImVec2 at, float width, TextLinks& links) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  // An exercise is its lesson's last stage.
  const lessons::Lesson& lesson = session.open->exercise != nullptr ? *session.open->exercise->lesson : *session.open;
  const auto stages = stages_of(session, lesson);
  if (stages.empty()) return 0;
  const auto open = std::find_if(stages.begin(), stages.end(), [&](const lessons::StageDone& stage) {
    return &lesson == session.open ? !stage.done : stage.name == "make";
  });
  const float gap = px(t.space.gap_small), height = px(32);
  const float each = (width - gap * static_cast<float>(stages.size() - 1)) / static_cast<float>(stages.size());
  for (auto stage = stages.begin(); stage != stages.end(); ++stage) {
    const auto k = static_cast<float>(stage - stages.begin());
    const Rect area = rect(snap(at.x + k * (each + gap)), snap(at.y), snap(each), height);
    const HitArea touched = hit_area("stage/" + std::string(stage->name), area);
    const bool here = stage == open;
    draw->AddRectFilled(area.a, {area.b.x, area.a.y + px(2)}, stage->done || here ? t.hand.line : t.background.line);
    const float y = area.a.y + px(12);
    if (stage->done) {
      tick(draw, {area.a.x + px(6), y + px(9)}, px(11), t.hand.line);
    } else {
      text(draw, Face::digits, {area.a.x, y + px(1)}, here ? t.text.first : t.text.third, stage_number(stage->name));
    }
    const ImU32 ink = here || touched.hovered ? t.text.first : stage->done ? t.text.second : t.text.third;
    text(draw, here ? Face::label_strong : Face::label, {area.a.x + px(stage->done ? 20 : 16), y + px(1)}, ink,
         stage_title(stage->name));
    if (touched.focused) focus_ring(area, t.hand.line, 2);
    if (!touched.clicked) continue;
    if (&lesson == session.open) {
      session.lesson().scroll_to_stage = stage->name;
    } else {
      links.lesson = &lesson;
      links.stage = stage->name;
    }
  }
  return height + px(t.space.gap);
}

}  // namespace warpbook::app
