// Block and Worker: a thread block on its way through a launch, and the host thread that carries it.
//
//     Worker worker(machine);
//     Block block;
//     block.start(worker, index);
//     while (block.run() == Block::Progress::spinning) …   // finished, or the launch has stopped
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/virtual/vm/atomics.h"
#include "gpu/virtual/vm/code.h"
#include "gpu/virtual/vm/march.h"
#include "gpu/virtual/vm/memory.h"
#include "gpu/virtual/vm/observer.h"
#include "gpu/virtual/vm/seeded_order.h"
#include "gpu/virtual/vm/warp.h"

namespace warpbook::gpu::vm {

inline constexpr std::uint32_t max_local_bytes = 512 * 1024;  // a lane; CUDA's own limit (Programming Guide, table of limits)
inline constexpr std::uint32_t named_barriers = 16;
inline constexpr std::uint32_t cluster_barrier = named_barriers;  // behind them

/// Why a launch ended early: CUDA's name, a sentence, and the access that did it, where it was one.
struct Fault {
  std::string status, message;
  bool from_outside = false;  // a time limit or a cancel: site, warp and lane are then where somebody stood, if that is known
  Site site;
  WarpId warp;
  std::uint32_t lane = 0;
  bool is_access = false;
  Access access;  // pointers inside are into `address` and `value`
  std::vector<std::uint64_t> address, value;
};

struct Block;
/// Blocks that a launch has left behind, for the next one of the same image: small ones, for making them would be half of what a
/// small launch takes.
using SpareBlocks = std::vector<std::unique_ptr<Block>>;

/// One launch, shared by all its workers.
struct Machine {
  const ptx::Module* module = nullptr;
  const Image* image = nullptr;
  Memory* memory = nullptr;
  LaunchInfo info;
  Observer* observer = nullptr;
  std::vector<std::byte> parameters;
  std::uint32_t dynamic_shared_bytes = 0, shared_bytes = 0;
  std::uint64_t grid_workspace = 0;  // guest address of what grid.sync() counts in; 0: not a cooperative launch
  std::uint64_t seed = 0;
  bool tell_changes = false;                        // the observer keeps a history
  bool tell_loaded = false, tell_branches = false;  // … wants_loaded_values(), wants_branches()
  std::vector<std::uint64_t> untold, only_atomics;  // bases of allocations of which it !wants_loads(), … Allocation::only_atomics
  bool parallel = false;                            // several workers: atomics must be the host's
  double clock_mhz = 1000;
  std::chrono::steady_clock::time_point began, deadline;
  double max_seconds = 0;
  Job* job = nullptr;
  std::size_t max_output = 0;
  bool go_on_after_bad_access = false;  // memory is watched: leave the access out and report it
  std::size_t max_warp_bytes = 0;       // of the host's memory: registers and local memory of all warps that run at once

  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> thread_instructions{0}, warp_instructions{0};
  std::atomic<std::size_t> warp_bytes{0};  // taken
  std::mutex mutex;                        // of what follows
  SpareBlocks* spare = nullptr;            // nullptr: none are kept
  std::string output;
  std::unique_ptr<Fault> fault;

  void fail(std::unique_ptr<Fault> reason);  // the first counts
  void print(std::string_view text);
  [[nodiscard]] bool should_stop();  // stopped, cancelled, or past the deadline (which it then reports)
  [[nodiscard]] bool has_room();     // for the warps that there are; false: it has failed
};

/// The clock schedule, as a warp's handlers see it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual void take(Warp& warp, const Inst& inst) = 0;  // a memory instruction, to be performed when its time has come
  virtual void wake(Warp& warp) = 0;                    // a barrier let it go
};

struct Worker {
  explicit Worker(Machine& of_machine);
  ~Worker();  // adds what it counted to the machine's
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Machine& machine;
  std::vector<Extent> extents;  // remembered by memory instruction: Inst::cache
  DelayedAdds delayed;
  March march;
  bool blocks_march = false;  // several blocks together, where they can
  // Backward jumps of a warp before it is somebody else's turn. Long, so that loops are not disturbed; short once lanes were seen
  // to spin on what others of their warp must do.
  std::int32_t slice = 1 << 14;
  Executed executed;
  std::uint32_t turns = 0;             // of warps, to look at the host's clock now and then
  std::vector<Change::Stored> stored;  // by the present request, where changes are told
  std::uint64_t event_number = 0;      // observed runs: stands in for cycles
  std::uint64_t cycle = 0;             // clock
  std::uint32_t sm = 0;                // clock
  Clock* clock = nullptr;              // set under the clock schedule only
  std::optional<SeededOrder> order;    // where a seed decides who goes when

