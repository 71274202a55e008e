#include "app/panels/editor_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "app/session/editor_notes.h"
#include "app/ui/widgets.h"
#include "gpu/compiler_log.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr std::string_view field = "find";
constexpr float bar_height = 40, row_height = 24;
constexpr std::size_t most_problems = 4;

using For = FindBar::For;

void open_bar(Session& session, For what) {
  LessonState& state = session.lesson();
  FindBar& bar = state.find;
  if (what == For::words && state.text.has_selection() && state.text.selection_begin().line == state.text.selection_end().line)
    bar.words = state.text.selected();
  if (what != bar.looks_for && what == For::line) bar.words.clear();
  bar.looks_for = what;
  session.typing = {.name = std::string(field), .text = EditorText(bar.words), .wrong = {}, .keys = {}};
}

void close_bar(Session& session) {
  session.lesson().find.looks_for = For::nothing;
  session.lesson().editor_take_keyboard = true;
  session.typing = {};
}

void show_match(LessonState& state, const std::vector<Match>& matches, EditorText::Position from, int direction) {
  if (matches.empty()) return;
  const Match& match = matches[next_match(matches, from, direction)];
  state.text.place(match.begin, false);
  state.text.place(match.end, true);
  state.editor_follow_caret = true;
}

void step_match(LessonState& state, int direction) {
  show_match(state, matches_of(state), direction > 0 ? state.text.selection_end() : state.text.selection_begin(), direction);
}

std::optional<std::size_t> line_number(std::string_view words) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  return error == std::errc() && end == words.data() + words.size() && number > 0 ? std::optional(number) : std::nullopt;
}

void go_to_line(Session& session) {
  LessonState& state = session.lesson();
  if (const auto number = line_number(state.find.words)) {
    state.text.place({*number - 1, 0}, false);
    state.editor_follow_caret = true;
    close_bar(session);
  }
}

/// The bar's own keys, out of those that were pressed; the others stay.
void answer_keys(Session& session, std::vector<KeyEvent>& keys) {
  using Key = KeyEvent::Key;
  LessonState& state = session.lesson();
  const bool typing = session.typing.name == field;
  std::erase_if(keys, [&](const KeyEvent& event) {
    switch (event.key) {
      case Key::f:
        open_bar(session, For::words);
        return true;
      case Key::g:
        open_bar(session, For::line);
        return true;
      case Key::find_next:
        if (state.find.words.empty() || state.find.looks_for == For::line)
          open_bar(session, For::words);
        else
          state.find.looks_for = For::words, step_match(state, event.shift ? -1 : 1);
        return true;
      case Key::enter:
        if (!typing || event.ctrl) return false;
        if (state.find.looks_for == For::line)
          go_to_line(session);
        else
          step_match(state, event.shift ? -1 : 1);
        return true;
      case Key::escape:
        if (typing) close_bar(session);
        return typing;
      default:
        return false;
    }
  });
}

}  // namespace

const std::vector<Match>& matches_of(LessonState& state) {
  return state.editor_lines.matches(state.text, state.find.looks_for == For::words ? state.find.words : std::string_view());
}

float draw_find_bar(Session& session, const Rect& area) {
  LessonState& state = session.lesson();
  FindBar& bar = state.find;
  answer_keys(session, session.typing.name == field ? session.typing.keys : session.keys);
  if (bar.looks_for == For::nothing) return 0;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect row = rect(area.a.x, area.a.y, area.width(), px(bar_height));
  draw->AddRectFilled(row.a, row.b, t.background.raised);
  hairline(draw, {row.a.x, row.b.y - px(1)}, row.b, t.background.line);
  const bool words = bar.looks_for == For::words;
  const float side = px(28), y = row.centre().y - side / 2, gap = px(4);
  float right = row.b.x - px(8) - side;
  const bool close = button("find/close", rect(right, y, side, side), {.label = "×", .hint = say("Close (Esc)")});
  const auto& matches = matches_of(state);
  if (words) {
    right -= side + gap;
    if (button("find/next", rect(right, y, side, side),
               {.icon = Icon::chevron_right, .enabled = !matches.empty(), .hint = say("Next (Enter, F3)")}))
      step_match(state, 1);
    right -= side + gap;
    if (button("find/previous", rect(right, y, side, side),
               {.icon = Icon::chevron_left, .enabled = !matches.empty(), .hint = say("Previous (Shift+Enter, Shift+F3)")}))
      step_match(state, -1);
  }
  std::string said;
  if (!words) {
    said = say("of {n} lines", "n"_a = state.text.lines().size());
  } else if (!bar.words.empty()) {
    const std::size_t here = matches.empty() ? 0 : next_match(matches, state.text.selection_begin(), 1);
    const bool at_it =
        !matches.empty() && matches[here].begin == state.text.selection_begin() && matches[here].end == state.text.selection_end();
    said = matches.empty() ? std::string(say("not found"))
           : at_it         ? say("{here} of {all}", "here"_a = here + 1, "all"_a = matches.size())
                           : say("{n} found", "n"_a = matches.size());
  }
  const float room = text_width(Face::label, say("{here} of {all}", "here"_a = 9999, "all"_a = 9999));
  right -= room + px(12);
  text(draw, Face::label, {right + px(8), row.centre().y - line_height(Face::label) / 2},
       words && matches.empty() && !bar.words.empty() ? t.verdict.bad : t.text.third, said);
  const Rect box = {{row.a.x + px(16), y}, {right, y + side}};
  if (const auto given =
          text_field(field, box, bar.words, words ? say("Find in the kernel") : say("Line to go to"), session.typing))
    bar.words = *given;
  if (session.typing.name == field && session.typing.text.str() != bar.words) {
    bar.words = session.typing.text.str();
    if (words) show_match(state, matches_of(state), state.text.selection_begin(), 1);
  }
  if (close) close_bar(session);
  return row.height();
}

