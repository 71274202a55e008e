#include "app/ui/text_input.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <array>
#include <cmath>

namespace warpbook::app {

void press_key(EditorText& text, const KeyEvent& event, std::ptrdiff_t page) {
  using Key = KeyEvent::Key;
  using Step = EditorText::Step;
  const bool shift = event.shift, ctrl = event.ctrl;
  const Step sideways = ctrl ? Step::word : Step::character;
  switch (event.key) {
    case Key::character: {
      std::array<char, 5> utf8{};
      ImTextCharToUtf8(utf8.data(), static_cast<unsigned>(event.codepoint));
      return text.insert(utf8.data());
    }
    case Key::left:
      return text.move(-1, sideways, shift);
    case Key::right:
      return text.move(1, sideways, shift);
    case Key::up:
      return text.move_lines(-1, shift);
    case Key::down:
      return text.move_lines(1, shift);
    case Key::page_up:
      return text.move_lines(-page, shift);
    case Key::page_down:
      return text.move_lines(page, shift);
    case Key::home:
      return ctrl ? text.move(-1, Step::text_edge, shift) : text.home(shift);
    case Key::end:
      return text.move(1, ctrl ? Step::text_edge : Step::line_edge, shift);
    case Key::backspace:
      return text.erase(-1, sideways);
    case Key::erase:
      return text.erase(1, sideways);
    case Key::enter:
      return ctrl ? void() : text.new_line();  // with Ctrl it is Run
    case Key::tab:
      return shift ? text.untab() : text.tab();
    case Key::a:
      return text.select_all();
    case Key::y:
      return static_cast<void>(text.redo());
    case Key::z:
      return static_cast<void>(shift ? text.redo() : text.undo());
    case Key::c:
    case Key::x:
      if (!text.has_selection()) text.select_line(text.caret().line);  // a line, as editors do
      ImGui::SetClipboardText(text.selected().c_str());
      if (event.key == Key::x) text.erase(1, Step::character);
      return;
    case Key::v:
      if (const char* pasted = ImGui::GetClipboardText()) text.insert(pasted);
      return;
    case Key::slash:
      return text.toggle_comment();
    case Key::escape:
    case Key::f:
    case Key::g:
    case Key::find_next:
      return;
  }
}

void claim_keyboard() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.ActiveIdAllowOverlap = !ImGui::GetIO().MouseDown[0];  // other items can be hovered and clicked meanwhile
  g.WantTextInputNextFrame = 1;
  for (const int direction : {ImGuiDir_Left, ImGuiDir_Right, ImGuiDir_Up, ImGuiDir_Down})
    g.ActiveIdUsingNavDirMask |= 1u << direction;
  g.ActiveIdUsingNavInputMask |= 1u << ImGuiNavInput_Cancel;
  for (const int key : {ImGuiKey_Home, ImGuiKey_End, ImGuiKey_PageUp, ImGuiKey_PageDown, ImGuiKey_Tab}) {
    g.ActiveIdUsingKeyInputMask |= ImU64{1} << key;
  }
}

bool caret_blinks_on() { return std::fmod(ImGui::GetTime(), 1.06) < 0.53; }

}  // namespace warpbook::app
