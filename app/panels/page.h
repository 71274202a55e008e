// Page: a lesson as one column, read downwards: prose, guess, controls, result, views. Scrolls.
#pragma once

#include "app/panels.h"

namespace warpbook::app {

void draw_page(Session& session, Actions& actions, const Layout& layout);

}  // namespace warpbook::app
