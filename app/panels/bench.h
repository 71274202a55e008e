// Bench: the device, Run, the kernel and the report. Question above, answer below.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void draw_bench(Session& session, Actions& actions, const Layout& layout);

}  // namespace warpbook::app
