// Exchange: what one lane's atomic does to a place in the host's memory.
//
//     std::uint64_t old = exchange(at, inst, 4, b, c, machine.parallel);    // atom.add, .cas …: from the PTX ISA's table of
//     operations std::uint64_t left = combine(inst, old, b, c);                        // what it leaves there, without memory
//
// b and c are the operands' bits (c: of cas only), the result is what was there before. parallel: other workers may be at it too,
// so it is the host's atomic. Signed and floating types go by the instruction's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

[[nodiscard]] std::uint64_t combine(const ptx::Instruction& inst, std::uint64_t old, std::uint64_t b, std::uint64_t c);

/// bytes: 2, 4 or 8, to which `at` is aligned.
std::uint64_t exchange(std::byte* at, const ptx::Instruction& inst, unsigned bytes, std::uint64_t b, std::uint64_t c,
                       bool parallel);

/// 128 bits, exch and cas only.
__extension__ typedef unsigned __int128 u128;
[[nodiscard]] inline u128 joined(std::uint64_t low, std::uint64_t high) { return u128{high} << 64 | low; }
u128 exchange128(std::byte* at, const ptx::Instruction& inst, u128 b, u128 c, bool parallel);

}  // namespace warpbook::gpu::vm
