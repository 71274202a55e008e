#include "app/panels/editor.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/panels/copy.h"
#include "app/panels/editor_bars.h"
#include "app/panels/editor_heat.h"
#include "app/panels/stepper.h"
#include "app/session/editor_notes.h"
#include "app/text/highlight.h"
#include "app/ui/code_sheet.h"
#include "app/ui/text_flow.h"
#include "app/ui/text_input.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

// CSS pixels from the editor's left edge.
constexpr float glyph_x = 9, mark_x = 48;                     // left of a number of three digits; right of it
constexpr float heat_x = 53, heat_width = 48, heat_row = 36;  // the column beside the lines, where it is on; its switch above them

ImU32 note_colour(const EditorNote& note) {
  return note.kind ? theme().finding[static_cast<std::size_t>(*note.kind)] : theme().verdict.bad;
}

ImU32 tint_of(const EditorNote& note) {
  const Theme& t = theme();
  if (!note.kind) return t.verdict.bad_tint;
  // The tokens' rule: 13 % over the window in the dark, 11 % over white in the light.
  return t.appearance == Appearance::dark ? mix(t.background.window, note_colour(note), 0.13f)
                                          : mix(IM_COL32_WHITE, note_colour(note), 0.11f);
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

TextFlowStyle style_of(const EditorNote& note) {
  TextFlowStyle style = note_style();
  style.strong_colour = note_colour(note);
  return style;
}

CodeSheet arrange_lines(const LessonState& state, const Rect& area, const std::vector<EditorNote>& notes, bool heat) {
  const float text_x = 56 + (heat ? heat_width : 0);
  CodeSheet sheet = lay_out(area, state.text.lines().size(), text_x, state.editor_scroll_x, state.editor_scroll_y);
  const float sentence = area.width() - px(text_x + code_right);
  for (const EditorNote& note : notes) {  // by line
    if (!is_open(state, note)) continue;
    if (sheet.below.empty() || sheet.below.back().first != note.line) sheet.below.emplace_back(note.line, px(12));
    sheet.below.back().second += draw_text_flow(nullptr, words_of(note), {}, sentence, style_of(note)) + px(4);
  }
  return sheet;
}

// ---- keys and mouse ----

/// Mouse and keys. Returns whether the editor has the keyboard.
bool interact(LessonState& state, const CodeSheet& sheet, std::vector<KeyEvent>& keys) {
  const bool take = std::exchange(state.editor_take_keyboard, false);
  const CodeMouse hand = handle_code_mouse("editor", sheet, state.text, state.editor_scroll_x, state.editor_scroll_y, take);
  if (hand.moved) state.editor_follow_caret = true;
  if (!hand.active) return false;
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

/// A note that has just come up is brought into sight, unless the learner is typing.
void scroll_to_note(LessonState& state, const CodeSheet& sheet, const std::vector<EditorNote>& notes, bool active) {
  const auto open = std::find_if(notes.begin(), notes.end(), [&](const EditorNote& note) { return is_open(state, note); });
  const std::string key = open == notes.end() ? std::string() : open->key;
  if (key == state.note_brought) return;
  state.note_brought = key;
  if (active || key.empty()) return;
  const float y = px(code_top) + sheet.offset_of(open->line);
  const float above = y - 2 * sheet.line;  // two lines of what leads to it
  const float below = y + sheet.line + sheet.below_line(open->line) + px(8) - sheet.area.height();
  state.editor_scroll_y = std::min(std::max(state.editor_scroll_y, below), std::max(above, 0.0f));
}

/// Lines that a control has just brought to life are brought into sight, unless one of them is.
void scroll_to_live_lines(LessonState& state, const CodeSheet& sheet, const std::vector<bool>& inactive, lessons::Macros macros) {
  if (macros == state.editor_macros) return;
  const auto before = inactive_lines(state.text.lines(), state.editor_macros);
  state.editor_macros = std::move(macros);
  std::size_t first = inactive.size();
  for (std::size_t i = inactive.size(); i-- > 0;) {
    if (!before[i] || inactive[i] || state.text.lines()[i].empty()) continue;
    const float y = px(code_top) + sheet.offset_of(i) - state.editor_scroll_y;
    if (y >= 0 && y + 4 * sheet.line <= sheet.area.height()) return;
    first = i;
  }
  if (first < inactive.size()) state.editor_scroll_y = std::max(px(code_top) + sheet.offset_of(first) - 2 * sheet.line, 0.0f);
}

/// The line that the stepper stands at is brought into sight.
void scroll_to_step(LessonState& state, const CodeSheet& sheet) {
  const std::uint32_t line = stepper_line(state);
  if (!std::exchange(state.stepper.follow_line, false) || line == 0 || line > sheet.lines) return;
  const float y = px(code_top) + sheet.offset_of(line - 1), room = sheet.area.height();
  state.editor_scroll_y = std::clamp(state.editor_scroll_y, y + 3 * sheet.line - room, std::max(y - 2 * sheet.line, 0.0f));
}

// ---- drawing ----

void squiggle(ImDrawList* draw, float x0, float x1, float y, ImU32 colour) {
  const float step = px(2), height = px(1.25f);
  std::vector<ImVec2> path;
  bool up = false;
  for (float x = x0; x < x1 + step / 2; x += step, up = !up) path.push_back({std::min(x, x1), y + (up ? -height : height)});
  draw->AddPolyline(path.data(), static_cast<int>(path.size()), colour, ImDrawFlags_None, px(1.2f));
}

bool in_sight(const CodeSheet& sheet, std::size_t line) {
  const float y = sheet.y_of(line);
  return y + sheet.line + sheet.below_line(line) >= sheet.area.a.y && y <= sheet.area.b.y;
}

void draw_matches(ImDrawList* draw, const CodeSheet& sheet, LessonState& state) {
  const auto& matches = matches_of(state);
  const std::size_t first = sheet.first_visible(), end = sheet.end_visible();
  for (std::size_t i = matches.empty() ? 0 : next_match(matches, {first, 0}, 1); i < matches.size(); ++i) {
    const Match& match = matches[i];
    if (match.begin.line < first || match.begin.line >= end) break;
    const std::string& words = state.text.lines()[match.begin.line];
    const float y = sheet.y_of(match.begin.line);
    const ImVec2 a(code_x(sheet, words, match.begin.byte), y + px(1)),
        b(code_x(sheet, words, match.end.byte), y + sheet.line - px(1));
    draw->AddRectFilled(a, b, theme().hand.tint, px(2));
    draw->AddRect(a, b, theme().hand.line, px(2), 0, px(1));
  }
}

void draw_brackets(ImDrawList* draw, const CodeSheet& sheet, const LessonState& state) {
  const auto pair = matching_brackets(state.text.lines(), state.editor_lines.spans, state.text.caret());
  if (!pair) return;
  for (const EditorText::Position at : {pair->first, pair->second}) {
    if (!in_sight(sheet, at.line)) continue;
    const std::string& words = state.text.lines()[at.line];
    const float y = sheet.y_of(at.line);
    draw->AddRect({code_x(sheet, words, at.byte) - px(1), y + px(1)},
                  {code_x(sheet, words, at.byte + 1) + px(1), y + sheet.line - px(1)}, theme().text.third, px(2), 0, px(1));
  }
}

/// A hovered thread's own numbers, on the lines that compute them.
void draw_chips(ImDrawList* draw, const CodeSheet& sheet, const std::vector<std::string>& lines,
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
    const float x = snap(std::min(std::max(code_x(sheet, lines[line], lines[line].size()) + px(16), taken[line]), last));
    const float y = sheet.y_of(line);
    const Rect box = rect(x, y + px(1), width, sheet.line - px(2));
    draw->AddRectFilled(box.a, box.b, t.background.page, px(3));
    draw->AddRect(box.a, box.b, t.background.line_strong, px(3), 0, px(1));
    text(draw, Face::digits, {box.a.x + px(7), box.centre().y - line_height(Face::digits) / 2}, t.text.first, chip.text);
    taken[line] = box.b.x + px(8);
  }
}

/// All that is said of a line, as it is copied.
std::string note_words(const std::vector<EditorNote>& notes, std::size_t line) {
  std::string words;
  for (const EditorNote& note : notes) {
    if (note.line != line) continue;
    if (!words.empty()) words += "\n";
    words += say("{title}, line {line}: {message}", "title"_a = note.title, "line"_a = line + 1, "message"_a = note.message);
  }
  return words;
}

void draw_notes(ImDrawList* draw, Session& session, const CodeSheet& sheet, const std::vector<EditorNote>& notes) {
  LessonState& state = session.lesson();
  const float sentence = sheet.area.width() - px(sheet.text_x + code_right);
  std::size_t line = ~std::size_t{0};
  float below = 0, beside = 0;
  for (const EditorNote& note : notes) {
    const float y = sheet.y_of(note.line);
    if (note.line != line) below = y + sheet.line + px(6), beside = 0;
    line = note.line;
    const ImU32 colour = note_colour(note);
    const std::string& words = state.text.lines()[note.line];
    // Only as far as the code is shown: long lines go on outside.
    const float x0 = std::max(code_x(sheet, words, note.begin), sheet.area.a.x + px(sheet.text_x) - px(2));
    const float x1 = std::min(code_x(sheet, words, note.end), sheet.area.b.x - px(code_right));
    if (x0 < x1) squiggle(draw, x0, x1, y + baseline(Face::code) + px(4), colour);
    const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({x0, y}, {x1, y + sheet.line});
    if (!is_open(state, note)) hint({.hovered = over, .area = {{x0, y}, {x1, y + sheet.line}}}, note.message);
    const ImVec2 glyph(sheet.area.a.x + px(glyph_x) - beside, y + sheet.line / 2);
    const Rect target = {{glyph.x - px(10), y}, {glyph.x + px(10), y + sheet.line}};
    if (beside == 0) {
      if (note.kind)
        finding_glyph(draw, *note.kind, glyph, px(12), colour);
      else
        cross(draw, glyph, px(12), colour);
      const std::string name = "note/" + std::to_string(note.line + 1);
      if (hit_area(name, target).clicked) state.notes[note.key] = !is_open(state, note);
      const Rect all = {{sheet.area.a.x, y}, {sheet.area.b.x, y + sheet.line + sheet.below_line(note.line)}};
      copyable(session, name, all, {.words = [&notes, &note] { return note_words(notes, note.line); }});
    }
    beside = px(12);
    if (is_open(state, note)) {
      below += draw_text_flow(draw, words_of(note), {sheet.area.a.x + px(sheet.text_x), below}, sentence, style_of(note)) + px(4);
    }
  }
}

/// The column beside the lines; over the gutter, all figures of a line.
void draw_heat(ImDrawList* draw, const CodeSheet& sheet, const gpu::LaunchReport& report, HeatColumn column) {
  for (const HeatCell& cell : heat_of(report, column)) {
    if (cell.line > sheet.lines) continue;
    const float y = sheet.y_of(cell.line - 1);
    if (y + sheet.line < sheet.area.a.y || y > sheet.area.b.y) continue;
    draw_heat_cell(draw, rect(sheet.area.a.x + px(heat_x), y + px(1), px(heat_width - 4), sheet.line - px(2)), cell);
  }
  const Rect gutter = {{sheet.area.a.x + px(glyph_x + 10), sheet.area.a.y},
                       {sheet.area.a.x + px(sheet.text_x - 8), sheet.area.b.y}};
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(gutter.a, gutter.b)) return;
  const std::size_t line = sheet.line_at(ImGui::GetIO().MousePos.y);
  const float y = sheet.y_of(line);
  const Rect row = {{gutter.a.x, y}, {gutter.b.x, y + sheet.line}};
  if (ImGui::IsMouseHoveringRect(row.a, row.b)) heat_card(report, static_cast<std::uint32_t>(line + 1), row);
}

