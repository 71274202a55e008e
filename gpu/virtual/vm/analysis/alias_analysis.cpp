#include "gpu/virtual/vm/analysis/alias_analysis.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/analysis/block_invariants.h"
#include "gpu/virtual/vm/analysis/call_graph.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Effect;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

bool stores_to_global(const Instruction& inst) {
  const Effect effect = ptx::row(inst.op).effect;
  if (effect != Effect::store && effect != Effect::atomic) return false;
  if (ptx::has(inst.op, ptx::trait::mbarrier)) return false;  // in shared memory
  return inst.space == Space::global || inst.space == Space::generic;
}

bool touches_plainly(const Instruction& inst) {
  const Effect effect = ptx::row(inst.op).effect;
  if (effect == Effect::fence || inst.op == Opcode::cp_async) return true;
  if (effect != Effect::load && effect != Effect::store && effect != Effect::atomic) return false;
  if (ptx::has(inst.op, ptx::trait::mbarrier) || (inst.space != Space::global && inst.space != Space::generic)) return false;
  const bool relaxed = inst.order == ptx::Order::weak || inst.order == ptx::Order::relaxed;
  return effect != Effect::atomic || !relaxed || inst.scope == ptx::Scope::cta || inst.scope == ptx::Scope::cluster;
}

class Tracer {
 public:
  using Matters = bool(const Instruction&);
  Tracer(const ptx::Module& module, const ptx::Function& kernel, Matters& matters)
      : module_(module), kernel_(kernel), matters_(matters), of_(kernel.registers.size()) {}

  PointsTo run() {
    stored_.anywhere = false;
    for (const std::uint32_t index : reachable(module_, kernel_)) {
      const ptx::Function& called = module_.functions[index];
      if (&called != &kernel_) stored_.anywhere |= std::ranges::any_of(called.code, matters_);
    }
    // Registers that a loop carries take some rounds.
    constexpr int most_rounds = 16;
    for (int round = 0; changed_ && !stored_.anywhere; ++round) {
      if (round == most_rounds) stored_.anywhere = true;
      changed_ = false;
      for (const Instruction& inst : kernel_.code) follow(inst);
    }
    for (const Instruction& inst : kernel_.code)
      if (matters_(inst)) add(inst);
    return std::move(stored_);
  }

 private:
  /// What a value is made from: a bit for each of sources_, and these. None: numbers that the text holds or the launch gives.
  using Origin = std::uint64_t;
  static constexpr Origin unknown = Origin{1} << 63;  // any address, perhaps
  static constexpr Origin number = Origin{1} << 62;   // from memory, or less than a whole address; part of one, perhaps
  static constexpr Origin other = Origin{1} << 61;    // an address in shared or local memory, or of a parameter
  static constexpr Origin sources = other - 1;
  static constexpr std::size_t most_sources = 61;

  struct Source {
    bool global = false;  // else a parameter
    std::uint32_t index = 0;
    std::uint64_t offset = 0;
    friend bool operator==(const Source&, const Source&) = default;
  };

  Origin source(const Source& wanted) {
    const auto found = std::ranges::find(sources_, wanted);
    if (found != sources_.end()) return Origin{1} << (found - sources_.begin());
    if (sources_.size() == most_sources) return unknown;
    sources_.push_back(wanted);
    return Origin{1} << (sources_.size() - 1);
  }
  Origin of_variable(const Operand::VariableRef& variable) {
    const bool global =
        variable.where == Operand::VariableRef::Where::module && module_.globals[variable.index].space != Space::shared;
    return global ? source({true, variable.index, 0}) : other;
  }
  Origin of(const Operand& operand) {
    Origin all = 0;
    switch (operand.kind) {
      case Operand::Kind::reg:
        return of_[operand.index];
      case Operand::Kind::variable:
        return of_variable(operand.variable);
      case Operand::Kind::special:
        return operand.special == ptx::Special::workspace_high || operand.special == ptx::Special::workspace_low ? number : 0;
      case Operand::Kind::vector:
        for (const Operand& element : operand.elements) all |= of(element);
        return all;
      default:
        return 0;
    }
  }
  /// A number where others are addresses is one that was put together from parts.
  static Origin either(Origin a, Origin b) {
    const auto is_address = [](Origin origin) { return (origin & (sources | other)) != 0; };
    const auto is_number = [&](Origin origin) { return (origin & number) && !is_address(origin); };
    return a | b | ((is_address(a) && is_number(b)) || (is_number(a) && is_address(b)) ? unknown : 0);
  }

