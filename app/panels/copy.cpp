#include "app/panels/copy.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/panels/export_menu.h"
#include "app/ui/draw.h"
#include "app/ui/widgets.h"
#include "gpu/message.h"
#include "lessons/results_csv.h"

namespace warpbook::app {
namespace {

constexpr double notice_seconds = 3;

std::string to_be_copied;  // by Ctrl+C, in the next frame: a widget's name

/// The first line of words; the notice's place cuts what is longer.
std::string first_line(const std::string& words) { return words.substr(0, words.find('\n')); }

void copy_words(Session& session, const Copyable& what) {
  const std::string words = what.words();
  ImGui::SetClipboardText(words.c_str());
  session.copied = {.words = say("Copied: {what}", "what"_a = what.notice.empty() ? first_line(words) : what.notice),
                    .until = ImGui::GetTime() + notice_seconds};
}

}  // namespace

void copy_focused() {
  const NamedRect* const focused = focused_widget();
  to_be_copied = focused != nullptr ? focused->name : std::string();
}

void copy_stop(const std::string& name, const Rect& area) {
  name_widget(name, area);
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const ImGuiID id = window->GetID(name.c_str());
  ImGui::ItemAdd(ImRect(area.a, area.b), id);
  name_focus(id);
  take_focus(name, id, area);
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const bool focused = g.NavId == id && !g.NavDisableHighlight;
  if (focused) focus_ring(area, theme().hand.line, 2);
  explain({.focused = focused, .area = area}, say("Ctrl+C copies it."));
}

void copyable(Session& session, const std::string& name, const Rect& area, const Copyable& what) {
  bool words = false, picture = false;
  if (to_be_copied == name) {
    to_be_copied.clear();
    words = what.has_words;
    picture = !words;
  }
  const std::string menu = "copy " + name;
  const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(area.a, area.b);
  if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    ImGui::OpenPopup(menu.c_str());
    focus_on(what.has_words ? "copy/words" : "copy/picture");
  }
  const Wording save = say("Save as a picture");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  if (ImGui::BeginPopup(menu.c_str(), ImGuiWindowFlags_NoMove)) {
    const float wide = px(48) + std::max(what.has_words ? text_width(Face::label, what.label) : 0,
                                         what.picture ? text_width(Face::label, save) : 0);
    if (what.has_words && list_row("copy/words", what.label, false, wide)) words = true;
    if (what.picture && list_row("copy/picture", save, false, wide)) picture = true;
    if (words || picture) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  if (words) copy_words(session, what);
  if (picture && what.picture) what.picture();
}

void copyable_view(Session& session, Actions& actions, const lessons::Figure& figure, const std::string& name, const Rect& area) {
  const bool data = lessons::has_table(figure);
  copyable(session, "view/" + name, area,
           {.label = say("Copy its data"),
            .words = [&figure] { return lessons::figure_table(figure); },
            .notice = say("the data of the {view}, as a table", "view"_a = view_words(name)),
            .picture = [&actions, name] { actions.export_as({.kind = Export::Kind::view, .view = name}); },
            .has_words = data});
}

void draw_copied(const Session& session, const Rect& area) {
  if (session.copied.words.empty() || ImGui::GetTime() > session.copied.until) return;
  const Theme& t = theme();
  const float padding = px(14), height = px(36), glyph = px(20);
  const float room = std::min(area.width() - px(48), px(520)) - 2 * padding - glyph;
  const float wide = std::min(text_width(Face::label, session.copied.words), room);
  const Rect box = rect(snap(area.centre().x - (wide + 2 * padding + glyph) / 2), snap(area.b.y - height - px(20)),
                        std::ceil(wide + 2 * padding + glyph), height);
  ImDrawList* const draw = ImGui::GetForegroundDrawList();
  draw->AddRectFilled(box.a, box.b, t.background.raised, px(t.radius.box));
  draw->AddRect(box.a, box.b, t.background.line_strong, px(t.radius.box), 0, px(1));
  tick(draw, {box.a.x + padding + px(5), box.centre().y}, px(11), t.verdict.good);
  text_clipped(draw, Face::label, {box.a.x + padding + glyph, box.centre().y - line_height(Face::label) / 2}, wide + 1,
               t.text.first, session.copied.words);
}

}  // namespace warpbook::app
