// Changes: tells an observer that keeps a history what each instruction has left behind. Nobody else pays for it.
#pragma once

#include "gpu/virtual/vm/exec/block.h"

namespace warpbook::gpu::vm {

/// Executes an instruction of the running split and tells what it changed, but for what is told when it happens: a memory
/// instruction's (perform), an exchange between lanes' (part), a barrier's answer (Block).
void execute_and_report(Warp& warp, const Inst& inst);

/// The registers that `inst` writes, and Worker::stored, which is then empty.
void report_change(Worker& worker, const Warp& warp, const Frame& frame, const Inst& inst, std::uint32_t mask);

}  // namespace warpbook::gpu::vm
