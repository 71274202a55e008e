// HappensBefore: which memory events are ordered by the memory model, independent of what happened in the run.
//
//     const HappensBefore order(events);            // memory_events(), one thread of each block
//     if (order.before(store, load)) …              // the load must return this store's value, or a later one
//
// The rules are those of the memory consistency model in NVIDIA's PTX ISA, as far as these events need them:
//   - A thread's own events are ordered.
//   - A release pattern (a fence followed by an atomic, or a releasing atomic) and an acquire pattern (an atomic followed by a
//     fence, or an acquiring atomic) synchronise two threads if the second atomic reads what the first one wrote, directly or
//     through other atomics at the same place. Then everything before the first pattern happens before everything after the second.
//   - The scope of both patterns must include the other thread: block scope is limited to a thread's own block.
//   - The relation is transitive.
// Nothing else orders threads of different blocks: no barrier, no volatile, and no atomic alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lessons/20_memory_model/events.h"

namespace warpbook::lessons {

class HappensBefore {
 public:
  /// `events` are in the order of the run, with one thread per block. The object does not refer to them afterwards.
  explicit HappensBefore(std::span<const MemoryEvent> events);

  /// Indices of two events. No event happens before itself.
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const {
    return a != b && number_[a] <= known_[b][thread_[a]] && (thread_[a] != thread_[b] || number_[a] < number_[b]);
  }

 private:
  using Clock = std::vector<std::uint32_t>;  // vector clock: for each thread, how many of its events happened before
  std::vector<std::size_t> thread_;          // by event: its thread, from 0
  std::vector<std::uint32_t> number_;        // by event: its number within that thread, from 1
  std::vector<Clock> known_;                 // by event: its vector clock, including itself
};

}  // namespace warpbook::lessons
