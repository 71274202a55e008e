// Real PTX to begin from: what NVRTC makes of the repository's kernels and cases, the PTX cases, and random kernels. Made when it
// is asked for; nothing of it is checked in.
#pragma once

#include <string>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu::test {

/// Without NVRTC on this machine: what needs no compiler.
[[nodiscard]] std::vector<std::string> corpus(Compiler& compiler);

}  // namespace warpbook::gpu::test