  void fault(Warp& warp, const Inst& inst, std::uint32_t lane, std::string status, std::string message);
  /// The allocation that holds a global address, as it is to be read or written now.
  [[nodiscard]] Extent find(std::uint64_t address);
  /// Somebody stores to an allocation that was taken for one that is only read, or touches one that was taken for atomics alone.
  void tell_again(const Extent& extent);
  void fault_stack_overflow(Warp& warp, const Inst& inst);
  [[nodiscard]] Site site(const Warp& warp, const Inst& inst) const { return {warp.frame->code->function, inst.pc}; }
};

/// Threads that came to a barrier together.
struct Arrival {
  const ptx::Function* function = nullptr;
  const Inst* inst = nullptr;
  Warp* warp = nullptr;
  std::uint32_t mask = 0;
};

struct NamedBarrier {
  std::uint32_t arrived = 0;                  // threads
  std::uint32_t expected = 0;                 // 0: all that have not exited
  std::uint32_t count = 0, all = 1, any = 0;  // bar.red
  bool some_went_on = false;                  // bar.arrive
  Arrival first, elsewhere;                   // elsewhere: the first at another instruction; none: inst is nullptr
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
  bool has_met = false;             // all passed a barrier just now
  // Observed only.
  bool shared_only_read = false;  // until the next barrier, as the next one
  SharedLoads tell_shared_loads;
  Course* course = nullptr;
  // Clock only.
  std::uint32_t sm = 0;

  void start(Worker& on_worker, std::uint32_t block_index);
  /// Ended: keeps nothing but its memory, for a block of another launch.
  void leave() { worker = nullptr; }
  [[nodiscard]] bool is_small() const;
  /// Runs every warp until it must wait. spinning: somebody used up its slice. met: all stand behind a barrier, and can march with
  /// the worker's other blocks again. Either: call again.
  Progress run();
  /// One turn of one warp, as the worker's order says. spinning: call again.
  Progress run_in_seeded_order();
  /// Its threads have ended.
  void finish() {
    if (!worker->delayed.empty()) worker->delayed.flush();
  }

  /// The running split of `warp` comes to a barrier.
  void arrive(Warp& warp, const Inst& inst, std::uint32_t number, std::uint32_t expected, std::uint32_t predicate);
  void on_exit(std::uint32_t lanes_gone);
  void on_exit_of_all();
  [[nodiscard]] WarpId id(const Warp& warp) const { return {index, warp.index}; }
  /// A step that is known here, which is taken; nullptr: it is not. address: [32], or nullptr where `inst` says where.
  [[nodiscard, gnu::always_inline]] const SharedStep* take_step(const Inst& inst, std::uint32_t warp, std::uint32_t mask,
                                                                const std::uint64_t* address) {
    if (!course) return nullptr;
    const auto same_places = [&](const std::uint64_t* known) {
      std::uint64_t differ = 0;
      for (std::uint32_t l = 0; l < lanes; ++l) differ |= (known[l] ^ address[l]) & (0 - std::uint64_t{mask >> l & 1u});
      return !differ;
    };
    for (const SharedStep* step = course->next; step; step = step->other)
      if (step->inst == &inst && step->warp == warp && step->mask == mask && (!step->address || same_places(step->address))) {
        course->next = step + 1;
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
  void let_go(Warp& warp, Split& split, const NamedBarrier& barrier);
  // stuck.cpp: what went wrong at barriers, for the observer; and the fault where no thread can go on.
  void tell_not_reached_by_all(const NamedBarrier& barrier, const Arrival& last) const;
  void tell_unequal_counts(const NamedBarrier& barrier, std::uint32_t number, const Arrival& last, std::uint32_t expected) const;
  void fail_for_ever();
  Progress run_warps();
  /// The next of the warp's splits that can go on becomes the running one. False: none can.
  bool resume(Warp& warp);
  void run_warp(Warp& warp);
  void run_recorded(Warp& warp);
  void run_turn(Warp& warp, std::uint32_t instructions);
};

/// Where lanes wait, in words, for deadlocks and time-outs: "warp 0 waits at the barrier of line 12".
[[nodiscard]] std::string describe_waiting(const Block& block);

/// The launch was stopped from outside while this block ran: adds to the fault where its threads stood, if nobody has yet.
void tell_where_stopped(Machine& machine, const Block& block);

}  // namespace warpbook::gpu::vm
