#include "app/panels/overlays.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>

#include "app/panels/browse.h"
#include "app/panels/glossary.h"
#include "app/panels/progress.h"
#include "app/panels/shortcuts.h"
#include "app/ui/text_flow.h"
#include "app/ui/zoom.h"

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

void settings(Session& session, Actions& actions, const Rect& inside) {
  const Theme& t = theme();
  const float row = px(44), field = px(field_width), help = inside.width() - field - px(24);
  float y = inside.a.y;
  const auto field_of = [&] { return rect(inside.b.x - field, y + px(4), field, px(32)); };

  label({inside.a.x, y}, "Appearance", "Dark for a dim room, light for a bright one.", help);
  const std::array<Segment, 2> looks{Segment{.name = "settings/dark", .label = "Dark"},
                                     Segment{.name = "settings/light", .label = "Light"}};
  const bool light = session.appearance == Appearance::light;
  if (const auto clicked = segments(field_of(), looks, light ? 1 : 0, Face::label))
    actions.set_appearance(*clicked == 1 ? Appearance::light : Appearance::dark);
  y += row + px(row_gap);

  label({inside.a.x, y}, "Size",
        fmt::format("Of everything. {} and {} do it, too.", keys_of(Command::larger), keys_of(Command::smaller)), help);
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

  label({inside.a.x, y}, "Run again by itself", "When a control changes and the last run was quick.", help);
  if (toggle("settings/rerun", field_of(), session.rerun)) session.rerun = !session.rerun;
  y += row + px(row_gap);

  const char* const asked = std::getenv("WARPBOOK_COMPILER");
  label({inside.a.x, y}, "Compiler",
        asked == nullptr ? std::string("Automatic: NVRTC, and clang where it is not found.")
                         : fmt::format("This window was asked for {}.", gpu::name_of(gpu::compiler_choice())),
        help);
  const std::array<Segment, 3> compilers{Segment{.name = "settings/automatic", .label = "Automatic"},
                                         Segment{.name = "settings/nvrtc", .label = "NVRTC"},
                                         Segment{.name = "settings/clang", .label = "clang"}};
  constexpr std::array<gpu::CompilerChoice, 3> choices{gpu::CompilerChoice::automatic, gpu::CompilerChoice::nvrtc,
                                                       gpu::CompilerChoice::clang};
  const auto chosen = std::find(choices.begin(), choices.end(), session.compiler);
  const int shown = chosen == choices.end() ? 0 : static_cast<int>(chosen - choices.begin());
  if (const auto clicked = segments(field_of(), compilers, shown, Face::label))
    actions.set_compiler(choices[static_cast<std::size_t>(*clicked)]);
  y += row + px(row_gap);

  const bool arranged = session.bench_width || session.rail_folded;
  label({inside.a.x, y}, "Layout", "How wide the lessons and the bench are.", help);
  const ButtonLook reset{.label = "Reset layout", .enabled = arranged, .hint = arranged ? "" : "It is as it was at first."};
  const Rect layout = field_of();
  if (button("settings/reset_layout", rect(layout.a.x, layout.a.y, button_width(reset), layout.height()), reset)) {
    session.bench_width.reset();
    session.rail_folded.reset();
  }
  y += row + px(row_gap);

  const bool kept = !session.kept_in.empty();
  label({inside.a.x, y}, "Your work", kept ? session.kept_in : "It is not kept: there is no home folder.", help);
  const ButtonLook copy{.label = "Copy path", .enabled = kept, .hint = "The folder of your kernels, guesses and settings"};
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
      while (end < rows.size() && rows[end].group == rows[i].group) ++end;
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
  std::string_view group;
  std::size_t used = 0;
  float x = inside.a.x, y = inside.a.y;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].group != group) {
      const auto in_group = static_cast<std::size_t>(
          std::count_if(rows.begin(), rows.end(), [&](const Shortcut& row) { return row.group == rows[i].group; }));
      if (used + in_group + 2 > height) {
        x += column + gap;
        y = inside.a.y;
        used = 0;
      } else if (!group.empty()) {
        y += px(14);
      }
      used += in_group + 2;
      group = rows[i].group;
      text(draw, Face::label, {x, y}, t.text.third, group);
      y += px(26);
    }
    const std::string keys(rows[i].keys);
    const float wide = text_width(Face::label_code, keys) + px(14);
    const Rect cap = rect(x + column - wide, y - px(3), wide, px(22));
    draw->AddRectFilled(cap.a, cap.b, t.background.control, px(t.radius.control));
    text(draw, Face::label_code, {cap.centre().x, cap.centre().y - line_height(Face::label_code) / 2}, t.text.first, keys,
         Align::centre);
    text_clipped(draw, Face::label, {x, y}, column - wide - px(12), t.text.second, rows[i].does);
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
  const std::string words = kept ? "Everything is kept now." : session.not_kept;
  draw_text_flow(ImGui::GetWindowDrawList(), inline_code(words), inside.a, inside.width(), style);
  const ButtonLook close{.label = kept ? "Close" : "Close anyway"};
  const float width = button_width(close), height = px(32);
  if (button("closing/close", rect(inside.b.x - width, inside.b.y - height, width, height), close)) session.close = true;
}

struct OverlayRow {
  Overlay overlay;
  std::string_view title;
  float width, height;  // CSS pixels, of the whole box
  std::string_view leave = "Close";
};
constexpr std::array<OverlayRow, 6> overlay_table{{{Overlay::settings, "Settings", 680, 480},
                                                   {Overlay::shortcuts, "Shortcuts", 976, 580},
                                                   {Overlay::glossary, "Glossary", 800, 720},
                                                   {Overlay::browse, "Open a file", 720, 640},
                                                   {Overlay::progress, "Your progress", 800, 720},
                                                   {Overlay::closing, "Close before your work is kept?", 680, 240, "Stay"}}};

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
  const float width = std::min(px(row->width), size.x - px(32)), height = std::min(px(row->height), size.y - px(32));
  const Rect box = rect(snap((size.x - width) / 2), snap((size.y - height) / 2), width, height);
  draw->AddRectFilled(box.a, box.b, t.background.raised, px(t.radius.card));
  draw->AddRect(box.a, box.b, t.background.line_strong, px(t.radius.card), 0, px(1));
  name_widget("overlay/" + std::string(row->title), box);
  const float top = box.a.y + px(20);
  text(draw, Face::title, {box.a.x + px(overlay_padding), top}, t.text.first, row->title);
  const ButtonLook close{.label = row->leave, .hint = "Escape"};
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
