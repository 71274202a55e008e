// Changes: reports to an observer that keeps a history what each instruction has changed. Other launches never come here.
#pragma once

#include "gpu/virtual/vm/exec/block.h"

namespace warpbook::gpu::vm {

/// Executes an instruction of the running split and reports what it changed. Instructions with Inst::reports_itself report their
/// changes when these happen.
void execute_and_report(Warp& warp, const Inst& inst);

/// Reports the registers that `inst` writes, and Worker::stored, which it empties.
void report_change(Worker& worker, const Warp& warp, const Frame& frame, const Inst& inst, std::uint32_t mask);

}  // namespace warpbook::gpu::vm
