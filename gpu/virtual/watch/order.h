// Order: which accesses of a launch happen before which. The clocks of the race detector.
//
//     Order order;  order.begin(context);
//     order.on_synchronise(event);                               // barriers, __syncwarp and shuffles, fences
//     const ThreadId t = order.thread(order.block(b), warp, lane);
//     if (!order.ordered({.thread = u, .stamp = s}, t)) …        // u's access at s and t's access now: a race
//
// One clock counts the synchronisations of the whole launch. An access is recorded with its thread and the clock's value, its
// *stamp*. "t knows u up to k" means that u's accesses with stamps below k happen before whatever t does next. This is kept at the
// level of CUDA's hierarchy that creates it, so that a thread costs nothing until it synchronises on its own:
//   a block's barrier    one number a block: all threads know each other up to it
//   a named barrier      a warps × warps matrix, made at the first one; for bar.arrive a row a barrier
//   __syncwarp, shuffles one number a warp; a 32 × 32 matrix once a mask leaves lanes out
//   fence, strong write → strong read, fence     a log for each location that threads signal through (below)
// The pattern fence + strong write releases; strong read + fence (or + block barrier, as CUDA's own threadFenceReduction sample
// has it) acquires. Strong: atomics, ld/st.relaxed and stronger, volatile. What a location's writers released is an append-only
// log; a thread that acquires remembers how long the log was. So a counter that a hundred thousand blocks increment costs a few
// words a block, not a vector clock each. Thousands of locks that many threads take would still cost too much: order is then
// simplified to one stamp a location. A thread that acquires from it then knows everything that any thread did before the release.
//
// A thread's asynchronous copies are done by a *copier*: a thread of its own in a block of its own, so that no barrier orders it
// with any other thread. A copier never synchronises. Where its thread waits, the copier's accesses become the thread's
// (Races::settle_copy). Where a copy arrives at an mbarrier, its copier is among what is released there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/virtual/vm/observer.h"
#include "gpu/virtual/watch/by_block.h"
#include "gpu/virtual/watch/launch_context.h"

namespace warpbook::gpu::watch {

using Stamp = std::uint32_t;     // 0: never
using ThreadId = std::uint32_t;  // block number << block_shift | warp << 5 | lane; blocks are numbered as they appear
inline constexpr ThreadId no_thread = 0xffffffffu;

struct Epoch {
  ThreadId thread = 0;
  Stamp stamp = 0;
};

/// How much of which logs a thread has acquired. Once order is simplified: everything before which stamp.
class Acquired {
 public:
  void join(std::uint32_t log, std::uint32_t length);
  void join(const Acquired& other);
  void join_all_before(Stamp stamp) { all_before_ = std::max(all_before_, stamp); }
  void clear() { logs_.clear(), all_before_ = 0; }
  [[nodiscard]] bool has(std::uint32_t log, std::uint32_t length) const;
  [[nodiscard]] Stamp all_before() const { return all_before_; }
  [[nodiscard]] bool empty() const { return logs_.empty() && !all_before_; }
  [[nodiscard]] std::size_t size() const { return logs_.size(); }
  [[nodiscard]] auto begin() const { return logs_.begin(); }
  [[nodiscard]] auto end() const { return logs_.end(); }

 private:
  struct Prefix {
    std::uint32_t log, length;
  };
  std::vector<Prefix> logs_;  // sorted by log
  Stamp all_before_ = 0;
};

/// What a lane knows beyond what its warp and block know. Made when a lane fences or acquires.
struct LaneClock {
  Stamp fence = 0;        // own accesses before this are covered by a fence; 0: no fence yet
  Stamp fence_block = 0;  // the block's barrier, and the warp's synchronisation, as of that fence
  Stamp fence_warp = 0;
  ptx::Scope fence_scope = ptx::Scope::none;
  Acquired fence_acquired;
  Acquired acquired;  // known
  Acquired pending;   // seen by a strong read; known after the next fence or barrier
};

struct WarpClock {
  using Matrix = std::array<std::array<Stamp, 32>, 32>;  // [knower][known]

