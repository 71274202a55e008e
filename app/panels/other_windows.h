// OtherWindows: the page's notice that another window works on the same folder (autosave.h), until it is closed.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// At `at`, screen pixels. Returns the height with the gap below it; 0 where there is nothing to say.
float draw_other_windows(Session& session, ImVec2 at, float width);

}  // namespace warpbook::app
