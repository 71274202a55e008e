#include "app/ui/code_sheet.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/code_line.h"
#include "app/ui/text_input.h"
#include "gpu/text.h"

namespace warpbook::app {
namespace {

constexpr std::size_t long_line = 512;  // bytes: of longer lines only what shows is given to ImGui

}  // namespace

std::size_t byte_at_column(std::string_view line, float column) {
  float before = 0;
  for (std::size_t byte = 0; byte < line.size();) {
    const float wide = line[byte] == '\t' ? 4.0f : 1.0f;
    if (column < before + wide / 2) return byte;
    before += wide;
    do ++byte;
    while (byte < line.size() && continues_character(line[byte]));
  }
  return line.size();
}

float code_advance() { return text_width(Face::code, "0"); }

float code_x(const CodeSheet& sheet, std::string_view line, std::size_t byte) {
  return sheet.left + static_cast<float>(columns_of(line.substr(0, byte))) * code_advance();
}

CodeSheet lay_out(const Rect& area, std::size_t lines, float text_x, float scroll_x, float scroll_y) {
  CodeSheet sheet{.area = area, .text_x = text_x, .lines = lines, .line = line_height(Face::code), .below = {}};
  sheet.left = snap(area.a.x + px(text_x) - scroll_x);
  sheet.top = snap(area.a.y + px(code_top) - scroll_y);
  return sheet;
}

float CodeSheet::offset_of(std::size_t line_number) const {
  float y = static_cast<float>(line_number) * line;
  for (const auto& [above, room] : below) {
    if (above >= line_number) break;
    y += room;
  }
  return y;
}

float CodeSheet::below_line(std::size_t line_number) const {
  const auto found = std::find_if(below.begin(), below.end(), [&](const auto& b) { return b.first == line_number; });
  return found == below.end() ? 0 : found->second;
}

std::size_t CodeSheet::line_at(float y) const {
  float room = y - top;
  std::size_t from = 0;  // the first line after those with something below
  for (const auto& [above, extra] : below) {
    const float end = static_cast<float>(above + 1 - from) * line;
    if (room < end + extra) return room < end ? from + static_cast<std::size_t>(std::max(room, 0.0f) / line) : above;
    room -= end + extra;
    from = above + 1;
  }
  const auto further = static_cast<std::size_t>(std::max(room, 0.0f) / line);
  return lines == 0 ? 0 : std::min(from + further, lines - 1);
}

float CodeSheet::height() const { return offset_of(lines) + px(code_top); }

EditorText::Position position_at(const CodeSheet& sheet, const std::vector<std::string>& lines, ImVec2 mouse) {
  const std::size_t line = sheet.line_at(mouse.y);
  return {line, byte_at_column(lines[line], (mouse.x - sheet.left) / code_advance())};
}

void draw_code_line(ImDrawList* draw, const CodeSheet& sheet, std::string_view line, const std::vector<CodeSpan>& spans, float y,
                    bool inactive) {
  ++code_counters().drawn;
  std::size_t at = 0, end = line.size();
  float x = sheet.left;
  if (line.size() > long_line) {
    const float advance = code_advance();
    at = byte_at_column(line, std::floor((sheet.area.a.x - sheet.left) / advance));
    end = byte_at_column(line, std::ceil((sheet.area.b.x - sheet.left) / advance) + 1);
    x = code_x(sheet, line, at);
  }
  const auto piece = [&](std::size_t to, ImU32 colour) {
    to = std::min(to, end);
    if (to <= at) return;
    x += text(draw, Face::code, {x, y}, inactive ? theme().text.disabled : colour, line.substr(at, to - at));
    at = to;
  };
  for (const CodeSpan& span : spans) {
    piece(span.begin, theme().code.plain);
    piece(span.end, colour_of(span.kind));
  }
  piece(end, theme().code.plain);
}

namespace {

/// A fade of the background over a line's end, and an arrow on it. `way`: +1 to the right, −1 to the left.
void fade(ImDrawList* draw, float edge, float y, float height, float way) {
  const Theme& t = theme();
  const ImU32 solid = t.background.window, clear = with_alpha(t.background.window, 0);
  const float from = edge - way * px(32);
  if (way > 0)
    draw->AddRectFilledMultiColor({from, y}, {edge, y + height}, clear, solid, solid, clear);
  else
    draw->AddRectFilledMultiColor({edge, y}, {from, y + height}, solid, clear, clear, solid);
  icon(draw, way > 0 ? Icon::chevron_right : Icon::chevron_left, {edge - way * px(6), y + height / 2}, px(9), t.text.second);
}

}  // namespace

void draw_line_ends(ImDrawList* draw, const CodeSheet& sheet, const std::vector<std::string>& lines, float scroll_x) {
  const float right = sheet.area.b.x - px(code_right), left = sheet.area.a.x + px(sheet.text_x) - px(2);
  for (std::size_t i = sheet.first_visible(); i < sheet.end_visible(); ++i) {
    if (lines[i].empty()) continue;
    const float end = code_x(sheet, lines[i], lines[i].size());
    if (end > right + px(1)) fade(draw, right, sheet.y_of(i), sheet.line, 1);
    if (scroll_x > 0 && end > left) fade(draw, left, sheet.y_of(i), sheet.line, -1);
  }
}

bool goes_on(const CodeSheet& sheet, std::size_t columns) {
  return static_cast<float>(columns) * code_advance() > sheet.area.width() - px(sheet.text_x + code_right);
}

void scroll_across(std::string_view name, const Rect& strip, const CodeSheet& sheet, std::size_t columns, float& scroll_x) {
  const float all = static_cast<float>(columns) * code_advance() + px(code_right + 8), seen = sheet.area.width() - px(sheet.text_x);
  if (!goes_on(sheet, columns) || all <= seen) return;
  const Theme& t = theme();
  const Rect track{{strip.a.x + px(sheet.text_x), strip.a.y}, {strip.b.x - px(code_right), strip.b.y}};
  const HitArea at = hit_area(name, track);
  const float length = std::max(track.width() * seen / all, px(24)), room = std::max(track.width() - length, 1.0f);
  if (at.held) scroll_x = (ImGui::GetIO().MousePos.x - track.a.x - length / 2) / room * (all - seen);
  if (at.focused) scroll_x += static_cast<float>(adjustment()) * 8 * code_advance();
  scroll_x = std::clamp(scroll_x, 0.0f, all - seen);
  const float x = track.a.x + room * scroll_x / (all - seen), y = track.centre().y;
  ImGui::GetWindowDrawList()->AddRectFilled({x, y - px(2.5f)}, {x + length, y + px(2.5f)},
                                            at.hovered || at.held ? t.background.line_strong : t.background.line, px(3));
  if (at.focused) focus_ring({{x, y - px(2.5f)}, {x + length, y + px(2.5f)}}, t.hand.line, 3);
}

void draw_line_number(ImDrawList* draw, const CodeSheet& sheet, std::size_t line, bool here, float right_css) {
  text(draw, Face::digits, {sheet.area.a.x + px(right_css), sheet.y_of(line) + (sheet.line - line_height(Face::digits)) / 2},
       here ? theme().text.first : theme().text.third, std::to_string(line + 1), Align::right);
}

void draw_selection(ImDrawList* draw, const CodeSheet& sheet, const EditorText& text) {
  if (!text.has_selection()) return;
  const auto begin = text.selection_begin(), end = text.selection_end();
  const std::size_t from = std::max(begin.line, sheet.first_visible()), to = std::min(end.line + 1, sheet.end_visible());
  for (std::size_t line = from; line < to; ++line) {
    const std::string& words = text.lines()[line];
    const float x0 = line == begin.line ? code_x(sheet, words, begin.byte) : sheet.left;
    const float x1 =
        line == end.line ? code_x(sheet, words, end.byte) : code_x(sheet, words, words.size()) + px(6);  // the line's end, too
    const float y = sheet.y_of(line);
    draw->AddRectFilled({x0, y}, {x1, y + sheet.line}, with_alpha(theme().series.blue, 0.30f));
  }
}

CodeMouse handle_code_mouse(std::string_view name, const CodeSheet& sheet, EditorText& text, float& scroll_x, float& scroll_y,
                            bool take_keyboard) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.CurrentWindow;
  const ImGuiIO& io = ImGui::GetIO();
  const ImGuiID id = window->GetID(name.data(), name.data() + name.size());
  const ImRect box(sheet.area.a, sheet.area.b);
  name_widget(name, sheet.area);
  ImGui::SetCursorScreenPos(sheet.area.a);
  ImGui::ItemSize(box);
  if (!ImGui::ItemAdd(box, id)) return {};
  name_focus(id);
  take_focus(name, id, sheet.area);
  const bool hovered = ImGui::ItemHoverable(box, id);
  CodeMouse hand{.active = g.ActiveId == id};
  if (take_keyboard || (!hand.active && g.NavActivateId == id)) {  // Enter, where Tab has led to it
    ImGui::SetActiveID(id, window);
    ImGui::SetFocusID(id, window);
    ImGui::FocusWindow(window);
    hand.active = true;
  }
  if (!hand.active && g.NavId == id && !g.NavDisableHighlight)
    window->DrawList->AddRect(sheet.area.a, sheet.area.b, theme().hand.line, px(2), 0, px(2));
  const bool in_text = io.MousePos.x >= sheet.area.a.x + px(sheet.text_x - 8) && io.MousePos.x < sheet.area.b.x - px(10);
  if (hovered && !in_text) g.HoveredIdAllowOverlap = true;  // glyphs and numbers in the gutter are buttons of their own
  if (hovered && in_text) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (hovered && io.MouseClicked[0] && in_text) {
    const auto at = position_at(sheet, text.lines(), io.MousePos);
    if (io.MouseClickedCount[0] == 2)
      text.select_word(at);
    else if (io.MouseClickedCount[0] >= 3)
      text.select_line(at.line);
    else
      text.place(at, io.KeyShift && hand.active);
    ImGui::SetActiveID(id, window);
    ImGui::SetFocusID(id, window);
    ImGui::FocusWindow(window);
    hand.active = true;
  } else if (hand.active && io.MouseClicked[0] && !hovered) {
    ImGui::ClearActiveID();
    hand.active = false;
  } else if (hand.active && io.MouseDown[0] && io.MouseClickedCount[0] < 2 && box.Contains(io.MouseClickedPos[0]) &&
             (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    text.place(position_at(sheet, text.lines(), io.MousePos), true);  // beyond the edge it scrolls
    hand.moved = true;
  }
  if (hovered) {
    const float lines = 3 * sheet.line;
    (io.KeyShift ? scroll_x : scroll_y) -= io.MouseWheel * lines;
    scroll_x -= io.MouseWheelH * lines;
  }
  if (hand.active) claim_keyboard();
  return hand;
}

void scroll_to_caret(const CodeSheet& sheet, const EditorText& text, float& scroll_x, float& scroll_y) {
  const auto caret = text.caret();
  const float y = px(code_top) + sheet.offset_of(caret.line), room_y = sheet.area.height() - px(8);
  scroll_y = std::clamp(scroll_y, y + sheet.line - room_y, std::max(y - px(4), 0.0f));
  const float x = static_cast<float>(columns_of(std::string_view(text.lines()[caret.line]).substr(0, caret.byte))) * code_advance();
  const float room_x = sheet.area.width() - px(sheet.text_x + code_right + 8);
  scroll_x = std::clamp(scroll_x, std::max(x - room_x, 0.0f), std::max(x, 0.0f));
}

void draw_code_scrollbar(ImDrawList* draw, const CodeSheet& sheet, float scroll_y) {
  const float all = px(code_top) + sheet.height(), seen = sheet.area.height();
  if (all <= seen) return;
  const float length = std::max(seen * seen / all, px(24)), room = seen - length - px(8);
  const float y = sheet.area.a.y + px(4) + room * scroll_y / (all - seen);
  draw->AddRectFilled({sheet.area.b.x - px(8), y}, {sheet.area.b.x - px(3), y + length}, theme().background.line, px(3));
}

void clamp_code_scroll(const CodeSheet& sheet, std::size_t columns, float& x, float& y) {
  const float tall = px(code_top) + sheet.height() - sheet.area.height();
  const float wide = static_cast<float>(columns) * code_advance() + px(sheet.text_x + code_right + 8) - sheet.area.width();
  y = std::clamp(y, 0.0f, std::max(tall, 0.0f));
  x = std::clamp(x, 0.0f, std::max(wide, 0.0f));
}

}  // namespace warpbook::app
