// Promises: which partial sums the adding thread is guaranteed to see, and the figure for one of them.
//
//     const std::vector<MemoryEvent> events = memory_events(report);
//     const Promises promises = promises_of(events, partial.id);
//     outcome.figures.emplace_back(ordering_of(events, {.partial = partial, .count = count}, promises));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/device.h"
#include "lessons/20_memory_model/events.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

struct Promises {
  /// The partial sum of a block: stored by its thread 0, loaded by the adding thread.
  struct Pair {
    std::size_t store = 0, load = 0;  // indices of events
    bool promised = false;            // the store happens before the load
  };
  std::optional<std::uint32_t> adder;  // the block whose thread adds; empty: none did
  std::vector<Pair> others;            // of the other blocks, in the order of their stores
  std::int64_t least = 0;              // the sum if all partial sums without guarantee were still 0

  [[nodiscard]] std::size_t promised() const {
    std::size_t count = 0;
    for (const Pair& pair : others) count += pair.promised ? 1 : 0;
    return count;
  }
};
/// `partial` must have held zeros before the launch.
[[nodiscard]] Promises promises_of(std::span<const MemoryEvent> events, gpu::BufferId partial);

struct SharedArrays {
  gpu::BufferId partial = 0, count = 0;
};
/// The events of another block and of the adding block, and their order. The other block is the one with the second-to-last ticket;
/// without tickets, one whose sum was not seen, if there is one. Without an adding thread there are no events.
[[nodiscard]] Ordering ordering_of(std::span<const MemoryEvent> events, const SharedArrays& arrays, const Promises& promises);

}  // namespace warpbook::lessons
