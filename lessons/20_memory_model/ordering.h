// Promises: which partial sums the thread that adds them must see, and the figure of one of them.
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
  /// One block's partial sum, stored by its thread 0 and loaded by the thread that adds.
  struct Pair {
    std::size_t store = 0, load = 0;  // of the events
    bool promised = false;            // the store happens before the load
  };
  std::optional<std::uint32_t> adder;  // the block whose thread adds; empty: none did
  std::vector<Pair> others;            // of the other blocks, in the order of their stores
  std::int64_t least = 0;              // the sum if every partial sum that is not promised were still 0

  [[nodiscard]] std::size_t promised() const {
    std::size_t count = 0;
    for (const Pair& pair : others) count += pair.promised ? 1 : 0;
    return count;
  }
};
/// Of a launch before which `partial` held zeros.
[[nodiscard]] Promises promises_of(std::span<const MemoryEvent> events, gpu::BufferId partial);

struct SharedArrays {
  gpu::BufferId partial = 0, count = 0;
};
/// What one other block and the adding one did, and the order between them. The block is the one whose ticket came just before the
/// last; without tickets one whose sum was not seen, if there is one. No events where nobody added.
[[nodiscard]] Ordering ordering_of(std::span<const MemoryEvent> events, const SharedArrays& arrays, const Promises& promises);

}  // namespace warpbook::lessons
