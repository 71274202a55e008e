// The calls by which lanes of a warp wait for each other: __syncwarp, shuffles, votes, match, reductions and elect.sync.
//
//     out.handler = warp_sync_handler(instruction);      // one of these instructions
//     if (meets(split, other)) …                         // both wait, and for each other
//
// Lanes meet by mask. A lane waits until every lane that its mask names and that has not exited has come to the same call with the
// same mask (PTX ISA: "with the same qualifiers and same membermask value"). Which instruction each of them stands at does not
// matter, nor in which activation of a function: both branches of an `if`, or the copies of an unrolled loop, are one call. A lane
// whose own mask leaves it out waits for nobody; that is undefined, and is told.
#pragma once

#include "gpu/virtual/vm/exec/warp.h"

namespace warpbook::gpu::vm {

/// Of an instruction with trait::meeting; nullptr: it is none.
[[nodiscard]] Handler warp_sync_handler(const ptx::Instruction& inst);

/// The same operation with the same qualifiers, as far as lanes have to agree on them.
[[nodiscard]] bool same_call(const ptx::Instruction& a, const ptx::Instruction& b);

/// Does `split` wait at the same call as `inst`, for the same lanes?
[[nodiscard]] bool waits_for(const Split& split, const ptx::Instruction& inst, std::uint32_t members);

/// Of two splits of a warp that wait: do they wait for each other?
[[nodiscard]] inline bool meets(const Split& split, const Split& other) {
  return waits_for(other, *split.frame->code->insts[split.at].ptx, split.members);
}

}  // namespace warpbook::gpu::vm
