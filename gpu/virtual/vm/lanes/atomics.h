// Atomics of unobserved launches: `atom` and `red` of all lanes that execute. Lanes are performed in lane order, since CUDA allows
// any order.
#pragma once

#include "gpu/virtual/vm/exec/warp.h"

namespace warpbook::gpu::vm {

void straight_atomic(Warp& warp, const Inst& inst);

}  // namespace warpbook::gpu::vm