  Stamp synced = 0;                                // all lanes know all lanes up to here
  Stamp fenced = 0;                                // as of the last __syncwarp: every lane had fenced what it did before this
  Stamp fenced_at_barrier = 0;                     // … as of the block's last barrier
  std::unique_ptr<Matrix> lanes;                   // what masks have added since; null: nothing
  std::unique_ptr<std::array<LaneClock, 32>> own;  // null: nothing beyond warp and block
};

/// What threads did before they arrived at a named barrier without waiting (bar.arrive). Threads that wait there know it once the
/// barrier completes.
struct Arrived {
  std::uint32_t barrier = 0;
  std::vector<Stamp> known;  // by warp
  Acquired acquired;
};

struct BlockClock {
  std::uint32_t number = 0;  // in the order of appearance
  ThreadId first = 0;        // of its first thread
  Stamp barrier = 0;         // all threads of the block know each other up to here
  Stamp synchronised = 0;    // the clock behind the last synchronisation of any of its threads
  std::vector<WarpClock> warps;
  std::vector<Stamp> named;      // [knower × warps + known]; empty until a named barrier
  std::vector<Arrived> arrived;  // at named barriers that have not completed
  Acquired acquired;             // known to all threads
  bool lanes_have_own = false;
  std::uint32_t copiers = 0;  // the block of its threads' copiers; 0: none has copied
};

class Order {
 public:
  void begin(const LaunchContext& context);

  [[nodiscard]] BlockClock& block(std::uint32_t linear_index) {
    return last_ && last_index_ == linear_index ? *last_ : find_block(linear_index);
  }
  void end_block(std::uint32_t linear_index);

  [[nodiscard]] Stamp now() const { return clock_; }
  [[nodiscard]] unsigned block_shift() const { return block_shift_; }
  [[nodiscard]] bool same_block(ThreadId a, ThreadId b) const { return ((a ^ b) >> block_shift_) == 0; }
  [[nodiscard]] vm::WarpId warp_of(ThreadId thread) const;  // with the block's index in the grid

  void on_synchronise(const vm::Synchronisation& event);

  /// The copier of this thread's copies that it has not waited for.
  [[nodiscard]] ThreadId copier(BlockClock& block, ThreadId thread);
  /// A copier for one copy that arrives at an mbarrier.
  [[nodiscard]] ThreadId new_copier(const BlockClock& block, ThreadId thread);
  /// The thread that a copier works for; of any other thread, itself.
  [[nodiscard]] ThreadId issuer(ThreadId thread) const { return issuers_.empty() ? thread : find_issuer(thread); }

  /// Does an earlier access happen before what `thread` of `block` does now?
  [[nodiscard]] bool ordered(Epoch before, const BlockClock& block, ThreadId thread) const {
    if (before.thread == thread) return true;
    if (same_block(before.thread, thread) && before.stamp < block.barrier) return true;
    return ordered_otherwise(before, block, thread);
  }

  /// Do this warp's threads know nothing of other threads beyond the block's last barrier?
  [[nodiscard]] static bool barriers_only(const BlockClock& block, std::uint32_t warp) {
    const WarpClock& clock = block.warps[warp];
    return clock.synced <= block.barrier && !clock.lanes && block.named.empty() && !block.lanes_have_own && block.acquired.empty();
  }

  /// True where no thread has released anything yet and none of this block could have: strong accesses that neither acquire nor
  /// release order nothing.
  [[nodiscard]] bool nobody_signals(const BlockClock& block) const { return logs_.empty() && !simple() && !block.lanes_have_own; }

  /// A location that threads signal through: `owner` is 0 for device scope, else block number + 1 (shared memory, block scope).
  struct Location {
    std::uint64_t address = 0;
    std::uint32_t owner = 0;
    friend bool operator==(const Location&, const Location&) = default;
  };
  /// A strong write by `thread`. `release`: the instruction itself releases. `replaces`: not a read-modify-write. `copiers`: what
  /// they have copied is released, too.
  void strong_write(const Location& location, BlockClock& block, ThreadId thread, ptx::Scope scope, bool release, bool replaces,
                    std::span<const ThreadId> copiers = {});
  /// A strong read. `acquire`: the instruction itself acquires. `of_ended_phases`: a wait at a barrier object, which knows no more
  /// than what was released in phases that have ended.
  void strong_read(const Location& location, BlockClock& block, ThreadId thread, bool acquire, bool of_ended_phases = false);
  /// Threads that wait at this barrier object may from now on acquire everything that was released through it.
  void end_phase(const Location& location);
  /// Does this thread know what was last signalled through this location, because it read it or acquired it? Then what it signals
  /// next comes after that, even without a fence in between.
  [[nodiscard]] bool knows_last_signal(const Location& location, const BlockClock& block, ThreadId thread) const;
  /// Has this thread executed a fence that covers `scope`?
  [[nodiscard]] static bool fenced(const BlockClock& block, ThreadId thread);

  [[nodiscard]] bool out_of_numbers() const { return clock_ >= max_clock || blocks_.size() >= max_blocks_; }

