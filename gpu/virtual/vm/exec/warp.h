// Warp: 32 lanes that execute one instruction at a time, their registers, and how they diverge and reconverge.
//
// A branch whose lanes disagree divides the warp into two splits. Both belong to the branch's reconvergence point, which is its
// immediate post-dominator: the split that arrives first waits there for the other. This is an optimisation and no promise: where
// no other split can run, or another one spins for long, the waiting split goes on. So a spin lock between lanes of one warp ends,
// as CUDA promises since Volta.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "gpu/virtual/vm/code/code.h"
#include "gpu/virtual/vm/memory/memory.h"

namespace warpbook::gpu::vm {

struct Block;
struct Worker;

struct FreeAligned {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;  // rows are aligned to 64 bytes

/// One activation of a function: its registers and its piece of each lane's local memory.
struct Frame {
  const Code* code = nullptr;
  AlignedBytes rows;
  std::size_t capacity = 0;
  Frame* caller = nullptr;
  const Inst* call = nullptr;  // the caller's call instruction
  std::uint32_t lanes_inside = 0;
  std::uint32_t local_base = 0;     // offset of this frame in each lane's local memory
  std::uint32_t dynamic_bytes = 0;  // what alloca has given, which lies behind its variables
  FrameId id;
  std::vector<std::uint64_t> ready;  // clock schedule: by register, ready_entry() of clock/cost.h
};

/// How much a worker has executed.
struct Executed {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;

  [[gnu::always_inline]] void add(std::uint64_t instructions, std::uint64_t warps, std::uint64_t threads) {
    warp_instructions += instructions * warps;
    thread_instructions += instructions * threads;
  }
};

struct Reconvergence {
  Frame* frame = nullptr;
  std::uint32_t at = 0;  // index in Code::insts, or end_of_function
  std::uint32_t expected = 0, arrived = 0;
  std::int32_t parent = -1;
  bool used = false;
};

/// A group of lanes with one program counter.
struct Split {
  enum class State : std::uint8_t { ready, at_block_barrier, at_warp_sync };
  std::uint32_t mask = 0, at = 0;  // at: index in Code::insts of the next instruction, or of the one that it waits at
  Frame* frame = nullptr;
  std::int32_t reconvergence = -1;
  State state = State::ready;
  std::uint32_t barrier = 0;  // at_block_barrier: its number
  std::uint32_t members = 0;  // at_warp_sync: the lanes that it waits for
};

struct Warp {
  // The running split. These members come first, because every handler uses them.
  std::byte* rows = nullptr;  // of its frame
  const Inst* insts = nullptr;
  Extent* extents = nullptr;  // the worker's, by Inst::cache
  std::byte* shared = nullptr;
  std::uint64_t shared_bytes = 0;
  std::uint32_t at = 0;                // index in Code::insts of the next instruction
  std::uint32_t mask = 0;              // its lanes
  std::uint32_t exec = 0;              // the lanes that execute the present instruction: those of `mask` whose guard holds
  std::uint32_t lane_count = 0;        // popcount(mask)
  bool running = false;                // false: it waits, has finished, has used up its slice, or has faulted
  std::int32_t fuel = 0;               // what is left of the slice, in units of fuel_of()
  std::uint32_t lanes_after_skip = 0;  // between a Flow::skip and its target: the lanes that go on at the target; elsewhere 0
  std::uint32_t skip_lanes = 0;  // native code was left between a Flow::skip and its target: the lanes that have to execute the
                                 // rest of these instructions; elsewhere 0
  Executed* executed = nullptr;  // the worker's

  Frame* frame = nullptr;
  std::int32_t reconvergence = -1;  // index in `points`; -1: none
  Block* block = nullptr;
  Worker* worker = nullptr;
  std::uint32_t index = 0;  // within the block
  std::uint32_t alive = 0;  // lanes that have not exited
  std::uint32_t born = 0;   // lanes that the launch gave it

