// KeyPointer: a view without a mouse. Tab stops at it; arrows then move a pointer in it, Enter presses there, Shift with an arrow
// drags, + and − turn the wheel. A view answers as it does to a mouse: it is told of nothing else.
//
//     name_view("view/thread_map", area);              // after it was drawn: Tab stops there from now on
//     if (point_by_key(event)) continue;               // taken by the view that has the focus
//     apply_key_pointer();                             // a frame later, before ImGui::NewFrame: where the mouse is now
//
// The pointer goes when the mouse moves, with Escape, and when the focus does.
#pragma once

#include <string_view>

#include "app/text/key_event.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {

void name_view(std::string_view name, const Rect& area);
[[nodiscard]] bool point_by_key(const KeyEvent& event);
void apply_key_pointer();
/// It is still on its way: another frame is wanted.
[[nodiscard]] bool key_pointer_moves();

}  // namespace warpbook::app