/// What lies behind the lines: the notes' tints, the line that the stepper is at, the line that is pointed at elsewhere.
void draw_behind_lines(ImDrawList* draw, const Session& session, const LessonState& state, const CodeSheet& sheet,
                       const std::vector<EditorNote>& notes) {
  const Theme& t = theme();
  const Rect& area = sheet.area;
  for (auto note = notes.rbegin(); note != notes.rend(); ++note) {  // the first note of a line tints it
    const float y = sheet.y_of(note->line);
    draw->AddRectFilled({area.a.x, y}, {area.b.x, y + sheet.line + sheet.below_line(note->line)}, tint_of(*note));
  }
  const std::uint32_t stepped = stepper_line(state);
  for (std::size_t i = sheet.first_visible(); i < sheet.end_visible(); ++i) {
    const float y = sheet.y_of(i);
    if (i + 1 == stepped) {
      draw->AddRectFilled({area.a.x, y}, {area.b.x, y + sheet.line}, mix(t.background.window, t.series.blue, 0.22f));
      draw->AddRectFilled({area.a.x, y}, {area.a.x + px(3), y + sheet.line}, t.series.blue);
    }
    if (session.hover && session.hover->line == i + 1)
      draw->AddRectFilled({area.a.x, y}, {area.b.x, y + sheet.line}, with_alpha(t.background.hover, 0.7f));
  }
}

