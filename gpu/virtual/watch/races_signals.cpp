// Races' advice where blocks signal to each other through atomics: which fence is missing, and between which lines.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/watch/races_advice.h"

namespace warpbook::gpu::watch {
namespace {

using ptx::Effect;
using ptx::Opcode;
using ptx::Scope;

constexpr std::size_t most_atomics = 64;  // of a function, to be tried in pairs

bool updates_memory(const ptx::Instruction& inst) {
  const bool memory = inst.space == ptx::Space::global || inst.space == ptx::Space::generic;
  return memory && (inst.op == Opcode::atom || inst.op == Opcode::red);
}
bool releases(const ptx::Instruction& inst) {
  using enum ptx::Order;
  return inst.scope != Scope::cta && (inst.order == release || inst.order == acq_rel || inst.order == sc);
}
bool acquires(const ptx::Instruction& inst) {
  using enum ptx::Order;
  return inst.scope != Scope::cta && (inst.order == acquire || inst.order == acq_rel || inst.order == sc);
}
/// One that takes a lock or sets a flag, unlike one that counts.
bool exchanges(const ptx::Instruction& inst) { return inst.atomic == ptx::AtomicOp::cas || inst.atomic == ptx::AtomicOp::exch; }
bool waits_for_block(const ptx::Instruction& inst) {
  return ptx::row(inst.op).effect == Effect::barrier && inst.barrier != ptx::Barrier::none && inst.barrier != ptx::Barrier::arrive;
}
bool is_fence(const ptx::Instruction& inst, bool of_block) {
  return ptx::row(inst.op).effect == Effect::fence && (inst.scope == Scope::cta) == of_block;
}

/// Somebody looks at what the atomic found; otherwise nobody can tell from it that another block came first.
bool is_looked_at(const ptx::Function& function, std::uint32_t pc) {
  const ptx::Instruction& inst = function.code[pc];
  if (inst.destinations != 1 || inst.operands[0].kind != ptx::Operand::Kind::reg) return inst.destinations > 1;
  const std::uint32_t found = inst.operands[0].index;
  const auto reads = [&](const auto& self, const ptx::Operand& operand) -> bool {
    if (operand.kind == ptx::Operand::Kind::reg) return operand.index == found;
    if (operand.kind == ptx::Operand::Kind::address && operand.base == ptx::Operand::Base::reg) return operand.index == found;
    return std::ranges::any_of(operand.elements, [&](const ptx::Operand& each) { return self(self, each); });
  };
  return std::ranges::any_of(function.code, [&](const ptx::Instruction& other) {
    for (std::size_t o = std::max<std::size_t>(other.destinations, other.call_results); o < other.operands.size(); ++o)
      if (reads(reads, other.operands[o])) return true;
    return false;
  });
}

template <class Wanted>
std::vector<std::uint32_t> all_in(const ptx::Function& function, const Wanted& wanted) {
  std::vector<std::uint32_t> pcs;
  for (std::uint32_t pc = 0; pc < function.code.size(); ++pc)
    if (wanted(function.code[pc])) pcs.push_back(pc);
  return pcs;
}

std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; }

Message fences_of_block(const std::vector<std::uint32_t>& lines) {
  if (lines.size() == 1)
    return to_say("The fence in line {line} counts within its own block only: call __threadfence() instead.", "line"_a = lines[0]);
  if (lines.size() == 2)
    return to_say("The fences in lines {first} and {second} count within their own block only: call __threadfence() instead.",
                  "first"_a = lines[0], "second"_a = lines[1]);
  return to_say("The fences in lines {lines} count within their own block only: call __threadfence() instead.",
                "lines"_a = fmt::format("{}", fmt::join(lines, ", ")));
}

/// Where fences are missing: between two lines before the signal, and between two lines behind it.
Message fences_between(std::pair<std::uint32_t, std::uint32_t> before, std::pair<std::uint32_t, std::uint32_t> behind,
                       bool missing_before, bool missing_behind) {
  const auto in_order = [](auto& lines) { lines = std::minmax({lines.first, lines.second}); };
  in_order(before);
  in_order(behind);
  const auto& [first, second] = missing_before ? before : behind;
  if (missing_before && missing_behind && before != behind)
    return to_say("Call __threadfence() between line {first} and line {second}, and again between line {third} and line {fourth}.",
                  "first"_a = first, "second"_a = second, "third"_a = behind.first, "fourth"_a = behind.second);
  return to_say("Call __threadfence() between line {first} and line {second}.", "first"_a = first, "second"_a = second);
}

}  // namespace

