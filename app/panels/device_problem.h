// DeviceProblem: why the chosen device cannot be used; and where a new start of the program would help, the way to it.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// At `at`, screen pixels. Returns the height with the gap below it; 0 where there is no problem. `printed`: nothing can be
/// clicked.
float draw_device_problem(const Session& session, Actions& actions, ImVec2 at, float width, bool printed);

}  // namespace warpbook::app
