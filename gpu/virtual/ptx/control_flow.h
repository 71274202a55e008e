// Control flow of a function: basic blocks, where diverged lanes meet again, which branches a whole block takes together.
//
//     analyse_control_flow(function);   // parse() has done so already
//     if (function.is_reconvergence[pc]) …
//
// Lanes that part at a branch meet at its immediate post-dominator: the first instruction that every path from the branch to the
// function's end passes. `ret`, `exit` and `trap` lead to a virtual end, pc = code.size(). A loop that never ends gets an edge
// from its last block to that end, so that every block has a post-dominator.
//
// is_uniform is sound, not complete, and so is varying_registers(). A register is taken to vary among a block's threads if any of
// its definitions reads a varying register, is a load (but of parameters of a kernel and of constants), an atomic, a lane exchange
// or a call's result, or stands where threads may have parted: between a varying branch and its post-dominator. A branch past which
// nothing but `ret` follows (the guard "if (i >= n) return") parts nobody who goes on.
#pragma once

#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::ptx {

/// Fills reconverge, is_reconvergence, is_leader, is_uniform of `function`. Linear but for a logarithm.
void analyse_control_flow(Function& function);

/// By register, of a function that was analysed: false where all threads of a block that come to an instruction together find the
/// same value there. Lanes that have parted do not until they have met again.
[[nodiscard]] std::vector<bool> varying_registers(const Function& function);

}  // namespace warpbook::gpu::ptx
