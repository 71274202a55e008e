#include "app/panels/linked_text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/panels/glossary.h"
#include "app/session/desktop.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

constexpr std::string_view to_control = "control:", to_lesson = "lesson:";

const lessons::Control* find_control(const lessons::Lesson& lesson, std::string_view id) {
  const auto found = std::find_if(lesson.controls.begin(), lesson.controls.end(), [&](const auto& c) { return c.id == id; });
  return found == lesson.controls.end() ? nullptr : &*found;
}

std::string lesson_name(std::string_view number) {
  for (const lessons::RailEntry& entry : lessons::curriculum()) {
    if (entry.number == number) return say("Lesson {number}, {title}", "number"_a = number, "title"_a = entry.title);
  }
  return {};
}

/// A widget's name that no other has in this frame: "term/warp", "term/warp/2".
std::string unique(std::string name, TextLinks& links) {
  if (const int times = ++links.names[name]; times > 1) name += "/" + std::to_string(times);
  return name;
}

void underline(const Rect& area, const TextFlowStyle& style, ImU32 colour) {
  const float y = area.a.y + (style.line - line_height(style.plain)) / 2 + baseline(style.plain) + px(2);
  hairline(ImGui::GetWindowDrawList(), {area.a.x, y}, {area.b.x, y}, colour);
}

void work_spot(Session& session, const lessons::Span& span, const Rect& area, const TextFlowStyle& style, TextLinks& links) {
  const Theme& t = theme();
  const std::string_view target = span.link;
  if (!span.term.empty()) {
    const HitArea at = hit_area(unique("term/" + span.term, links), area);
    name_focus(0);  // by keys the glossary is opened as a whole: there are too many terms to step over
    const lessons::Term* const term = session.glossary.all.find(span.term);
    if (term == nullptr) return;
    if (at.hovered) {
      underline(area, style, t.text.first);
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    hint(at, say("{sentence}\n{lesson}. Click for the glossary.", "sentence"_a = term->sentence,
                 "lesson"_a = lesson_name(term->lesson)));
    if (at.clicked) open_glossary(session, term->name);
    return;
  }
  const HitArea at = hit_area(unique("link/" + span.link, links), area);
  if (at.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (at.focused) focus_ring(area, t.hand.line, 2);
  if (target.starts_with(to_control)) {
    const std::string_view id = target.substr(to_control.size());
    const lessons::Control* const control = find_control(*session.open, id);
    if (control == nullptr) return;
    if (at.hovered || at.focused) session.pointed_control = id;
    hint(at, say(control->label) + ": " + lessons::fill_in("{" + control->id + "}", *session.open, session.lesson().values));
    if (at.clicked) links.control = id;
    if (at.clicked && control->later && only_needed(session)) session.lesson().more = true;
  } else if (target.starts_with(to_lesson)) {
    hint(at, lesson_name(target.substr(to_lesson.size())));
    if (at.clicked) links.lesson = lessons::find_lesson(target.substr(to_lesson.size()));
  } else {
    hint(at, target);
    if (at.clicked) session.opened = open_on_desktop(span.link);
  }
}

/// Where a control stands in this frame: all of its parts.
std::optional<Rect> area_of(std::string_view control) {
  const std::string name = "control/" + std::string(control);
  std::optional<Rect> all;
  for (const NamedRect& widget : named_widgets()) {
    if (widget.name != name && !widget.name.starts_with(name + "/")) continue;
    if (!all) all = widget.area;
    all->a = {std::min(all->a.x, widget.area.a.x), std::min(all->a.y, widget.area.a.y)};
    all->b = {std::max(all->b.x, widget.area.b.x), std::max(all->b.y, widget.area.b.y)};
  }
  return all;
}

}  // namespace

float draw_linked_text(Session& session, std::span<const lessons::Span> spans, ImVec2 at, float width, const TextFlowStyle& style,
                       TextLinks& links) {
  std::vector<TextFlowSpot> spots;
  const float height = draw_text_flow(ImGui::GetWindowDrawList(), spans, at, width, style, &spots);
  for (const TextFlowSpot& spot : spots) work_spot(session, spans[spot.span], spot.area, style, links);
  return height;
}

void follow_links(Session& session, Actions& actions, const TextLinks& links) {
  if (const auto area = session.pointed_control.empty() ? std::nullopt : area_of(session.pointed_control))
    focus_ring(*area, theme().hand.line, theme().radius.control);
  if (!links.control.empty()) session.bring_control = links.control;
  if (const auto area = session.bring_control.empty() ? std::nullopt : area_of(session.bring_control)) {
    session.bring_control.clear();
    const float above = px(160);  // so that what stands around it is seen, too
    ImGui::SetScrollY(std::max(area->a.y - above - ImGui::GetWindowPos().y + ImGui::GetScrollY(), 0.0f));
  }
  if (links.lesson == nullptr || links.lesson == session.open) return;
  actions.open(*links.lesson);
  if (!links.stage.empty()) session.lesson().scroll_to_stage = links.stage;
}

}  // namespace warpbook::app
