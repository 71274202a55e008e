// Observer: the events that the vm reports to the detectors. The vm itself knows nothing of bugs.
//
//     struct Counter : Observer { void on_access(const Access& a) override { n += std::popcount(a.mask); } int n = 0; };
//
// All events of a launch come from one thread: an observed launch runs its blocks in order on one worker. What is passed by
// reference or by pointer is valid during the call only. Without an observer no event is made, so that an unobserved launch pays
// nothing for them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/declared_variables.h"
#include "gpu/device.h"
#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

/// An allocation in the virtual GPU's global memory. Addresses are guest addresses.
struct Allocation {
  std::uint64_t base = 0, bytes = 0;
  BufferId buffer = 0;  // 0: a module variable (__device__), see name
  std::string name;
  std::string symbol = {};  // of a module variable, as in the PTX
  ScalarType type = ScalarType::uint8;
  std::vector<std::size_t> shape;
  std::span<const std::byte> contents;
  /// One bit a byte: was it written, by the host or by an initialiser, before the launch? Empty: all bytes were.
  std::vector<bool> initialised;
  bool constant = false;  // a __constant__ variable: reads only
  /// The kernel's text has no store that leads there (analysis/alias_analysis.h). Should a store go there all the same, all loads
  /// are reported from then on.
  bool only_read = false;
  /// The kernel's text has nothing but relaxed atomics of the whole GPU that lead there, and they order nothing. They cannot race.
  bool only_atomics = false;
  /// The declaration in the source: of a module variable its own, of a buffer that of the kernel's parameter.
  std::optional<DeclaredVariable> declared = {};
  std::uint32_t declared_at = 0;  // where in it this begins
};

/// A buffer that the host has released, and whose addresses nothing else has got since.
struct Freed {
  std::uint64_t base = 0, bytes = 0;
  std::string name;
};

/// A block of the device heap, which malloc in device code has given.
struct HeapBlock {
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t number = 0;                // unique: a later block at the same address has another number
  std::uint32_t line = 0, freed_line = 0;  // source lines of its malloc and its free; 0: not known, not freed
  bool freed = false;
  bool from_before = false;  // an earlier launch allocated it
};
class HeapBlocks {
 public:
  virtual ~HeapBlocks() = default;
  /// The block that holds an address or lies nearest to it; empty where the address is not in the heap. From any thread.
  [[nodiscard]] virtual std::optional<HeapBlock> nearest(std::uint64_t address) const = 0;
};

/// Where a shared variable lies in a block's shared memory.
struct SharedVariable {
  std::string name;  // demangled where possible: "tile"
  std::uint32_t offset = 0, bytes = 0, element_bytes = 4;
  bool dynamic = false;
  /// The declaration in the source, where it was understood. declared_at: where in it this begins, in bytes; a compiler may keep
  /// only parts of a variable.
  std::optional<DeclaredVariable> declared = {};
  std::uint32_t declared_at = 0;
  std::string symbol = {};  // as in the PTX
};

struct LaunchInfo {
  const ptx::Module* module = nullptr;
  const ptx::Function* kernel = nullptr;
  Dim3 grid, block;
  std::uint32_t warps_per_block = 0, threads_per_block = 0;
  std::uint32_t shared_bytes = 0, reserved_shared_bytes = 0;  // of a block; the reserved ones are the last of them
  std::vector<SharedVariable> shared_variables;
  std::vector<Allocation> allocations;         // sorted by base
  std::vector<Freed> freed;                    // the last ones
  const HeapBlocks* heap = nullptr;            // nullptr: the heap is not observed
  std::string_view source;                     // CUDA C++; empty: not known
  std::vector<DeclaredVariable> local_arrays;  // of its functions
  std::span<const std::byte> parameters;       // the kernel's, as PTX lays them out
  Schedule schedule = Schedule::fast;
};

/// Who: a warp of a block. Lane l of warp w is thread number w × 32 + l of its block, x fastest.
struct WarpId {
  std::uint32_t block = 0;  // linear index in the grid
  std::uint32_t warp = 0;   // within the block
};

/// Where: an instruction. `function` and `pc` name it within the module.
struct Site {
  const ptx::Function* function = nullptr;
  std::uint32_t pc = 0;
  [[nodiscard]] const ptx::Instruction& instruction() const { return function->code[pc]; }
};

/// One activation of a function in a warp. When a call has returned its number is used again, but not its activation.
struct FrameId {
  std::uint32_t number = 0;      // 0: the kernel's
  std::uint32_t activation = 0;  // counts the warp's calls
  std::uint32_t caller = 0;      // the caller's number; of the kernel itself 0
};

