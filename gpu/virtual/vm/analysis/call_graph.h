// The call graph: which functions of a module a kernel can execute.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

/// Functions that `kernel` can reach, by index in Module::functions; the kernel itself comes first. An indirect call can reach
/// every function that has a body.
[[nodiscard]] std::vector<std::uint32_t> reachable(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace warpbook::gpu::vm
