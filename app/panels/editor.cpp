#include "app/panels/editor.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "app/panels/code_line.h"
#include "app/panels/editor_bars.h"
#include "app/panels/editor_heat.h"
#include "app/panels/editor_notes.h"
#include "app/panels/flow.h"
#include "app/panels/highlight.h"
#include "app/panels/stepper.h"
#include "app/text_input.h"

namespace warpbook::app {
namespace {

// CSS pixels from the editor's left edge.
constexpr float glyph_x = 15, number_right = 42, mark_x = 48, right_padding = 12, top_padding = 12;
constexpr float heat_x = 53, heat_width = 48, heat_row = 36;  // the column beside the lines, where it is on; its switch above them

/// A line of the text and what stands under it.
struct Row {
  float y = 0;     // from the text's top, screen pixels
  float note = 0;  // height of the open notes below
  bool tinted = false;
  ImU32 tint = 0;
};

struct Text {
  Rect area;
  float text_x = 56;  // where the lines begin, CSS pixels
  float line = 0;     // height of a line
  float left = 0;     // x of column 0, scrolled
  float top = 0;      // y of line 0, scrolled
  std::vector<Row> rows;
  float height = 0, width = 0;  // of everything
};

ImU32 colour_of(const EditorNote& note) {
  return note.kind ? theme().finding[static_cast<std::size_t>(*note.kind)] : theme().verdict.bad;
}

ImU32 tint_of(const EditorNote& note) {
  const Theme& t = theme();
  if (!note.kind) return t.verdict.bad_tint;
  // The tokens' rule: 13 % over the window in the dark, 11 % over white in the light.
  return t.appearance == Appearance::dark ? mix(t.background.window, colour_of(note), 0.13f)
                                          : mix(IM_COL32_WHITE, colour_of(note), 0.11f);
}

bool is_open(const LessonState& state, const EditorNote& note) {
  const auto it = state.notes.find(note.key);
  return it == state.notes.end() ? note.open_at_first : it->second;
}

std::vector<lessons::Span> words_of(const EditorNote& note) {
  std::vector<lessons::Span> spans(1);
  spans[0].text = note.title + " ";
  spans[0].strong = true;
  for (lessons::Span& span : inline_code(note.message)) spans.push_back(std::move(span));
  return spans;
}

FlowStyle style_of(const EditorNote& note) {
  FlowStyle style = note_style();
  style.strong_colour = colour_of(note);
  return style;
}

float x_of(const Text& sheet, const std::string& line, std::size_t byte) {
  return sheet.left + text_width(Face::code, std::string_view(line).substr(0, byte));
}

EditorText::Position position_at(const Text& sheet, const std::vector<std::string>& lines, ImVec2 mouse) {
  std::size_t line = 0;
  while (line + 1 < sheet.rows.size() && mouse.y >= sheet.top + sheet.rows[line + 1].y) ++line;
  const std::string& text = lines[line];
  const float wanted = mouse.x - sheet.left;
  std::size_t byte = 0;
  float before = 0;
  while (byte < text.size()) {
    std::size_t next = byte + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) ++next;
    const float after = text_width(Face::code, std::string_view(text).substr(0, next));
    if (wanted < (before + after) / 2) break;
    byte = next;
    before = after;
  }
  return {line, byte};
}

Text arrange_lines(const LessonState& state, const Rect& area, const std::vector<EditorNote>& notes, bool heat) {
  Text sheet;
  sheet.area = area;
  if (heat) sheet.text_x += heat_width;
  sheet.line = line_height(Face::code);
  sheet.left = snap(area.a.x + px(sheet.text_x) - state.editor_scroll_x);
  sheet.top = snap(area.a.y + px(top_padding) - state.editor_scroll_y);
  const float sentence = area.width() - px(sheet.text_x + right_padding);
  float y = 0;
  const auto& lines = state.text.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Row row{.y = y};
    for (const EditorNote& note : notes) {
      if (note.line != i) continue;
      if (!row.tinted) row.tint = tint_of(note);
      row.tinted = true;
      if (is_open(state, note)) row.note += draw_flow(nullptr, words_of(note), {}, sentence, style_of(note)) + px(4);
    }
    if (row.note > 0) row.note += px(12);
    y += sheet.line + row.note;
    sheet.rows.push_back(row);
  }
  sheet.width = text_width(Face::code, lines[std::min(state.editor_lines.widest, lines.size() - 1)]);
  sheet.height = y + px(top_padding);
  return sheet;
}

