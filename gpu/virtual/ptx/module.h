// Module: PTX text, decoded. What the parser produces, control_flow completes, and the vm and the printer read.
//
//     Result<Module> module = parse(ptx_text);        // parser.h; runs control_flow
//     const Function* kernel = module->find("add");
//     for (const Instruction& i : kernel->code) …
//
// Everything is resolved: registers, labels and symbols are indices, never names to look up. An unknown opcode, modifier or
// combination is an error here, by name and PTX line, never a wrong answer later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"

namespace warpbook::gpu::ptx {

/// Generated from opcodes.def, the one table: a row gives spelling, operand shape, allowed types, allowed modifiers, effect.
enum class Opcode : std::uint16_t {
#define WARPBOOK_OPCODE(id, ...) id,
#include "gpu/virtual/ptx/opcodes.def"
#undef WARPBOOK_OPCODE
};

enum class Type : std::uint8_t {
  none, pred, b8, b16, b32, b64, b128, u8, u16, u32, u64, s8, s16, s32, s64, f16, f16x2, bf16, bf16x2, f32, f64,
  u16x2, s16x2, e4m3x2, e5m2x2, tf32  // 8-bit floats and tf32 are held in untyped registers
};
[[nodiscard]] unsigned bytes_of(Type type);  // of one element; pred: 4, none: 0
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_signed(Type type);     // s8 … s64
[[nodiscard]] std::string_view name_of(Type type);

enum class Space : std::uint8_t { generic, reg, sreg, constant, global, local, param, shared };
[[nodiscard]] std::string_view name_of(Space space);

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };
enum class Compare : std::uint8_t { none, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Boolean : std::uint8_t { none, and_, or_, xor_ };                     // setp.and, set.or …; red/vote see below
enum class Part : std::uint8_t { none, lo, hi, wide };                           // mul.lo / .hi / .wide
enum class AtomicOp : std::uint8_t { none, add, min, max, inc, dec, and_, or_, xor_, exch, cas };
enum class Order : std::uint8_t { weak, volatile_, relaxed, acquire, release, acq_rel, sc, mmio };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };
enum class Shuffle : std::uint8_t { none, up, down, bfly, idx };
enum class Vote : std::uint8_t { none, all, any, uni, ballot };
enum class Barrier : std::uint8_t { none, sync, arrive, red_popc, red_and, red_or };
enum class Prmt : std::uint8_t { none, f4e, b4e, rc8, ecl, ecr, rc16 };
/// Part of a copy that goes on while its thread does (cp.async and its like), by what ends it: waiting for the thread's groups of
/// copies, for its groups of bulk copies, or at an mbarrier that counts bytes. The last two tell an mbarrier: that a copy of the
/// third kind has come, and (cp.async.mbarrier.arrive) to watch the thread's copies of the first.
enum class Copy : std::uint8_t { none, group, bulk_group, counted, has_come, arrives };
/// How a texture or surface is laid out, and so which coordinates it takes: of array_1d and array_2d the first is the layer.
enum class Geometry : std::uint8_t { none, d1, d2, d3, array_1d, array_2d, cube, array_cube };
/// What a surface access beyond the edge does: it faults, it means the edge, or it reads 0 and stores nothing.
enum class Edge : std::uint8_t { none, trap, clamp, zero };
enum class TestP : std::uint8_t { none, finite, infinite, number, notanumber, normal, subnormal };

enum class Special : std::uint8_t {
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, nwarpid, smid, nsmid, gridid_lo, lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi, dynamic_smem_size, total_smem_size,
  aggr_smem_size, reserved_smem_begin, reserved_smem_end, reserved_smem_cap, reserved_smem_1,  // memory of the system's own
  graph_exec,                 // never: a launch is no node of a graph
  cluster_zero, cluster_one,  // a block is a cluster of its own: its rank and position, its extent
  workspace_high, workspace_low,  // %envreg1 and 2: where a cooperative launch counts
  envreg
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    reg,        // index: Function::registers
    immediate,  // bits: integers sign-extended to 64 bits; floats as IEEE bits of `type` (f32: low 32)
    special,    // special
    address,    // a memory operand [base + offset]: base is base_kind reg/variable/none, see below
    variable,   // the address of a variable as a value (mov.u64 %rd1, name;)
    function,   // index: Module::functions (call target, or its address)
    label,      // index: instruction within the function's code; brx's second: Function::branch_targets
    vector,     // elements: {%r1, %r2, _}
    sink        // "_"
  };
  Kind kind = Kind::none;
  Type type = Type::none;                // a register's declared type; an immediate's type as written (s64/u64/f32/f64)
  bool negated = false;                  // "!%p1"
  std::uint32_t index = 0;
  std::uint64_t bits = 0;                // of a register: which parts a video instruction takes, vm/ops/video.h; 0: the default
  Special special = Special::tid_x;
  std::int64_t offset = 0;               // address, variable: added bytes
  enum class Base : std::uint8_t { none, reg, variable } base = Base::none;  // address only; none: absolute
  struct VariableRef {
    enum class Where : std::uint8_t { module, function, parameter, result } where = Where::module;
    std::uint32_t index = 0;             // Module::globals, Function::variables, Function::parameters, Function::results
    friend bool operator==(const VariableRef&, const VariableRef&) = default;
  } variable;
  std::vector<Operand> elements;

  friend bool operator==(const Operand&, const Operand&) = default;
};

