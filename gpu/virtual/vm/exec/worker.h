// Worker: a host thread that executes blocks of a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/virtual/vm/exec/delayed_adds.h"
#include "gpu/virtual/vm/exec/lockstep.h"
#include "gpu/virtual/vm/exec/machine.h"
#include "gpu/virtual/vm/exec/seeded_order.h"
#include "gpu/virtual/vm/exec/warp.h"
#include "gpu/virtual/vm/exec/watched_lockstep.h"

namespace warpbook::gpu::vm {

struct Worker {
  explicit Worker(Machine& of_machine);
  ~Worker();  // adds what it counted to the machine's counters
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Machine& machine;
  std::vector<Extent> extents;  // by Inst::cache: the allocation that the instruction accessed last
  DelayedAdds delayed;
  Lockstep lockstep;
  bool blocks_in_lockstep = false;  // several blocks run in lockstep, where they can
  QuietPaths quiet_paths;           // of the kernel, where the launch is observed and its warps have met
  // How much a warp may execute before another warp's turn, in units of fuel_of(). Large, so that loops are seldom interrupted;
  // smaller once lanes were seen to wait in a loop for other lanes of their warp.
  std::int32_t slice = 1 << 14;
  Executed executed;
  std::uint32_t turns = 0;             // of warps; every so many, the worker reads the host's clock
  std::vector<Change::Stored> stored;  // what the present memory request stored, where changes are reported
  std::uint64_t event_number = 0;      // of observed launches, in the place of cycles
  std::uint64_t cycle = 0;             // clock schedule
  std::uint32_t sm = 0;                // clock schedule
  Clock* clock = nullptr;              // clock schedule only
  std::optional<SeededOrder> order;    // where a seed decides the order

  void fault(Warp& warp, const Inst& inst, std::uint32_t lane, std::string status, Paragraph message);
  void fault_stack_overflow(Warp& warp, const Inst& inst);
  /// The allocation that holds a global address, with what the observer wants to know of it.
  [[nodiscard]] Extent find(std::uint64_t address);
  /// Reports all accesses to an allocation from now on. The kernel has stored to one of which alias_analysis.h expected loads
  /// alone, or accessed one of which it expected atomics alone.
  void report_from_now_on(const Extent& extent);
  [[nodiscard]] Site site(const Warp& warp, const Inst& inst) const { return {warp.frame->code->function, inst.pc}; }
};

}  // namespace warpbook::gpu::vm