  void put(const Operand& to, Origin origin) {
    for (const Operand& element : to.elements) put(element, origin);
    if (to.kind != Operand::Kind::reg) return;
    const ptx::Type type = kernel_.registers[to.index].type;
    if (type == ptx::Type::pred) return;
    if (ptx::bytes_of(type) < 8) origin = origin ? number : 0;
    Origin& all = of_[to.index];
    const Origin joined = all ? either(all, origin) : origin;
    changed_ |= joined != all;
    all = joined;
  }

  void follow(const Instruction& inst) {
    const std::size_t results = std::max(inst.destinations, inst.call_results);
    if (!results) return;
    Origin origin = 0;
    switch (ptx::row(inst.op).effect) {
      case Effect::load:
        if (reads_own_parameter(kernel_, inst) && ptx::bytes_of(inst.type) == 8) return follow_parameter(inst);
        [[fallthrough]];
      case Effect::atomic:
        origin = ptx::bytes_of(inst.type) < 8 ? number : unknown;
        break;
      case Effect::call:
        origin = unknown;
        break;
      default:
        for (std::size_t o = results; o < inst.operands.size(); ++o)
          origin = inst.op == Opcode::selp || inst.op == Opcode::slct ? either(origin, of(inst.operands[o]))
                                                                      : origin | of(inst.operands[o]);
    }
    for (std::size_t d = 0; d < results; ++d) put(inst.operands[d], origin);
  }
  void follow_parameter(const Instruction& inst) {
    const Operand &to = inst.operands[0], &from = inst.operands[1];
    const auto at = [&](std::uint64_t element) {
      return source({false, from.variable.index, static_cast<std::uint64_t>(from.offset) + 8 * element});
    };
    if (to.kind != Operand::Kind::vector) return put(to, at(0));
    for (std::size_t e = 0; e < to.elements.size(); ++e) put(to.elements[e], at(e));
  }

  /// What an instruction that matters may reach; anywhere, if it has no address.
  void add(const Instruction& inst) {
    Origin origin = unknown;
    for (const Operand& operand : inst.operands) {
      if (operand.kind != Operand::Kind::address) continue;
      if (operand.base == Operand::Base::reg) origin = of_[operand.index];
      if (operand.base == Operand::Base::variable) origin = of_variable(operand.variable);
      break;
    }
    stored_.anywhere |= (origin & unknown) || !(origin & (sources | other));
    for (Origin left = origin & sources; left; left &= left - 1) {
      const Source& its = sources_[static_cast<std::size_t>(std::countr_zero(left))];
      if (its.global) {
        if (std::ranges::find(stored_.globals, its.index) == stored_.globals.end()) stored_.globals.push_back(its.index);
      } else if (const PointsTo::Pointer pointer{its.index, its.offset};
                 std::ranges::find(stored_.pointers, pointer) == stored_.pointers.end()) {
        stored_.pointers.push_back(pointer);
      }
    }
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  Matters& matters_;
  std::vector<Origin> of_;  // by register
  std::vector<Source> sources_;
  PointsTo stored_;
  bool changed_ = true;
};

}  // namespace

PointsTo stored_places(const ptx::Module& module, const ptx::Function& kernel) {
  return Tracer(module, kernel, stores_to_global).run();
}
PointsTo plainly_accessed_places(const ptx::Module& module, const ptx::Function& kernel) {
  return Tracer(module, kernel, touches_plainly).run();
}

}  // namespace warpbook::gpu::vm
