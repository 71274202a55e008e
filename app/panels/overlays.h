// Overlays: what lies over the workbook, one at most: settings, the list of shortcuts, the glossary, files to open, and
// the question before a window is closed whose work is not kept. Escape, or a
// click beside it, closes it.
//
//     open_overlay(session, Overlay::settings);      // session.h
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// After the panels: it is in front of them, and Tab stops at nothing else. `size`: of the window, screen pixels.
void draw_overlay(Session& session, Actions& actions, ImVec2 size);

}  // namespace warpbook::app
