// Block invariants: work that a warp need not repeat in every block. It is found once, when a kernel is decoded for the fast
// schedule. Results, instruction counts and accesses to memory stay what they are.
//
//     BlockInvariants invariants = find_block_invariants(function);
//     if (invariants.hoisted[pc]) …   // goes to Code::prologue
//
// *Hoisted*: an instruction that is always executed, computes from immediates, parameters, the shape of the launch and the thread's
// place in its block alone, and writes registers that no other instruction writes. Its result is the same in every block, so that a
// warp computes it once and keeps it. (Where other instructions write the registers later, it is executed in every block, but the
// instructions that it reads from may still be hoisted.)
//
// *Indexed*: in `mul.wide rd, r, 4; add.s64 ra, base, rd; ld.global [ra]`, where base is the same in all lanes, the load becomes
// one access to global memory with a 32-bit index. The first two instructions are removed where only such accesses use their
// results. An atomic addition whose result nobody reads may be indexed in shared memory, too.
//
// *Inactive lanes dead*: an instruction whose results are read in its own basic block only, and before the warp can turn to another
// split. Its handler may overwrite the lanes that do not execute.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

struct BlockInvariants {
  struct Indexed {
    std::uint32_t base = 0, index = 0;  // registers
    std::uint32_t scale = 0;            // bytes an index step; 0: the instruction is not indexed
    bool is_signed = false;
  };
  // By pc; all have code.size() entries.
  std::vector<bool> hoisted;
  std::vector<bool> removed;  // from the code. The last instruction of a basic block never is, so that every removed instruction
                              // has one behind it in its block, which counts it
  std::vector<Indexed> indexed;
  std::vector<bool> inactive_dead;
  // By register.
  std::vector<bool> fixed;            // written by a hoisted instruction
  std::vector<bool> uniform;          // fixed, and equal in all lanes
  std::vector<std::uint32_t> row_of;  // the register whose row it may share; mostly itself
  // The pc of the last instruction that reads it, where that is in the basic block of the instruction that writes it and the warp
  // turns to no other split in between; else ptx::no_pc: any instruction may read it.
  std::vector<std::uint32_t> last_use;
};

/// Instructions are hoisted in kernels only, not in the functions that they call.
[[nodiscard]] BlockInvariants find_block_invariants(const ptx::Function& function);

/// The warp may turn to another split here: the instruction ends a basic block, or its lanes may wait for other lanes or exchange
/// values with them.
[[nodiscard]] bool may_wait(const ptx::Instruction& inst);

/// `ld.param` of one of the kernel's own parameters, by name.
[[nodiscard]] bool reads_own_parameter(const ptx::Function& function, const ptx::Instruction& inst);

}  // namespace warpbook::gpu::vm
