// Control flow, barriers of a block, fences and clocks: what a lane cannot do alone. Not vectorised, so built once.
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "gpu/virtual/vm/code/place.h"
#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/warp_sync.h"
#include "gpu/virtual/vm/lanes/handlers.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Instruction;
using ptx::Opcode;

std::uint32_t guard_of(const Warp& w, const Inst& i) { return w.lanes_where(i.guard, i.guard_negated); }

/// Backward jumps use up the slice, so that a loop without end can be interrupted. Forward code always ends by itself.
void jump(Warp& w, const Inst& i, std::uint32_t target) {
  if (target < w.at && (w.fuel -= fuel_of(i, w.at - target)) <= 0) {
    w.at = target;
    w.waiting.push_back(w.save());
    w.running = false;
    return;
  }
  w.at = target;
}

void report_branch(Warp& w, const Inst& i, std::uint32_t taken) {
  const Machine& machine = w.worker->machine;
  if (machine.report_branches) machine.observer->on_branch({w.worker->site(w, i), w.block->id(w), w.mask, taken});
}

void branch_always(Warp& w, const Inst& i) { jump(w, i, i.target); }

void branch_if(Warp& w, const Inst& i) {
  const std::uint32_t taken = guard_of(w, i);
  report_branch(w, i, taken);
  if (taken == w.mask) return jump(w, i, i.target);
  if (!taken) return;
  if (i.flow == Flow::skip) {
    w.lanes_after_skip = w.mask;
    return w.set_mask(w.mask & ~taken);
  }
  w.diverge(taken, w.at, i.reconverge);  // those who jump become the running split …
  jump(w, i, i.target);                  // … and jump
}

void branch_table(Warp& w, const Inst& i) {
  const std::uint32_t mask = i.ptx->guarded ? guard_of(w, i) : w.mask;
  if (!mask) return;
  if (mask != w.mask) {
    // The others fall through; come here again with those who jump.
    w.diverge(mask, w.at, i.reconverge);
  }
  const auto& targets = w.frame->code->extras[i.extra].targets;
  const std::uint32_t* index = w.row_of<std::uint32_t>(i.a);
  const std::uint32_t first = index[std::countr_zero(w.mask)];
  if (first >= targets.size())
    return w.worker->fault(w, i, static_cast<std::uint32_t>(std::countr_zero(w.mask)), "cudaErrorIllegalInstruction",
                           to_say("The jump table that is used here{at} has {entries} entries, none with number {number}.",
                                  "at"_a = place_of(*i.ptx), "entries"_a = targets.size(), "number"_a = first));
  std::uint32_t same = 0;
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.mask >> l & 1u && index[l] == first) same |= 1u << l;
  report_branch(w, i, same);
  if (same != w.mask) {
    w.diverge(same, w.at, i.reconverge);
    w.waiting.back().at = w.at - 1;  // the rest look up their own entry
  }
  jump(w, i, targets[first]);
}

void call(Warp& w, const Inst& i) {
  const Extra& extra = w.frame->code->extras[i.extra];
  const Code* callee = extra.callee;
  if (!callee) {
    const std::uint64_t* target = w.row_of<std::uint64_t>(i.a);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(w.mask));
    const std::uint64_t index = (target[lane] - function_window) / 16;
    const auto& codes = w.worker->machine.image->codes;
    if (target[lane] < function_window || index >= codes.size() || !codes[index])
      return w.worker->fault(w, i, lane, "cudaErrorInvalidPc",
                             to_say("A call{at} goes through a pointer that points to no __device__ function ({address:#x}).",
                                    "at"_a = place_of(*i.ptx), "address"_a = target[lane]));
    std::uint32_t same = 0;
    for (std::uint32_t l = 0; l < lanes; ++l)
      if (w.mask >> l & 1u && target[l] == target[lane]) same |= 1u << l;
    report_branch(w, i, same);
    if (same != w.mask) {
      w.diverge(same, w.at, w.at);  // all meet behind the call
      w.waiting.back().at = w.at - 1;
    }
    callee = codes[index].get();
  }
  if (!w.take(1)) return;
  w.call(*callee, i, extra);
}

void exit_handler(Warp& w, const Inst&) { w.exit_lanes(w.exec); }

/// Cooperative groups traps when grid.sync() has nothing to count in.
bool wants_cooperative_launch(const Warp& w) {
  if (w.worker->machine.grid_workspace) return false;
  for (const Instruction& inst : w.frame->code->function->code)
    for (const ptx::Operand& operand : inst.operands)
      if (operand.kind == ptx::Operand::Kind::special && operand.special == ptx::Special::workspace_low) return true;
  return false;
}