// ---- keys and mouse ----

/// Mouse and keys. Returns whether the editor has the keyboard.
bool interact(LessonState& state, const Text& sheet, std::vector<KeyEvent>& keys) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.CurrentWindow;
  const ImGuiIO& io = ImGui::GetIO();
  const ImGuiID id = window->GetID("editor");
  const ImRect box(sheet.area.a, sheet.area.b);
  ImGui::SetCursorScreenPos(sheet.area.a);
  ImGui::ItemSize(box);
  if (!ImGui::ItemAdd(box, id)) return false;
  const bool hovered = ImGui::ItemHoverable(box, id);
  if (std::exchange(state.editor_take_keyboard, false)) {
    ImGui::SetActiveID(id, window);
    ImGui::SetFocusID(id, window);
    ImGui::FocusWindow(window);
  }
  bool active = g.ActiveId == id;
  const bool in_text = io.MousePos.x >= sheet.area.a.x + px(sheet.text_x - 8) && io.MousePos.x < sheet.area.b.x - px(10);
  if (hovered && !in_text) g.HoveredIdAllowOverlap = true;  // the notes' glyphs in the gutter are buttons of their own
  if (hovered && in_text) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (hovered && io.MouseClicked[0] && in_text) {
    const auto at = position_at(sheet, state.text.lines(), io.MousePos);
    if (io.MouseClickedCount[0] == 2)
      state.text.select_word(at);
    else if (io.MouseClickedCount[0] >= 3)
      state.text.select_line(at.line);
    else
      state.text.place(at, io.KeyShift && active);
    ImGui::SetActiveID(id, window);
    ImGui::SetFocusID(id, window);
    ImGui::FocusWindow(window);
    active = true;
  } else if (active && io.MouseClicked[0] && !hovered) {
    ImGui::ClearActiveID();
    active = false;
  } else if (active && io.MouseDown[0] && io.MouseClickedCount[0] < 2 && box.Contains(io.MouseClickedPos[0]) &&
             (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    state.text.place(position_at(sheet, state.text.lines(), io.MousePos), true);  // beyond the edge it scrolls
    state.editor_follow_caret = true;
  }
  if (hovered) {
    const float lines = 3 * sheet.line;
    if (io.KeyShift)
      state.editor_scroll_x -= io.MouseWheel * lines;
    else
      state.editor_scroll_y -= io.MouseWheel * lines;
    state.editor_scroll_x -= io.MouseWheelH * lines;
  }
  if (!active) return false;
  claim_keyboard();
  const auto caret = state.text.caret();
  const auto revision = state.text.revision();
  const auto page = static_cast<std::ptrdiff_t>(std::max(sheet.area.height() / sheet.line - 2, 1.0f));
  for (const KeyEvent& event : keys) {
    if (event.key == KeyEvent::Key::escape) {
      ImGui::ClearActiveID();
      return false;
    }
    press_key(state.text, event, page);
  }
  keys.clear();
  if (state.text.revision() != revision || state.text.caret() != caret) state.editor_follow_caret = true;
  return true;
}

void scroll_to_caret(LessonState& state, const Text& sheet) {
  const auto caret = state.text.caret();
  const float y = px(top_padding) + sheet.rows[caret.line].y;
  const float room_y = sheet.area.height() - px(8);
  state.editor_scroll_y = std::clamp(state.editor_scroll_y, y + sheet.line - room_y, std::max(y - px(4), 0.0f));
  const float x = text_width(Face::code, std::string_view(state.text.lines()[caret.line]).substr(0, caret.byte));
  const float room_x = sheet.area.width() - px(sheet.text_x + right_padding + 8);
  state.editor_scroll_x = std::clamp(state.editor_scroll_x, std::max(x - room_x, 0.0f), std::max(x, 0.0f));
}