  std::vector<Split> waiting;  // all splits but the running one
  // Where the whole warp waits at a barrier of the block, its number + 1; else 0. Such a warp keeps its state here, not in a Split.
  std::uint32_t whole_at_barrier = 0;
  std::vector<Reconvergence> points;
  std::vector<std::unique_ptr<Frame>> frames, free_frames;
  std::vector<std::byte> local;  // lane-major: lane × local_bytes + offset
  std::uint32_t local_bytes = 0;
  std::uint32_t carry = 0;  // CC.CF, a bit a lane
  std::uint32_t spins = 0;  // how often the slice was used up since lanes last reconverged
  std::uint32_t activations = 0;
  // Clock schedule only.
  std::uint64_t next_issue = 0;
  std::uint64_t last_reached[2] = {}, last_stored[2] = {};  // when its requests and its stores reach memory: [0] shared, [1] other
  std::uint32_t scheduler = 0;

  // Always inlined: called from code built for several instruction sets.
  [[nodiscard, gnu::always_inline]] std::byte* row(Row r) const { return rows + r.offset; }
  template <class T>
  [[nodiscard, gnu::always_inline]] T* row_of(Row r) const {
    return reinterpret_cast<T*>(row(r));
  }
  /// Lanes of the running split whose guard holds.
  [[nodiscard, gnu::always_inline]] std::uint32_t lanes_where(Row guard, bool negated) const {
    return (*row_of<std::uint32_t>(guard) ^ (negated ? ~0u : 0u)) & mask;
  }
  [[gnu::always_inline]] void set_mask(std::uint32_t lanes_of_split) {
    mask = exec = lanes_of_split;
    lane_count = static_cast<std::uint32_t>(__builtin_popcount(lanes_of_split));
  }

  /// For an instruction that takes long without a backward jump: uses up so much of the slice, and reads the host's clock now and
  /// then. False: the launch is over, and this warp has stopped before the present instruction.
  [[nodiscard]] bool take(std::int32_t of_slice);

  /// Of a block that has just been made, or that belonged to another launch of the same image.
  void start(Block& in_block, Worker& on_worker, std::uint32_t warp_index, std::uint32_t lanes_alive, const Image& image);
  /// The block begins again as another one. Only a few special registers change.
  void restart() {
    // Its block has result to its end: it stands as it began.
    if (!running || alive != born) return begin();
    if (frame->code->block_specials) set_block_specials(*frame);
    frame->dynamic_bytes = 0;
    at = spins = 0;
  }
  void load(const Split& split);     // makes it the running split
  [[nodiscard]] Split save() const;  // the running split as a value
  bool resume();                     // makes a ready split the running one; false: none is ready
  void diverge(std::uint32_t taken, std::uint32_t target, std::uint32_t reconverge);
  void arrive();                                   // the running split has reached its reconvergence point
  [[nodiscard]] bool waits_for_own_lanes() const;  // all its waiting splits wait at *_sync calls
  bool release_parked();                           // splits that wait at reconvergence points go on; false: none waited
  void exit_lanes(std::uint32_t gone);             // lanes of the running split end
  void exit_whole();                               // all its lanes end in the kernel itself; the caller tells the block
  void call(const Code& callee, const Inst& at_call, const Extra& extra);
  [[nodiscard]] bool grow_local(std::uint32_t needed);  // bytes a lane; false: no room, this warp has stopped
  void reserve_local(std::uint32_t needed);
  void stop_here();     // before the present instruction
  void return_lanes();  // `ret` of the running split
  [[nodiscard]] bool finished() const { return alive == 0; }
  [[nodiscard]] bool is_small() const;  // it has one frame, and that is small
  void wait_as_split();                 // moves the state of a warp that waits whole into a Split

  void bind();  // sets rows and insts from `frame`
 private:
  void begin();
  void set_specials(Frame& of_frame);
  void set_block_specials(Frame& of_frame);  // those that differ from block to block
  Frame* new_frame(const Code& code, Frame* caller, const Inst* call_site);
  void drop_frame(Frame* frame);
  void wake_if_complete(std::int32_t point);
  void end_running();
  [[nodiscard]] std::int32_t new_point(Frame* at_frame, std::uint32_t at_inst, std::uint32_t expected, std::int32_t parent);
};

}  // namespace warpbook::gpu::vm
