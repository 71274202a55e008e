#include "gpu/virtual/vm/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "gpu/demangle.h"
#include "gpu/shown_text.h"
#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/analysis/atomics.h"
#include "gpu/virtual/vm/analysis/barrier_intervals.h"
#include "gpu/virtual/vm/analysis/block_invariants.h"
#include "gpu/virtual/vm/analysis/call_graph.h"
#include "gpu/virtual/vm/analysis/spin_loops.h"
#include "gpu/virtual/vm/clock/instruction_order.h"
#include "gpu/virtual/vm/code/frame_rows.h"
#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/warp_sync.h"
#include "gpu/virtual/vm/lanes/handlers.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Module;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using ptx::Variable;

/// Of a function without a body: what the device brings along, as a GPU does.
Extra::Builtin builtin_of(const Function& function) {
  using Builtin = Extra::Builtin;
  return function.name == "vprintf"        ? Builtin::vprintf
         : function.name == "__assertfail" ? Builtin::assertfail
         : function.name == "malloc"       ? Builtin::malloc
         : function.name == "free"         ? Builtin::free
                                           : Builtin::none;
}

tl::unexpected<Error> undefined(const Instruction& inst, const Function& callee) {
  return failure(
      "cudaErrorInvalidPtx",
      fmt::format("{} {} {} {}, which is declared but nowhere defined. Give it a body in this file; beside such functions, "
                  "kernels can call printf, assert, malloc and free.",
                  inst.line ? "Line" : "PTX line", inst.line ? inst.line : inst.ptx_line,
                  inst.op == Opcode::call ? "calls" : "takes the address of",
                  cut(demangled(callee.name).value_or(callee.name), 120)));
}

/// A GPU does not load a module that names a function without a body, whether a kernel comes there or not.
Result<void> all_defined(const Module& module) {
  for (const Function& function : module.functions)
    for (const Instruction& inst : function.code)
      for (const Operand& operand : inst.operands) {
        if (operand.kind != Operand::Kind::function) continue;
        const Function& named = module.functions[operand.index];
        if (named.declaration && builtin_of(named) == Extra::Builtin::none) return undefined(inst, named);
      }
  return {};
}

/// Bytes that an instruction expects of a source operand, counted from the first source. Registers bring their own width;
/// this is for immediates and special registers.
unsigned source_bytes(const Instruction& inst, std::size_t source) {
  const unsigned whole = ptx::bytes_of(inst.type);
  switch (inst.op) {
    case Opcode::shl:
    case Opcode::shr:
      return source == 1 ? 4 : whole;
    case Opcode::bfe:
      return source >= 1 ? 4 : whole;
    case Opcode::bfi:
      return source >= 2 ? 4 : whole;
    case Opcode::mad:
      return inst.part == ptx::Part::wide && source == 2 ? 2 * whole : whole;
    case Opcode::cvt:
      return ptx::bytes_of(inst.type2);
    case Opcode::set:
      return source < 2 ? ptx::bytes_of(inst.type2) : 4;
    case Opcode::slct:
      return source == 2 ? 4 : whole;
    case Opcode::shf_l:
    case Opcode::shf_r:
    case Opcode::fns:
    case Opcode::bmsk:
    case Opcode::szext:
    case Opcode::prmt:
    case Opcode::lop3:
    case Opcode::dp4a:
    case Opcode::dp2a:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::bar_warp:
    case Opcode::brx:
    case Opcode::nanosleep:
    case Opcode::vote:
    case Opcode::redux:
    case Opcode::elect:
      return 4;
    case Opcode::shfl:
      return 4;
    case Opcode::match:
      return source == 0 ? whole : 4;
    case Opcode::mapa:
      return source == 0 ? whole : 4;
    case Opcode::cvt_pack:
      return source < 2 ? ptx::bytes_of(inst.type2) : 4;
    case Opcode::alloca:
      return whole;
    default:
      return whole ? whole : 8;
  }
}

