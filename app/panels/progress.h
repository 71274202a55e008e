// Your progress: every lesson with how far the learner is, its exercises and which of them passed; a row opens what it names. An
// overlay's content.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Into the overlay's window. Returns true when it is to be closed: a lesson or an exercise was opened.
[[nodiscard]] bool draw_progress(Session& session, Actions& actions, const Rect& inside);

}  // namespace warpbook::app
