// TextInput: applies key presses to an EditorText: in the kernel's editor and in fields.
//
//     for (const KeyEvent& event : keys) press_key(text, event, lines_a_page);
//     claim_keyboard();            // in each frame in which ImGui's active item is typed into
#pragma once

#include <cstddef>

#include "app/text/editor_text.h"
#include "app/text/key_event.h"

namespace warpbook::app {

/// Ignores Escape, the keys of the search, and Ctrl+Enter, which is Run. Copies and pastes with ImGui's clipboard.
void press_key(EditorText& text, const KeyEvent& event, std::ptrdiff_t page);

/// Tells ImGui that the active item uses all keys, as ImGui's own text input does.
void claim_keyboard();

/// Whether the blinking caret is visible now.
[[nodiscard]] bool caret_blinks_on();

}  // namespace warpbook::app
