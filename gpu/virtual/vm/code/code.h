// Code: a PTX function as the vm executes it. Every operand is a row of 32 lanes in the warp's frame: a register, a constant (an
// immediate or an address, copied into all 32 lanes beforehand) or a special register. So an instruction is a handler and a few
// byte offsets. A predicate's row is one 32-bit mask, a bit a lane.
//
// decode.h makes an Image: the Code of every function that a kernel can reach.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/virtual/ptx/module.h"
#include "gpu/virtual/vm/analysis/alias_analysis.h"
#include "gpu/virtual/vm/observer.h"

namespace warpbook::gpu::vm {

struct Code;
struct Inst;
struct Lockstep;
class NativeCode;
struct Warp;
using Handler = void (*)(Warp&, const Inst&);
using LockstepHandler = void (*)(const Lockstep&, const Inst&);  // the same for all warps in lockstep (exec/lockstep.h)

/// Where a row begins: bytes from the beginning of the frame.
struct Row {
  std::uint32_t offset = 0;
};

inline constexpr std::uint32_t lanes = 32;

/// What an instruction may do to the warp's program counter, its lanes and its state.
enum class Flow : std::uint8_t {
  plain,    // nothing: the next instruction follows, unless this one faults
  point,    // a reconvergence point
  branch,   // `@p bra`
  skip,     // `@p bra` over a few plain instructions to their reconvergence point. The warp does not diverge: lanes that jump are
            // masked off while the others execute these instructions
  barrier,  // `bar.sync` of the whole block
  end,      // `ret` or `exit` without a guard
  other
};

/// The native code that begins at an instruction (exec/native_code.h).
struct Native {
  using Run = std::uint32_t (*)(Warp*);  // returns how many instructions it executed: fewer than it has where a handler must go on
  Run full = nullptr, part = nullptr;    // for warps of which all 32 lanes execute; for other warps
  std::uint32_t full_count = 0, part_count = 0;
};

/// What is known of a load's or store's addresses beyond the instruction (analysis/block_invariants.h).
enum class Addressing : std::uint8_t {
  any,
  indexed,  // see Inst::scale
  uniform,  // not shared memory; all lanes use one address
  fixed     // shared memory, and the same addresses in every block: they are examined once a warp; row c keeps the FixedShape
};

/// One decoded instruction.
struct Inst {
  Handler handler = nullptr;              // what the warp calls
  Handler inner = nullptr;                // of a guarded instruction: the handler without its guard
  LockstepHandler in_lockstep = nullptr;  // may be missing; guarded instructions have none
  Row d, d2, a, b, c;        // destinations and sources; their meaning depends on the opcode. d2 of a load: NativeStretch::prefetch
  Row guard;                 // the predicate of `@p`
  std::uint32_t target = 0;  // of a branch: index in Code::insts
  std::uint32_t reconverge = 0;           // of a branch: index of its reconvergence point, end_of_function or no_reconvergence
  std::int64_t offset = 0;                // memory: added to the address
  std::uint32_t extra = 0;                // index into Code::extras, for what does not fit here
  std::uint32_t cache = 0;                // memory: index into Worker::extents, the allocation that it accessed last
  std::uint32_t pc = 0;                   // index in Function::code
  std::uint32_t first_pc = 0;             // of the hoisted instructions directly before this one; pc where none was hoisted
  std::uint32_t inactive_lanes_dead = 0;  // all ones: nobody reads the old values of lanes that do not execute, so that the handler
                                          // may overwrite all 32 lanes; else 0
  std::uint8_t bytes = 0;                 // memory: of one element
  std::uint8_t scale = 0;                 // memory: where not 0, the address is row a plus this times the 32-bit row c
  bool index_signed = false;              // … and row c is sign-extended
  bool guard_negated = false;
  bool address32 = false;                // memory: the address register has 32 bits
  bool frame_relative = false;           // memory: offset counts from where the frame's local memory begins
  bool a_negated = false;                // a predicate source that is written "!%p"
  bool only_reads_shared_after = false;  // of a barrier: see analysis/barrier_intervals.h
  bool spin_loop = false;                // of a branch: back to the start of a loop that may wait for another thread
  bool lockstep_any_mask = false;        // in_lockstep also serves warps of which only some lanes execute
  bool reports_itself = false;           // it reports what it changes when that happens (exec/changes.h)
  bool pseudo = false;                   // not an instruction of the program: a reconvergence point, the implicit ret
  Flow flow = Flow::plain;
  Addressing addressing = Addressing::any;
  const ptx::Instruction* ptx = nullptr;
  const Native* native = nullptr;  // read it by native_at(): it may be set while warps run
};

/// How much of a warp's slice (Worker::slice) a backward jump over `over` instructions uses up. The slice stands for time, so long
/// loops cost more, and a loop that may wait for a thread which is not running costs much.
[[nodiscard]] inline std::int32_t fuel_of(const Inst& branch, std::size_t over) {
  constexpr std::size_t short_loop = 64, most = 1024;
  return (branch.spin_loop ? 128 : 1) + static_cast<std::int32_t>(std::min(over / short_loop, most));
}

inline constexpr std::uint32_t end_of_function = 0xfffffffeu;
inline constexpr std::uint32_t no_reconvergence = 0xffffffffu;

/// The parts of an instruction that few instructions have.
struct Extra {
  std::vector<Row> rows;                // elements of a vector operand; a call's register arguments
  std::vector<std::uint8_t> row_bytes;  // width of each row's register; 0 for `_`, which drops the value
  const Code* callee = nullptr;         // of a direct call
  enum class Builtin : std::uint8_t { none, vprintf, assertfail, malloc, free } builtin = Builtin::none;
  struct Copy {  // one of a call's arguments or results: bytes of the frames' local memory, or a row
    bool is_row = false;
    Row row;
    std::uint32_t here = 0, there = 0, bytes = 0;  // offsets in the caller's and in the callee's frame
  };
  std::vector<Copy> arguments, results;
  std::vector<std::uint32_t> targets;        // brx.idx
  std::vector<std::uint16_t> reads, writes;  // register indices, for the clock schedule's scoreboard
};

struct Code {
  const ptx::Function* function = nullptr;
  std::vector<Inst> insts;
  std::vector<Extra> extras;              // [0] is empty
  std::vector<std::uint32_t> scoreboard;  // by inst: index into extras of its reads and writes
  // A frame's rows: first the registers, then the rows that are filled before the first instruction: constants, whose values are in
  // `constants`, and special registers, which the warp fills in.
  std::uint32_t register_bytes = 0;
  std::vector<Row> registers;  // by Function::registers
  std::vector<std::byte> constants;
  std::vector<std::pair<ptx::Special, Row>> specials;  // 32-bit lanes
  std::uint32_t block_specials = 0;                    // the first so many specials differ from block to block
  // The hoisted instructions: their results depend on nothing but the launch and the thread's place in its block. A warp executes
  // them once, not once a block.
  std::vector<Inst> prologue;
  std::uint32_t frame_bytes = 0;                 // a lane's local memory: .local variables, .param variables, parameters
  std::uint32_t frame_align = 16;                // of the frame within the lane's local memory
  std::vector<std::uint32_t> parameter_offsets;  // in the frame; of the kernel: in the parameter buffer
  std::uint32_t parameter_bytes = 0;             // kernel only
  std::vector<std::uint32_t> last_use;           // by register: BlockInvariants::last_use
  std::vector<bool> uniform;                     // by register: equal in all lanes
};

/// What the choice of a handler depends on besides the instruction: the widths of its registers, in bytes.
struct Widths {
  std::uint8_t d = 0, a = 0;
};

/// What was found out about the addresses of an Addressing::fixed request.
struct FixedShape {
  enum class Kind : std::uint8_t {
    groups_consecutive,  // all lanes; in each group of eight, consecutive elements
    groups_same,         // all lanes; in each group of eight, one element
    few,                 // at most eight lanes execute
    scattered            // all lanes, in no such order: the handler has to examine the addresses each time
  };
  std::uint32_t at[lanes / 4];   // offset of each group's first lane, or of each of the few lanes
  std::uint8_t lane[lanes / 4];  // the few lanes
  std::uint32_t exec;            // the lanes that executed when this was found out; 0: not yet
  Kind kind;
  std::uint8_t unused[19];
};
static_assert(sizeof(FixedShape) == 64);

/// The bytes of a block's shared memory that belong to the system from sm_80 on. Cooperative groups use them.
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

/// Where module variables lie, and what the launch fixes.
struct Layout {
  std::vector<std::uint64_t> globals;  // by Module::globals: guest address; of shared variables: offset in shared memory
  std::vector<std::vector<std::uint64_t>> function_shared;  // by function, by Function::variables: offset in shared memory
  std::uint64_t parameters = 0;                             // guest address of the kernel's parameters (a read-only allocation)
  std::uint32_t static_shared_bytes = 0, dynamic_shared_offset = 0;
  bool uses_reserved_shared = false;  // %reserved_smem_offset_…
  std::vector<SharedVariable> shared_variables;
};

/// Instruction sets of the host that the handlers are built for.
enum class InstructionSet { generic, avx2, avx512 };

/// How memory instructions behave.
enum class Mode {
  fast,      // access memory
  observed,  // … and report it to the observer
  recorded,  // … lane by lane, so that every change can be reported
  clocked    // hand the request to the clock, which performs it later
};

struct Image {
  std::vector<std::unique_ptr<Code>> codes;  // by Module::functions; nullptr where the kernel does not reach
  const Code* kernel = nullptr;
  Layout layout;
  std::uint32_t cache_count = 0;            // how many Inst::cache all its codes use
  bool may_delay_adds = false;              // analysis/atomics.h
  bool may_run_in_lockstep = false;         // analysis/barrier_intervals.h: barriers_separate_shared_accesses()
  PointsTo stored, accessed;                // Mode::observed only: stored_places(), plainly_accessed_places()
  std::shared_ptr<NativeCode> native;       // may be empty
  std::optional<std::size_t> longest_path;  // the most instructions that a warp can execute; empty where it jumps back or calls
};

[[nodiscard]] inline std::uint32_t align_up(std::uint64_t value, std::uint32_t to) {
  return static_cast<std::uint32_t>((value + to - 1) / to * to);
}

/// Offsets of the shared variables that `kernel` reaches: static ones first, dynamic ones at the end.
[[nodiscard]] Layout lay_out_shared(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace warpbook::gpu::vm
