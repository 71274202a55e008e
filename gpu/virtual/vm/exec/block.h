// Block: a thread block that a worker executes.
//
//     Worker worker(machine);
//     Block block;
//     block.start(worker, index);
//     while (block.run() == Block::Progress::spinning) …   // until it has finished, or the launch has stopped
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/virtual/vm/analysis/barrier_intervals.h"
#include "gpu/virtual/vm/exec/worker.h"

namespace warpbook::gpu::vm {

inline constexpr std::uint32_t cluster_barrier = named_barriers;  // its index, behind those of the named barriers

/// Threads of one warp that have arrived at a barrier.
struct Arrival {
  const ptx::Function* function = nullptr;
  const Inst* inst = nullptr;
  Warp* warp = nullptr;
  std::uint32_t mask = 0;
};

struct NamedBarrier {
  std::uint32_t arrived = 0;                  // threads
  std::uint32_t expected = 0;                 // 0: all threads that have not exited
  std::uint32_t count = 0, all = 1, any = 0;  // bar.red
  bool some_went_on = false;                  // bar.arrive
  Arrival first, elsewhere;                   // elsewhere: the first one at another instruction than `first`; inst nullptr: none
};

struct Block {
  enum class Progress { finished, met, spinning, stopped };

  Worker* worker = nullptr;
  std::uint32_t index = 0;
  Dim3 position{0, 0, 0};
  std::vector<std::byte> shared;
  std::vector<std::unique_ptr<Warp>> warps;
  std::uint32_t warp_count = 0, alive_threads = 0, exited_threads = 0;
  std::array<NamedBarrier, named_barriers + 1> barriers;
  std::uint32_t barriers_used = 0;  // a bit each
  bool has_met = false;             // all threads have just passed a barrier, behind which lockstep is worth trying
  // Observed only.
  std::uint32_t first_warp = 0;   // where has_met: whose turn it is
  bool shared_only_read = false;  // until the next barrier, as the next one
  SharedLoads reported_shared_loads;
  Replay* replay = nullptr;
  // Clock only.
  std::uint32_t sm = 0;

  void start(Worker& on_worker, std::uint32_t block_index);
  /// The block has ended. It keeps its memory, for a block of another launch.
  void leave() { worker = nullptr; }
  [[nodiscard]] bool is_small() const;
  /// Runs every warp until it must wait. spinning: a warp used up its slice. met: all warps have passed a barrier, and may enter
  /// lockstep with the worker's other blocks again. In both cases, call it again.
  Progress run();
  /// One turn of one warp, as the worker's order says. spinning: call again.
  Progress run_in_seeded_order();
  /// Its threads have ended.
  void finish() {
    if (!worker->delayed.empty()) worker->delayed.flush();
  }

  /// The running split of `warp` comes to a barrier.
  void arrive(Warp& warp, const Inst& inst, std::uint32_t number, std::uint32_t expected, std::uint32_t predicate);
  /// All threads have come to a plain barrier, `last` did so last: the observer hears of it.
  void tell_met(const Arrival& last, std::uint32_t number);
  void on_exit(std::uint32_t lanes_gone);
  void on_exit_of_all();
  [[nodiscard]] WarpId id(const Warp& warp) const { return {index, warp.index}; }
  /// A step that is known here, which is taken; nullptr: it is not. address: [32], or nullptr where `inst` says where.
  [[nodiscard, gnu::always_inline]] const ReplayStep* take_step(const Inst& inst, std::uint32_t warp, std::uint32_t mask,
                                                                const std::uint64_t* address) {
    if (!replay) return nullptr;
    const auto same_places = [&](const std::uint64_t* known) {
      std::uint64_t differ = 0;
      for (std::uint32_t l = 0; l < lanes; ++l) differ |= (known[l] ^ address[l]) & (0 - std::uint64_t{mask >> l & 1u});
      return !differ;
    };
    for (const ReplayStep* step = replay->next; step; step = step->other)
      if (step->inst == &inst && step->warp == warp && step->mask == mask && (!step->address || same_places(step->address))) {
        replay->next = step + 1;
        return step;
      }
    return nullptr;
  }
  /// All warps wait and none can go on: says who waits where. True if letting parked lanes go helped.
  bool unblock();

 private:
  void prepare(Worker& on_worker);
  void note_arrival(NamedBarrier& barrier, std::uint32_t number, const Arrival& arrival, std::uint32_t expected);
  void complete(std::uint32_t number, const Arrival& last);
  void tell_barrier(const Arrival& last, const Synchronisation& event, bool plain);
  [[nodiscard]] bool tries_watched_lockstep(const Arrival& last);
  void let_go(Warp& warp, Split& split, const NamedBarrier& barrier);
  // deadlock.cpp: what went wrong at barriers, for the observer; and the fault where no thread can go on.
  void report_not_reached_by_all(const NamedBarrier& barrier, const Arrival& last) const;
  void report_unequal_counts(const NamedBarrier& barrier, std::uint32_t number, const Arrival& last, std::uint32_t expected) const;
  void fail_for_ever();
  Progress run_warps();
  bool go_on_watched();
  /// The next of the warp's splits that can go on becomes the running one. False: none can.
  bool resume(Warp& warp);
  void run_warp(Warp& warp);
  void run_recorded(Warp& warp);
  void run_turn(Warp& warp, std::uint32_t instructions);
};

/// Where lanes wait, in words, for deadlocks and time-outs: "warp 0 waits at the barrier of line 12".
[[nodiscard]] Paragraph describe_waiting(const Block& block);

/// The launch was stopped from outside while this block ran: adds to the fault where its threads stood, if nobody has yet.
void add_where_stopped(Machine& machine, const Block& block);

}  // namespace warpbook::gpu::vm
