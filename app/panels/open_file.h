// OpenFile: the playground's row for a program of one's own: its path, typed and opened with Enter, or chosen from a list;
// and below it the text that stood there before, to be put back.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Returns the height, screen pixels.
float draw_open_file(Session& session, Actions& actions, ImVec2 at, float width);

}  // namespace warpbook::app
