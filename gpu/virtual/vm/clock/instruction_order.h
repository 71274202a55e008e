// The order in which the machine's compiler would issue instructions: loads early, so that several are under way before the
// first is used. PTX has every load directly before its use; ptxas never leaves it so.
//
//     issue_loads_early(code);      // decoded for Mode::clocked
//
// Within a basic block and between two instructions that others can see (stores, atomics, barriers, fences, exchanges), loads and
// what computes their addresses come before the rest, a batch at a time, and nothing passes what it depends on. Results stay
// what they were.
#pragma once

#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

void issue_loads_early(Code& code);

}  // namespace warpbook::gpu::vm
