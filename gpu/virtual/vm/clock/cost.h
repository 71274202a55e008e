// What each instruction costs under the clock schedule, worked out once a function.
//
//     CostTable table(code, figures);
//     const Cost& cost = table.costs[index];   // by Code::insts
//
// PTX is not what the hardware runs: some of it vanishes (cvta, moves, parameters: the next instruction reads constants and
// registers directly; an addition to a widening product is one instruction with it; neighbouring loads from shared memory
// become one), some is several instructions (64-bit
// integers, divisions, square roots).
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/clock_report.h"
#include "gpu/virtual/vm/clock/clock.h"
#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

enum class Unit : std::uint8_t { fp32, int32, fp64, sfu, other, count };

/// What must have reached memory before a warp issues an instruction. Waits for copies wait for the other requests, too: an
/// observer is told of a request when it reaches memory, and must hear of what stands before a wait before it hears of the wait.
enum class WaitsFor : std::uint8_t {
  nothing,
  requests,  // all the warp's requests but its asynchronous copies: a barrier or a fence does not wait for those
  groups,    // also its asynchronous copies, but for the newest groups that the instruction allows to be under way
  copies,    // also all its asynchronous copies
};

struct Cost {
  Unit unit = Unit::int32;
  std::uint16_t latency = 4;  // from issue until who reads its result may issue
  std::uint16_t busy = 1;     // cycles for which the scheduler's unit takes no other
  std::uint8_t slots = 1;     // machine instructions; 0: none at all
  bool memory = false;        // goes to the load/store unit
  bool joins = false;         // a shared load that, if aligned, comes with one before it as a 16-byte load
  WaitsFor waits_for = WaitsFor::nothing;
  WarpState result = WarpState::arithmetic;  // what who reads its result waits for
};

struct CostTable {
  CostTable(const Code& of_code, const ClockFigures& figures);
  const Code* code;
  std::vector<Cost> costs;         // by Code::insts
  std::vector<WarpCycles> cycles;  // likewise: what warps that stood there did
};

/// A register's entry in Frame::ready: a cycle, and what it is waited for until then.
[[nodiscard]] constexpr std::uint64_t ready_entry(std::uint64_t cycle, WarpState state) {
  return cycle << 4 | static_cast<std::uint64_t>(state);
}
[[nodiscard]] constexpr std::uint64_t ready_cycle(std::uint64_t entry) { return entry >> 4; }
[[nodiscard]] constexpr WarpState ready_state(std::uint64_t entry) { return static_cast<WarpState>(entry & 15); }

}  // namespace warpbook::gpu::vm
