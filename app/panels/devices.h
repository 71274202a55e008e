// Devices: the top bar's one list of what can run, the virtual GPU's profiles and the NVIDIA GPUs.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void draw_devices(Session& session, Actions& actions, const Rect& row);

}  // namespace warpbook::app