class Decoder {
 public:
  /// `copies`: whether any function of the module copies asynchronously.
  Decoder(const Module& module, const Function& function, Image& image, Code& code, Mode mode, InstructionSet set, bool copies)
      : module_(module),
        function_(function),
        image_(image),
        code_(&code),
        omits_instructions_(mode == Mode::fast || mode == Mode::observed),
        invariants_(omits_instructions_ ? find_block_invariants(function) : BlockInvariants{}),
        reads_only_(mode != Mode::observed ? std::vector<bool>{}
                    : copies               ? std::vector<bool>(function.code.size())  // copies pass barriers
                                           : only_reads_shared_after(function)),
        rows_(module, function, image.layout, code, invariants_.row_of),
        mode_(mode),
        set_(set) {}

  Result<void> run() {
    Code& code = *code_;
    code.function = &function_;
    code.extras.emplace_back();
    code.last_use = invariants_.last_use;
    code.uniform = invariants_.uniform;
    // Where each instruction will start, so that branches can be resolved in one pass.
    starts_.resize(function_.code.size() + 1);
    std::uint32_t at = 0;
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
      starts_[pc] = at;
      at += needs_point(pc) + needs_branch_around(function_.code[pc]) + !removed(pc);
    }
    starts_.back() = at;
    code.insts.reserve(at + 1);
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc)
      if (auto done = decode(pc); !done) return done;
    Inst end;
    end.handler = return_handler;
    end.pseudo = true;
    end.flow = Flow::end;
    end.pc = end.first_pc = static_cast<std::uint32_t>(function_.code.size());
    end.ptx = function_.code.empty() ? nullptr : &function_.code.back();
    code.insts.push_back(end);
    code.scoreboard.push_back(0);
    const auto others = std::stable_partition(code.specials.begin(), code.specials.end(), [](const auto& special) {
      using enum ptx::Special;
      return special.first == ctaid_x || special.first == ctaid_y || special.first == ctaid_z || special.first == smid;
    });
    code.block_specials = static_cast<std::uint32_t>(others - code.specials.begin());
    return {};
  }

 private:
  tl::unexpected<Error> unsupported(const Instruction& inst, const std::string& what) const {
    return failure("cudaErrorInvalidPtx", fmt::format("The virtual GPU cannot execute {} (PTX line {}, source line {}) yet.", what,
                                                      inst.ptx_line, inst.line));
  }
  static bool needs_branch_around(const Instruction& inst) {
    // Whoever waits for others must not be taken for lanes whose guard is false.
    const bool waits = ptx::has(inst.op, ptx::trait::meeting) || inst.op == Opcode::bar || inst.op == Opcode::barrier;
    return inst.guarded && (waits || inst.op == Opcode::call || inst.op == Opcode::ret);
  }
  bool needs_point(std::uint32_t pc) const {
    if (function_.is_reconvergence[pc]) return true;
    return pc > 0 && needs_point_after(function_.code[pc - 1]);
  }
  bool needs_point_after(const Instruction& inst) const {
    if (inst.op != Opcode::call) return inst.op != Opcode::ret && needs_branch_around(inst);
    return inst.guarded || inst.operands[inst.call_results].kind != Operand::Kind::function;
  }

  bool hoisted(std::uint32_t pc) const { return omits_instructions_ && invariants_.hoisted[pc]; }
  bool removed(std::uint32_t pc) const { return omits_instructions_ && invariants_.removed[pc]; }

  void note(std::vector<std::uint16_t>& list, const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg))
      list.push_back(static_cast<std::uint16_t>(operand.index));
    for (const Operand& element : operand.elements) note(list, element);
  }
  std::uint32_t scoreboard(const Instruction& inst) {
    Extra extra;
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
      note(i < inst.destinations ? extra.writes : extra.reads, inst.operands[i]);
    if (inst.guarded) extra.reads.push_back(static_cast<std::uint16_t>(inst.guard));
    if (extra.reads.empty() && extra.writes.empty()) return 0;
    code_->extras.push_back(std::move(extra));
    return static_cast<std::uint32_t>(code_->extras.size() - 1);
  }
  void push(const Inst& inst, std::uint32_t scores = 0) {
    code_->insts.push_back(inst);
    code_->scoreboard.push_back(scores);
  }
  std::uint32_t new_extra(Extra extra) {
    code_->extras.push_back(std::move(extra));
    return static_cast<std::uint32_t>(code_->extras.size() - 1);
  }

  Result<void> decode(std::uint32_t pc) {
    const Instruction& inst = function_.code[pc];
    Inst out;
    out.pc = out.first_pc = pc;
    out.ptx = &inst;
    if (needs_point(pc)) {
      Inst point = out;
      point.handler = reconvergence_point;
      point.pseudo = true;
      point.flow = Flow::point;
      push(point);
    }
    if (pc > 0 && removed(pc - 1)) out.first_pc = first_removed_;
    if (inst.guarded) {
      out.guard = rows_.register_row(inst.guard);
      out.guard_negated = inst.guard_negated;
    }
    if (needs_branch_around(inst)) {
      Inst around = out;
      around.handler = branch_around;
      around.target = starts_[pc + 1];
      around.reconverge = inst.op == Opcode::ret ? end() : starts_[pc + 1];
      around.pseudo = true;
      around.flow = Flow::other;
      push(around);
      out.first_pc = pc;
    }
    if (auto done = fill(inst, out); !done) return done;
    if (omits_instructions_ && invariants_.inactive_dead[pc]) {
      out.inactive_lanes_dead = ~0u;
      out.lockstep_any_mask = true;
    }
    out.reports_itself = reports_itself(out);
    if (hoisted(pc)) code_->prologue.push_back(out);
    if (removed(pc)) {
      if (pc == 0 || !removed(pc - 1)) first_removed_ = pc;
      return {};
    }
    const bool own_guard = inst.op == Opcode::bra || inst.op == Opcode::brx || needs_branch_around(inst);
    if (inst.guarded && !own_guard) {
      out.inner = out.handler;
      out.handler = guarded;
      out.in_lockstep = nullptr;
    }
    push(out, scoreboard(inst));
    return {};
  }
  std::uint32_t end() const { return starts_.back(); }

  Result<void> fill(const Instruction& inst, Inst& out) {
    switch (inst.op) {
      case Opcode::bra:
      case Opcode::brx:
        return fill_branch(inst, out);
      case Opcode::call:
        return fill_call(inst, out);
      case Opcode::ld:
      case Opcode::ldu:
      case Opcode::st:
      case Opcode::atom:
      case Opcode::red:
      case Opcode::cp_async:
        return fill_memory(inst, out);
      default:
        return ptx::has(inst.op, ptx::trait::mbarrier) ? fill_mbarrier(inst, out) : fill_plain(inst, out);
    }
  }

  /// Does the memory request, the meeting of lanes, the barrier, or the callee's `ret` report what this instruction changes?
  bool reports_itself(const Inst& out) const {
    const Opcode op = out.ptx->op;
    if (op == Opcode::call) return code_->extras[out.extra].builtin == Extra::Builtin::none;
    return out.handler == general_access || out.handler == deferred_access || ptx::has(op, ptx::trait::meeting) ||
           op == Opcode::bar || op == Opcode::barrier;
  }

  /// A forward jump to where the branch's lanes meet, over one basic block of instructions that never wait.
  bool jumps_over_plain(std::uint32_t pc) const {
    const std::uint32_t target = function_.code[pc].operands[0].index;
    if (target <= pc + 1 || target >= function_.code.size() || target != function_.reconverge[pc]) return false;
    for (std::uint32_t between = pc + 1; between < target; ++between)
      if ((between > pc + 1 && function_.is_leader[between]) || may_wait(function_.code[between])) return false;
    return true;
  }

  Result<void> fill_branch(const Instruction& inst, Inst& out) {
    out.handler = control_handler(inst);
    out.flow = Flow::other;
    const std::uint32_t meets = function_.reconverge[out.pc];
    out.reconverge = meets == ptx::no_pc ? no_reconvergence : meets >= function_.code.size() ? end() : starts_[meets];
    if (inst.op == Opcode::bra) {
      const std::uint32_t target = inst.operands[0].index;
      out.target = starts_[target];
      out.spin_loop = mode_ != Mode::clocked && is_spin_loop(function_, target, out.pc);
      if (inst.guarded) out.flow = omits_instructions_ && jumps_over_plain(out.pc) ? Flow::skip : Flow::branch;
      return {};
    }
    out.a = rows_.row(inst.operands[0], 4, Type::u32);
    Extra extra;
    for (const std::uint32_t target : function_.branch_targets[inst.operands[1].index]) extra.targets.push_back(starts_[target]);
    out.extra = new_extra(std::move(extra));
    return {};
  }

  Result<void> fill_call(const Instruction& inst, Inst& out) {
    const Operand& target = inst.operands[inst.call_results];
    Extra extra;
    const Function* callee = nullptr;
    if (target.kind == Operand::Kind::function) {
      callee = &module_.functions[target.index];
      if (callee->declaration) {
        extra.builtin = builtin_of(*callee);
      } else {
        extra.callee = image_.codes[target.index].get();
      }
    } else {
      out.a = rows_.row(target, 8, Type::u64);
    }
    // Arguments are copied lane by lane into the callee's parameters, which lie first in its frame, in order.
    std::uint32_t there = 0;
    const auto copies = [&](std::size_t first, std::size_t last, std::vector<Extra::Copy>& into,
                            const std::vector<Variable>* formal) {
      for (std::size_t i = first; i < last; ++i) {
        const Operand& operand = inst.operands[i];
        Extra::Copy copy;
        unsigned align = 1;
        if (operand.kind == Operand::Kind::variable) {
          const Variable& variable = function_.variables[operand.variable.index];  // the parser takes no other
          copy.here = static_cast<std::uint32_t>(rows_.address_of(operand));
          copy.bytes = static_cast<std::uint32_t>(variable.size);
          align = std::max(1u, variable.align);
        } else {
          copy.is_row = true;
          const Type type = formal && i - first < formal->size() ? (*formal)[i - first].type : operand.type;
          copy.bytes = operand.kind == Operand::Kind::reg ? rows_.width_of(operand) : std::max(4u, ptx::bytes_of(type));
          copy.row = rows_.row(operand, copy.bytes, type);
          align = copy.bytes;
        }
        if (formal && i - first < formal->size()) align = std::max(1u, (*formal)[i - first].align);
        there = align_up(there, align);
        copy.there = there;
        there += copy.bytes;
        into.push_back(copy);
      }
    };
    const std::size_t arguments = inst.call_results + std::size_t{1};
    copies(arguments, inst.operands.size(), extra.arguments, callee ? &callee->parameters : nullptr);
    copies(0, inst.call_results, extra.results, callee ? &callee->results : nullptr);
    out.handler = extra.builtin != Extra::Builtin::none ? builtin_handler : control_handler(inst);
    out.flow = Flow::other;
    out.extra = new_extra(std::move(extra));
    return {};
  }

  void fill_address(const Operand& operand, Inst& out) {
    if (operand.base == Operand::Base::reg) {
      out.a = rows_.register_row(operand.index);
      out.address32 = rows_.width_of_register(operand.index) == 4;
      out.offset = operand.offset;
    } else if (operand.base == Operand::Base::variable && rows_.in_frame(operand)) {
      out.a = rows_.constant(0, 8);
      out.offset = static_cast<std::int64_t>(rows_.address_of(operand));
      out.frame_relative = true;
    } else {
      const std::uint64_t at =
          operand.base == Operand::Base::variable ? rows_.address_of(operand) : static_cast<std::uint64_t>(operand.offset);
      out.a = rows_.constant(at, 8);
    }
  }

  /// [d,] [address] [, operand]; extra.row_bytes: of d and of the operand, 0 where there is none.
  Result<void> fill_mbarrier(const Instruction& inst, Inst& out) {
    Extra extra;
    extra.row_bytes = {0, 0};
    std::size_t at = 0;
    if (inst.destinations) {
      out.d = rows_.row(inst.operands[0], 0, inst.type);
      extra.row_bytes[0] = rows_.width_of(inst.operands[0]);
      at = 1;
    }
    fill_address(inst.operands[at], out);
    if (++at < inst.operands.size()) {
      const Operand& operand = inst.operands[at];
      extra.row_bytes[1] = operand.kind == Operand::Kind::reg ? rows_.width_of(operand) : 4;
      out.b = rows_.row(operand, extra.row_bytes[1], Type::none);
    }
    out.bytes = 8;
    out.extra = new_extra(std::move(extra));
    out.flow = Flow::other;  // who waits there gives up its turn
    out.handler = mode_ == Mode::clocked ? deferred_access : general_access;
    return {};
  }

  Result<void> fill_memory(const Instruction& inst, Inst& out) {
    const bool store = inst.op == Opcode::st || inst.op == Opcode::red;
    const std::size_t address_at = store || inst.op == Opcode::cp_async ? 0 : 1;
    const Operand& address = inst.operands[address_at];
    out.bytes = static_cast<std::uint8_t>(ptx::bytes_of(inst.type));
    fill_address(address, out);
    Extra extra;
    Widths widths;
    if (inst.op == Opcode::cp_async) {
      Inst from;
      fill_address(inst.operands[1], from);
      out.b = from.a;
      out.address32 = inst.operands[0].base == Operand::Base::reg && rows_.width_of_register(inst.operands[0].index) == 4;
      extra.targets = {static_cast<std::uint32_t>(from.offset), from.address32 ? 1u : 0u,
                       static_cast<std::uint32_t>(inst.operands[2].bits)};
      if (inst.operands.size() > 3) {
        out.c = rows_.row(inst.operands[3], 4, Type::u32);
        extra.targets.push_back(1);
      }
      out.bytes = static_cast<std::uint8_t>(inst.operands[2].bits);
    } else if (inst.vector > 1 && (inst.op == Opcode::atom || inst.op == Opcode::red)) {
      for (const std::size_t operand : {std::size_t{0}, address_at + 1})
        for (std::size_t e = 0; e < inst.vector; ++e) {
          const bool no_result = operand == address_at || inst.operands[operand].kind == Operand::Kind::sink;
          const Operand& element = no_result ? inst.operands[operand] : inst.operands[operand].elements[e];
          const bool written = !no_result && element.kind != Operand::Kind::sink;
          extra.rows.push_back(written ? rows_.row(element, out.bytes, inst.type) : Row{});
          extra.row_bytes.push_back(written ? out.bytes : std::uint8_t{0});
        }
    } else if (inst.op == Opcode::atom || inst.op == Opcode::red) {
      if (inst.op == Opcode::atom &&
          (mode_ == Mode::fast ? is_read(function_, inst.operands[0]) : inst.operands[0].kind == Operand::Kind::reg)) {
        out.d = rows_.row(inst.operands[0], out.bytes, inst.type);
        extra.row_bytes = {rows_.width_of(inst.operands[0])};
      } else {
        extra.row_bytes = {0};
      }
      out.b = rows_.row(inst.operands[address_at + 1], out.bytes, inst.type);
      if (inst.operands.size() > address_at + 2) out.c = rows_.row(inst.operands[address_at + 2], out.bytes, inst.type);
    } else {
      const Operand& data = inst.operands[store ? 1 : 0];
      const bool vector = data.kind == Operand::Kind::vector;
      const std::size_t count = vector ? data.elements.size() : 1;
      for (std::size_t e = 0; e < count; ++e) {
        const Operand& element = vector ? data.elements[e] : data;
        const unsigned bytes = element.kind == Operand::Kind::reg ? rows_.width_of(element) : out.bytes;
        extra.rows.push_back(rows_.row(element, bytes, inst.type));
        extra.row_bytes.push_back(static_cast<std::uint8_t>(element.kind == Operand::Kind::sink ? 0 : bytes));
        if (e > 0 && extra.row_bytes[e] != extra.row_bytes[0]) mixed_ = true;
      }
      (store ? out.b : out.d) = extra.rows[0];
      widths = {extra.row_bytes[0], extra.row_bytes[0]};
    }
    const bool mixed = std::exchange(mixed_, false);
    out.extra = new_extra(std::move(extra));
    out.cache = image_.cache_count++;
    if (reads_own_parameter(function_, inst)) {
      out.offset = static_cast<std::int64_t>(rows_.address_of(address) - image_.layout.parameters);
      out.handler = parameter_load;
      return {};
    }
    Handlers straight;
    if (!mixed && omits_instructions_) {
      const Addressing addressing = out.addressing = choose_addressing(inst, address, out);
      const auto choose = set_ == InstructionSet::avx512 ? avx512::memory_handler
                          : set_ == InstructionSet::avx2 ? avx2::memory_handler
                                                         : generic::memory_handler;
      const bool atomic = inst.op == Opcode::atom || inst.op == Opcode::red;
      if (!atomic) {
        straight = choose(inst, widths, addressing, mode_ == Mode::observed);
      } else if (mode_ != Mode::clocked && inst.vector == 1 && !out.frame_relative && out.bytes <= 8) {
        const auto atomics = set_ == InstructionSet::avx512 ? avx512::atomic_handler
                             : set_ == InstructionSet::avx2 ? avx2::atomic_handler
                                                            : generic::atomic_handler;
        straight = atomics(inst, addressing, adds_unread(function_, inst), mode_ == Mode::observed);
      }
    }
    out.handler = straight ? straight.alone : mode_ == Mode::clocked ? deferred_access : general_access;
    out.in_lockstep = straight.in_lockstep;
    out.lockstep_any_mask = true;  // each warp's lanes are looked at
    return {};
  }

  Addressing choose_addressing(const Instruction& inst, const Operand& address, Inst& out) {
    if (inst.vector != 1 || address.base != Operand::Base::reg) return Addressing::any;
    if (mode_ == Mode::fast && inst.op == Opcode::ld && inst.space != Space::shared) out.d2 = rows_.new_row(1);
    if (const BlockInvariants::Indexed& indexed = invariants_.indexed[out.pc]; indexed.scale) {
      out.a = rows_.register_row(indexed.base);
      out.c = rows_.register_row(indexed.index);
      out.scale = static_cast<std::uint8_t>(indexed.scale);
      out.index_signed = indexed.is_signed;
      return Addressing::indexed;
    }
    const bool plain = inst.op == Opcode::ld || inst.op == Opcode::st;
    if (!plain) return Addressing::any;
    if (inst.space != Space::shared) return invariants_.uniform[address.index] ? Addressing::uniform : Addressing::any;
    if (!invariants_.fixed[address.index]) return Addressing::any;
    out.c = rows_.new_row(sizeof(FixedShape) / lanes);
    return Addressing::fixed;
  }

  Result<void> fill_plain(const Instruction& inst, Inst& out) {
    std::size_t next = 0;
    Widths widths;
    if (inst.destinations > 0) {
      const Operand& d = inst.operands[0];
      if (d.kind == Operand::Kind::vector) {  // mov.b64 {lo, hi}, %rd1
        Extra extra;
        for (const Operand& element : d.elements) {
          extra.rows.push_back(rows_.row(element, rows_.width_of(element), inst.type));
          extra.row_bytes.push_back(rows_.width_of(element));
        }
        out.extra = new_extra(std::move(extra));
      } else {
        out.d = rows_.row(d, 0, inst.type);
        widths.d = rows_.width_of(d);
        out.bytes = d.kind == Operand::Kind::sink ? 0 : 1;  // of setp, shfl …: 0 where the first destination is "_"
      }
      next = 1;
      if (inst.destinations > 1) {
        out.d2 = rows_.row(inst.operands[1], 0, Type::pred);
        next = 2;
      }
    }
    Row* rows[] = {&out.a, &out.b, &out.c};
    Extra extra;
    for (std::size_t s = 0; next + s < inst.operands.size(); ++s) {
      const Operand& operand = inst.operands[next + s];
      if (operand.kind == Operand::Kind::vector) {  // mov.b64 %rd1, {lo, hi}
        const unsigned each = ptx::bytes_of(inst.type) / static_cast<unsigned>(operand.elements.size());
        for (const Operand& element : operand.elements) {
          extra.rows.push_back(rows_.row(element, each, Type::none));
          extra.row_bytes.push_back(static_cast<std::uint8_t>(each));
        }
        continue;
      }
      if (operand.kind == Operand::Kind::address) {
        fill_address(operand, out);
        continue;
      }
      const bool predicate = operand.kind == Operand::Kind::reg ? function_.registers[operand.index].type == Type::pred
                             : inst.op == Opcode::bar || inst.op == Opcode::barrier
                                 ? false  // the barrier's number, the number of threads
                             : inst.op == Opcode::vote ? s == 0
                                                       : inst.type == Type::pred;
      const unsigned bytes = source_bytes(inst, s);
      Type type = inst.op == Opcode::cvt || inst.op == Opcode::set ? inst.type2 : inst.type;
      if (bytes != ptx::bytes_of(type) || (type == Type::pred && !predicate)) type = Type::none;
      const Row source = rows_.row(operand, bytes, predicate ? Type::pred : type);
      if (operand.negated) out.a_negated = true;
      if (s == 0) widths.a = operand.kind == Operand::Kind::reg ? rows_.width_of(operand) : static_cast<std::uint8_t>(bytes);
      if (s < 3)
        *rows[s] = source;
      else
        extra.rows.push_back(source);
      if (inst.op == Opcode::lop3 && operand.kind == Operand::Kind::immediate && s == 3)
        out.offset = static_cast<std::int64_t>(operand.bits);
      if (operand.kind == Operand::Kind::special && bytes != 4 && inst.op == Opcode::mov) widths.a = 4;
    }
    if (!extra.rows.empty()) out.extra = new_extra(std::move(extra));
    // An address in this frame is only known while the warp runs.
    if (inst.op == Opcode::mov && inst.operands.size() > 1 && inst.operands[1].kind == Operand::Kind::variable &&
        rows_.in_frame(inst.operands[1])) {
      out.offset = static_cast<std::int64_t>(rows_.address_of(inst.operands[1]));
      out.bytes = widths.d;
      out.handler = frame_address;
      return {};
    }
    if (inst.op == Opcode::cvta && inst.operands[1].kind == Operand::Kind::variable && rows_.in_frame(inst.operands[1])) {
      out.offset = static_cast<std::int64_t>(rows_.address_of(inst.operands[1]));
      out.bytes = widths.d;
      out.handler = frame_generic_address;
      return {};
    }
    if (inst.op == Opcode::cvt) out.cache = static_cast<std::uint32_t>(widths.d) << 8 | widths.a;
    out.handler = control_handler(inst);
    const bool ends = (inst.op == Opcode::ret || inst.op == Opcode::exit) && !inst.guarded;
    out.flow = !out.handler ? Flow::plain : is_plain_barrier(inst) ? Flow::barrier : ends ? Flow::end : Flow::other;
    out.only_reads_shared_after = mode_ == Mode::observed && reads_only_[out.pc];
    if (!out.handler) out.handler = scalar_handler(inst, widths);
    if (!out.handler) {
      const auto choose = set_ == InstructionSet::avx512 ? avx512::lanewise_handler
                          : set_ == InstructionSet::avx2 ? avx2::lanewise_handler
                                                         : generic::lanewise_handler;
      const Handlers found = choose(inst, widths);
      out.handler = found.alone;
      out.in_lockstep = found.in_lockstep;
    }
    if (!out.handler) return unsupported(inst, fmt::format("'{}' in this form", spelling(inst.op)));
    return {};
  }

  static std::string_view spelling(Opcode op) {
    switch (op) {
#define WARPBOOK_OPCODE(id, text, ...) \
  case Opcode::id:                     \
    return text;
#include "gpu/virtual/ptx/opcodes.def"
#undef WARPBOOK_OPCODE
    }
    return "?";
  }

  const Module& module_;
  const Function& function_;
  Image& image_;
  Code* code_;
  bool omits_instructions_;       // nobody wants to hear of every instruction
  BlockInvariants invariants_;    // empty where nothing is taken out
  std::vector<bool> reads_only_;  // by pc, observed only: only_reads_shared_after()
  FrameRows rows_;
  Mode mode_;
  InstructionSet set_;
  bool mixed_ = false;
  std::uint32_t first_removed_ = 0;
  std::vector<std::uint32_t> starts_;
};

}  // namespace

