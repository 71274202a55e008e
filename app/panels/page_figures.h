// A lesson's views on a page, a slide or a sheet: which figure a view shows, what it is given, and what is drawn while there is
// none.
//
//     pen.y += draw_page_figure(session, actions, "thread_map", {.at = {pen.x, pen.y}, .width = pen.width});
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/session/session.h"

namespace warpbook::app {

/// Where a view is drawn. Screen pixels.
struct FigurePlace {
  ImVec2 at;
  float width = 0;
  bool stale = false;    // ViewState::stale
  float shorter = 0;     // ViewState::shorter
  float room = 0;        // ViewState::room
  bool printed = false;  // for a file: nothing can be clicked
};
/// Draws a view of the open lesson, or why there is nothing to show yet. Returns its height.
float draw_page_figure(Session& session, Actions& actions, const std::string& name, const FigurePlace& place);

/// The result that is shown is an old one: the new one is not there yet, or the new run has failed.
[[nodiscard]] bool is_stale(const Session& session, const LessonState& state);

/// The names of the page's views that have something to show now.
[[nodiscard]] std::vector<std::string> shown_views(const LessonState& state);

}  // namespace warpbook::app
