// Page: a lesson as one column, read downwards: prose, guess, controls, result, views. Scrolls.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"

namespace warpbook::app {

void draw_page(Session& session, Actions& actions, const Layout& layout);
/// The same for a file: without what can only be pressed. layout.page: as wide as the sheet.
void draw_printed_page(Session& session, Actions& actions, const Layout& layout);

}  // namespace warpbook::app
