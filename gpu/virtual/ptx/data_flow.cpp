#include "gpu/virtual/ptx/data_flow.h"

#include <algorithm>
#include <utility>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::ptx {
namespace {

constexpr std::uint64_t most_steps = 20'000'000;  // some tenths of a second
constexpr int deepest = 24;                       // of two expressions that are compared

std::size_t results_of(const Instruction& inst) { return std::max<std::size_t>(inst.destinations, inst.call_results); }

bool defines(const Operand& operand, std::uint32_t reg) {
  if (operand.kind == Operand::Kind::reg) return operand.index == reg;
  return std::any_of(operand.elements.begin(), operand.elements.end(), [&](const Operand& each) { return defines(each, reg); });
}
bool defines(const Instruction& inst, std::uint32_t reg) {
  for (std::size_t o = 0; o < std::min(results_of(inst), inst.operands.size()); ++o)
    if (defines(inst.operands[o], reg)) return true;
  return false;
}

const Operand* address(const Instruction& inst) {
  for (const Operand& operand : inst.operands)
    if (operand.kind == Operand::Kind::address) return &operand;
  return nullptr;
}

std::vector<const Operand*> sources(const Instruction& inst) {
  std::vector<const Operand*> all;
  for (std::size_t o = results_of(inst); o < inst.operands.size(); ++o) all.push_back(&inst.operands[o]);
  return all;
}

/// What a store or an atomic puts there.
std::vector<const Operand*> stored(const Instruction& inst) {
  std::vector<const Operand*> all = sources(inst);
  std::erase_if(all, [](const Operand* operand) { return operand->kind == Operand::Kind::address; });
  return all;
}

bool is_block_barrier(const Instruction& inst) {
  return row(inst.op).effect == Effect::barrier && inst.barrier != Barrier::none && inst.barrier != Barrier::arrive;
}

bool is_own_parameter(const Function& function, const Operand& from) {
  return function.entry && from.base == Operand::Base::variable && from.variable.where == Operand::VariableRef::Where::parameter;
}

std::uint64_t number_of(const Operand::VariableRef& variable, std::int64_t offset) {
  return static_cast<std::uint64_t>(variable.where) << 56 | std::uint64_t{variable.index} << 24 |
         (static_cast<std::uint64_t>(offset) & 0xffffff);
}

std::uint32_t indices_of(Special special) {
  using enum Special;
  switch (special) {
    case tid_x:
    case tid_y:
    case tid_z:
    case ctaid_x:
    case ctaid_y:
    case ctaid_z:
      return Origin::bit(special);
    case laneid:
    case warpid:
    case lanemask_eq:
    case lanemask_le:
    case lanemask_lt:
    case lanemask_ge:
    case lanemask_gt:
      return Origin::bit(tid_x) | Origin::bit(tid_y) | Origin::bit(tid_z);
    default:
      return 0;
  }
}

}  // namespace

bool Origin::uses_thread() const { return uses(Special::tid_x) || uses(Special::tid_y) || uses(Special::tid_z); }
bool Origin::uses_block() const { return uses(Special::ctaid_x) || uses(Special::ctaid_y) || uses(Special::ctaid_z); }

DataFlow::DataFlow(const Function& function) : function_(function), before_(function.code.size()), behind_(function.code.size()) {
  const auto size = static_cast<std::uint32_t>(function.code.size());
  const auto edge = [&](std::uint32_t from, std::uint32_t to) {
    if (to >= size) return;
    before_[to].push_back(from);
    behind_[from].push_back(to);
  };
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const Instruction& inst = function.code[pc];
    const bool ends = inst.op == Opcode::bra || inst.op == Opcode::brx || row(inst.op).effect == Effect::exit;
    if (inst.op == Opcode::bra) edge(pc, inst.operands[0].index);
    if (inst.op == Opcode::brx)
      for (const std::uint32_t target : function.branch_targets[inst.operands[1].index]) edge(pc, target);
    if (!ends || inst.guarded) edge(pc, pc + 1);
  }
}

