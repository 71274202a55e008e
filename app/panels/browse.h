// Browse: folders and kernels to choose from, for the playground's "open file". Lies over the workbook (overlays.h).
//
//     open_browse(session);                              // at the folder of the opened program, else at home
//
// A click, or Enter, opens a folder or a file; the arrows go through the list, Backspace goes to the folder above.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void open_browse(Session& session);
/// True: a file was opened, and the list is to be closed.
[[nodiscard]] bool draw_browse(Session& session, Actions& actions, const Rect& inside);

}  // namespace warpbook::app
