#include "app/panels/overlays.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/panels/browse.h"
#include "app/panels/glossary.h"
#include "app/panels/progress.h"
#include "app/panels/shortcuts.h"
#include "app/ui/text_flow.h"
#include "app/ui/zoom.h"
#include "gpu/language.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float overlay_padding = 24, row_gap = 20, field_width = 260;

void label(const ImVec2& at, std::string_view words, std::string_view help, float width) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  text(draw, Face::body_strong, at, t.text.first, words);
  text_clipped(draw, Face::label, {at.x, at.y + px(22)}, width, t.text.third, help);
}

// ---- settings ----

/// The languages that there are, read once a folder; English alone is no choice.
const std::vector<LanguageChoice>& languages_of(const Session& session) {
  static std::filesystem::path folder;
  static std::vector<LanguageChoice> found;
  if (folder != session.languages) {
    folder = session.languages;
    found = languages_in(folder);
  }
  return found;
}

void choose_language(const Session& session, Actions& actions, const Rect& area) {
  const auto& languages = languages_of(session);
  const std::string now = language_in_force();
  const auto current =
      std::find_if(languages.begin(), languages.end(), [&](const LanguageChoice& each) { return each.code == now; });
  const ButtonLook look{.label = current == languages.end() ? "English" : current->name, .icon = Icon::chevron_down};
  if (button("settings/language", area, look)) ImGui::OpenPopup("languages");
  ImGui::SetNextWindowPos({area.a.x, area.b.y + px(4)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  if (ImGui::BeginPopup("languages", ImGuiWindowFlags_NoMove)) {
    for (const LanguageChoice& each : languages) {
      if (!list_row("settings/language/" + each.code, each.name, each.code == now, area.width() - px(8))) continue;
      actions.set_language(each.code);
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

void settings(Session& session, Actions& actions, const Rect& inside) {
  const Theme& t = theme();
  const float row = px(44), field = px(field_width), help = inside.width() - field - px(24);
  float y = inside.a.y;
  const auto field_of = [&] { return rect(inside.b.x - field, y + px(4), field, px(32)); };

  label({inside.a.x, y}, say("Appearance"), say("Dark for a dim room, light for a bright one."), help);
  const std::array<Segment, 2> looks{Segment{.name = "settings/dark", .label = say("Dark")},
                                     Segment{.name = "settings/light", .label = say("Light")}};
  const bool light = session.appearance == Appearance::light;
  if (const auto clicked = segments(field_of(), looks, light ? 1 : 0, Face::label))
    actions.set_appearance(*clicked == 1 ? Appearance::light : Appearance::dark);
  y += row + px(row_gap);

  label({inside.a.x, y}, say("Size"),
        say("Of everything. {larger} and {smaller} do it, too.", "larger"_a = keys_of(Command::larger),
            "smaller"_a = keys_of(Command::smaller)),
        help);
  const Rect size = field_of();
  const float side = px(40);
  if (button("settings/smaller", rect(size.a.x, size.a.y, side, size.height()),
             {.label = "−", .enabled = session.zoom > least_zoom()}))
    session.zoom = next_zoom(session.zoom, -1);
  if (button("settings/larger", rect(size.b.x - side, size.a.y, side, size.height()),
             {.label = "+", .enabled = session.zoom < most_zoom()}))
    session.zoom = next_zoom(session.zoom, 1);
  text(ImGui::GetWindowDrawList(), Face::code, {size.centre().x, size.centre().y - line_height(Face::code) / 2}, t.text.first,
       fmt::format("{:.0f} %", 100 * session.zoom), Align::centre);
  y += row + px(row_gap);

  label({inside.a.x, y}, say("Run again by itself"), say("When a control changes and the last run was quick."), help);
  if (toggle("settings/rerun", field_of(), session.rerun)) session.rerun = !session.rerun;
  y += row + px(row_gap);

  label({inside.a.x, y}, say("Compiler"),
        session.asked_compiler ? say("This window was asked for {compiler}.", "compiler"_a = gpu::name_of(*session.asked_compiler))
                               : std::string(say("Automatic: NVRTC, and clang where it is not found.")),
        help);
  const std::array<Segment, 3> compilers{Segment{.name = "settings/automatic", .label = say("Automatic")},
                                         Segment{.name = "settings/nvrtc", .label = "NVRTC"},
                                         Segment{.name = "settings/clang", .label = "clang"}};
  constexpr std::array<gpu::CompilerChoice, 3> choices{gpu::CompilerChoice::automatic, gpu::CompilerChoice::nvrtc,
                                                       gpu::CompilerChoice::clang};
  const auto chosen = std::find(choices.begin(), choices.end(), session.compiler);
  const int shown = chosen == choices.end() ? 0 : static_cast<int>(chosen - choices.begin());
  if (const auto clicked = segments(field_of(), compilers, shown, Face::label))
    actions.set_compiler(choices[static_cast<std::size_t>(*clicked)]);
  y += row + px(row_gap);

  if (!languages_of(session).empty()) {
    label({inside.a.x, y}, say("Language"), say("Of the window. Lessons are in English."), help);
    choose_language(session, actions, field_of());
    y += row + px(row_gap);
  }

  const bool arranged = session.bench_width || session.rail_folded;
  label({inside.a.x, y}, say("Layout"), say("How wide the lessons and the bench are."), help);
  const ButtonLook reset{
      .label = say("Reset layout"), .enabled = arranged, .hint = arranged ? "" : say("It is as it was at first.")};
  const Rect layout = field_of();
  if (button("settings/reset_layout", rect(layout.a.x, layout.a.y, button_width(reset), layout.height()), reset)) {
    session.bench_width.reset();
    session.rail_folded.reset();
  }
  y += row + px(row_gap);

  const bool kept = !session.kept_in.empty();
  label({inside.a.x, y}, say("Your work"), kept ? session.kept_in : std::string(say("It is not kept: there is no home folder.")),
        help);
  const ButtonLook copy{
      .label = say("Copy path"), .enabled = kept, .hint = say("The folder of your kernels, guesses and settings")};
  const Rect where = field_of();
  if (button("settings/copy_path", rect(where.a.x, where.a.y, button_width(copy), where.height()), copy))
    ImGui::SetClipboardText(session.kept_in.c_str());
}

// ---- shortcuts ----

/// How many shortcuts stand in a column at most, so that whole groups, each with two lines for its title, fill `columns` of them.
std::size_t column_height(std::span<const Shortcut> rows, std::size_t columns) {
  for (std::size_t height = 1;; ++height) {
    std::size_t needed = 1, used = 0;
    bool fits = true;
    for (std::size_t i = 0; i < rows.size();) {
      std::size_t end = i;
      while (end < rows.size() && rows[end].group.english == rows[i].group.english) ++end;
      const std::size_t group = end - i + 2;
      fits = fits && group <= height;
      if (used + group > height) ++needed, used = 0;
      used += group;
      i = end;
    }
    if (fits && needed <= columns) return height;
  }
}

void shortcuts_list(const Rect& inside) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  constexpr std::size_t columns = 3;
  const auto rows = shortcuts();
  const std::size_t height = column_height(rows, columns);
  const float line = px(26), gap = px(32), column = (inside.width() - gap * (columns - 1)) / columns;
  const ToSay* group = nullptr;
  std::size_t used = 0;
  float x = inside.a.x, y = inside.a.y;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (group == nullptr || rows[i].group.english != group->english) {
      const auto in_group = static_cast<std::size_t>(
          std::count_if(rows.begin(), rows.end(), [&](const Shortcut& row) { return row.group.english == rows[i].group.english; }));
      if (used + in_group + 2 > height) {
        x += column + gap;
        y = inside.a.y;
        used = 0;
      } else if (group != nullptr) {
        y += px(14);
      }
      used += in_group + 2;
      group = &rows[i].group;
      text(draw, Face::label, {x, y}, t.text.third, say(*group));
      y += px(26);
    }
    const std::string keys(rows[i].keys);
    const float wide = text_width(Face::label_code, keys) + px(14);
    const Rect cap = rect(x + column - wide, y - px(3), wide, px(22));
    draw->AddRectFilled(cap.a, cap.b, t.background.control, px(t.radius.control));
    text(draw, Face::label_code, {cap.centre().x, cap.centre().y - line_height(Face::label_code) / 2}, t.text.first, keys,
         Align::centre);
    text_clipped(draw, Face::label, {x, y}, column - wide - px(12), t.text.second, say(rows[i].does));
    y += line;
  }
}

// ---- closing ----

/// What would be lost, and the way out all the same.
void closing(Session& session, const Rect& inside) {
  TextFlowStyle style = note_style();
  style.plain = Face::body;
  style.code = Face::label_code;
  style.colour = theme().text.second;
  const bool kept = session.not_kept.empty();
  const std::string words = kept ? std::string(say("Everything is kept now.")) : session.not_kept;
  draw_text_flow(ImGui::GetWindowDrawList(), inline_code(words), inside.a, inside.width(), style);
  const ButtonLook close{.label = kept ? say("Close") : say("Close anyway")};
  const float width = button_width(close), height = px(32);
  if (button("closing/close", rect(inside.b.x - width, inside.b.y - height, width, height), close)) session.close = true;
}

struct OverlayRow {
  Overlay overlay;
  std::string_view name;
  ToSay title;
  float width, height;  // CSS pixels, of the whole box
  ToSay leave = to_say("Close");
};
constexpr std::array<OverlayRow, 6> overlay_table{
    {{Overlay::settings, "Settings", to_say("Settings"), 680, 480},
     {Overlay::shortcuts, "Shortcuts", to_say("Shortcuts"), 976, 580},
     {Overlay::glossary, "Glossary", to_say("Glossary"), 800, 720},
     {Overlay::browse, "Open a file", to_say("Open a file"), 720, 640},
     {Overlay::progress, "Your progress", to_say("Your progress"), 800, 720},
     {Overlay::closing, "Close before your work is kept?", to_say("Close before your work is kept?"), 680, 240, to_say("Stay")}}};

}  // namespace

void draw_overlay(Session& session, Actions& actions, ImVec2 size) {
  if (session.overlay == Overlay::none) return;
  const Theme& t = theme();
  const auto row = std::find_if(overlay_table.begin(), overlay_table.end(),
                                [&](const OverlayRow& each) { return each.overlay == session.overlay; });
  forget_stops();
  if (session.overlay_fresh) {
    ImGui::ClearActiveID();  // the editor's, that no key goes there
    ImGui::SetNextWindowFocus();
  }
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(t.background.window, 0.7f));
  ImGui::Begin("overlay", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float more = row->overlay == Overlay::settings && !languages_of(session).empty() ? 64.0f : 0.0f;
  const float width = std::min(px(row->width), size.x - px(32)), height = std::min(px(row->height + more), size.y - px(32));
  const Rect box = rect(snap((size.x - width) / 2), snap((size.y - height) / 2), width, height);
  draw->AddRectFilled(box.a, box.b, t.background.raised, px(t.radius.card));
  draw->AddRect(box.a, box.b, t.background.line_strong, px(t.radius.card), 0, px(1));
  name_widget("overlay/" + std::string(row->name), box);
  const float top = box.a.y + px(20);
  text(draw, Face::title, {box.a.x + px(overlay_padding), top}, t.text.first, say(row->title));
  const ButtonLook close{.label = say(row->leave), .hint = say("Escape")};
  const float wide = button_width(close);
  bool closed = button("overlay/close", rect(box.b.x - px(overlay_padding) - wide, top, wide, px(32)), close);
  const Rect inside = {{box.a.x + px(overlay_padding), top + px(32 + 20)},
                       {box.b.x - px(overlay_padding), box.b.y - px(overlay_padding)}};
  if (session.overlay == Overlay::settings) settings(session, actions, inside);
  if (session.overlay == Overlay::shortcuts) shortcuts_list(inside);
  if (session.overlay == Overlay::glossary && draw_glossary(session, actions, inside)) closed = true;
  if (session.overlay == Overlay::browse && draw_browse(session, actions, inside)) closed = true;
  if (session.overlay == Overlay::progress && draw_progress(session, actions, inside)) closed = true;
  if (session.overlay == Overlay::closing) closing(session, inside);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool beside = mouse.x < box.a.x || mouse.x > box.b.x || mouse.y < box.a.y || mouse.y > box.b.y;
  closed = closed || (ImGui::IsMouseClicked(0) && beside && !session.overlay_fresh);
  ImGui::End();
  ImGui::PopStyleColor();
  session.overlay_fresh = false;
  if (!closed) return;
  session.overlay = Overlay::none;
  session.typing = {};  // its field goes with it
}

}  // namespace warpbook::app
