// What a kernel's text says of its atomics: whether somebody reads their results, and whether additions may be delayed.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

/// Does the function read this register anywhere?
[[nodiscard]] bool is_read(const ptx::Function& function, const ptx::Operand& destination);

/// An addition of 32-bit integers.
[[nodiscard]] bool is_plain_add(const ptx::Instruction& inst);

/// `atom.add` or `red.add` of 32-bit integers in shared or global memory, whose result nobody reads.
[[nodiscard]] bool adds_unread(const ptx::Function& function, const ptx::Instruction& inst);

/// May a worker keep this kernel's additions to global memory for a while (exec/delayed_adds.h)? It may where all atomics on global
/// memory are relaxed additions whose results nobody reads, and no fence, strong load or strong store could order them.
/// functions: all that the kernel reaches.
[[nodiscard]] bool may_delay_adds(const ptx::Module& module, const std::vector<std::uint32_t>& functions);

}  // namespace warpbook::gpu::vm