namespace {

std::string problem_words(const gpu::Diagnostic& problem, bool elsewhere) {
  const bool error = problem.severity == gpu::Diagnostic::Severity::error;
  if (error && !elsewhere) return problem.message;
  const auto file = "file"_a = problem.file;
  const auto message = "message"_a = problem.message;
  if (error) return say("in {file}: {message}", file, message);
  return elsewhere ? say("in {file}: warning: {message}", file, message) : say("warning: {message}", message);
}

}  // namespace

float draw_problems(LessonState& state, const Rect& area) {
  if (!state.compiled || state.compiled->text != state.editor_lines.text) return 0;
  std::vector<const gpu::Diagnostic*> problems;
  const auto collect = [&](const std::vector<gpu::Diagnostic>& from) {
    for (const gpu::Diagnostic& each : from) {
      if (each.severity != gpu::Diagnostic::Severity::note && each.line > 0) problems.push_back(&each);
    }
  };
  if (state.compiled->failure)
    collect(state.compiled->failure->diagnostics);
  else
    collect(state.compiled->program->warnings);
  const auto& headers = state.compiled->failure ? state.compiled->failure->headers : state.compiled->program->headers;
  std::string left_out;
  if (const auto& program = state.compiled->program; program && !program->left_out.empty())
    left_out = gpu::left_out_sentence(program->left_out);
  if (problems.empty() && left_out.empty()) return 0;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const std::size_t shown = std::min(problems.size(), most_problems);
  const bool more = shown < problems.size();
  const float height = px(row_height) * static_cast<float>(shown + (more ? 1 : 0) + (left_out.empty() ? 0 : 1)) + px(12);
  if (height > area.height() / 2) return 0;  // the lines come first
  float y = area.b.y - height;
  draw->AddRectFilled({area.a.x, y}, area.b, t.background.window);
  hairline(draw, {area.a.x, y}, {area.b.x, y}, t.background.line);
  y += px(6);
  for (std::size_t i = 0; i < shown; ++i, y += px(row_height)) {
    const gpu::Diagnostic& problem = *problems[i];
    const bool error = problem.severity == gpu::Diagnostic::Severity::error;
    const Rect row = rect(area.a.x, y, area.width(), px(row_height));
    const HitArea at = hit_area(fmt::format("problem/{}", i + 1), row);
    if (at.hovered) draw->AddRectFilled(row.a, row.b, t.background.hover);
    if (at.focused) focus_ring(row, t.hand.line, 2);
    const float middle = row.centre().y, words_y = middle - line_height(Face::label) / 2;
    const ImU32 ink = error ? t.verdict.bad : t.text.third;
    cross(draw, {area.a.x + px(15), middle}, px(10), ink);
    const bool elsewhere = in_header(headers, problem.file);
    const std::string place =
        problem.column > 0 ? fmt::format("{}:{}", problem.line, problem.column) : fmt::format("{}", problem.line);
    text(draw, Face::digits, {area.a.x + px(72), middle - line_height(Face::digits) / 2}, t.text.third, place, Align::right);
    text_clipped(draw, Face::label, {area.a.x + px(84), words_y}, row.b.x - area.a.x - px(96), t.text.first,
                 problem_words(problem, elsewhere));
    hint(at, problem.message);
    if (!at.clicked) continue;
    if (elsewhere)
      state.text.place({line_that_includes(state.text.lines(), problem.file), 0}, false);
    else
      state.text.place({static_cast<std::size_t>(problem.line) - 1, static_cast<std::size_t>(std::max(problem.column - 1, 0))},
                       false);
    state.editor_follow_caret = state.editor_take_keyboard = true;
  }
  if (more) {
    text(draw, Face::label, {area.a.x + px(84), y + (px(row_height) - line_height(Face::label)) / 2}, t.text.third,
         say("and {n} more", "n"_a = problems.size() - shown));
    y += px(row_height);
  }
  if (!left_out.empty()) {
    const Rect row = rect(area.a.x, y, area.width(), px(row_height));
    text_clipped(draw, Face::label, {area.a.x + px(16), row.centre().y - line_height(Face::label) / 2}, area.width() - px(32),
                 t.text.third, left_out);
    hint(hit_area("left_out", row, false), left_out);
  }
  return height;
}

}  // namespace warpbook::app
