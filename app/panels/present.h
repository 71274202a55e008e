// Present: a lesson for a projector: its numbers, the launched kernel, one view at a time, all of it large.
//
//     session.presenting = true;      // the scale of everything follows: present_scale()
//
// The first slide has the numbers and the kernel; each view is a slide of its own. Arrows change slides, R runs, C shows the
// controls, Escape leaves.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Screen pixels of a CSS pixel, such that the smallest text (12) is 24 in a window of 1440 × 900.
[[nodiscard]] float present_scale(float width, float height);

[[nodiscard]] std::size_t slides_of(const lessons::Lesson& lesson);
void draw_present(Session& session, Actions& actions, const Layout& layout);

}  // namespace warpbook::app
