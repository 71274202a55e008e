#include "gpu/virtual/vm/march.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/block.h"
#include "gpu/virtual/vm/mbarrier.h"
#include "gpu/virtual/vm/native.h"

namespace warpbook::gpu::vm {
namespace {

/// All its living lanes run, in the kernel itself, and meet nobody further on.
bool is_whole(const Warp& warp) {
  return warp.running && warp.mask == warp.alive && warp.reconvergence < 0 && !warp.behind && !warp.frame->caller;
}

/// Those that do not jump over the stretch execute it, each warp with its own lanes.
void execute_over(const March& m, const Inst& branch, const Inst* next, const Inst* target) {
  const std::uint32_t stretch = target->pc - branch.pc - 1;
  if (const Native* native = native_at(*next); native && native->part && next + native->part_count == target) {
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
  March inside;
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
    if (const Native* native = native_at(*next); native && native->part && next + native->part_count <= target) {
      const Inst* const end = next + native->part_count;
      for (std::uint32_t k = 0; k < inside.count; ++k) (void)run_native(*inside.warps[k], next, end);
      next = end - 1;
    } else if (next->together && next->together_in_part)
      next->together(inside, *next);
    else
      for (std::uint32_t k = 0; k < inside.count; ++k) next->handler(*inside.warps[k], *next);
  }
  for (std::uint32_t k = 0; k < inside.count; ++k) inside.warps[k]->set_mask(whole[k]);
}

}  // namespace

bool may_march(const ptx::Function& kernel) {
  using ptx::Effect;
  // What may have been done to shared memory since the last barrier, before each instruction.
  enum Done : std::uint8_t { stored = 1, loaded = 2, loaded_last_turn = 4 };
  std::vector<std::uint8_t> done(kernel.code.size() + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      const ptx::Instruction& i = kernel.code[pc];
      const Effect effect = ptx::row(i.op).effect;
      std::uint8_t now = done[pc];
      if (effect == Effect::barrier) now = 0;
      if (i.space == ptx::Space::shared && effect == Effect::load) {
        if (now & stored) return false;
        now |= loaded;
      } else if (i.space == ptx::Space::shared && (effect == Effect::store || effect == Effect::atomic)) {
        if (effect == Effect::store && now & loaded_last_turn) return false;
        now |= stored;
      }
      const auto reach = [&](std::uint32_t to) {
        const std::uint8_t there = done[to] | now | (to <= pc && now & loaded ? loaded_last_turn : 0);
        changed |= there != done[to];
        done[to] = there;
      };
      if (i.op == ptx::Opcode::bra) reach(i.operands[0].index);
      if (i.op == ptx::Opcode::brx)
        for (const std::uint32_t target : kernel.branch_targets[i.operands[1].index]) reach(target);
      if (i.guarded || (effect != Effect::branch && effect != Effect::exit)) reach(pc + 1);
    }
  }
  return true;
}

bool is_plain_barrier(const ptx::Instruction& inst) {
  return (inst.op == ptx::Opcode::bar || inst.op == ptx::Opcode::barrier) && inst.barrier == ptx::Barrier::sync && !inst.guarded &&
         inst.operands.size() == 1 && inst.operands[0].kind == ptx::Operand::Kind::immediate &&
         inst.operands[0].bits < named_barriers;
}

namespace {

bool may_store_to_shared(const ptx::Function& kernel, const ptx::Instruction& i) {
  using ptx::Effect;
  using ptx::Space;
  const Effect effect = ptx::row(i.op).effect;
  if (effect == Effect::call || i.op == ptx::Opcode::cp_async || is_mbarrier(i.op)) return true;
  if (i.op == ptx::Opcode::ret && !kernel.entry) return true;  // whatever the caller does
  return (effect == Effect::store || effect == Effect::atomic) && (i.space == Space::shared || i.space == Space::generic);
}

}  // namespace

std::vector<bool> reads_only_behind(const ptx::Function& kernel) {
  const auto size = static_cast<std::uint32_t>(kernel.code.size());
  std::vector<bool> found(size), stores(size);  // stores: from here on, up to the next barrier, there may be one
  std::vector<std::vector<std::uint32_t>> before(size);
  std::vector<std::uint32_t> work;
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    const ptx::Instruction& i = kernel.code[pc];
    if (may_store_to_shared(kernel, i)) {
      stores[pc] = true;
      work.push_back(pc);
    }
    if (is_plain_barrier(i)) continue;  // what is behind it counts from there
    const auto edge = [&](std::uint32_t to) {
      if (to < size) before[to].push_back(pc);
    };
    if (i.op == ptx::Opcode::bra) edge(i.operands[0].index);
    if (i.op == ptx::Opcode::brx)
      for (const std::uint32_t target : kernel.branch_targets[i.operands[1].index]) edge(target);
    const ptx::Effect effect = ptx::row(i.op).effect;
    if (i.guarded || (effect != ptx::Effect::branch && effect != ptx::Effect::exit)) edge(pc + 1);
  }
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    for (const std::uint32_t pc : before[at]) {
      if (stores[pc]) continue;
      stores[pc] = true;
      work.push_back(pc);
    }
  }
  for (std::uint32_t pc = 0; pc < size; ++pc)
    found[pc] = is_plain_barrier(kernel.code[pc]) && (pc + 1 == size || !stores[pc + 1]);
  return found;
}

