// Program: the page's part for a whole program: what is run, its output, and the list of its launches.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Returns the height, screen pixels.
float draw_program(Session& session, Actions& actions, ImVec2 at, float width, bool printed);

}  // namespace warpbook::app
