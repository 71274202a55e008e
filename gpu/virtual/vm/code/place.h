// Where an instruction stands, as a value of a message: "A call{at} needs more than …" (gpu/message.h).
#pragma once

#include "gpu/message.h"
#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

[[nodiscard]] inline SourceLine place_of(const ptx::Instruction& inst) {
  return inst.line ? SourceLine{inst.line} : SourceLine{inst.ptx_line, true};
}

}  // namespace warpbook::gpu::vm
