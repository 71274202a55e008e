// Code: a function decoded for execution. Every operand is a row of 32 lanes in the frame: a register, a constant (immediates and
// addresses are spread over 32 lanes once), or a special register. So an instruction is a handler and a few byte offsets.
//
//     Result<Image> image = decode(module, addresses, kernel);   // all functions that the kernel reaches
//
// Predicates are one 32-bit mask each, a bit a lane.
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
#include "gpu/virtual/vm/observer.h"
#include "gpu/virtual/vm/stored_to.h"

namespace warpbook::gpu::vm {

struct Warp;
struct Inst;
class NativeCode;
struct March;
using Handler = void (*)(Warp&, const Inst&);
using Together = void (*)(const March&, const Inst&);  // the same for all warps that march (march.h)

/// Bytes from the frame's beginning.
struct Row {
  std::uint32_t offset = 0;
};

inline constexpr std::uint32_t lanes = 32;

/// What an instruction may do to the warp's program counter, lanes and state.
enum class Flow : std::uint8_t {
  plain,    // nothing: the next one follows, unless it faults
  point,    // a reconvergence point
  branch,   // `@p bra`
  over,     // `@p bra` over a few plain instructions, to where all meet: who jumps just does not execute them
  barrier,  // `bar.sync` of the whole block
  end,      // `ret` or `exit`, unguarded
  other
};

/// What begins at an instruction as the host's own code (native.h).
struct Native {
  using Run = std::uint32_t (*)(Warp*);  // says how many instructions it has executed: fewer where one is not straight
  Run full = nullptr, part = nullptr;    // where all 32 lanes execute; where some do
  std::uint32_t full_count = 0, part_count = 0;
};

/// How a load or store comes by its addresses, where more is known than the instruction says (simplify.h).
enum class Addressing : std::uint8_t {
  any,
  indexed,  // Inst::scale
  uniform,  // not shared memory; one address for all lanes
  fixed     // into shared memory, the same in every block: looked at once a warp, and noted in row c, a FixedShape
};

/// One decoded instruction.
struct Inst {
  Handler handler = nullptr;    // what the warp calls
  Handler inner = nullptr;      // behind a guard
  Together together = nullptr;  // where there is one; never behind a guard
  Row d, d2, a, b, c;           // destinations and sources; meaning by opcode. d2 of a load: native code's, NativeStretch::prefetch
  Row guard;                    // predicate of `@p`
  std::uint32_t target = 0;     // branch: index in Code::insts
  std::uint32_t reconverge = 0;  // branch: index of its reconvergence point, end_of_function, or no_reconvergence
  std::int64_t offset = 0;       // memory: added to the address
  std::uint32_t extra = 0;       // index into Code::extras: what does not fit here
  std::uint32_t cache = 0;       // memory: which remembered extent of the worker it uses
  std::uint32_t pc = 0;          // index in Function::code
  std::uint32_t first_pc = 0;    // of the instructions directly before it that were hoisted; pc where none was
  std::uint32_t whole = 0;       // all ones: nobody misses what its registers held in lanes that do not execute
  std::uint8_t bytes = 0;        // memory: of one element
  std::uint8_t scale = 0;        // memory: not 0: the address is row a, plus this times the 32-bit row c
  bool index_signed = false;     // … c is extended with its sign
  bool guard_negated = false;
  bool address32 = false;          // memory: the address register has 32 bits
  bool frame_relative = false;     // memory: offset counts from the frame's piece of local memory
  bool a_negated = false;          // a predicate source written "!%p"
  bool reads_only_behind = false;  // a barrier: march.h
  bool polls = false;              // branch: back to the start of a loop that may wait for others (polls.h)
  bool together_in_part = false;   // `together` also serves warps of which only some lanes execute
  bool pseudo = false;             // not an instruction of the program: reconvergence points, the implicit ret
  Flow flow = Flow::plain;
  Addressing addressing = Addressing::any;
  const ptx::Instruction* ptx = nullptr;
  const Native* native = nullptr;  // read by native_at(), since it may come while others run
};

/// What a jump backwards over so many instructions takes from a slice, which stands for a time: much of a long loop, and where it may
/// wait for somebody who is not running.
[[nodiscard]] inline std::int32_t fuel_of(const Inst& branch, std::size_t over) {
  constexpr std::size_t short_loop = 64, most = 1024;
  return (branch.polls ? 128 : 1) + static_cast<std::int32_t>(std::min(over / short_loop, most));
}

inline constexpr std::uint32_t end_of_function = 0xfffffffeu;
inline constexpr std::uint32_t no_reconvergence = 0xffffffffu;

struct Code;

/// The rare parts of an instruction.
struct Extra {
  std::vector<Row> rows;                // vector elements; a call's register arguments …
  std::vector<std::uint8_t> row_bytes;  // width of each row's register, 0 for a sink
  const Code* callee = nullptr;         // direct calls
  enum class Builtin : std::uint8_t { none, vprintf, assertfail, malloc, free } builtin = Builtin::none;
  struct Copy {  // a call's arguments and results: frame-local bytes, or a row
    bool is_row = false;
    Row row;
    std::uint32_t here = 0, there = 0, bytes = 0;  // offsets in the caller's and the callee's frame
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
  // A frame: registers, then rows that are there before the first instruction: constants, with their values in `constants`, and
  // special registers, which the warp fills in.
  std::uint32_t register_bytes = 0;
  std::vector<Row> registers;  // by Function::registers
  std::vector<std::byte> constants;
  std::vector<std::pair<ptx::Special, Row>> specials;  // 32-bit lanes
  std::uint32_t block_specials = 0;                    // so many, the first, differ from block to block
  // What depends on nothing but the launch and the thread's place in its block: executed once a warp, not once a block.
  std::vector<Inst> prologue;
  std::uint32_t frame_bytes = 0;                 // per lane: .local variables, .param variables, parameters
  std::uint32_t frame_align = 16;                // of its place in the lane's local memory
  std::vector<std::uint32_t> parameter_offsets;  // in the frame; of the kernel: in the parameter buffer
  std::uint32_t parameter_bytes = 0;             // kernel only
  // By register: the pc of the last instruction that reads what it holds, ptx::no_pc where that is not known; equal in all lanes.
  std::vector<std::uint32_t> last_use;
  std::vector<bool> uniform;
};

/// What the choice of a handler depends on besides the instruction: widths of its registers, in bytes.
struct Widths {
  std::uint8_t d = 0, a = 0;
};

/// What was seen of a fixed request: of all lanes, eight at consecutive addresses, or at one, in each group; or of few lanes;
/// scattered: all lanes were there, and the handlers have to look each time.
struct FixedShape {
  enum class Kind : std::uint8_t { groups_consecutive, groups_same, few, scattered };
  std::uint32_t at[lanes / 4];  // of each group's first lane; of each of the few
  std::uint8_t lane[lanes / 4];
  std::uint32_t exec;  // the lanes it was seen with; 0: not seen
  Kind kind;
  std::uint8_t unused[19];
};
static_assert(sizeof(FixedShape) == 64);

/// Shared memory of a block that belongs to the system from sm_80 on; cooperative groups' tiles of several warps meet there.
inline constexpr std::uint32_t reserved_shared_bytes = 1024;

/// Where module variables lie and what the launch fixes.
struct Layout {
  std::vector<std::uint64_t> globals;  // by Module::globals: guest address; shared ones: offset in shared memory
  std::vector<std::vector<std::uint64_t>> function_shared;  // by function, by Function::variables: offset in shared memory
  std::uint64_t parameters = 0;                             // guest address of the kernel's parameters (a read-only allocation)
  std::uint32_t static_shared_bytes = 0, dynamic_shared_offset = 0;
  bool uses_reserved_shared = false;  // %reserved_smem_offset_…
  std::vector<SharedVariable> shared_variables;
};

/// Instruction sets that the handlers are built for.
enum class InstructionSet { generic, avx2, avx512 };
/// The widest that the host has, or that WARPBOOK_INSTRUCTION_SET allows: generic, avx2 (native-avx2, interpreted-avx2: native.h),
/// avx512. (Tests and measurements.)
[[nodiscard]] InstructionSet best_instruction_set();

/// How memory instructions behave: straight, with events for an observer, lane by lane so that changes can be told, or deferred by
/// the clock.
enum class Mode { fast, observed, recorded, clocked };

struct Image {
  std::vector<std::unique_ptr<Code>> codes;  // by Module::functions; nullptr where the kernel does not reach
  const Code* kernel = nullptr;
  Layout layout;
  std::uint32_t cache_count = 0;            // Inst::cache of all its codes
  bool may_delay_adds = false;              // atomics.h
  bool may_march = false;                   // march.h
  StoredTo stored_to, touched;              // observed only: stored_to.h
  std::shared_ptr<NativeCode> native;       // where there may be native code: native.h
  std::optional<std::size_t> longest_path;  // instructions that a warp executes at most; empty: it jumps back or calls
};

[[nodiscard]] inline std::uint32_t align_up(std::uint64_t value, std::uint32_t to) {
  return static_cast<std::uint32_t>((value + to - 1) / to * to);
}

/// Functions that `kernel` can reach, itself first, by index. An indirect call can reach every function with a body.
[[nodiscard]] std::vector<std::uint32_t> reachable(const ptx::Module& module, const ptx::Function& kernel);

/// Offsets of shared variables that `kernel` reaches, static ones first, dynamic ones at the end.
[[nodiscard]] Layout lay_out_shared(const ptx::Module& module, const ptx::Function& kernel);

/// Decodes `kernel` and everything it can call. Errors: an instruction the vm cannot execute, by name and source line.
[[nodiscard]] Result<Image> decode(const ptx::Module& module, const ptx::Function& kernel, Layout layout, Mode mode,
                                   InstructionSet set);

}  // namespace warpbook::gpu::vm
