#include "gpu/virtual/vm/exec/watched_lockstep.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/native_code.h"

namespace warpbook::gpu::vm {
namespace {

/// Backward jumps before warps run one by one again, up to the next barrier: then the host's clock is read.
constexpr std::int32_t watched_slice = 512;

bool jumps_always(const Inst& inst) {
  return inst.flow == Flow::other && inst.ptx && inst.ptx->op == ptx::Opcode::bra && !inst.ptx->guarded;
}

bool computes_alone(const Inst& inst) {
  if (inst.flow != Flow::plain || inst.pseudo || !inst.ptx) return false;
  const ptx::OpcodeRow& row = ptx::row(inst.ptx->op);
  return row.effect == ptx::Effect::none && !(row.traits & (ptx::trait::texture | ptx::trait::stack | ptx::trait::mbarrier));
}

/// The warps of one block, as far as they execute together.
class Watched {
 public:
  Watched(Lockstep& lockstep, std::uint32_t& first)
      : m_(lockstep),
        first_(first),
        worker_(*lockstep.warps[0]->worker),
        block_(*lockstep.blocks.front()),
        insts_(lockstep.warps[0]->insts),
        executions_(worker_.machine.observer->executions_of(*lockstep.warps[0]->frame->code->function)) {
    for (std::uint32_t w = 0; w < m_.count; ++w) {
      full_ &= m_.warps[w]->mask == ~0u;
      threads_ += m_.warps[w]->lane_count;
    }
  }

  LockstepResult run();
  [[nodiscard]] bool has_met() const { return met_; }

 private:
  [[nodiscard]] std::uint32_t index_of(const Inst& inst) const { return static_cast<std::uint32_t>(&inst - insts_); }
  void count(std::uint32_t from, std::uint32_t end, std::uint64_t warps, std::uint64_t threads) {
    worker_.executed.warp_instructions += warps * (end - from);
    worker_.executed.thread_instructions += threads * (end - from);
    if (!executions_) return;
    const Executions once = {warps, threads};
    executions_[from] += once;
    executions_[end] -= once;
  }
  void count_until(std::uint32_t end) {
    if (end != from_) count(from_, end, m_.count, threads_);
  }
  LockstepResult part_at(const Inst* where) {
    for (std::uint32_t w = 0; w < m_.count; ++w) m_.warps[w]->at = static_cast<std::uint32_t>(where - insts_);
    return LockstepResult::diverged;
  }
  const Inst* compute(const Inst& inst);
  [[nodiscard]] bool skip(const Inst& branch, const Inst* next, const Inst* target);
  bool meet(const Inst& barrier);