void trap(Warp& w, const Inst& i) {
  if (wants_cooperative_launch(w))
    return w.worker->fault(w, i, static_cast<std::uint32_t>(std::countr_zero(w.exec)), "cudaErrorLaunchFailure",
                           to_say("The whole grid is synchronised{at}, which takes a cooperative launch: call "
                                  "cudaLaunchCooperativeKernel, or launch with --cooperative.",
                                  "at"_a = place_of(*i.ptx)));
  w.worker->fault(w, i, static_cast<std::uint32_t>(std::countr_zero(w.exec)), "cudaErrorLaunchFailure",
                  i.ptx->line
                      ? to_say("Line {line} executed a trap: the program stopped itself.", "line"_a = i.ptx->line)
                      : to_say("The program stopped itself by a trap, for which no line of the source is known. The compiler puts "
                               "one where something cannot be carried out, such as an atomic on a variable of the thread's own: "
                               "atomics need shared or global memory. It may also stand for an assertion that failed."));
}

// ---- block barriers -------------------------------------------------------------------------------------------------

void block_barrier(Warp& w, const Inst& i) {
  const Instruction& p = *i.ptx;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(w.mask));
  const std::uint32_t number = w.row_of<std::uint32_t>(i.a)[lane];
  if (number >= named_barriers)
    return w.worker->fault(w, i, lane, "cudaErrorIllegalInstruction",
                           to_say("Barrier {number} does not exist; there are 16, from 0.", "number"_a = number));
  const bool reduces = p.barrier >= ptx::Barrier::red_popc;
  const std::size_t sources = p.operands.size() - p.destinations;
  const bool counted = sources == (reduces ? 3u : 2u);
  const std::uint32_t expected = counted ? w.row_of<std::uint32_t>(i.b)[lane] : 0;
  std::uint32_t predicate = 0;
  if (reduces) predicate = *w.row_of<std::uint32_t>(counted ? i.c : i.b) ^ (i.a_negated ? ~0u : 0u);
  w.block->arrive(w, i, number, expected, predicate);
}

/// A cluster of one block: all have arrived when all of the block wait.
void cluster_wait(Warp& w, const Inst& i) { w.block->arrive(w, i, cluster_barrier, 0, 0); }

void active_mask(Warp& w, const Inst& i) {
  std::uint32_t* d = w.row_of<std::uint32_t>(i.d);
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) d[l] = w.exec;
}

void fence(Warp& w, const Inst& i) {
  if (w.worker->machine.parallel) std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Observer* observer = w.worker->machine.observer)
    observer->on_synchronise({w.worker->site(w, i), w.block->id(w), Synchronisation::Kind::fence, w.exec, i.ptx->scope, 0, {}});
}

/// Commits and waits of asynchronous copies only tell the observer: the fast schedule copies at once, the clock waits by itself.
void copy_group(Warp& w, const Inst& i) {
  Observer* const observer = w.worker->machine.observer;
  if (!observer) return;
  const Opcode op = i.ptx->op;
  const bool commits = op == Opcode::cp_async_commit_group || op == Opcode::cp_async_bulk_commit_group;
  const bool sources_only = op == Opcode::cp_async_bulk_wait_group_read;
  const bool bulk = sources_only || op == Opcode::cp_async_bulk_commit_group || op == Opcode::cp_async_bulk_wait_group;
  Synchronisation event{w.worker->site(w, i), w.block->id(w), Synchronisation::Kind::copies_begun, w.exec, ptx::Scope::cta, 0, {}};
  event.copy = bulk ? ptx::Copy::bulk_group : ptx::Copy::group;
  // cp.async.wait_all also waits for what is not committed: it commits, then waits for all groups.
  if (commits || op == Opcode::cp_async_wait_all) observer->on_synchronise(event);
  if (commits) return;
  event.kind = Synchronisation::Kind::copies_waited;
  event.sources_only = sources_only;
  if (!i.ptx->operands.empty()) event.groups = static_cast<std::uint32_t>(std::min<std::uint64_t>(i.ptx->operands[0].bits, ~0u));
  observer->on_synchronise(event);
}

void nothing(Warp&, const Inst&) {}

