// HappensBefore: which memory events are promised to come before which others, whatever the run did.
//
//     const HappensBefore order(events);            // memory_events(), one thread of each block
//     if (order.before(store, load)) …              // the load must return this store's value, or a later one
//
// The rules are those of the memory consistency model in NVIDIA's PTX ISA, as far as these events need them:
//   - A thread's own events are ordered among themselves.
//   - A release pattern (a fence and behind it an atomic, or an atomic that releases) and an acquire pattern (an atomic and behind
//     it a fence, or an atomic that acquires) order two threads if the second atomic has seen what the first one stored, directly
//     or through other atomics on the same place. What came before the first is then before what comes behind the second.
//   - Both patterns must count for the other thread: one whose scope is a block does so in its own block only.
//   - What happens before a thing that happens before a third happens before this, too.
// Nothing else orders two threads of different blocks: no barrier, no volatile, and no atomic alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lessons/20_memory_model/events.h"

namespace warpbook::lessons {

class HappensBefore {
 public:
  /// `events` in the order of a run, each thread's in its own order; one thread a block. Nothing of them is kept.
  explicit HappensBefore(std::span<const MemoryEvent> events);

  /// Of two events, by their numbers. No event is before itself.
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const {
    return a != b && number_[a] <= known_[b][thread_[a]] && (thread_[a] != thread_[b] || number_[a] < number_[b]);
  }

 private:
  using Clock = std::vector<std::uint32_t>;  // by thread: how many of its events are known to have come before
  std::vector<std::size_t> thread_;          // by event: whose it is, from 0
  std::vector<std::uint32_t> number_;        // … which one of that thread's, from 1
  std::vector<Clock> known_;                 // … what its thread knew, itself included
};

}  // namespace warpbook::lessons
