#include "app/panels/code_view.h"

#include <imgui_internal.h>

#include <string>
#include <utility>
#include <vector>

#include "app/ui/code_sheet.h"
#include "app/ui/text_flow.h"
#include "app/ui/text_input.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float side = 16, above_words = 10, under_words = 8;

struct CodeWords {
  std::string text;
  bool stale = false;  // the code below is of earlier controls
};

/// What the code is of, as a sentence: never may an earlier value pass as the present one.
CodeWords words_of(const Session& session, const LessonState& state) {
  const bool numba = state.tab == BenchTab::numba;
  if (!state.host || !is_current(*state.host, session))
    return {state.host ? say("Following the controls …") : say("Working out the host's program …"), true};
  std::string text;
  const Snapshot* const ran = state.latest.get();
  const bool same = ran != nullptr && ran->values == state.values && ran->text == state.host->text &&
                    ran->device == session.device && !ran->error;
  if (session.open->live)
    text = say("One frame of the experiment from its start, with the controls as they stand.");
  else
    text = same ? say("What the last run did.") : say("What Run will do, with the controls as they stand.");
  if (numba && state.edited()) {
    text += " ";
    text += say("Your edit is in CUDA C++ alone: this is the twin of the lesson's own kernel.");
  }
  if (!numba && state.compiled && state.compiled->failure && state.compiled->text == state.host->text) {
    text += " ";
    text += say("The kernel in it does not compile yet.");
  }
  return {std::move(text), false};
}

/// Keys that move, select and copy; what would write is left out. Returns whether the caret has moved.
bool press_keys(EditorText& text, std::vector<KeyEvent>& keys, std::ptrdiff_t page) {
  using Key = KeyEvent::Key;
  const auto caret = text.caret();
  std::vector<KeyEvent> left;
  for (const KeyEvent& event : keys) {
    switch (event.key) {
      case Key::left:
      case Key::right:
      case Key::up:
      case Key::down:
      case Key::home:
      case Key::end:
      case Key::page_up:
      case Key::page_down:
      case Key::a:
      case Key::c:
        press_key(text, event, page);
        break;
      case Key::escape:
        ImGui::ClearActiveID();
        break;
      case Key::tab:
        ImGui::ClearActiveID();
        left.push_back(event);
        break;
      default:
        break;
    }
  }
  keys = std::move(left);
  return text.caret() != caret;
}

void draw_code(std::string_view name, CodeView& view, CodeLanguage language, std::vector<KeyEvent>& keys, const Rect& whole,
               bool stale) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto& lines = view.text.lines();
  update(view.highlighting, view.text, language);
  CodeSheet sheet = lay_out(whole, lines.size(), 56, view.scroll_x, view.scroll_y);
  Rect area = whole;
  if (goes_on(sheet, view.highlighting.columns)) area.b.y -= px(across_height);
  sheet = lay_out(area, lines.size(), 56, view.scroll_x, view.scroll_y);
  draw->PushClipRect(area.a, area.b, true);
  const CodeMouse hand = handle_code_mouse(name, sheet, view.text, view.scroll_x, view.scroll_y);
  const auto page = static_cast<std::ptrdiff_t>(std::max(area.height() / sheet.line - 2, 1.0f));
  bool follow = hand.moved;
  if (hand.active && press_keys(view.text, keys, page)) follow = true;
  if (std::exchange(view.bring_marked, false) && view.marked > 0) {
    const float y = px(code_top) + sheet.offset_of(view.marked - 1);
    if (y < view.scroll_y || y + 2 * sheet.line > view.scroll_y + area.height()) view.scroll_y = y - area.height() / 2;
  }
  if (follow) scroll_to_caret(sheet, view.text, view.scroll_x, view.scroll_y);
  clamp_code_scroll(sheet, view.highlighting.columns, view.scroll_x, view.scroll_y);
  sheet = lay_out(area, lines.size(), 56, view.scroll_x, view.scroll_y);

  if (view.marked > 0) {
    const float y = sheet.y_of(view.marked - 1);
    name_widget("launch_line", {{area.a.x, y}, {area.b.x, y + sheet.line}});
    draw->AddRectFilled({area.a.x, y}, {area.b.x, y + sheet.line}, t.hand.tint);
    draw->AddRectFilled({area.a.x, y}, {area.a.x + px(3), y + sheet.line}, t.hand.line);
  }
  draw->PushClipRect({area.a.x + px(sheet.text_x - 2), area.a.y}, {area.b.x - px(code_right), area.b.y}, true);
  draw_selection(draw, sheet, view.text);
  for (std::size_t i = sheet.first_visible(); i < sheet.end_visible(); ++i)
    draw_code_line(draw, sheet, lines[i], view.highlighting.spans[i], sheet.y_of(i), stale);
  draw_line_ends(draw, sheet, lines, view.scroll_x);
  draw->PopClipRect();
  for (std::size_t i = sheet.first_visible(); i < sheet.end_visible(); ++i)
    if (i + 1 < lines.size() || !lines[i].empty()) draw_line_number(draw, sheet, i, i + 1 == view.marked);
  draw_code_scrollbar(draw, sheet, view.scroll_y);
  draw->PopClipRect();
  scroll_across(std::string(name) + "/across", {{whole.a.x, area.b.y}, whole.b}, sheet, view.highlighting.columns, view.scroll_x);
}

/// A sentence above the code; what is left of `area` below it.
Rect below_words(std::string_view words, const Rect& area) {
  TextFlowStyle style = note_style();
  style.colour = theme().text.third;
  const ImVec2 at(area.a.x + px(side), area.a.y + px(above_words));
  const float height = draw_text_flow(ImGui::GetWindowDrawList(), inline_code(words), at, area.width() - 2 * px(side), style);
  return {{area.a.x, snap(at.y + height + px(under_words))}, area.b};
}

}  // namespace

void draw_solution(Session& session, const Rect& area) {
  LessonState& state = session.lesson();
  if (!state.ran_ever) {
    below_words(say("Try first: the solution is shown here after your first check."), area);
    return;
  }
  const CodeLanguage language = language_of(session.open->kernel_file);
  const Rect below =
      below_words(language == CodeLanguage::cuda ? say("One way of several. Whatever leaves the same in the arrays is as right.")
                                                 : say("These answers pass. Others may be as right."),
                  area);
  draw_code("solution_code", state.solution, language, session.keys, below, false);
}

void draw_given(Session& session, const Rect& area) {
  const Rect below = below_words(say("Your numbers launch this kernel. It cannot be changed here."), area);
  draw_code("given_code", session.lesson().given, CodeLanguage::cuda, session.keys, below, false);
}

void draw_host_program(Session& session, const Rect& area) {
  LessonState& state = session.lesson();
  const bool numba = state.tab == BenchTab::numba;
  const CodeWords words = words_of(session, state);
  const Rect below = below_words(words.text, area);
  if (!state.host || below.height() < px(24)) return;
  const auto& code = numba ? state.host->numba : state.host->cuda;
  if (!code) {
    TextFlowStyle style = note_style();
    style.colour = theme().text.second;
    draw_text_flow(ImGui::GetWindowDrawList(), inline_code(code.error().message), {below.a.x + px(side), below.a.y},
                   area.width() - 2 * px(side), style);
    return;
  }
  draw_code(numba ? "numba_code" : "host_code", numba ? state.numba_view : state.host_view,
            numba ? CodeLanguage::python : CodeLanguage::cuda, session.keys, below, words.stale);
}

}  // namespace warpbook::app
