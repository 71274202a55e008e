#include "gpu/virtual/vm/exec/lockstep.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/native_code.h"

namespace warpbook::gpu::vm {
namespace {

/// All its living lanes run, in the kernel itself, and meet nobody further on.
bool is_whole(const Warp& warp) {
  return warp.running && warp.mask == warp.alive && warp.reconvergence < 0 && !warp.lanes_after_skip && !warp.frame->caller;
}

/// Those that do not jump over the stretch execute it, each warp with its own lanes.
void execute_skip(const Lockstep& m, const Inst& branch, const Inst* next, const Inst* target) {
  const std::uint32_t stretch = target->pc - branch.pc - 1;
  if (const NativeStart* native = native_at(*next); native && native->part && next + native->part_count == target) {
    std::uint64_t warps = 0, threads = 0;
    for (std::uint32_t w = 0; w < m.count; ++w) {
      Warp& warp = *m.warps[w];
      const std::uint32_t all = warp.mask, mask = all & ~warp.lanes_where(branch.guard, branch.guard_negated);
      if (!mask) continue;
      warp.set_mask(mask);
      ++warps;
      threads += warp.lane_count;
      (void)run_native(warp, next, target);
      warp.set_mask(all);
    }
    m.warps[0]->executed->add(stretch, warps, threads);
    return;
  }
  Lockstep inside;
  std::uint32_t whole[most_warps];
  for (std::uint32_t w = 0; w < m.count; ++w) {
    Warp& warp = *m.warps[w];
    const std::uint32_t mask = warp.mask & ~warp.lanes_where(branch.guard, branch.guard_negated);
    if (!mask) continue;
    inside.warps[inside.count] = &warp;
    inside.rows[inside.count] = m.rows[w];
    inside.shared[inside.count] = m.shared[w];
    whole[inside.count++] = warp.mask;
    warp.set_mask(mask);
    warp.executed->add(stretch, 1, warp.lane_count);
  }
  for (; next != target; ++next) {
    if (const NativeStart* native = native_at(*next); native && native->part && next + native->part_count <= target) {
      const Inst* const end = next + native->part_count;
      for (std::uint32_t k = 0; k < inside.count; ++k) (void)run_native(*inside.warps[k], next, end);
      next = end - 1;
    } else if (next->in_lockstep && next->lockstep_any_mask)
      next->in_lockstep(inside, *next);
    else
      for (std::uint32_t k = 0; k < inside.count; ++k) next->handler(*inside.warps[k], *next);
  }
  for (std::uint32_t k = 0; k < inside.count; ++k) inside.warps[k]->set_mask(whole[k]);
}

/// Whether every warp has all 32 lanes, and how many threads they have together.
std::pair<bool, std::uint64_t> lanes_of(const Lockstep& m) {
  bool all_full = true;
  std::uint64_t threads = 0;
  for (std::uint32_t w = 0; w < m.count; ++w) {
    all_full &= m.warps[w]->mask == ~0u;
    threads += m.warps[w]->lane_count;
  }
  return {all_full, threads};
}

bool nobody_waits_at(const Lockstep& m, std::uint32_t barrier) {
  return std::ranges::none_of(m.blocks, [&](const Block* block) { return block->barriers[barrier].arrived != 0; });
}

/// Lanes, of any of the warps, that take a branch and that do not.
struct Branching {
  std::uint32_t some = 0, rest = 0;
};

Branching branching_at(const Lockstep& m, const Inst& inst) {
  Branching lanes;
  for (std::uint32_t w = 0; w < m.count; ++w) {
    const std::uint32_t taken = m.warps[w]->lanes_where(inst.guard, inst.guard_negated);
    lanes.some |= taken;
    lanes.rest |= m.warps[w]->mask & ~taken;
  }
  return lanes;
}

/// Executes the native code that begins at `inst`. Returns what lies behind it: `inst`, if there is none for these lanes.
const Inst* execute_native(const Lockstep& m, Together& together, const NativeStart& native, const Inst& inst, bool all_full) {
  const bool all = all_full && native.together, full = all_full && native.full_count;
  const Inst* const end = &inst + (all ? native.together_count : full ? native.full_count : native.part_count);
  if (end == &inst) return end;
  if (all)
    run_together(together, native, &inst);
  else
    for (std::uint32_t w = 0; w < m.count; ++w) (void)run_native(*m.warps[w], &inst, end);
  return end;
}

void execute_plain(Lockstep& m, const Inst& inst) {
  if (inst.in_lockstep) return inst.in_lockstep(m, inst);
  for (std::uint32_t w = 0; w < m.count; ++w) inst.handler(*m.warps[w], inst);
}

void execute_one_by_one(Lockstep& m, const Inst& inst, std::uint32_t behind) {
  for (std::uint32_t w = 0; w < m.count; ++w) {
    m.warps[w]->at = behind;
    inst.handler(*m.warps[w], inst);
  }
}

bool are_together(const Lockstep& m) {
  for (std::uint32_t w = 0; w < m.count; ++w)
    if (!is_whole(*m.warps[w]) || m.warps[w]->at != m.warps[0]->at) return false;
  return true;
}

}  // namespace

bool enter_lockstep(Lockstep& lockstep, std::span<Block* const> blocks) {
  lockstep.count = 0;
  lockstep.blocks = blocks;
  for (Block* block : blocks) {
    for (std::uint32_t w = 0; w < block->warp_count; ++w) {
      Warp& warp = *block->warps[w];
      if (warp.finished()) continue;
      if (lockstep.count == most_warps || !(warp.running || warp.resume()) || !is_whole(warp) ||
          (lockstep.count && warp.at != lockstep.warps[0]->at))
        return false;
      warp.fuel = warp.worker->slice;
      lockstep.rows[lockstep.count] = warp.rows;
      lockstep.shared[lockstep.count] = warp.shared;
      lockstep.warps[lockstep.count++] = &warp;
    }
  }
  return lockstep.count > 1;
}

LockstepResult run_lockstep(Lockstep& m) {
  const Inst* const insts = m.warps[0]->insts;
  const Inst* next = insts + m.warps[0]->at;
  std::uint32_t from = next->first_pc;
  std::uint64_t executed = 0;
  auto [all_full, threads] = lanes_of(m);
  Worker& worker = *m.warps[0]->worker;
  std::int32_t fuel = worker.slice;
  const std::atomic<bool>& stop = worker.machine.stop;
  Together together{.lockstep = &m};
  const Inst* known = nullptr;  // the branch of which `together` tells
  const auto count_all = [&] { worker.executed.add(std::exchange(executed, 0), m.count, threads); };
  const auto leave_at = [&](const Inst* where, LockstepResult result) {
    for (std::uint32_t w = 0; w < m.count; ++w) m.warps[w]->at = static_cast<std::uint32_t>(where - insts);
    count_all();
    return result;
  };
  for (;;) {
    const Inst& inst = *next++;
    if (const NativeStart* native = native_at(inst)) {
      const bool all = all_full && native->together;
      if (const Inst* const end = execute_native(m, together, *native, inst, all_full); end != &inst) {
        known = all ? end : nullptr;
        next = end;
        if (!stop.load(std::memory_order_relaxed)) continue;
        return leave_at(next, LockstepResult::diverged);
      }
    }
    if (inst.flow == Flow::plain) {
      execute_plain(m, inst);
      if (!stop.load(std::memory_order_relaxed)) continue;
      return leave_at(next, LockstepResult::diverged);
    }
    const std::uint32_t before = inst.first_pc - from, with = inst.pc - from + !inst.pseudo;
    const bool all_meet = inst.flow == Flow::barrier && nobody_waits_at(m, *m.warps[0]->row_of<std::uint32_t>(inst.a));
    if (inst.flow == Flow::point || all_meet) {
      executed += with;
      from = inst.pc + !inst.pseudo;
      continue;
    }
    if (inst.flow == Flow::branch || inst.flow == Flow::skip) {
      const auto [some, rest] =
          &inst == std::exchange(known, nullptr) ? Branching{together.jump, together.stay} : branching_at(m, inst);
      const Inst* const target = insts + inst.target;
      if (!some) {
        executed += with;
        from = inst.pc + 1;
      } else if (!rest) {
        executed += with;
        if (target < next && (fuel -= fuel_of(inst, static_cast<std::size_t>(next - target))) <= 0)
          return leave_at(target, LockstepResult::spinning);
        next = target;
        from = next->first_pc;
      } else if (inst.flow == Flow::skip) {
        executed += with;
        execute_skip(m, inst, next, target);
        if (stop.load(std::memory_order_relaxed)) return leave_at(target, LockstepResult::diverged);
        next = target;
        from = next->first_pc;
      } else {
        executed += before;
        return leave_at(&inst, LockstepResult::diverged);
      }
      continue;
    }
    if (inst.flow == Flow::end) {
      executed += with;
      count_all();
      return LockstepResult::finished;
    }
    // Whatever else: one warp after the other. Mostly they are still together afterwards.
    executed += with;
    count_all();
    execute_one_by_one(m, inst, static_cast<std::uint32_t>(next - insts));
    if (stop.load(std::memory_order_relaxed) || !are_together(m)) return LockstepResult::diverged;
    std::tie(all_full, threads) = lanes_of(m);
    next = insts + m.warps[0]->at;
    from = next->first_pc;
  }
}

void finish_lockstep(Lockstep& m) {
  for (std::uint32_t w = 0; w < m.count; ++w) m.warps[w]->exit_whole();
  for (Block* block : m.blocks) block->on_exit_of_all();  // all that have not exited before
}

}  // namespace warpbook::gpu::vm
