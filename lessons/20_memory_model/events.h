// MemoryEvents: what thread 0 of each block did with global memory, and to order it, from a launch's record.
//
//     options.observe.trace = {partial.id, count.id};
//     options.observe.history = gpu::Observe::history_bytes;
//     options.schedule = gpu::Schedule::clock;
//     const std::vector<MemoryEvent> events = memory_events(report);       // in the order of the run
//
// Empty where the device has no record. Accesses to arrays that are not traced are left out.
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
  Scope scope = Scope::device;              // of a fence or an atomic: for whom it counts
  bool is_volatile = false;                 // a load or a store through a volatile pointer
  bool acquires = false, releases = false;  // the instruction itself, or the fence
  std::uint32_t block = 0;
  gpu::BufferId buffer = 0;  // loads, stores and atomics
  std::int32_t index = 0;    // element of the buffer
  std::int32_t value = 0;    // loaded or stored; of an atomic, what it found
  std::uint32_t line = 0;
  std::uint64_t cycle = 0;  // a load or an atomic: when memory was read; else when it was issued. A model

  [[nodiscard]] bool accesses() const { return kind != Kind::fence && kind != Kind::barrier; }
};

[[nodiscard]] std::vector<MemoryEvent> memory_events(const gpu::LaunchReport& report);

/// What an instruction of PTX does to global memory or its order: kind, scope, strength. False: nothing of that.
[[nodiscard]] bool read_instruction(std::string_view ptx, MemoryEvent& event);

}  // namespace warpbook::lessons
