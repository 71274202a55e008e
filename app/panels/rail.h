// Rail: the lessons, at the left; their numbers only where room is short. At its foot: light or dark.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void draw_rail(Session& session, Actions& actions, const Layout& layout);

}  // namespace warpbook::app
