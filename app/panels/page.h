// Page: a lesson as one column, read downwards: prose, guess, controls, result, views. Scrolls.
#pragma once

#include <string>
#include <vector>

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"
#include "app/views/views.h"

namespace warpbook::app {

void draw_page(Session& session, Actions& actions, const Layout& layout);
/// The same for a file: without what can only be pressed. layout.page: as wide as the sheet.
void draw_printed_page(Session& session, Actions& actions, const Layout& layout);

/// A view alone, at `at`, with what is known now, or why it is empty; its height, screen pixels. shorter: as ViewState's.
float draw_page_view(Session& session, Actions& actions, const std::string& name, ImVec2 at, float width, float shorter = 0);
/// The views that have something to show now, by name.
[[nodiscard]] std::vector<std::string> shown_views(const LessonState& state);

}  // namespace warpbook::app