struct Access {
  enum class Kind : std::uint8_t { load, store, atomic };
  /// What is wrong with the lanes in `bad`. They did not access memory; their loads returned 0.
  enum class Problem : std::uint8_t { none, out_of_bounds, misaligned, wrong_space, read_only, freed };
  /// What the vm knows of the addresses in each group of eight lanes (0–7, 8–15, …): either none of the eight accesses memory, or
  /// all do: consecutive elements, or one and the same element.
  enum class Rows : std::uint8_t { unknown, side_by_side, same };
  /// What an mbarrier instruction does to its barrier object in shared memory, once that is initialised.
  enum class BarrierObject : std::uint8_t { none, arrival, wait };
  Site site;
  WarpId warp;
  Kind kind = Kind::load;
  ptx::Space space = ptx::Space::global;  // never generic: one event a space when lanes differ
  std::uint32_t mask = 0;                 // lanes that access this space, without those in `bad`
  std::uint32_t bad = 0;
  Problem problem = Problem::none;  // of the lanes in `bad`
  std::uint32_t bytes = 0;          // a lane, all vector elements together
  Rows rows = Rows::unknown;
  bool only_read = false;       // shared memory that the block cannot store to before its next barrier
  bool only_atomics = false;    // of an atomic: the allocation's only_atomics
  bool same_in_blocks = false;  // shared memory; instruction and warp alone determine the addresses
  BarrierObject barrier_object = BarrierObject::none;
  std::uint32_t ended_phase = 0;        // of a barrier object: lanes whose arrival ended its phase, or whose wait was satisfied
  const void* step = nullptr;           // shared memory: the instruction, where the access may be a step of a Replay; else nullptr
  ptx::Order order = ptx::Order::weak;  // atomics: relaxed and stronger
  ptx::Scope scope = ptx::Scope::none;
  const std::uint64_t* address = nullptr;  // [32]: guest address (global, constant), byte offset in the block's shared memory or
                                           // the thread's local memory; valid for mask | bad
  const std::uint64_t* value = nullptr;    // [32]: low 64 bits stored; of loads, and of atomics the old value, perhaps nullptr
                                           // unless wants_loaded_values()
  const std::uint32_t* words = nullptr;    // [32]: these values instead, where they fit
  std::uint64_t issued = 0, reached = 0, done = 0;  // cycles (clock); a running instruction number (fast)
};

/// A synchronisation that a warp's lanes have passed together.
struct Synchronisation {
  enum class Kind : std::uint8_t {
    block,          // a whole block's barrier completed: on_barrier comes once per block, mask unused
    warp,           // __syncwarp, or a *_sync shuffle, vote or match: orders the lanes in mask
    fence,          // __threadfence & co: mask's lanes, scope
    partial_block,  // a named barrier completed: participants lists the warps that waited at it
    arrive,         // bar.arrive: mask's lanes arrive at a named barrier and go on; what they did before happens before what the
                    // threads do that wait there, once it completes
    copies_begun,   // cp.async.commit_group: the copies that mask's lanes have begun since their last one are a group
    copies_waited   // … wait_group: mask's lanes wait until at most so many of their newest `groups` are under way
  };
  Site site;
  WarpId warp;  // block: the last warp to arrive
  Kind kind = Kind::block;
  std::uint32_t mask = 0;
  ptx::Scope scope = ptx::Scope::none;
  std::uint32_t barrier = 0;  // named barrier's number
  std::span<const std::uint32_t> participants;
  const void* step = nullptr;        // block: the instruction, where the barrier may be a step of a Replay; else nullptr
  bool known_step = false;           // … and whether it was that step
  ptx::Copy copy = ptx::Copy::none;  // copies_…: group or bulk_group
  bool sources_only = false;         // copies_waited: until what they copy has been read
  std::uint32_t groups = 0;          // copies_waited
};

struct Branch {
  Site site;
  WarpId warp;
  std::uint32_t mask = 0, taken = 0;  // lanes that came; lanes that jumped
};

struct Issue {
  Site site;
  WarpId warp;
  std::uint32_t mask = 0;
  std::uint64_t cycle = 0;
  std::uint16_t sm = 0, scheduler = 0;
  FrameId frame = {};
};

/// How many warps and how many threads executed. Loaded and stored as one vector: a CPU forwards a store only to a load that is no
/// wider.
using Executions [[gnu::vector_size(16)]] = std::uint64_t;

