// Editor: the kernel, editable, with what the compiler and the device have to say under its lines.
//
//     draw_editor(session, actions, area);      // keys go to it once it has been clicked; text_changed() follows every edit
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void draw_editor(Session& session, Actions& actions, const Rect& area);

}  // namespace warpbook::app
