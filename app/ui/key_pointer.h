// KeyPointer: lets a view be used without a mouse. Tab gives it the focus. Then the arrows move a pointer inside it, Enter clicks
// there, Shift with an arrow drags, + and − turn the wheel. The pointer moves ImGui's mouse, so a view needs no code for it.
//
//     name_view("view/thread_map", area);          // after the view was drawn: Tab stops there
//     if (point_by_key(event)) continue;           // the view with the focus has used this key
//     apply_key_pointer();                         // in the next frame, before ImGui::NewFrame: puts the mouse where the pointer
//     is
//
// The pointer disappears when the real mouse moves, with Escape, and when the focus leaves the view.
#pragma once

#include <string_view>

#include "app/text/key_event.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {

void name_view(std::string_view name, const Rect& area);
[[nodiscard]] bool point_by_key(const KeyEvent& event);
void apply_key_pointer();
/// Some of its steps have not been applied yet: another frame is needed.
[[nodiscard]] bool key_pointer_moves();

}  // namespace warpbook::app
