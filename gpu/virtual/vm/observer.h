// Observer: what the vm tells whoever watches a launch. Detectors listen here; the vm knows nothing of bugs.
//
//     struct Counter : Observer { void on_access(const Access& a) override { n += std::popcount(a.mask); } int n = 0; };
//
// Events come from one thread at a time (an observed launch runs its blocks in order on one worker). Everything passed by
// reference lives only for the call. With no observer attached no event is built, so watching costs nothing when off.
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

/// A piece of the virtual GPU's global memory. Addresses are the guest's.
struct Allocation {
  std::uint64_t base = 0, bytes = 0;
  BufferId buffer = 0;  // 0: a module variable (__device__), see name
  std::string name;
  std::string symbol = {};  // of a module variable, as in the PTX
  ScalarType type = ScalarType::uint8;
  std::vector<std::size_t> shape;
  std::span<const std::byte> contents;
  /// One bit a byte: written by the host or an initialiser before the launch. Empty: all of it.
  std::vector<bool> initialised;
  bool constant = false;  // a __constant__ variable: reads only
  /// No store in the kernel's text leads there (stored_to.h). Should one go astray into it, its loads are all told from then on.
  bool only_read = false;
  /// Nor load, nor store, nor anything that orders: only relaxed atomics of the whole GPU do, which race with nothing.
  bool only_atomics = false;
  /// A module variable as the source says; of a buffer, what the kernel's parameter says that it points to.
  std::optional<DeclaredVariable> declared = {};
  std::uint32_t declared_at = 0;  // where in it this begins
};

/// A piece of the kernels' heap, which malloc in device code has given.
struct HeapBlock {
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t number = 0;                // no other piece has it, even one that lies at the same place later
  std::uint32_t line = 0, freed_line = 0;  // of the source: its malloc and its free; 0: not known, not freed
  bool freed = false;
  bool from_before = false;  // it was given before this launch
};
class HeapBlocks {
 public:
  virtual ~HeapBlocks() = default;
  /// The piece that holds an address or lies nearest to it; nothing where the address is not the heap's. From any thread.
  [[nodiscard]] virtual std::optional<HeapBlock> nearest(std::uint64_t address) const = 0;
};

/// Where a shared variable lies in a block's shared memory.
struct SharedVariable {
  std::string name;  // demangled where possible: "tile"
  std::uint32_t offset = 0, bytes = 0, element_bytes = 4;
  bool dynamic = false;
  /// As the source says, where it says it plainly; and where in it this begins: a compiler may keep pieces of a variable only.
  std::optional<DeclaredVariable> declared = {};
  std::uint32_t declared_at = 0;
  std::string symbol = {};  // as in the PTX
};

