// Decoding: PTX functions become Code, in which every operand is a row of 32 lanes and every instruction has its handler.
//
//     Result<Image> image = decode(module, kernel, lay_out_shared(module, kernel), Mode::fast, best_instruction_set());
#pragma once

#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

/// The widest instruction set that the host has. The environment variable WARPBOOK_INSTRUCTION_SET may ask for less, for tests and
/// measurements: generic, avx2 (also native-avx2 and interpreted-avx2, see native/native.h) or avx512.
[[nodiscard]] InstructionSet best_instruction_set();

/// Decodes `kernel` and every function that it can reach. Error: an instruction that the vm cannot execute, by name and source
/// line.
[[nodiscard]] Result<Image> decode(const ptx::Module& module, const ptx::Function& kernel, Layout layout, Mode mode,
                                   InstructionSet set);

}  // namespace warpbook::gpu::vm