/// A note that has just come up is brought into sight, unless the learner is typing.
void scroll_to_note(LessonState& state, const Text& sheet, const std::vector<EditorNote>& notes, bool active) {
  const auto open = std::find_if(notes.begin(), notes.end(), [&](const EditorNote& note) { return is_open(state, note); });
  const std::string key = open == notes.end() ? std::string() : open->key;
  if (key == state.note_brought) return;
  state.note_brought = key;
  if (active || key.empty()) return;
  const Row& row = sheet.rows[open->line];
  const float above = px(top_padding) + row.y - 2 * sheet.line;  // two lines of what leads to it
  const float below = px(top_padding) + row.y + sheet.line + row.note + px(8) - sheet.area.height();
  state.editor_scroll_y = std::min(std::max(state.editor_scroll_y, below), std::max(above, 0.0f));
}

/// Lines that a control has just brought to life are brought into sight, unless one of them is.
void scroll_to_live_lines(LessonState& state, const Text& sheet, const std::vector<bool>& inactive, lessons::Macros macros) {
  if (macros == state.editor_macros) return;
  const auto before = inactive_lines(state.text.lines(), state.editor_macros);
  state.editor_macros = std::move(macros);
  std::size_t first = inactive.size();
  for (std::size_t i = inactive.size(); i-- > 0;) {
    if (!before[i] || inactive[i] || state.text.lines()[i].empty()) continue;
    const float y = px(top_padding) + sheet.rows[i].y - state.editor_scroll_y;
    if (y >= 0 && y + 4 * sheet.line <= sheet.area.height()) return;
    first = i;
  }
  if (first < inactive.size()) state.editor_scroll_y = std::max(px(top_padding) + sheet.rows[first].y - 2 * sheet.line, 0.0f);
}

/// The line that the stepper stands at is brought into sight.
void scroll_to_step(LessonState& state, const Text& sheet) {
  const std::uint32_t line = stepper_line(state);
  if (!std::exchange(state.stepper.follow_line, false) || line == 0 || line > sheet.rows.size()) return;
  const float y = px(top_padding) + sheet.rows[line - 1].y, room = sheet.area.height();
  state.editor_scroll_y = std::clamp(state.editor_scroll_y, y + 3 * sheet.line - room, std::max(y - 2 * sheet.line, 0.0f));
}

void clamp_scroll(LessonState& state, const Text& sheet) {
  const float tall = px(top_padding) + sheet.height - sheet.area.height();
  const float wide = sheet.width + px(sheet.text_x + right_padding + 8) - sheet.area.width();
  state.editor_scroll_y = std::clamp(state.editor_scroll_y, 0.0f, std::max(tall, 0.0f));
  state.editor_scroll_x = std::clamp(state.editor_scroll_x, 0.0f, std::max(wide, 0.0f));
}

// ---- drawing ----

void squiggle(ImDrawList* draw, float x0, float x1, float y, ImU32 colour) {
  const float step = px(2), height = px(1.25f);
  std::vector<ImVec2> path;
  bool up = false;
  for (float x = x0; x < x1 + step / 2; x += step, up = !up) path.push_back({std::min(x, x1), y + (up ? -height : height)});
  draw->AddPolyline(path.data(), static_cast<int>(path.size()), colour, ImDrawFlags_None, px(1.2f));
}

bool in_sight(const Text& sheet, std::size_t line) {
  const float y = sheet.top + sheet.rows[line].y;
  return y + sheet.line + sheet.rows[line].note >= sheet.area.a.y && y <= sheet.area.b.y;
}

