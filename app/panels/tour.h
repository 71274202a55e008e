// Tour: five callouts beside the window's parts, for who sees it for the first time. The window under them works as always: what is
// pressed in the part that a callout speaks of leads to the next one, a press anywhere else ends the tour.
//
//     start_tour(session, actions);               // opens the first lesson, where all that the callouts speak of is
//     draw_tour(session);                         // after the panels
//
// Right and left arrow go on and back, Escape ends it. It begins by itself once, in a learner's first window, and from Help.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void start_tour(Session& session, Actions& actions);
void draw_tour(Session& session);

}  // namespace warpbook::app