  Lockstep& m_;
  std::uint32_t& first_;
  Worker& worker_;
  Block& block_;
  const Inst* const insts_;
  Executions* const executions_;
  std::uint64_t threads_ = 0;
  std::uint32_t stays_[most_warps];  // lanes of each warp that do not jump at the present branch
  std::uint32_t from_ = 0;
  bool full_ = true, met_ = false;
};

/// Returns the next instruction, or this one where it does not compute alone.
const Inst* Watched::compute(const Inst& inst) {
  const std::uint32_t quiet = worker_.quiet_paths.quiet_from(index_of(inst));
  if (!quiet) return &inst;
  const NativeStart* const native = full_ ? native_at(inst) : nullptr;
  if (native && native->full && native->full_count <= quiet) {
    for (std::uint32_t w = 0; w < m_.count; ++w) (void)native->full(m_.warps[w]);  // to its end: nothing there can go wrong
    return &inst + native->full_count;
  }
  if (inst.in_lockstep)
    inst.in_lockstep(m_, inst);
  else
    for (std::uint32_t w = 0; w < m_.count; ++w) inst.handler(*m_.warps[w], inst);
  return &inst + 1;
}

/// Those that do not jump over what lies between execute it, warp after warp. False, and nothing has happened: they must not here.
bool Watched::skip(const Inst& branch, const Inst* next, const Inst* target) {
  const QuietPaths& paths = worker_.quiet_paths;
  if (!std::all_of(next, target, [](const Inst& inst) { return inst.flow == Flow::plain; })) return false;  // a fence, say
  if (next + paths.quiet_from(index_of(*next)) < target && !paths.quiet_until_barrier(index_of(*target))) return false;
  count_until(branch.pc + 1);
  for (std::uint32_t n = 0, w = first_; n < m_.count; ++n, w = w + 1 == m_.count ? 0 : w + 1) {
    const std::uint32_t mask = stays_[w];
    if (!mask) continue;
    Warp& warp = *m_.warps[w];
    const std::uint32_t all = warp.mask;
    warp.set_mask(mask);
    count(next->first_pc, target->pc, 1, warp.lane_count);
    (void)run_native(warp, next, target);
    warp.set_mask(all);
  }
  return true;
}

/// All of the block come to a barrier. False, and nothing has happened: there is more to it.
bool Watched::meet(const Inst& barrier) {
  const std::uint32_t number = *m_.warps[0]->row_of<std::uint32_t>(barrier.a);
  if (number >= named_barriers || block_.exited_threads || block_.barriers[number].arrived) return false;
  count_until(barrier.pc + !barrier.pseudo);
  // Who came last goes on first.
  first_ = (first_ ? first_ : m_.count) - 1;
  Warp& last = *m_.warps[first_];
  block_.tell_met({.function = last.frame->code->function, .inst = &barrier, .warp = &last, .mask = last.mask}, number);
  met_ = true;
  return true;
}

LockstepResult Watched::run() {
  const std::atomic<bool>& stop = worker_.machine.stop;
  std::int32_t fuel = watched_slice;
  const Inst* next = insts_ + m_.warps[0]->at;
  from_ = next->first_pc;
  for (;;) {
    const Inst& inst = *next;
    if (stop.load(std::memory_order_relaxed)) return part_at(next);
    if (inst.flow == Flow::plain) {
      next = compute(inst);
      if (next != &inst) continue;
      count_until(inst.first_pc);
      return part_at(next);
    }
    ++next;
    if (inst.flow == Flow::point) continue;
    std::uint32_t jump = 0, stay = 0;
    if (inst.flow == Flow::branch || inst.flow == Flow::skip) {
      for (std::uint32_t w = 0; w < m_.count; ++w) {
        const std::uint32_t taken = m_.warps[w]->lanes_where(inst.guard, inst.guard_negated);
        jump |= taken;
        stay |= stays_[w] = m_.warps[w]->mask & ~taken;
      }
      if (!jump) continue;
    }
    const Inst* const target = insts_ + inst.target;
    if (inst.flow == Flow::skip && stay && skip(inst, next, target)) {
      next = target;
      from_ = next->first_pc;
      continue;
    }
    if ((jump && !stay) || jumps_always(inst)) {
      count_until(inst.pc + 1);
      from_ = target->first_pc;
      if (target < next && (fuel -= fuel_of(inst, static_cast<std::size_t>(next - target))) <= 0) return part_at(target);
      next = target;
      continue;
    }
    if (inst.flow == Flow::barrier && meet(inst)) {
      from_ = next->first_pc;
      continue;
    }
    if (inst.flow == Flow::end) {
      count_until(inst.pc + !inst.pseudo);
      met_ = true;
      return LockstepResult::finished;
    }
    count_until(inst.first_pc);
    return part_at(&inst);
  }
}

}  // namespace

QuietPaths::QuietPaths(const Code& code) : code_(&code) {
  const std::size_t size = code.insts.size();
  quiet_.assign(size + 1, 0);
  failures_.assign(size, 0);
  for (std::size_t n = size; n-- > 0;) quiet_[n] = computes_alone(code.insts[n]) ? quiet_[n + 1] + 1 : 0;
  std::vector<bool>& told = told_before_barrier_;
  told.assign(size + 1, false);
  told[size] = true;  // there is nothing
  const auto told_from = [&](std::size_t n) {
    const Inst& inst = code.insts[n];
    const auto at_target = [&] { return inst.target >= size || told[inst.target]; };
    if (inst.flow == Flow::barrier || inst.flow == Flow::end) return false;
    if (inst.flow == Flow::point || quiet_[n]) return bool{told[n + 1]};
    if (inst.flow == Flow::branch || inst.flow == Flow::skip) return told[n + 1] || at_target();
    return !jumps_always(inst) || at_target();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t n = size; n-- > 0;) {
      if (told[n] || !told_from(n)) continue;
      told[n] = changed = true;
    }
  }
}

bool QuietPaths::is_worth_trying(std::uint32_t at) {
  constexpr std::uint32_t few = 4, seldom = 64;
  if (failures_[at] < few) return true;
  if (failures_[at] >= few + seldom) failures_[at] = few - 1;
  return ++failures_[at] == few;
}

bool may_run_watched_lockstep(const Worker& worker) {
  const Machine& machine = worker.machine;
  return machine.observer && !worker.clock && !worker.order && !machine.report_changes && !machine.report_branches &&
         !machine.report_loaded_values;
}

LockstepResult run_watched_lockstep(Lockstep& m, std::uint32_t& first) {
  const std::uint32_t began = m.warps[0]->at;
  Watched watched(m, first);
  const LockstepResult result = watched.run();
  m.warps[0]->worker->quiet_paths.tried(began, watched.has_met());
  return result;
}

}  // namespace warpbook::gpu::vm
