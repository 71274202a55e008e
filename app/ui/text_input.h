// TextInput: key presses into an EditorText, for the kernel's editor and for fields that are typed into.
//
//     for (const KeyEvent& event : keys) press_key(text, event, lines_a_page);
//     claim_keyboard();            // while the item that has the keyboard is ImGui's active one
#pragma once

#include <cstddef>

#include "app/text/editor_text.h"
#include "app/text/key_event.h"

namespace warpbook::app {

/// Escape and what searches do nothing, and neither does Enter with Ctrl, which is Run. Copies and pastes through ImGui's
/// clipboard.
void press_key(EditorText& text, const KeyEvent& event, std::ptrdiff_t page);

/// What ImGui must leave to an item that is typed into, frame by frame; as its own text input declares it.
void claim_keyboard();

/// Caret on or off, now.
[[nodiscard]] bool caret_blinks_on();

}  // namespace warpbook::app
