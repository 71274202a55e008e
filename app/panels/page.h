// Page: a lesson as one column, read downwards: prose, guess, controls, result, views. Scrolls.
#pragma once

#include <string>

#include "app/panels.h"

namespace warpbook::app {

/// One of the lesson's views at ImGui's cursor, with what is known now; or why it is empty.
void draw_one_view(Session& session, Actions& actions, const std::string& name, float width);

void draw_page(Session& session, Actions& actions, const Layout& layout);

}  // namespace warpbook::app