/// Where a register may have got the value that an instruction reads, on any way that leads to it.
const DataFlow::Definitions& DataFlow::definitions(std::uint32_t pc, std::uint32_t reg) {
  const auto [entry, fresh] = known_.try_emplace({pc, reg});
  if (!fresh) return entry->second;
  std::vector<std::uint8_t> seen = nothing_seen();
  std::vector<std::uint32_t> work = before_[pc];
  while (!work.empty() && steps_ < most_steps) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (seen[at]) continue;
    seen[at] = 1;
    ++steps_;
    const Instruction& inst = function_.code[at];
    if (defines(inst, reg)) {
      entry->second.push_back(at);
      if (!inst.guarded) continue;
    }
    work.insert(work.end(), before_[at].begin(), before_[at].end());
  }
  std::sort(entry->second.begin(), entry->second.end());
  return entry->second;
}

Origin DataFlow::follow(std::uint32_t pc, const std::vector<const Operand*>& operands) {
  Origin origin;
  std::vector<std::uint8_t> followed(function_.code.size());
  bool local_followed = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work;  // a register, and where it is read
  const auto add = [&](std::uint32_t at, const Operand& operand, const auto& self) -> void {
    if (operand.kind == Operand::Kind::reg) work.emplace_back(at, operand.index);
    if (operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg) work.emplace_back(at, operand.index);
    if (operand.kind == Operand::Kind::variable ||
        (operand.kind == Operand::Kind::address && operand.base == Operand::Base::variable))
      origin.roots.push_back(number_of(operand.variable, 0));
    if (operand.kind == Operand::Kind::special) origin.indices |= indices_of(operand.special);
    for (const Operand& element : operand.elements) self(at, element, self);
  };
  const auto add_all = [&](std::uint32_t at, const std::vector<const Operand*>& some) {
    for (const Operand* operand : some) add(at, *operand, add);
  };
  const auto follow_local = [&] {
    if (std::exchange(local_followed, true)) return;
    for (std::uint32_t at = 0; at < function_.code.size(); ++at)
      if (function_.code[at].op == Opcode::st && function_.code[at].space == Space::local) add_all(at, stored(function_.code[at]));
  };
  const auto expand = [&](std::uint32_t at) {
    const Instruction& inst = function_.code[at];
    if (inst.guarded) work.emplace_back(at, inst.guard);
    switch (row(inst.op).effect) {
      case Effect::load:
        if (inst.space == Space::local) return follow_local();
        if (inst.space == Space::param) {
          const Operand* const from = address(inst);
          origin.unknown |= !from || !is_own_parameter(function_, *from);
          if (from && bytes_of(inst.type) == 8) origin.roots.push_back(number_of(from->variable, from->offset));
          return;
        }
        if (inst.space == Space::constant) return add_all(at, sources(inst));
        origin.loads.push_back(at);
        return;
      case Effect::atomic:
        origin.loads.push_back(at);
        return;
      case Effect::call:
        origin.unknown = true;
        return;
      default:
        add_all(at, sources(inst));
    }
  };
  add_all(pc, operands);
  while (!work.empty()) {
    const auto [at, reg] = work.back();
    work.pop_back();
    for (const std::uint32_t definition : definitions(at, reg)) {
      if (followed[definition]) continue;
      followed[definition] = 1;
      expand(definition);
    }
  }
  origin.unknown |= steps_ >= most_steps;
  std::sort(origin.loads.begin(), origin.loads.end());
  return origin;
}

Origin DataFlow::address_of(std::uint32_t pc) {
  const Operand* const operand = address(function_.code[pc]);
  if (!operand) return {.unknown = true};
  return follow(pc, {operand});
}

DataFlow::Definitions DataFlow::sources_of(std::uint32_t pc, const std::vector<const Operand*>& operands) {
  Definitions all;
  const auto add = [&](const Operand& operand, const auto& self) -> void {
    const bool in_address = operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg;
    if (operand.kind == Operand::Kind::reg || in_address) {
      const Definitions& from = definitions(pc, operand.index);
      all.insert(all.end(), from.begin(), from.end());
    }
    for (const Operand& element : operand.elements) self(element, self);
  };
  for (const Operand* operand : operands) add(*operand, add);
  return all;
}

