// mbarrier: what PTX's barrier objects in shared memory do, as a pure function on their 64 bits.
//
//     MbarrierStep step = mbarrier_step(Opcode::mbarrier_arrive, word, 1);
//     word = step.word; token = step.token;
//
// PTX keeps the format opaque; ours, from bit 0: arrivals still missing in this phase (20 bits), arrivals a phase expects (20),
// bytes still under way (21, signed), the phase (1), and 0b10 on top, so that an object which was never initialised is noticed.
// A phase ends when no arrival and no byte is missing. A token is the word before the arrival.
#pragma once

#include <cstdint>

#include "gpu/message.h"
#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

struct MbarrierStep {
  std::uint64_t word = 0;   // to be stored
  std::uint64_t token = 0;  // of an arrival
  bool passed = false;      // of a wait: that phase is over
  ToSay misuse;             // what is wrong; empty: nothing. If it is not, the word is left alone
};

/// operand: init: arrivals a phase; arrivals: how many; expect_tx and complete_tx: bytes; waits: token or parity.
[[nodiscard]] MbarrierStep mbarrier_step(ptx::Opcode op, std::uint64_t word, std::uint64_t operand);

/// Of the word before an arrival and after it: did that end the phase?
[[nodiscard]] bool ended_a_phase(std::uint64_t before, std::uint64_t after);

/// mbarrier.pending_count: arrivals that were missing before the one that gave this token.
[[nodiscard]] std::uint32_t mbarrier_pending_count(std::uint64_t token);

}  // namespace warpbook::gpu::vm