InstructionSet best_instruction_set() {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const char* const wanted = std::getenv("WARPBOOK_INSTRUCTION_SET");
  const std::string_view at_most = wanted ? wanted : "";
  __builtin_cpu_init();
  if (at_most == "generic") return InstructionSet::generic;
  if (!at_most.ends_with("avx2") && __builtin_cpu_supports("x86-64-v4")) return InstructionSet::avx512;
  if (__builtin_cpu_supports("x86-64-v3")) return InstructionSet::avx2;
#endif
  return InstructionSet::generic;
}

Result<Image> decode(const Module& module, const Function& kernel, Layout layout, Mode mode, InstructionSet set) {
  if (kernel.cluster_blocks > 1)
    return failure(
        "cudaErrorInvalidPtx",
        fmt::format("{} runs in clusters of {} blocks, which the virtual GPU cannot execute: every block is a cluster of its "
                    "own there. Leave out __cluster_dims__, or run it on an NVIDIA GPU.",
                    demangled(kernel.name).value_or(kernel.name), kernel.cluster_blocks));
  if (auto whole = all_defined(module); !whole) return failure(whole.error());
  Image image;
  image.layout = std::move(layout);
  image.codes.resize(module.functions.size());
  const std::vector<std::uint32_t> functions = reachable(module, kernel);
  for (const std::uint32_t f : functions) image.codes[f] = std::make_unique<Code>();
  const bool copies = mode == Mode::observed && ptx::copies_asynchronously(module);
  for (const std::uint32_t f : functions)
    if (auto done = Decoder(module, module.functions[f], image, *image.codes[f], mode, set, copies).run(); !done)
      return failure(done.error());
  if (mode == Mode::clocked)
    for (const std::uint32_t f : functions) issue_loads_early(*image.codes[f]);
  image.kernel = image.codes[functions[0]].get();
  image.may_delay_adds = may_delay_adds(module, functions);
  const auto& code = kernel.code;
  bool goes_back = false;
  for (std::uint32_t pc = 0; pc < code.size(); ++pc)
    goes_back |= code[pc].op == Opcode::brx || code[pc].op == Opcode::call ||
                 (code[pc].op == Opcode::bra && code[pc].operands[0].index <= pc);
  if (!goes_back) image.longest_path = code.size();
  image.may_run_in_lockstep = barriers_separate_shared_accesses(kernel);
  if (mode == Mode::observed) {
    image.stored = stored_places(module, kernel);
    image.accessed = plainly_accessed_places(module, kernel);
  }
  return image;
}

}  // namespace warpbook::gpu::vm
