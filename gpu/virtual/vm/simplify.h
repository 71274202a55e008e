// What a kernel's code need not do again and again. Found once, when it is decoded for the fast schedule; the results, the counts
// of instructions and the accesses to memory stay what they are.
//
//     Simplification simple = simplify(function);
//     if (simple.hoisted[pc]) …                    // to the prologue
//
// Hoisted: an instruction that computes, unconditionally, from immediates, parameters, the shape of the launch and the thread's
// place in its block alone, into registers that nothing else writes. Its result is the same in every block, so a warp computes it
// once and keeps it. (Where others write its registers later, it is executed in every block too, but what comes before those is
// hoisted still.)
// Indexed: `mul.wide rd, r, 4; add.s64 ra, base, rd; ld.global [ra]`, where base is the same in all lanes, is one access to global
// memory with an index of 32 bits (an addition that nobody reads: to shared memory too); the first two are needed no more if only
// such accesses use them. Whole: an instruction whose results are read in its own basic block only, before the warp can turn to
// other lanes; so under divergence it may overwrite those of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

struct Simplification {
  struct Indexed {
    std::uint32_t base = 0, index = 0;  // registers
    std::uint32_t scale = 0;            // bytes an index step; 0: the instruction is not indexed
    bool is_signed = false;
  };
  // By pc; all have code.size() entries.
  std::vector<bool> hoisted;
  std::vector<bool> removed;  // from the code. A basic block's last instruction never is: whoever is removed has one behind it, in
                              // its own block, that counts it, and once.
  std::vector<Indexed> indexed;
  std::vector<bool> whole;
  // By register.
  std::vector<bool> fixed;            // written by a hoisted instruction
  std::vector<bool> uniform;          // fixed, and equal in all lanes
  std::vector<std::uint32_t> row_of;  // the register whose row it may use, itself mostly
  // The last pc that reads it, where that lies in the basic block of the one that writes it and the warp turns to no other lanes in
  // between; ptx::no_pc: anybody may read it.
  std::vector<std::uint32_t> last_use;
};

/// Only of a kernel are instructions hoisted.
[[nodiscard]] Simplification simplify(const ptx::Function& function);

/// It ends a basic block, or its lanes may wait for others or be exchanged with others: the warp may turn to other lanes.
[[nodiscard]] bool may_wait(const ptx::Instruction& inst);

/// `ld.param` of one of the kernel's own parameters, by name.
[[nodiscard]] bool reads_own_parameter(const ptx::Function& function, const ptx::Instruction& inst);

}  // namespace warpbook::gpu::vm
