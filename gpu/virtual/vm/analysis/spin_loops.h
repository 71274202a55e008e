// Spin loops: `while (*flag == 0);`, `while (atomicCAS(lock, 0, 1) != 0);` and other loops that wait for another thread.
//
//     inst.spin_loop = is_spin_loop(function, target, pc);   // of a backward branch
#pragma once

#include <cstdint>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

/// The loop [target, pc] is a spin loop where the branch at its end depends on what a load or an atomic in it reads, and other
/// threads may change that. Only short loops are examined. An atomic that always changes its place (atomicAdd(p, 1)) waits for
/// nobody.
[[nodiscard]] bool is_spin_loop(const ptx::Function& function, std::uint32_t target, std::uint32_t pc);

}  // namespace warpbook::gpu::vm