/// One PTX instruction, all modifiers decoded. Fields that its opcode does not use stay at their defaults.
struct Instruction {
  Opcode op{};
  Type type = Type::none;                // the first type suffix: result's (cvt, set), the operation's otherwise
  Type type2 = Type::none;               // the second: source's (cvt, set, slct, dp4a …)
  Type type3 = Type::none;               // the third: the second source's (video instructions)
  Space space = Space::generic;          // ld, st, atom, red, cvta, isspacep, prefetch
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Boolean boolean = Boolean::none;
  Part part = Part::none;
  AtomicOp atomic = AtomicOp::none;
  Order order = Order::weak;
  Scope scope = Scope::none;
  Shuffle shuffle = Shuffle::none;
  Vote vote = Vote::none;                // vote, also match.any/.all (any/all)
  Barrier barrier = Barrier::none;
  Prmt prmt = Prmt::none;
  TestP testp = TestP::none;
  Geometry geometry = Geometry::none;    // tex, suld, sust
  Edge edge = Edge::none;                // suld, sust
  std::uint8_t vector = 1;               // 1, 2, 4, 8
  bool ftz = false, sat = false, approx = false, full = false, carry_out = false /* .cc */, abs = false, nan = false, xorsign = false;
  bool uniform = false;                  // .uni
  bool to = false;                       // cvta.to
  bool clamp = false, wrap = false;      // shf
  bool shiftamt = false;                 // bfind
  bool relu = false, noftz = false;
  bool non_coherent = false;             // ld.global.nc
  bool aligned = false;                  // bar/barrier.aligned; bar implies it
  Copy copy = Copy::none;

  bool guarded = false, guard_negated = false;
  std::uint32_t guard = 0;               // register index of the predicate
  void guard_as(const Instruction& other) {
    guarded = other.guarded, guard_negated = other.guard_negated, guard = other.guard;
  }

  // In PTX's order. Destinations first: `destinations` of them. call: results, then target, then arguments
  // (as operands of kind variable/reg/immediate), then for an indirect call the prototype's label is dropped.
  std::vector<Operand> operands;
  std::uint8_t destinations = 0;
  std::uint8_t call_results = 0;         // call: operands[0 … call_results) are results, operands[call_results] the target
  bool second_destination = false;       // setp %p|%q, shfl d|p, match d|p: operands[1] is the second destination

  // .loc: 1-based, 0 where there is none. Of inlined code, the innermost position in the learner's own file.
  std::uint32_t file = 0;                // index: Module::files
  std::uint32_t line = 0, column = 0;
  bool in_toolkit = false;               // inlined there from a header of the toolkit
  std::uint32_t ptx_line = 0;            // 1-based line of the PTX text, for messages

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Register {
  std::string name;                      // "%r1"
  Type type = Type::none;

  friend bool operator==(const Register&, const Register&) = default;
};

/// A piece of memory with a name: module scope (.global, .const, .shared), function scope (.local, .shared, .param), parameters.
struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::none;                // element type; b8 for structs and untyped arrays
  std::uint32_t align = 1;               // bytes
  std::uint64_t size = 0;                // bytes, all elements; 0 for `.extern .shared name[]` (dynamic)
  bool is_extern = false;
  bool is_pointer = false;               // .ptr parameter
  std::vector<std::byte> initial;        // empty, or `size` bytes
  struct Relocation {                    // the address of a variable or function stored at `offset` of `initial`
    std::uint64_t offset = 0;
    bool function = false;
    std::uint32_t index = 0;             // Module::globals or Module::functions
    std::int64_t addend = 0;
    bool generic = false;                // generic(name)
    std::uint8_t bytes = 8;
    friend bool operator==(const Relocation&, const Relocation&) = default;
  };
  std::vector<Relocation> relocations;

  friend bool operator==(const Variable&, const Variable&) = default;
};

inline constexpr std::uint32_t no_pc = 0xffffffffu;

struct Function {
  std::string name;
  bool entry = false;                    // a kernel
  bool declaration = false;              // .extern .func without a body: vprintf, __assertfail, malloc, free …
  std::vector<Variable> parameters, results;
  std::vector<Variable> variables;       // .local, .shared and call-sequence .param variables of the body, scopes flattened
  std::vector<Register> registers;
  std::vector<Instruction> code;         // labels removed; the end of code is an implicit ret
  std::vector<std::vector<std::uint32_t>> branch_targets;  // for brx.idx: operands' label tables by index
  std::uint32_t max_threads = 0;         // .maxntid, product; 0: not given
  std::uint32_t required_threads = 0;    // .reqntid
  std::uint32_t cluster_blocks = 0;      // .reqnctapercluster, product

  // Filled by control_flow. All have code.size() entries.
  std::vector<std::uint32_t> reconverge;      // of a branch (bra, brx): first pc of its immediate post-dominator; code.size(): the
                                              // function's end; no_pc: not a branch
  std::vector<std::uint8_t> is_reconvergence; // 1 at a pc that is some divergent-capable branch's reconvergence point
  std::vector<std::uint8_t> is_leader;        // 1 at the first pc of a basic block
  std::vector<std::uint8_t> is_uniform;       // 1 where a branch is provably block-uniform (.uni, unguarded, or uniform predicate)
};

struct Module {
  std::string version, target;           // "9.0", "sm_75"
  unsigned address_size = 64;
  std::vector<std::string> files;        // by .file number; [0] unused
  std::vector<Variable> globals;
  std::vector<Function> functions;

  [[nodiscard]] const Function* find(std::string_view name) const {
    for (const Function& function : functions)
      if (function.name == name) return &function;
    return nullptr;
  }
};

/// Does any of its functions copy asynchronously?
[[nodiscard]] bool copies_asynchronously(const Module& module);
/// Was it compiled for an architecture before 8.0 from a source that asks the toolkit for asynchronous copies? There they are loads
/// and stores, and the waits for them are nothing.
[[nodiscard]] bool lost_copies(const Module& module);

}  // namespace warpbook::gpu::ptx