void draw_matches(ImDrawList* draw, const Text& sheet, const LessonState& state) {
  for (const Match& match : matches_of(state)) {
    if (!in_sight(sheet, match.begin.line)) continue;
    const std::string& words = state.text.lines()[match.begin.line];
    const float y = sheet.top + sheet.rows[match.begin.line].y;
    const ImVec2 a(x_of(sheet, words, match.begin.byte), y + px(1)), b(x_of(sheet, words, match.end.byte), y + sheet.line - px(1));
    draw->AddRectFilled(a, b, theme().hand.tint, px(2));
    draw->AddRect(a, b, theme().hand.line, px(2), 0, px(1));
  }
}

void draw_brackets(ImDrawList* draw, const Text& sheet, const LessonState& state) {
  const auto pair = matching_brackets(state.text.lines(), state.editor_lines.spans, state.text.caret());
  if (!pair) return;
  for (const EditorText::Position at : {pair->first, pair->second}) {
    if (!in_sight(sheet, at.line)) continue;
    const std::string& words = state.text.lines()[at.line];
    const float y = sheet.top + sheet.rows[at.line].y;
    draw->AddRect({x_of(sheet, words, at.byte) - px(1), y + px(1)}, {x_of(sheet, words, at.byte + 1) + px(1), y + sheet.line - px(1)},
                  theme().text.third, px(2), 0, px(1));
  }
}

void draw_selection(ImDrawList* draw, const Text& sheet, const EditorText& text) {
  if (!text.has_selection()) return;
  const auto begin = text.selection_begin(), end = text.selection_end();
  for (std::size_t line = begin.line; line <= end.line; ++line) {
    if (!in_sight(sheet, line)) continue;
    const std::string& words = text.lines()[line];
    const float x0 = line == begin.line ? x_of(sheet, words, begin.byte) : sheet.left;
    float x1 = line == end.line ? x_of(sheet, words, end.byte) : x_of(sheet, words, words.size()) + px(6);  // the line's end, too
    const float y = sheet.top + sheet.rows[line].y;
    draw->AddRectFilled({x0, y}, {x1, y + sheet.line}, with_alpha(theme().series.blue, 0.30f));
  }
}

/// A hovered thread's own numbers, on the lines that compute them.
void draw_chips(ImDrawList* draw, const Text& sheet, const std::vector<std::string>& lines,
                const std::vector<std::vector<CodeSpan>>& spans, const std::vector<bool>& inactive, const Hover& hover) {
  const Theme& t = theme();
  const auto line_with = [&](const std::string& code) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto at = inactive[i] ? std::string::npos : lines[i].find(code);
      const bool comment = std::any_of(spans[i].begin(), spans[i].end(), [&](const CodeSpan& span) {
        return span.kind == CodeKind::comment && span.begin <= at && at < span.end;
      });
      if (at != std::string::npos && !comment) return i;
    }
    return lines.size();
  };
  std::vector<float> taken(lines.size(), 0);
  for (const Hover::Chip& chip : hover.chips) {
    const std::size_t line = line_with(chip.after);
    if (line == lines.size()) continue;
    const float width = text_width(Face::digits, chip.text) + px(14);
    const float last = sheet.area.b.x - px(8) - width;
    const float x = snap(std::min(std::max(x_of(sheet, lines[line], lines[line].size()) + px(16), taken[line]), last));
    const float y = sheet.top + sheet.rows[line].y;
    const Rect box = rect(x, y + px(1), width, sheet.line - px(2));
    draw->AddRectFilled(box.a, box.b, t.background.page, px(3));
    draw->AddRect(box.a, box.b, t.background.line_strong, px(3), 0, px(1));
    text(draw, Face::digits, {box.a.x + px(7), box.centre().y - line_height(Face::digits) / 2}, t.text.first, chip.text);
    taken[line] = box.b.x + px(8);
  }
}

void draw_scrollbar(ImDrawList* draw, const LessonState& state, const Text& sheet) {
  const float all = px(top_padding) + sheet.height, seen = sheet.area.height();
  if (all <= seen) return;
  const float length = std::max(seen * seen / all, px(24)), room = seen - length - px(8);
  const float y = sheet.area.a.y + px(4) + room * state.editor_scroll_y / (all - seen);
  draw->AddRectFilled({sheet.area.b.x - px(8), y}, {sheet.area.b.x - px(3), y + length}, theme().background.line, px(3));
}