std::optional<RaceAdvice::Signal> RaceAdvice::signal_between(const vm::Site& store, const vm::Site& load) {
  if (store.function != load.function) return {};
  ptx::DataFlow& flow = flow_of(store);
  std::vector<std::uint32_t> given, taken;
  for (const std::uint32_t pc : all_in(*store.function, updates_memory)) {
    if (pc == store.pc || pc == load.pc || flow.same_place(pc, store.pc) || flow.same_place(pc, load.pc)) continue;
    if (given.size() < most_atomics && flow.reaches(store.pc, pc)) given.push_back(pc);
    if (taken.size() < most_atomics && flow.reaches(pc, load.pc) && is_looked_at(*store.function, pc)) taken.push_back(pc);
  }
  std::optional<Signal> nearest;
  const auto length = [&](const Signal& s) { return apart(s.given, store.pc) + apart(s.taken, load.pc); };
  for (const std::uint32_t g : given)
    for (const std::uint32_t t : taken) {
      const Signal signal{g, t};
      if (g != t && !flow.same_place(g, t)) continue;
      if (!nearest || length(signal) < length(*nearest)) nearest = signal;
    }
  return nearest;
}

Paragraph RaceAdvice::about_signal(const RaceToExplain& race) {
  if (race.same_block || race.shared_memory) return {};
  const RaceSide &store = race.now.write ? race.now : race.before, &load = race.now.write ? race.before : race.now;
  const auto signal = signal_between(store.site, load.site);
  if (!signal) return {};
  const ptx::Function& function = *store.site.function;
  ptx::DataFlow& flow = flow_of(store.site);
  const ptx::Instruction &given = function.code[signal->given], &taken = function.code[signal->taken];
  // An update needs an atomic, unless a lock guards it: threads try to take that again and again.
  const bool update = load.write || comes_from(store.site, load.site);
  const bool lock = exchanges(taken) && flow.reaches_around(signal->taken, signal->taken, {load.site.pc});
  if (update && !lock) return {};
  const std::uint32_t lines[] = {store.at.line, given.line, taken.line, load.at.line};
  if (std::ranges::find(lines, 0u) != std::end(lines)) return {};

  const std::vector<std::uint32_t> fences = all_in(function, [](const ptx::Instruction& inst) { return is_fence(inst, false); });
  std::vector<std::uint32_t> acquiring = all_in(function, waits_for_block);  // a barrier behind the atomic does, too (README.md)
  acquiring.insert(acquiring.end(), fences.begin(), fences.end());
  const bool before = !releases(given) && flow.reaches_around(store.site.pc, signal->given, fences);
  const bool behind = !acquires(taken) && flow.reaches_around(signal->taken, load.site.pc, acquiring);
  if (!before && !behind) return {};

  Paragraph text =
      given.line == taken.line
          ? to_say("Nothing orders the two: the atomic in line {line} orders its own place only.", "line"_a = given.line)
          : to_say("Nothing orders the two: the atomics in lines {first} and {second} order their own place only.",
                   "first"_a = std::min(given.line, taken.line), "second"_a = std::max(given.line, taken.line));
  if (given.scope == Scope::cta || taken.scope == Scope::cta) {
    text.add(to_say("Its scope is the block, so other blocks cannot rely on it: take an atomic for the whole device."));
    return text;
  }
  std::vector<std::uint32_t> of_block;  // lines of fences that do not reach far enough
  for (const std::uint32_t pc : all_in(function, [](const ptx::Instruction& inst) { return is_fence(inst, true); })) {
    const bool there = (before && flow.reaches(store.site.pc, pc) && flow.reaches(pc, signal->given)) ||
                       (behind && flow.reaches(signal->taken, pc) && flow.reaches(pc, load.site.pc));
    if (there && std::ranges::find(of_block, function.code[pc].line) == of_block.end()) of_block.push_back(function.code[pc].line);
  }
  text.add(of_block.empty() ? fences_between({store.at.line, given.line}, {taken.line, load.at.line}, before, behind)
                            : fences_of_block(of_block));
  return text;
}

}  // namespace warpbook::gpu::watch
