// MemoryEvents: accesses of thread 0 of each block to global memory, and operations that order them, from a launch's record.
//
//     options.observe.trace = {partial.id, count.id};
//     options.observe.history = gpu::Observe::history_bytes;
//     options.schedule = gpu::Schedule::clock;
//     const std::vector<MemoryEvent> events = memory_events(report);       // in the order of the run
//
// Empty if the device has no record. Accesses to arrays that are not traced are left out.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "gpu/report.h"

namespace warpbook::lessons {

struct MemoryEvent {
  enum class Kind : std::uint8_t { load, store, atomic, fence, barrier };
  enum class Scope : std::uint8_t { block, device };
  Kind kind = Kind::load;
  Scope scope = Scope::device;              // of a fence or an atomic
  bool is_volatile = false;                 // a volatile load or store
  bool acquires = false, releases = false;  // acquire or release semantics of the instruction or fence
  std::uint32_t block = 0;
  gpu::BufferId buffer = 0;  // of loads, stores and atomics
  std::int32_t index = 0;    // element of the buffer
  std::int32_t value = 0;    // the value loaded or stored; of an atomic, the old value
  std::uint32_t line = 0;
  std::uint64_t cycle = 0;  // when a load or an atomic read memory, else when it was issued (model)

  [[nodiscard]] bool accesses() const { return kind != Kind::fence && kind != Kind::barrier; }
};

[[nodiscard]] std::vector<MemoryEvent> memory_events(const gpu::LaunchReport& report);

/// Finds kind, scope and strength of a PTX instruction that accesses or orders global memory. False: it is another instruction.
[[nodiscard]] bool read_instruction(std::string_view ptx, MemoryEvent& event);

}  // namespace warpbook::lessons