void draw_notes(ImDrawList* draw, LessonState& state, const Text& sheet, const std::vector<EditorNote>& notes) {
  const float sentence = sheet.area.width() - px(sheet.text_x + right_padding);
  std::size_t line = ~std::size_t{0};
  float below = 0, beside = 0;
  for (const EditorNote& note : notes) {
    const Row& row = sheet.rows[note.line];
    const float y = sheet.top + row.y;
    if (note.line != line) below = y + sheet.line + px(6), beside = 0;
    line = note.line;
    const ImU32 colour = colour_of(note);
    const std::string& words = state.text.lines()[note.line];
    const float x0 = x_of(sheet, words, note.begin), x1 = x_of(sheet, words, note.end);
    squiggle(draw, x0, x1, y + baseline(Face::code) + px(4), colour);
    const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({x0, y}, {x1, y + sheet.line});
    if (!is_open(state, note)) hint({.hovered = over}, note.message);
    const ImVec2 glyph(sheet.area.a.x + px(glyph_x) - beside, y + sheet.line / 2);
    const Rect target = {{glyph.x - px(10), y}, {glyph.x + px(10), y + sheet.line}};
    if (beside == 0) {
      if (note.kind)
        finding_glyph(draw, *note.kind, glyph, px(12), colour);
      else
        cross(draw, glyph, px(12), colour);
      if (touch("note/" + std::to_string(note.line + 1), target).clicked) state.notes[note.key] = !is_open(state, note);
    }
    beside = px(12);
    if (is_open(state, note)) {
      below += draw_flow(draw, words_of(note), {sheet.area.a.x + px(sheet.text_x), below}, sentence, style_of(note)) + px(4);
    }
  }
}

/// The column beside the lines; over the gutter, all figures of a line.
void draw_heat(ImDrawList* draw, const Text& sheet, const gpu::LaunchReport& report, HeatColumn column) {
  for (const HeatCell& cell : heat_of(report, column)) {
    if (cell.line > sheet.rows.size()) continue;
    const float y = sheet.top + sheet.rows[cell.line - 1].y;
    if (y + sheet.line < sheet.area.a.y || y > sheet.area.b.y) continue;
    draw_heat_cell(draw, rect(sheet.area.a.x + px(heat_x), y + px(1), px(heat_width - 4), sheet.line - px(2)), cell);
  }
  const Rect gutter = {{sheet.area.a.x + px(glyph_x + 10), sheet.area.a.y},
                       {sheet.area.a.x + px(sheet.text_x - 8), sheet.area.b.y}};
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(gutter.a, gutter.b)) return;
  for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
    const Rect row = {{gutter.a.x, sheet.top + sheet.rows[i].y}, {gutter.b.x, sheet.top + sheet.rows[i].y + sheet.line}};
    if (ImGui::IsMouseHoveringRect(row.a, row.b)) heat_card(report, static_cast<std::uint32_t>(i + 1), row);
  }
}

}  // namespace

