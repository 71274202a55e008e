// Polling loops: `while (*flag == 0);`, `while (atomicCAS(lock, 0, 1) != 0);` and what waits likewise for somebody else.
//
//     branch.polls = polls(function, target, pc);   // of a backward branch
#pragma once

#include <cstdint>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

/// Does it depend on what a load or an atomic in [target, pc] sees, and others may change, whether that loop goes on? Of short
/// loops only; an atomic that always changes something (atomicAdd(p, 1)) waits for nobody.
[[nodiscard]] bool polls(const ptx::Function& function, std::uint32_t target, std::uint32_t pc);

}  // namespace warpbook::gpu::vm
