#include "gpu/virtual/vm/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "gpu/demangle.h"
#include "gpu/shown_text.h"
#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/analysis/alias_analysis.h"
#include "gpu/virtual/vm/analysis/atomics.h"
#include "gpu/virtual/vm/analysis/barrier_intervals.h"
#include "gpu/virtual/vm/analysis/call_graph.h"
#include "gpu/virtual/vm/analysis/spin_loops.h"
#include "gpu/virtual/vm/clock/instruction_order.h"
#include "gpu/virtual/vm/decoder.h"

namespace warpbook::gpu::vm {

using ptx::Function;
using ptx::Instruction;
using ptx::Module;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
using ptx::Variable;

Extra::Builtin builtin_of(const Function& function) {
  using Builtin = Extra::Builtin;
  return function.name == "vprintf"        ? Builtin::vprintf
         : function.name == "__assertfail" ? Builtin::assertfail
         : function.name == "malloc"       ? Builtin::malloc
         : function.name == "free"         ? Builtin::free
                                           : Builtin::none;
}

namespace {

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

}  // namespace

Decoder::Decoder(const Module& module, const Function& function, Image& image, Code& code, Mode mode, InstructionSet set,
                 bool copies)
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

Result<void> Decoder::run() {
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

tl::unexpected<Error> Decoder::unsupported(const Instruction& inst, const std::string& what) const {
  return failure("cudaErrorInvalidPtx", fmt::format("The virtual GPU cannot execute {} (PTX line {}, source line {}) yet.", what,
                                                    inst.ptx_line, inst.line));
}

bool Decoder::needs_branch_around(const Instruction& inst) {
  // Whoever waits for others must not be taken for lanes whose guard is false.
  const bool waits = ptx::has(inst.op, ptx::trait::meeting) || inst.op == Opcode::bar || inst.op == Opcode::barrier;
  return inst.guarded && (waits || inst.op == Opcode::call || inst.op == Opcode::ret);
}

bool Decoder::needs_point(std::uint32_t pc) const {
  if (function_.is_reconvergence[pc]) return true;
  return pc > 0 && needs_point_after(function_.code[pc - 1]);
}

bool Decoder::needs_point_after(const Instruction& inst) const {
  if (inst.op != Opcode::call) return inst.op != Opcode::ret && needs_branch_around(inst);
  return inst.guarded || inst.operands[inst.call_results].kind != Operand::Kind::function;
}

void Decoder::note(std::vector<std::uint16_t>& list, const Operand& operand) const {
  if (operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg))
    list.push_back(static_cast<std::uint16_t>(operand.index));
  for (const Operand& element : operand.elements) note(list, element);
}

std::uint32_t Decoder::scoreboard(const Instruction& inst) {
  Extra extra;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) note(i < inst.destinations ? extra.writes : extra.reads, inst.operands[i]);
  if (inst.guarded) extra.reads.push_back(static_cast<std::uint16_t>(inst.guard));
  if (extra.reads.empty() && extra.writes.empty()) return 0;
  code_->extras.push_back(std::move(extra));
  return static_cast<std::uint32_t>(code_->extras.size() - 1);
}

Result<void> Decoder::decode(std::uint32_t pc) {
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

Result<void> Decoder::fill(const Instruction& inst, Inst& out) {
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
      if (ptx::has(inst.op, ptx::trait::texture)) return fill_texture(inst, out);
      return ptx::has(inst.op, ptx::trait::mbarrier) ? fill_mbarrier(inst, out) : fill_plain(inst, out);
  }
}

bool Decoder::reports_itself(const Inst& out) const {
  const Opcode op = out.ptx->op;
  if (op == Opcode::call) return code_->extras[out.extra].builtin == Extra::Builtin::none;
  return out.handler == general_access || out.handler == deferred_access || ptx::has(op, ptx::trait::meeting) ||
         op == Opcode::bar || op == Opcode::barrier;
}

bool Decoder::jumps_over_plain(std::uint32_t pc) const {
  const std::uint32_t target = function_.code[pc].operands[0].index;
  if (target <= pc + 1 || target >= function_.code.size() || target != function_.reconverge[pc]) return false;
  for (std::uint32_t between = pc + 1; between < target; ++between)
    if ((between > pc + 1 && function_.is_leader[between]) || may_wait(function_.code[between])) return false;
  return true;
}

Result<void> Decoder::fill_branch(const Instruction& inst, Inst& out) {
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

Result<void> Decoder::fill_call(const Instruction& inst, Inst& out) {
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
