// KeyEvent: one key press or one typed character. The window collects them in the order in which they came.
//
// ImGui 1.86 only tells which keys are down when a frame begins: two presses within one frame would count as one, and the order of
// "a, Enter, b" would be lost. That is why the window keeps a list of events instead.
#pragma once

#include <cstdint>

namespace warpbook::app {

struct KeyEvent {
  enum class Key : std::uint8_t {
    character,
    left,
    right,
    up,
    down,
    home,
    end,
    page_up,
    page_down,
    backspace,
    erase,
    enter,
    tab,
    escape,
    find_next,  // F3
    a,
    c,
    f,
    g,
    v,
    x,
    y,
    z,
    slash
  };
  Key key = Key::character;
  char32_t codepoint = 0;  // of a character
  bool shift = false, ctrl = false;
};

}  // namespace warpbook::app
