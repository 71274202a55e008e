// Seeds for the fuzzer: NVRTC's PTX for the repository's kernels and cases, the PTX cases, and random kernels. They are generated,
// not checked in.
#pragma once

#include <string>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu::test {

/// Without NVRTC, only those that need no compiler.
[[nodiscard]] std::vector<std::string> corpus(Compiler& compiler);

}  // namespace warpbook::gpu::test