struct LaunchInfo {
  const ptx::Module* module = nullptr;
  const ptx::Function* kernel = nullptr;
  Dim3 grid, block;
  std::uint32_t warps_per_block = 0, threads_per_block = 0;
  std::uint32_t shared_bytes = 0, reserved_shared_bytes = 0;  // a block's; of these, at their end, the system's
  std::vector<SharedVariable> shared_variables;
  std::vector<Allocation> allocations;         // sorted by base
  const HeapBlocks* heap = nullptr;            // nullptr: the kernels' heap is not to be looked at
  std::string_view source;                     // CUDA C++; empty: not there
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

/// Which activation of a function in a warp. Numbers are used again when a call has returned; activations never.
struct FrameId {
  std::uint32_t number = 0;      // 0: the kernel's
  std::uint32_t activation = 0;  // counts the warp's calls
  std::uint32_t caller = 0;      // its number; of the kernel's own, 0
};

struct Access {
  enum class Kind : std::uint8_t { load, store, atomic };
  /// What is wrong with it, if anything: the lanes in `bad` did not touch memory (loads gave 0).
  enum class Problem : std::uint8_t { none, out_of_bounds, misaligned, wrong_space, read_only, freed };
  /// What the vm knows of the addresses: of lanes 0–7, of 8–15 … either nobody accesses, or all eight do, places side by side or
  /// one and the same.
  enum class Rows : std::uint8_t { unknown, side_by_side, same };
  /// What an mbarrier instruction does to the barrier object in shared memory, after it was made.
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
  bool only_read = false;       // shared memory, and nothing that the block can reach before its next barrier stores to it
  bool only_atomics = false;    // of an atomic: so is the allocation
  bool same_in_blocks = false;  // shared memory, and the instruction and the warp say where
  BarrierObject barrier_object = BarrierObject::none;
  std::uint32_t ended_phase = 0;        // of a barrier object: lanes whose arrival ended its phase, or whose wait has passed
  const void* step = nullptr;           // shared memory, and it may be a step of a Course: the instruction
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
    arrive,         // bar.arrive: mask's lanes have come to a named barrier and go on: what they did before is known to whoever
                    // waits there, once it completes
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
  const void* step = nullptr;        // block: it may be a step of a Course: the instruction
  bool known_step = false;           // … and was
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

/// Warps and threads. Always as one: a host forwards what it has just stored only to a load of no more than that.
using Executions [[gnu::vector_size(16)]] = std::uint64_t;

/// What an instruction leaves behind, told only where a history is kept (Machine::tell_changes): at once, or when memory has
/// answered.
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

/// A rule of synchronisation was broken (the launch goes on as hardware would, or ends with a fault). The lanes in `mask` stand at
/// `site`; where there is an `other` site, the lanes in `missing` stand there: never the same ones.
struct Misuse {
  enum class Kind : std::uint8_t {
    divergent_barrier,     // a block barrier that some threads of the block never reach: exited or waiting elsewhere
    too_few_at_barrier,    // nobody is elsewhere, or could come: fewer threads than the barrier's count
    counts_differ,         // one barrier, two counts
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

/// The weak loads from a block's shared memory that somebody needs to hear of, while nobody stores to it.
struct SharedLoads {
  bool any = true;
  /// A bit a byte, and 64 more: loads of nothing but such bytes are not needed. Good until the next barrier.
  const std::uint64_t* known = nullptr;
};

/// What a block does with its shared memory: a weak request that went well, or a barrier of the whole block.
struct SharedStep {
  const void* inst = nullptr;              // nullptr: no more is known
  std::uint32_t warp = 0, mask = 0;        // who; 0 of a barrier
  const std::uint64_t* address = nullptr;  // [32]; nullptr: inst and warp say where
  const SharedStep* other = nullptr;       // what else may come here; the next step is the next in memory
  SharedLoads loads;                       // behind a barrier
};

/// Where a block is among the steps that blocks before it took. As long as it takes the same, its requests are not told. The
/// observer's, who takes `next` away when it hears of anything else.
struct Course {
  const SharedStep* next = nullptr;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_launch(const LaunchInfo&) {}
  virtual void on_access(const Access&) {}
  virtual void on_synchronise(const Synchronisation&) {}
  virtual void on_branch(const Branch&) {}
  [[nodiscard]] virtual bool wants_branches() const { return true; }
  /// Every instruction, under the clock and where changes are told.
  virtual void on_issue(const Issue&) {}
  /// Otherwise they are counted, in place: by pc and one more, how much oftener an instruction was executed than the one before it.
  /// Asked anew now and then, good for the launch; nullptr: nobody wants to know.
  [[nodiscard]] virtual Executions* executions_of(const ptx::Function&) { return nullptr; }
  [[nodiscard]] virtual bool wants_loaded_values() const { return false; }
  /// Weak loads from there that went well. Asked behind on_launch.
  [[nodiscard]] virtual bool wants_loads(const Allocation&) const { return true; }
  /// All threads of a block have passed a barrier, and nothing they can reach before the next stores to shared memory.
  [[nodiscard]] virtual SharedLoads wants_shared_loads(std::uint32_t /*block*/) { return {}; }
  /// Asked when a block begins. nullptr: all is told.
  [[nodiscard]] virtual Course* course_of(std::uint32_t /*block*/) { return nullptr; }
  virtual void on_change(const Change&) {}
  virtual void on_misuse(const Misuse&) {}
  virtual void on_block_end(std::uint32_t /*block*/) {}
};

}  // namespace warpbook::gpu::vm