  /// True where the logs take more than `bytes` of memory, or took too much time.
  [[nodiscard]] bool costs_too_much(std::size_t bytes) const { return bytes_ > bytes || steps_ > max_steps; }
  /// Keeps one stamp a location from now on and forgets all logs. ordered() must not be asked about earlier accesses any more.
  void simplify();
  [[nodiscard]] bool simple() const { return !released_before_.empty(); }

 private:
  static constexpr Stamp max_clock = 0xfffffff0u;
  static constexpr std::uint64_t max_steps = 500'000'000;  // a second or two

  struct Log {
    struct Known {
      std::uint32_t position;
      Stamp stamp;
    };
    struct Writer {
      std::uint32_t position;
      ThreadId thread;
    };
    std::uint32_t length = 0;
    std::uint32_t ended = 0;                                      // of a barrier object: so far phases have ended
    std::unordered_map<std::uint64_t, std::vector<Known>> facts;  // by thread, warp or block
    std::unordered_map<std::uint32_t, std::uint32_t> other_logs;  // log → length that the writers had acquired
    std::vector<Writer> writers;                                  // in order; one that goes on stands there once
    [[nodiscard]] bool knows(std::uint64_t key, Stamp stamp, std::uint32_t prefix) const;
  };
  struct LocationHash {
    std::size_t operator()(const Location& l) const {
      return static_cast<std::size_t>((l.address ^ (std::uint64_t{l.owner} << 40)) * 0x9e3779b97f4a7c15u >> 7);
    }
  };

  [[nodiscard]] BlockClock& find_block(std::uint32_t linear_index);
  [[nodiscard]] std::uint32_t block_of_copiers(std::uint32_t linear_index, std::vector<ThreadId> issuers);
  [[nodiscard]] ThreadId find_issuer(ThreadId thread) const;
  [[nodiscard]] bool ordered_otherwise(Epoch before, const BlockClock& block, ThreadId thread) const;
  [[nodiscard]] bool learned(const Acquired& acquired, Epoch before) const;
  /// Of a simple order. Locations may share one.
  [[nodiscard]] std::size_t place_of(const Location& location) const { return LocationHash{}(location) % released_before_.size(); }
  void add_fact(Log& log, std::uint64_t key, Stamp stamp);
  void join(Acquired& into, const Acquired& from) {
    const std::size_t before = into.size();
    into.join(from);
    steps_ += 4 * from.size();
    bytes_ += 16 * (into.size() - before);
  }
  [[nodiscard]] LaneClock& own(BlockClock& block, ThreadId thread);
  void release_fence(BlockClock& block, ThreadId thread, ptx::Scope scope, Stamp stamp);

  void block_barrier(BlockClock& block);
  void arrive(BlockClock& block, std::uint32_t warp, std::uint32_t barrier);
  void named_barrier(BlockClock& block, std::uint32_t barrier, std::span<const std::uint32_t> warps);
  /// What a warp's threads know, those of others included, at a named barrier.
  void add_knowledge(const BlockClock& block, std::uint32_t warp, std::vector<Stamp>& known, Acquired& acquired);
  void warp_synchronisation(BlockClock& block, std::uint32_t warp, std::uint32_t mask);
  void fence(BlockClock& block, std::uint32_t warp, std::uint32_t mask, ptx::Scope scope);
  /// A fence for the block alone acquires what threads of its own block have signalled, and nothing of other blocks.
  void acquire_within(ThreadId thread, LaneClock& lane);

  const LaunchContext* context_ = nullptr;
  std::uint32_t warps_per_block_ = 1;
  unsigned block_shift_ = 5;
  std::size_t max_blocks_ = 0;
  Stamp clock_ = 1;
  std::vector<std::uint32_t> blocks_;  // number → index in the grid
  ByBlock<BlockClock> running_;
  std::unordered_map<std::uint32_t, std::vector<ThreadId>> issuers_;  // of the copiers in a block of copiers
  std::unordered_map<std::uint32_t, std::uint32_t> single_copiers_;   // block → where its next single copier is, if there is room
  std::uint32_t last_index_ = 0;
  BlockClock* last_ = nullptr;
  std::unordered_map<Location, std::uint32_t, LocationHash> log_of_;
  std::vector<Log> logs_;
  std::vector<Stamp> released_before_;  // by place_of; empty: not simple
  std::size_t bytes_ = 0;               // that all this takes, about
  mutable std::uint64_t steps_ = 0;     // that joining and looking up logs took
};

}  // namespace warpbook::gpu::watch