void draw_lines(ImDrawList* draw, LessonState& state, const CodeSheet& sheet, bool active) {
  const Theme& t = theme();
  const Rect& area = sheet.area;
  const auto& lines = state.text.lines();
  draw->PushClipRect({area.a.x + px(sheet.text_x) - px(2), area.a.y}, {area.b.x - px(code_right), area.b.y}, true);
  draw_matches(draw, sheet, state);
  draw_selection(draw, sheet, state.text);
  if (active) draw_brackets(draw, sheet, state);
  for (std::size_t i = sheet.first_visible(); i < sheet.end_visible(); ++i)
    draw_code_line(draw, sheet, lines[i], state.editor_lines.spans[i], sheet.y_of(i), state.editor_lines.inactive[i]);
  draw_line_ends(draw, sheet, lines, state.editor_scroll_x);
  if (active && caret_blinks_on()) {
    const auto caret = state.text.caret();
    const float x = snap(code_x(sheet, lines[caret.line], caret.byte)), y = sheet.y_of(caret.line);
    draw->AddRectFilled({x, y + px(1)}, {x + px(1.5f), y + sheet.line - px(1)}, t.text.first);
  }
  draw->PopClipRect();
}

/// The numbers, on which a click runs the stepper, and a mark at lines that were edited.
void draw_line_numbers(ImDrawList* draw, LessonState& state, const CodeSheet& sheet, bool active) {
  const Rect& area = sheet.area;
  const auto& lines = state.text.lines();
  const bool run_to_lines = runs_to_lines(state);
  for (std::size_t i = sheet.first_visible(); i < sheet.end_visible(); ++i) {
    const float y = sheet.y_of(i);
    const bool here = active && i == state.text.caret().line;
    // What comes after the last line's end is a line to the caret only.
    if (i + 1 == lines.size() && lines[i].empty() && i > 0 && !here) continue;
    draw_line_number(draw, sheet, i, here);
    if (run_to_lines) {
      const HitArea number =
          hit_area(fmt::format("line/{}", i + 1), {{area.a.x + px(glyph_x + 10), y}, {area.a.x + px(mark_x), y + sheet.line}});
      hint(number, say("Runs to this line"));
      if (number.clicked && run_to_line(state.stepper, static_cast<std::uint32_t>(i + 1))) state.stepper.follow_line = true;
    }
    if (state.editor_lines.edited[i])
      draw->AddRectFilled({area.a.x + px(mark_x), y}, {area.a.x + px(mark_x + 2), y + sheet.line}, theme().hand.line);
  }
}

}  // namespace

