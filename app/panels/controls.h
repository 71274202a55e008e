// Controls: a lesson's fields, switches and choosers in rows, and its presets.
#pragma once

#include "app/panels.h"

namespace warpbook::app {

/// Height used.
float draw_controls(Session& session, Actions& actions, ImVec2 at, float width);
float draw_presets(Session& session, Actions& actions, ImVec2 at, float width);

}  // namespace warpbook::app