/// Who sleeps does not need its slice: let others run. (How long it sleeps is the hardware's choice, up to 2×.)
void nanosleep(Warp& w, const Inst&) {
  if (w.worker->clock) return;
  w.waiting.push_back(w.save());
  w.running = false;
  w.fuel = 0;
}

/// Special registers whose value changes while the kernel runs.
void read_clock(Warp& w, const Inst& i) {
  const Machine& machine = w.worker->machine;
  const ptx::Special which = i.ptx->operands[1].special;
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - machine.began).count();
  std::uint64_t value;
  switch (which) {
    case ptx::Special::globaltimer:
    case ptx::Special::globaltimer_lo:
    case ptx::Special::globaltimer_hi:
      value = w.worker->clock ? static_cast<std::uint64_t>(static_cast<double>(w.worker->cycle) * 1e3 / machine.clock_mhz)
                              : static_cast<std::uint64_t>(ns);
      break;
    default:
      value = w.worker->clock ? w.worker->cycle : static_cast<std::uint64_t>(ns * machine.clock_mhz / 1e3);
      break;
  }
  if (which == ptx::Special::clock_hi || which == ptx::Special::globaltimer_hi) value >>= 32;
  const unsigned bytes = ptx::bytes_of(i.ptx->type);
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) std::memcpy(w.row(i.d) + l * bytes, &value, bytes);
}

bool changes(ptx::Special s) {
  using enum ptx::Special;
  return s == clock || s == clock_hi || s == clock64 || s == globaltimer || s == globaltimer_lo || s == globaltimer_hi;
}

}  // namespace

void guarded(Warp& w, const Inst& i) {
  const std::uint32_t exec = guard_of(w, i);
  if (!exec) return;
  w.exec = exec;
  i.inner(w, i);
  w.exec = w.mask;
}

void reconvergence_point(Warp& w, const Inst&) {
  if (w.lanes_after_skip) w.set_mask(std::exchange(w.lanes_after_skip, 0));
  if (w.reconvergence < 0) return;
  const Reconvergence& point = w.points[w.reconvergence];
  if (point.at == w.at - 1 && point.frame == w.frame) w.arrive();
}

void return_handler(Warp& w, const Inst&) {
  if (w.reconvergence >= 0) {
    const Reconvergence& point = w.points[w.reconvergence];
    if (point.frame == w.frame && point.at == w.frame->code->insts.size() - 1) return w.arrive();
  }
  w.return_lanes();
}

void branch_around(Warp& w, const Inst& i) {
  const std::uint32_t stay = guard_of(w, i);
  if (stay == w.mask) return;
  if (!stay) {
    w.at = i.target;
    return;
  }
  w.diverge(w.mask & ~stay, w.at, i.reconverge);
  w.at = i.target;
}

Handler control_handler(const Instruction& inst) {
  switch (inst.op) {
    case Opcode::bra:
      return inst.guarded ? branch_if : branch_always;
    case Opcode::brx:
      return branch_table;
    case Opcode::call:
      return call;
    case Opcode::ret:
      return return_handler;
    case Opcode::exit:
      return exit_handler;
    case Opcode::trap:
      return trap;
    case Opcode::bar:
    case Opcode::barrier:
      return block_barrier;
    case Opcode::cluster_arrive:
      return fence;
    case Opcode::cluster_wait:
      return cluster_wait;
    case Opcode::bar_warp:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
      return warp_sync_handler(inst);
    case Opcode::activemask:
      return active_mask;
    case Opcode::membar:
    case Opcode::fence:
      return fence;
    case Opcode::cp_async_commit_group:
    case Opcode::cp_async_wait_group:
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_bulk_commit_group:
    case Opcode::cp_async_bulk_wait_group:
    case Opcode::cp_async_bulk_wait_group_read:
      return copy_group;
    case Opcode::fence_proxy:  // all memory is accessed in one way
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::discard:
    case Opcode::applypriority:
    case Opcode::brkpt:
    case Opcode::pmevent:
    case Opcode::setmaxnreg_inc:
    case Opcode::setmaxnreg_dec:
    case Opcode::griddepcontrol_wait:
    case Opcode::griddepcontrol_launch_dependents:
    case Opcode::createpolicy_fractional:
    case Opcode::createpolicy_range:
      return nothing;
    case Opcode::nanosleep:
      return nanosleep;
    case Opcode::mov:
      if (inst.operands.size() > 1 && inst.operands[1].kind == ptx::Operand::Kind::special && changes(inst.operands[1].special))
        return read_clock;
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace warpbook::gpu::vm