void draw_editor(Session& session, Actions& actions, const Rect& whole) {
  LessonState& state = session.lesson();
  const CodeLanguage language =
      shows_program(session) && !shown_file(session).ends_with(".py") ? CodeLanguage::cuda : language_of(shown_file(session));
  const bool costs = language == CodeLanguage::cuda || shows_program(session);  // answers have none
  const float above = only_needed(session) || !costs ? 0 : px(heat_row);
  if (whole.height() < px(24) + above) return;
  if (above > 0) draw_heat_switch(session, rect(whole.a.x + px(16), whole.a.y + px(8), whole.width() - px(32), px(24)));
  Rect area = {{whole.a.x, whole.a.y + above}, whole.b};
  area.a.y += draw_find_bar(session, area);
  area.b.y -= draw_problems(state, area);
  const gpu::LaunchReport* const report = lines_report(state);
  const bool heat = above > 0 && session.heat != HeatColumn::off;
  const std::size_t columns =
      columns_of(std::string_view(state.text.lines()[std::min(state.editor_lines.widest, state.text.lines().size() - 1)]));
  const float across = goes_on(lay_out(area, 1, heat ? 56 + heat_width : 56, 0, 0), columns) ? px(across_height) : 0;
  area.b.y -= across;
  std::vector<EditorNote> notes = notes_of(state);
  CodeSheet sheet = arrange_lines(state, area, notes, heat);

  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(area.a, area.b, true);
  const auto revision = state.text.revision();
  const bool active = interact(state, sheet, session.keys);
  // A program's source is read here, and not changed: the record holds what was compiled from it.
  if (state.text.revision() != revision && shows_program(session)) {
    while (state.text.str() != state.shipped && state.text.undo()) {
    }
  } else if (state.text.revision() != revision) {
    actions.text_changed();
    notes = notes_of(state);
  }
  sheet = arrange_lines(state, area, notes, heat);
  if (state.editor_follow_caret) scroll_to_caret(sheet, state.text, state.editor_scroll_x, state.editor_scroll_y);
  state.editor_follow_caret = false;
  lessons::Macros macros = lessons::macros_of(*session.open, state.values);
  state.editor_lines.follow(state.text, state.shipped, macros, language);
  if (!active) scroll_to_live_lines(state, sheet, state.editor_lines.inactive, std::move(macros));
  scroll_to_note(state, sheet, notes, active);
  scroll_to_step(state, sheet);
  const std::size_t widest = std::min(state.editor_lines.widest, sheet.lines - 1);
  clamp_code_scroll(sheet, columns_of(std::string_view(state.text.lines()[widest])), state.editor_scroll_x, state.editor_scroll_y);
  sheet.left = snap(area.a.x + px(sheet.text_x) - state.editor_scroll_x);
  sheet.top = snap(area.a.y + px(code_top) - state.editor_scroll_y);

  draw_behind_lines(draw, session, state, sheet, notes);
  draw_lines(draw, state, sheet, active);
  draw_line_numbers(draw, state, sheet, active);
  if (report != nullptr && heat) draw_heat(draw, sheet, *report, session.heat);
  draw_notes(draw, session, sheet, notes);
  if (session.hover)
    draw_chips(draw, sheet, state.text.lines(), state.editor_lines.spans, state.editor_lines.inactive, *session.hover);
  draw_code_scrollbar(draw, sheet, state.editor_scroll_y);
  draw->PopClipRect();
  if (across > 0)
    scroll_across("editor/across", {{area.a.x, area.b.y}, {area.b.x, area.b.y + across}}, sheet, columns, state.editor_scroll_x);
}

}  // namespace warpbook::app