/// What changes from turn to turn is computed from itself: a circle among the instructions that the address comes from.
bool DataFlow::address_changes_in_loop(std::uint32_t pc) {
  const Operand* const operand = address(function_.code[pc]);
  if (!operand) return false;
  struct Step {
    std::uint32_t at = 0;
    Definitions rest;
  };
  enum : std::uint8_t { fresh, under_way, done };
  std::vector<std::uint8_t> state(function_.code.size());
  std::vector<Step> way = {{.at = pc, .rest = sources_of(pc, {operand})}};
  while (!way.empty() && steps_ < most_steps) {
    if (way.back().rest.empty()) {
      state[way.back().at] = done;
      way.pop_back();
      continue;
    }
    const std::uint32_t next = way.back().rest.back();
    way.back().rest.pop_back();
    if (state[next] == under_way) return true;
    if (state[next] == done) continue;
    state[next] = under_way;
    const bool computes = row(function_.code[next].op).effect == Effect::none;  // no load: that is another place's value
    way.push_back({.at = next, .rest = computes ? sources_of(next, sources(function_.code[next])) : Definitions{}});
  }
  return false;
}

Origin DataFlow::value_of(std::uint32_t pc) { return follow(pc, stored(function_.code[pc])); }

Origin DataFlow::condition_of(std::uint32_t pc) {
  std::vector<Operand> conditions;
  std::vector<std::uint32_t> at;
  const auto add = [&](std::uint32_t where, std::uint32_t guard) {
    Operand& condition = conditions.emplace_back();
    condition.kind = Operand::Kind::reg;
    condition.index = guard;
    at.push_back(where);
  };
  if (function_.code[pc].guarded) add(pc, function_.code[pc].guard);
  Origin all;
  for (std::uint32_t branch = 0; branch < function_.code.size(); ++branch) {
    const Instruction& inst = function_.code[branch];
    if (inst.op != Opcode::bra || !inst.guarded || behind_[branch].size() < 2) continue;
    all.unknown |= steps_ >= most_steps;
    if (all.unknown) break;
    const std::uint32_t meet = function_.reconverge[branch];
    if (reachable_before(meet, behind_[branch][0])[pc] != reachable_before(meet, behind_[branch][1])[pc]) add(branch, inst.guard);
  }
  for (std::size_t n = 0; n < conditions.size(); ++n) {
    const Origin one = follow(at[n], {&conditions[n]});
    all.indices |= one.indices;
    all.loads.insert(all.loads.end(), one.loads.begin(), one.loads.end());
    all.unknown |= one.unknown;
  }
  std::sort(all.loads.begin(), all.loads.end());
  return all;
}

std::pair<std::uint32_t, const Operand*> DataFlow::origin_of(std::uint32_t pc, const Operand& operand) {
  const Operand* now = &operand;
  for (int n = 0; n < deepest && now->kind == Operand::Kind::reg; ++n) {
    const Definitions& from = definitions(pc, now->index);
    if (from.size() != 1) break;
    const Instruction& inst = function_.code[from.front()];
    if (inst.guarded || (inst.op != Opcode::mov && inst.op != Opcode::cvta) || inst.operands.size() != 2) break;
    if (inst.operands[1].kind == Operand::Kind::vector || inst.operands[0].kind == Operand::Kind::vector) break;
    pc = from.front();
    now = &inst.operands[1];
  }
  return {pc, now};
}