void draw_editor(Session& session, Actions& actions, const Rect& whole) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  if (whole.height() < px(24 + heat_row)) return;
  draw_heat_switch(session, rect(whole.a.x + px(16), whole.a.y + px(8), whole.width() - px(32), px(24)));
  Rect area = {{whole.a.x, whole.a.y + px(heat_row)}, whole.b};
  area.a.y += draw_find_bar(session, area);
  area.b.y -= draw_problems(state, area);
  name_widget("editor", area);
  const gpu::LaunchReport* const report = lines_report(state);
  const bool heat = session.heat != HeatColumn::off;
  std::vector<EditorNote> notes = notes_of(state);
  Text sheet = arrange_lines(state, area, notes, heat);

  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(area.a, area.b, true);
  const auto revision = state.text.revision();
  const bool active = interact(state, sheet, session.keys);
  if (state.text.revision() != revision) {
    actions.text_changed();
    notes = notes_of(state);
  }
  sheet = arrange_lines(state, area, notes, heat);
  if (state.editor_follow_caret) scroll_to_caret(state, sheet);
  state.editor_follow_caret = false;
  lessons::Macros macros = lessons::macros_of(*session.open, state.values);
  state.editor_lines.follow(state.text, state.shipped, macros);
  const auto& [spans, inactive, edited] = std::tie(state.editor_lines.spans, state.editor_lines.inactive, state.editor_lines.edited);
  if (!active) scroll_to_live_lines(state, sheet, inactive, std::move(macros));
  scroll_to_note(state, sheet, notes, active);
  scroll_to_step(state, sheet);
  clamp_scroll(state, sheet);
  sheet.left = snap(area.a.x + px(sheet.text_x) - state.editor_scroll_x);
  sheet.top = snap(area.a.y + px(top_padding) - state.editor_scroll_y);

  const auto& lines = state.text.lines();
  const bool run_to_lines = runs_to_lines(state);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!in_sight(sheet, i)) continue;
    const Row& row = sheet.rows[i];
    const float y = sheet.top + row.y;
    if (row.tinted) draw->AddRectFilled({area.a.x, y}, {area.b.x, y + sheet.line + row.note}, row.tint);
    if (i + 1 == stepper_line(state)) {
      draw->AddRectFilled({area.a.x, y}, {area.b.x, y + sheet.line}, mix(t.background.window, t.series.blue, 0.22f));
      draw->AddRectFilled({area.a.x, y}, {area.a.x + px(3), y + sheet.line}, t.series.blue);
    }
    if (session.hover && session.hover->line == i + 1)
      draw->AddRectFilled({area.a.x, y}, {area.b.x, y + sheet.line}, with_alpha(t.background.hover, 0.7f));
  }
  draw->PushClipRect({area.a.x + px(sheet.text_x) - px(2), area.a.y}, {area.b.x - px(right_padding), area.b.y}, true);
  draw_matches(draw, sheet, state);
  draw_selection(draw, sheet, state.text);
  if (active) draw_brackets(draw, sheet, state);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const float y = sheet.top + sheet.rows[i].y;
    if (y + sheet.line < area.a.y || y > area.b.y) continue;
    draw_code_line(draw, Face::code, {sheet.left, y}, lines[i], spans[i], inactive[i]);
  }
  if (active && caret_blinks_on()) {
    const auto caret = state.text.caret();
    const float x = snap(x_of(sheet, lines[caret.line], caret.byte)), y = sheet.top + sheet.rows[caret.line].y;
    draw->AddRectFilled({x, y + px(1)}, {x + px(1.5f), y + sheet.line - px(1)}, t.text.first);
  }
  draw->PopClipRect();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const float y = sheet.top + sheet.rows[i].y;
    if (y + sheet.line < area.a.y || y > area.b.y) continue;
    const bool here = active && i == state.text.caret().line;
    // What comes after the last line's end is a line to the caret only.
    if (i + 1 == lines.size() && lines[i].empty() && i > 0 && !here) continue;
    text(draw, Face::digits, {area.a.x + px(number_right), y + (sheet.line - line_height(Face::digits)) / 2},
         here ? t.text.first : t.text.third, std::to_string(i + 1), Align::right);
    if (run_to_lines) {
      const Touch number =
          touch(fmt::format("line/{}", i + 1), {{area.a.x + px(glyph_x + 10), y}, {area.a.x + px(mark_x), y + sheet.line}});
      hint(number, "Runs to this line");
      if (number.clicked && run_to_line(state.stepper, static_cast<std::uint32_t>(i + 1))) state.stepper.follow_line = true;
    }
    if (edited[i]) draw->AddRectFilled({area.a.x + px(mark_x), y}, {area.a.x + px(mark_x + 2), y + sheet.line}, t.hand.line);
  }
  if (report != nullptr) draw_heat(draw, sheet, *report, session.heat);
  draw_notes(draw, state, sheet, notes);
  if (session.hover) draw_chips(draw, sheet, lines, spans, inactive, *session.hover);
  draw_scrollbar(draw, state, sheet);
  draw->PopClipRect();
}

}  // namespace warpbook::app
