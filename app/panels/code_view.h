// CodeView: code beside the kernel that is read only: selected, copied, scrolled. The host's program in CUDA C++ or Numba, its
// launch marked; an exercise's solution.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// The tab that is chosen: host or numba.
void draw_host_program(Session& session, const Rect& area);

/// An exercise's solution, once the learner has tried.
void draw_solution(Session& session, const Rect& area);
/// Of an exercise in which a launch is chosen: the kernel that it launches.
void draw_given(Session& session, const Rect& area);

}  // namespace warpbook::app