/// What an instruction has changed. Reported only where a history is kept (Machine::report_changes): at once, or when the memory
/// request is performed.
struct Change {
  Site site;
  WarpId warp;
  FrameId frame;
  std::uint32_t mask = 0;  // lanes whose registers got a value
  struct Value {
    std::uint32_t reg = 0;             // in Function::registers
    const std::byte* lanes = nullptr;  // 32 values as wide as its type; of a predicate 32 bits
  };
  std::span<const Value> registers = {};
  struct Stored {                           // into memory, in the order in which lanes did it
    ptx::Space space = ptx::Space::global;  // or shared, or local
    std::uint32_t lane = 0;
    std::uint32_t bytes = 0;
    std::uint64_t address = 0;  // of shared and local memory, an offset: in the block's, in the lane's
    std::array<std::byte, 32> before = {}, after = {};
  };
  std::span<const Stored> memory = {};
};

/// A rule of synchronisation was broken. The launch goes on as on hardware, or ends with a fault. The lanes in `mask` stand at
/// `site`; the lanes in `missing`, which are others, stand at `other`.
struct Misuse {
  enum class Kind : std::uint8_t {
    divergent_barrier,     // a block barrier that some threads of the block never reach: they have exited or wait elsewhere
    too_few_at_barrier,    // fewer threads than the barrier's count can come; none waits elsewhere
    counts_differ,         // threads give different counts for one barrier
    missing_lane,          // a *_sync mask names lanes that have exited or never come to that call
    caller_not_in_mask,    // a lane calls a *_sync whose mask leaves it out
    shuffle_from_inactive  // a shuffle reads a lane that does not take part
  };
  Site site = {};
  WarpId warp = {};
  Kind kind = Kind::divergent_barrier;
  std::uint32_t mask = 0;     // who waited or called
  std::uint32_t missing = 0;  // lanes of other_warp: who is missing; of a shuffle: the lane that the first of `mask` reads
  Site other = {};            // where (one of) the missing ones wait; function nullptr: they have exited
  WarpId other_warp = {};
  std::uint32_t members = 0, other_members = 0;  // *_sync: the masks, theirs and that of who waits at `other`
  bool exited = false;                           // of a shuffle: the lane that is read has
  std::uint32_t barrier = 0;                     // its number,
  std::uint32_t expected = 0, arrived = 0;       // and threads; counts_differ: `arrived` is what the others expect
};

/// Which weak loads from a block's shared memory a detector needs, while no thread stores to it.
struct SharedLoads {
  bool any = true;
  /// One bit for each byte of shared memory, and 64 more bits, so that the vm may read whole words. A load of bytes whose bits are
  /// all set is not needed. nullptr: all are needed. Valid until the next barrier.
  const std::uint64_t* known = nullptr;
};

/// One step of a Replay: a weak request to shared memory without a fault, or a barrier of the whole block.
struct ReplayStep {
  const void* inst = nullptr;              // the instruction; nullptr: the recording ends here
  std::uint32_t warp = 0, mask = 0;        // which lanes; 0 of a barrier
  const std::uint64_t* address = nullptr;  // [32]; nullptr: instruction and warp determine the addresses
  const ReplayStep* other = nullptr;       // another step that may come here. The step after this one is the next in memory
  SharedLoads loads;                       // of a barrier: what is needed after it
};

/// Where a block stands in the recorded steps of an earlier block. While it takes the same steps they are not reported. The
/// observer owns it and sets `next` to nullptr when the block does anything else.
struct Replay {
  const ReplayStep* next = nullptr;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_launch(const LaunchInfo&) {}
  virtual void on_access(const Access&) {}
  virtual void on_synchronise(const Synchronisation&) {}
  virtual void on_branch(const Branch&) {}
  [[nodiscard]] virtual bool wants_branches() const { return true; }
  /// Every instruction, under the clock schedule and where changes are reported.
  virtual void on_issue(const Issue&) {}
  /// Elsewhere the vm counts instructions in this array, of one entry a pc and one more: how much oftener the instruction was
  /// executed than the one before it. Valid for the launch; nullptr: the counts are not wanted.
  [[nodiscard]] virtual Executions* executions_of(const ptx::Function&) { return nullptr; }
  [[nodiscard]] virtual bool wants_loaded_values() const { return false; }
  /// Weak loads from this allocation without a fault. Asked after on_launch.
  [[nodiscard]] virtual bool wants_loads(const Allocation&) const { return true; }
  /// Asked when all threads of a block have passed a barrier and none can store to shared memory before the next one.
  [[nodiscard]] virtual SharedLoads wants_shared_loads(std::uint32_t /*block*/) { return {}; }
  /// Asked when a block begins. nullptr: everything is reported.
  [[nodiscard]] virtual Replay* replay_of(std::uint32_t /*block*/) { return nullptr; }
  virtual void on_change(const Change&) {}
  virtual void on_misuse(const Misuse&) {}
  virtual void on_block_end(std::uint32_t /*block*/) {}
};

}  // namespace warpbook::gpu::vm
