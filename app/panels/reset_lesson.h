// "Reset this lesson" at a page's end; for ten seconds the reset can be undone.
//
//     pen.y += draw_reset_lesson(session, actions, {x, y});      // the link
//     draw_undo_bar(session, actions, page);                     // at the lower edge of the page, while it can be undone
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Height used.
float draw_reset_lesson(Session& session, Actions& actions, ImVec2 at);
void draw_undo_bar(Session& session, Actions& actions, const Rect& page);

}  // namespace warpbook::app