bool DataFlow::same_value(std::uint32_t pc_a, const Operand& operand_a, std::uint32_t pc_b, const Operand& operand_b, int depth) {
  const auto [at_a, a] = origin_of(pc_a, operand_a);
  const auto [at_b, b] = origin_of(pc_b, operand_b);
  if (a->kind != b->kind || depth == 0) return false;
  if (a->kind == Operand::Kind::address) {
    if (a->base != b->base || a->offset != b->offset) return false;
    if (a->base == Operand::Base::variable) return a->variable == b->variable;
  } else if (a->kind != Operand::Kind::reg) {
    return *a == *b;
  }
  if (a->kind == Operand::Kind::address && a->base == Operand::Base::none) return true;
  if (a->kind == Operand::Kind::address) {  // its register
    Operand reg_a, reg_b;
    reg_a.kind = reg_b.kind = Operand::Kind::reg;
    reg_a.index = a->index;
    reg_b.index = b->index;
    return same_value(at_a, reg_a, at_b, reg_b, depth - 1);
  }
  const Definitions from_a = definitions(at_a, a->index), from_b = definitions(at_b, b->index);
  if (from_a.empty() || from_b.empty()) return a->index == b->index && from_a.empty() && from_b.empty();
  if (from_a == from_b && (from_a.size() > 1 || a->index == b->index)) return true;
  if (from_a.size() != 1 || from_b.size() != 1) return false;
  const Instruction &x = function_.code[from_a.front()], &y = function_.code[from_b.front()];
  if (x.op != y.op || x.type != y.type || x.type2 != y.type2 || x.part != y.part || x.guarded || y.guarded) return false;
  if (x.operands.size() != y.operands.size() || x.destinations != 1 || y.destinations != 1) return false;
  const Effect effect = row(x.op).effect;
  const Operand* const from = address(x);
  const bool parameter = effect == Effect::load && x.space == Space::param && from && is_own_parameter(function_, *from);
  if (effect != Effect::none && !parameter) return false;
  for (std::size_t o = 1; o < x.operands.size(); ++o)
    if (!same_value(from_a.front(), x.operands[o], from_b.front(), y.operands[o], depth - 1)) return false;
  return true;
}

bool DataFlow::same_place(std::uint32_t load, std::uint32_t store) {
  const Operand *const a = address(function_.code[load]), *const b = address(function_.code[store]);
  return a && b && same_value(load, *a, store, *b, deepest);
}

bool DataFlow::equally_far(std::uint32_t pc_a, std::uint32_t pc_b) {
  const Operand *const a = address(function_.code[pc_a]), *const b = address(function_.code[pc_b]);
  if (!a || !b || a->base != Operand::Base::reg || b->base != Operand::Base::reg) return false;
  Operand without_offset = *a;
  without_offset.offset = b->offset;
  return same_value(pc_a, without_offset, pc_b, *b, deepest);
}

bool DataFlow::perhaps_same_array(std::uint32_t load, std::uint32_t store) {
  const Origin a = address_of(load), b = address_of(store);
  if (a.unknown || b.unknown || a.roots.empty() || b.roots.empty()) return true;
  return std::any_of(a.roots.begin(), a.roots.end(),
                     [&](std::uint64_t root) { return std::find(b.roots.begin(), b.roots.end(), root) != b.roots.end(); });
}

bool DataFlow::is_guess(std::uint32_t load) {
  if (function_.code[load].op != Opcode::ld) return false;
  for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
    const Instruction& inst = function_.code[pc];
    if (inst.op != Opcode::atom || inst.atomic != AtomicOp::cas || !reaches(load, pc) || !same_place(load, pc)) continue;
    // In a loop it compares with what it found there itself, from the second turn on.
    const Origin compared = follow(pc, {stored(inst).front()});
    const bool guessed = std::find(compared.loads.begin(), compared.loads.end(), load) != compared.loads.end();
    const bool only =
        std::all_of(compared.loads.begin(), compared.loads.end(), [&](std::uint32_t from) { return from == load || from == pc; });
    if (guessed && only && !compared.unknown) return true;
  }
  return false;
}

Update DataFlow::update_of(std::uint32_t store) {
  const std::vector<const Operand*> values = stored(function_.code[store]);
  if (values.size() != 1 || values.front()->kind != Operand::Kind::reg) return Update::none;
  const auto [at, value] = origin_of(store, *values.front());
  if (value->kind != Operand::Kind::reg) return Update::none;
  const Definitions& from = definitions(at, value->index);
  if (from.size() != 1) return Update::none;
  const Instruction& inst = function_.code[from.front()];
  const bool whole = !is_float(inst.type);
  switch (inst.op) {
    case Opcode::add:
    case Opcode::mad:
    case Opcode::fma:
      return Update::add;
    case Opcode::sub:
      return whole ? Update::sub : Update::add;  // of a negative number
    case Opcode::min:
      return whole ? Update::min : Update::none;
    case Opcode::max:
      return whole ? Update::max : Update::none;
    case Opcode::and_:
      return Update::and_;
    case Opcode::or_:
      return Update::or_;
    case Opcode::xor_:
      return Update::xor_;
    default:
      return Update::none;
  }
}