bool gather(March& march, std::span<Block* const> blocks) {
  march.count = 0;
  march.blocks = blocks;
  for (Block* block : blocks) {
    for (std::uint32_t w = 0; w < block->warp_count; ++w) {
      Warp& warp = *block->warps[w];
      if (warp.finished()) continue;
      if (march.count == most_warps || !(warp.running || warp.resume()) || !is_whole(warp) ||
          (march.count && warp.at != march.warps[0]->at))
        return false;
      warp.fuel = warp.worker->slice;
      march.rows[march.count] = warp.rows;
      march.shared[march.count] = warp.shared;
      march.warps[march.count++] = &warp;
    }
  }
  return march.count > 1;
}

Marched go_on(March& m) {
  const Inst* const insts = m.warps[0]->insts;
  const Inst* next = insts + m.warps[0]->at;
  std::uint32_t from = next->first_pc;
  std::uint64_t executed = 0, threads = 0;
  bool all_full = true;
  Worker& worker = *m.warps[0]->worker;
  std::int32_t fuel = worker.slice;
  const std::atomic<bool>& stop = worker.machine.stop;
  const auto nobody_waits_at = [&](std::uint32_t barrier) {
    return std::ranges::none_of(m.blocks, [&](const Block* block) { return block->barriers[barrier].arrived != 0; });
  };
  const auto look_at_lanes = [&] {
    all_full = true;
    threads = 0;
    for (std::uint32_t w = 0; w < m.count; ++w) {
      all_full &= m.warps[w]->mask == ~0u;
      threads += m.warps[w]->lane_count;
    }
  };
  look_at_lanes();
  const auto count_all = [&] { worker.executed.add(std::exchange(executed, 0), m.count, threads); };
  const auto part_at = [&](const Inst* where) {
    for (std::uint32_t w = 0; w < m.count; ++w) m.warps[w]->at = static_cast<std::uint32_t>(where - insts);
    count_all();
  };
  for (;;) {
    const Inst& inst = *next++;
    if (inst.flow == Flow::plain) {
      if (const Native* native = native_at(inst)) {
        const bool full = native->full && all_full;
        const Inst* const end = &inst + (full ? native->full_count : native->part_count);
        if (end != &inst) {
          for (std::uint32_t w = 0; w < m.count; ++w) (void)run_native(*m.warps[w], &inst, end);
          next = end;
          if (!stop.load(std::memory_order_relaxed)) continue;
          part_at(next);
          return Marched::apart;
        }
      }
      if (inst.together)
        inst.together(m, inst);
      else
        for (std::uint32_t w = 0; w < m.count; ++w) inst.handler(*m.warps[w], inst);
      if (!stop.load(std::memory_order_relaxed)) continue;
      part_at(next);
      return Marched::apart;
    }
    const std::uint32_t before = inst.first_pc - from, with = inst.pc - from + !inst.pseudo;
    const bool all_meet = inst.flow == Flow::barrier && nobody_waits_at(*m.warps[0]->row_of<std::uint32_t>(inst.a));
    if (inst.flow == Flow::point || all_meet) {
      executed += with;
      from = inst.pc + !inst.pseudo;
      continue;
    }
    if (inst.flow == Flow::branch || inst.flow == Flow::over) {
      std::uint32_t some = 0, rest = 0;
      for (std::uint32_t w = 0; w < m.count; ++w) {
        const std::uint32_t taken = m.warps[w]->lanes_where(inst.guard, inst.guard_negated);
        some |= taken;
        rest |= m.warps[w]->mask & ~taken;
      }
      const Inst* const target = insts + inst.target;
      if (!some) {
        executed += with;
        from = inst.pc + 1;
      } else if (!rest) {
        executed += with;
        if (target < next && (fuel -= fuel_of(inst, static_cast<std::size_t>(next - target))) <= 0) {
          part_at(target);
          return Marched::spinning;
        }
        next = target;
        from = next->first_pc;
      } else if (inst.flow == Flow::over) {
        executed += with;
        execute_over(m, inst, next, target);
        if (stop.load(std::memory_order_relaxed)) {
          part_at(target);
          return Marched::apart;
        }
        next = target;
        from = next->first_pc;
      } else {
        executed += before;
        part_at(&inst);
        return Marched::apart;
      }
      continue;
    }
    if (inst.flow == Flow::end) {
      executed += with;
      count_all();
      return Marched::to_the_end;
    }
    // Whatever else: one warp after the other. Mostly they are still together afterwards.
    executed += with;
    count_all();
    const auto at = static_cast<std::uint32_t>(next - insts);
    for (std::uint32_t w = 0; w < m.count; ++w) {
      m.warps[w]->at = at;
      inst.handler(*m.warps[w], inst);
    }
    if (stop.load(std::memory_order_relaxed)) return Marched::apart;
    for (std::uint32_t w = 0; w < m.count; ++w)
      if (!is_whole(*m.warps[w]) || m.warps[w]->at != m.warps[0]->at) return Marched::apart;
    look_at_lanes();
    next = insts + m.warps[0]->at;
    from = next->first_pc;
  }
}

void end(March& m) {
  for (std::uint32_t w = 0; w < m.count; ++w) m.warps[w]->exit_whole();
  for (Block* block : m.blocks) block->on_exit_of_all();  // all that have not exited before
}

}  // namespace warpbook::gpu::vm
