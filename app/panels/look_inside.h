// LookInside: a run on a GPU beside its repetition on the virtual GPU: what each answered, and what each could see.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// The button that asks for it, with its right edge at `right`; nothing where it is not offered. True: something was drawn.
bool draw_look_inside_button(const Session& session, Actions& actions, ImVec2 right_middle);

/// Both results side by side, on the page below the result. Height used; 0 where nobody has looked.
float draw_look_inside(LessonState& state, ImVec2 at, float width);

}  // namespace warpbook::app