/// By pc. An array of bytes is cheap, but not thousands of them for an enormous function.
std::vector<std::uint8_t> DataFlow::nothing_seen() const {
  constexpr std::size_t at_once = 64;  // bytes that are cleared in the time of a step
  steps_ += function_.code.size() / at_once;
  return std::vector<std::uint8_t>(function_.code.size());
}

std::vector<std::uint8_t> DataFlow::reachable(const std::vector<std::uint32_t>& from, Between between) const {
  std::vector<std::uint8_t> seen = nothing_seen();
  std::vector<std::uint32_t> work;
  for (const std::uint32_t pc : from) work.insert(work.end(), behind_[pc].begin(), behind_[pc].end());
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (seen[at]) continue;
    seen[at] = 1;
    ++steps_;
    if (between == Between::no_barrier && is_block_barrier(function_.code[at])) continue;
    work.insert(work.end(), behind_[at].begin(), behind_[at].end());
  }
  return seen;
}

std::vector<std::uint8_t> DataFlow::reachable_before(std::uint32_t meet, std::uint32_t from) const {
  std::vector<std::uint8_t> seen = nothing_seen();
  std::vector<std::uint32_t> work = {from};
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (at == meet || seen[at]) continue;
    seen[at] = 1;
    ++steps_;
    work.insert(work.end(), behind_[at].begin(), behind_[at].end());
  }
  return seen;
}

bool DataFlow::reaches(std::uint32_t from, std::uint32_t to, Between between) const { return reachable({from}, between)[to] != 0; }

bool DataFlow::reaches_around(std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& around) const {
  std::vector<std::uint8_t> seen(function_.code.size());
  for (const std::uint32_t pc : around) seen[pc] = 1;
  std::vector<std::uint32_t> work(behind_[from].begin(), behind_[from].end());
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    if (at == to) return true;
    if (seen[at]) continue;
    seen[at] = 1;
    work.insert(work.end(), behind_[at].begin(), behind_[at].end());
  }
  return false;
}

bool DataFlow::barrier_on_a_way(std::uint32_t from, std::uint32_t to) const {
  std::vector<std::uint32_t> barriers;
  const auto first = reachable({from}, Between::anything);
  for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc)
    if (first[pc] && is_block_barrier(function_.code[pc])) barriers.push_back(pc);
  return !barriers.empty() && reachable(barriers, Between::anything)[to] != 0;
}

bool DataFlow::reaches_one_of(std::uint32_t from, const std::vector<std::uint32_t>& pcs) const {
  const auto seen = reachable({from}, Between::anything);
  return std::any_of(pcs.begin(), pcs.end(), [&](std::uint32_t pc) { return seen[pc] != 0; });
}

bool DataFlow::in_empty_loop(std::uint32_t pc) const {
  std::vector<std::uint8_t> seen = nothing_seen();
  std::vector<std::uint32_t> next{pc};
  while (!next.empty()) {
    const std::uint32_t at = next.back();
    next.pop_back();
    if (at >= function_.code.size() || function_.code[at].op != Opcode::bra) continue;
    for (const std::uint32_t to : behind_[at]) {
      if (to == pc) return true;
      if (to >= seen.size() || std::exchange(seen[to], 1)) continue;
      next.push_back(to);
    }
  }
  return false;
}

bool DataFlow::in_divergent_branch(std::uint32_t pc) const {
  for (std::uint32_t branch = 0; branch < function_.code.size(); ++branch) {
    const Instruction& inst = function_.code[branch];
    if ((inst.op != Opcode::bra && inst.op != Opcode::brx) || !inst.guarded || function_.is_uniform[branch]) continue;
    if (steps_ >= most_steps) return false;  // of an enormous function it is not known
    const std::uint32_t meet = function_.reconverge[branch];
    if (meet >= function_.code.size()) continue;  // the guard before everything else
    for (const std::uint32_t first : behind_[branch])
      if (reachable_before(meet, first)[pc]) return true;
  }
  return false;
}

}  // namespace warpbook::gpu::ptx
