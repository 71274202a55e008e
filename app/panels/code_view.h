// CodeView: the host's program beside the kernel, in CUDA C++ or Numba, read only: selected, copied, scrolled; its launch is
// marked.
#pragma once

#include "app/panels.h"

namespace warpbook::app {

/// The tab that is chosen: host or numba.
void draw_host_program(Session& session, const Rect& area);

}  // namespace warpbook::app
