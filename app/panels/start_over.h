// StartOver: "Reset this lesson" at a page's end, and for ten seconds the way back.
//
//     pen.y += draw_start_over(session, actions, {x, y});      // the link
//     draw_undo_bar(session, actions, page);                   // at the foot of the page's window, while there is a way back
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Height used.
float draw_start_over(Session& session, Actions& actions, ImVec2 at);
void draw_undo_bar(Session& session, Actions& actions, const Rect& page);

}  // namespace warpbook::app
