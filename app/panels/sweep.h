// The sweep, in the page's place: which controls and over what, Start, and the chart of one of its results.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void draw_sweep_panel(Session& session, Actions& actions, const Layout& layout);

}  // namespace warpbook::app
