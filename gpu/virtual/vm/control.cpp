// Control flow, barriers and exchanges between lanes: what a lane cannot do alone. Not vectorised, so built once.
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "gpu/virtual/vm/block.h"
#include "gpu/virtual/vm/changes.h"
#include "gpu/virtual/vm/handlers.h"
#include "gpu/virtual/vm/place.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

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
  if (machine.tell_branches) machine.observer->on_branch({w.worker->site(w, i), w.block->id(w), w.mask, taken});
}

void branch_always(Warp& w, const Inst& i) { jump(w, i, i.target); }

void branch_if(Warp& w, const Inst& i) {
  const std::uint32_t taken = guard_of(w, i);
  report_branch(w, i, taken);
  if (taken == w.mask) return jump(w, i, i.target);
  if (!taken) return;
  if (i.flow == Flow::over) {
    w.behind = w.mask;
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
    return w.worker->fault(
        w, i, static_cast<std::uint32_t>(std::countr_zero(w.mask)), "cudaErrorIllegalInstruction",
        fmt::format("The jump table of {} has {} entries, none with number {}.", place_of(*i.ptx), targets.size(), first));
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
                             fmt::format("Line {} calls through a function pointer that points to no __device__ function ({:#x}).",
                                         i.ptx->line, target[lane]));
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
                           fmt::format("Line {} synchronises the whole grid, which takes a cooperative launch: call "
                                       "cudaLaunchCooperativeKernel, or launch with --cooperative.",
                                       i.ptx->line));
  w.worker->fault(w, i, static_cast<std::uint32_t>(std::countr_zero(w.exec)), "cudaErrorLaunchFailure",
                  fmt::format("Line {} executed a trap: the program stopped itself.", i.ptx->line));
}

// ---- block barriers -------------------------------------------------------------------------------------------------

void block_barrier(Warp& w, const Inst& i) {
  const Instruction& p = *i.ptx;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(w.mask));
  const std::uint32_t number = w.row_of<std::uint32_t>(i.a)[lane];
  if (number >= named_barriers)
    return w.worker->fault(w, i, lane, "cudaErrorIllegalInstruction",
                           fmt::format("Barrier {} does not exist; there are 16, from 0.", number));
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

// ---- exchanges within a warp ----------------------------------------------------------------------------------------

/// Lanes that wait where the running ones are, though they may have entered the function by another call. __syncwarp needs no
/// common place: it waits for lanes, not for a line.
bool is_with(const Warp& w, const Inst& i, const Split& other) {
  if (other.state != Split::State::at_warp_sync) return false;
  const Code& code = *other.frame->code;
  return (other.at == w.at - 1 && &code == w.frame->code) ||
         (i.ptx->op == Opcode::bar_warp && code.insts[other.at].ptx->op == Opcode::bar_warp);
}

/// Lanes with a frame of their own bring their sources into the running one's rows, where these lanes mean nothing, and fetch
/// their results from there.
void exchange_rows(Warp& w, const Inst& i, const Split& other, bool results) {
  if (other.frame == w.frame || i.ptx->op == Opcode::bar_warp) return;
  const auto copy = [&](Row row, const ptx::Operand& operand) {
    if (operand.kind != ptx::Operand::Kind::reg) return;
    std::byte* here = w.frame->rows.get() + row.offset;
    std::byte* there = other.frame->rows.get() + row.offset;
    std::byte* to = results ? there : here;
    const std::byte* from = results ? here : there;
    if (operand.type == Type::pred) {
      std::uint32_t a, b;
      std::memcpy(&a, to, sizeof a);
      std::memcpy(&b, from, sizeof b);
      a = (a & ~other.mask) | (b & other.mask);
      std::memcpy(to, &a, sizeof a);
      return;
    }
    const unsigned bytes = ptx::bytes_of(operand.type);
    for (std::uint32_t l = 0; l < lanes; ++l)
      if (other.mask >> l & 1u) std::memcpy(to + l * bytes, from + l * bytes, bytes);
  };
  const auto& operands = i.ptx->operands;
  const std::size_t destinations = i.ptx->destinations;
  if (results) {
    for (std::size_t d = 0; d < destinations; ++d) copy(d ? i.d2 : i.d, operands[d]);
    return;
  }
  const auto& further = w.frame->code->extras[i.extra].rows;
  const Row sources[] = {i.a, i.b, i.c};
  for (std::size_t s = 0; destinations + s < operands.size(); ++s)
    copy(s < 3 ? sources[s] : further[s - 3], operands[destinations + s]);
}

/// Waits until all lanes of `members` are here. True: exec holds them all, go on and then call part().
bool meet(Warp& w, const Inst& i, std::uint32_t members) {
  const auto misuse = [&](Misuse::Kind kind, std::uint32_t who, std::uint32_t missing) {
    if (Observer* observer = w.worker->machine.observer)
      observer->on_misuse({w.worker->site(w, i), w.block->id(w), kind, who, missing, {}, w.block->id(w)});
  };
  if (w.exec & ~members) misuse(Misuse::Kind::caller_not_in_mask, w.exec & ~members, 0);
  if (members & w.born & ~w.alive) misuse(Misuse::Kind::missing_lane, w.exec, members & w.born & ~w.alive);
  const std::uint32_t needed = members & w.alive;
  if ((w.exec & needed) == needed) return true;
  std::uint32_t here = w.exec;
  for (const Split& other : w.waiting)
    if (is_with(w, i, other)) here |= other.mask;
  if ((here & needed) == needed) {
    for (const Split& other : w.waiting)
      if (is_with(w, i, other)) exchange_rows(w, i, other, false);
    w.exec = here;
    return true;
  }
  Split waits = w.save();
  waits.at = w.at - 1;
  waits.state = Split::State::at_warp_sync;
  waits.members = members;
  w.waiting.push_back(waits);
  w.running = false;
  return false;
}

void part(Warp& w, const Inst& i, std::uint32_t members) {
  if (Observer* observer = w.worker->machine.observer)
    observer->on_synchronise(
        {w.worker->site(w, i), w.block->id(w), Synchronisation::Kind::warp, members & w.exec, ptx::Scope::cta, 0, {}});
  const bool tell = w.worker->machine.tell_changes;
  std::uint32_t here = w.exec;  // lanes whose results lie in the running frame
  if (w.exec != w.mask) {
    for (Split& other : w.waiting) {
      if (!is_with(w, i, other)) continue;
      exchange_rows(w, i, other, true);
      if (tell && other.frame != w.frame) {
        here &= ~other.mask;
        tell_change(*w.worker, w, *other.frame, other.frame->code->insts[other.at], other.mask);
      }
      other.state = Split::State::ready;
      ++other.at;
    }
    w.exec = w.mask;
  }
  if (tell) tell_change(*w.worker, w, *w.frame, i, here);
}

std::uint32_t members_of(const Warp& w, Row row) { return w.row_of<std::uint32_t>(row)[std::countr_zero(w.exec)]; }

void warp_barrier(Warp& w, const Inst& i) {
  const std::uint32_t members = members_of(w, i.a);
  if (meet(w, i, members)) part(w, i, members);
}

void shuffle(Warp& w, const Inst& i) {
  const Extra& extra = w.frame->code->extras[i.extra];
  const std::uint32_t members = members_of(w, extra.rows.back());
  if (!meet(w, i, members)) return;
  const std::uint32_t* a = w.row_of<std::uint32_t>(i.a);
  const std::uint32_t* b = w.row_of<std::uint32_t>(i.b);
  const std::uint32_t* c = w.row_of<std::uint32_t>(i.c);
  std::uint32_t fresh[lanes];
  std::uint32_t in_range = 0, from_inactive = 0;
  for (std::uint32_t l = 0; l < lanes; ++l) {
    if (!(w.exec >> l & 1u)) continue;
    // PTX ISA, shfl.sync: c holds the clamp in bits 0–4 and the segment mask in bits 8–12.
    const std::uint32_t clamp = c[l] & 31u, segment = c[l] >> 8 & 31u, amount = b[l] & 31u;
    const std::uint32_t highest = (l & segment) | (clamp & ~segment), lowest = l & segment;
    std::uint32_t source = l;
    bool valid = false;
    switch (i.ptx->shuffle) {
      case ptx::Shuffle::up:
        valid = static_cast<int>(l) - static_cast<int>(amount) >= static_cast<int>(highest);
        source = l - amount;
        break;
      case ptx::Shuffle::down:
        source = l + amount, valid = source <= highest;
        break;
      case ptx::Shuffle::bfly:
        source = l ^ amount, valid = source <= highest;
        break;
      default:
        source = lowest | (amount & ~segment), valid = source <= highest;
        break;
    }
    if (!valid) source = l;
    fresh[l] = a[source & 31u];
    in_range |= static_cast<std::uint32_t>(valid) << l;
    if (!(w.exec >> (source & 31u) & 1u)) from_inactive |= 1u << l;
  }
  if (from_inactive)
    if (Observer* observer = w.worker->machine.observer)
      observer->on_misuse(
          {w.worker->site(w, i), w.block->id(w), Misuse::Kind::shuffle_from_inactive, from_inactive, 0, {}, w.block->id(w)});
  if (i.bytes) {
    std::uint32_t* d = w.row_of<std::uint32_t>(i.d);
    for (std::uint32_t l = 0; l < lanes; ++l)
      if (w.exec >> l & 1u) d[l] = fresh[l];
  }
  if (i.ptx->destinations > 1) {
    std::uint32_t* p = w.row_of<std::uint32_t>(i.d2);
    *p = (*p & ~w.exec) | (in_range & w.exec);
  }
  part(w, i, members);
}

void vote(Warp& w, const Inst& i) {
  const std::uint32_t members = members_of(w, i.b);
  if (!meet(w, i, members)) return;
  const std::uint32_t p = (*w.row_of<std::uint32_t>(i.a) ^ (i.a_negated ? ~0u : 0u)) & w.exec & members;
  const std::uint32_t all = w.exec & members;
  if (i.ptx->vote == ptx::Vote::ballot) {
    std::uint32_t* d = w.row_of<std::uint32_t>(i.d);
    for (std::uint32_t l = 0; l < lanes; ++l)
      if (w.exec >> l & 1u) d[l] = p;
  } else {
    const bool value = i.ptx->vote == ptx::Vote::all ? p == all : i.ptx->vote == ptx::Vote::any ? p != 0 : p == all || p == 0;
    std::uint32_t* d = w.row_of<std::uint32_t>(i.d);
    *d = (*d & ~w.exec) | (value ? w.exec : 0u);
  }
  part(w, i, members);
}

template <class T>
void match(Warp& w, const Inst& i) {
  const std::uint32_t members = members_of(w, i.b);
  if (!meet(w, i, members)) return;
  const T* a = w.row_of<T>(i.a);
  const std::uint32_t taking_part = w.exec & members;
  std::uint32_t fresh[lanes] = {};
  bool all_same = true;
  for (std::uint32_t left = taking_part; left;) {
    const T value = a[std::countr_zero(left)];
    std::uint32_t same = 0;
    for (std::uint32_t l = 0; l < lanes; ++l) same |= std::uint32_t{a[l] == value} << l;
    same &= taking_part;
    for (std::uint32_t l = 0; l < lanes; ++l) fresh[l] = same >> l & 1u ? same : fresh[l];
    all_same &= same == taking_part;
    left &= ~same;
  }
  const bool all = i.ptx->vote == ptx::Vote::all;
  if (i.bytes) {
    std::uint32_t* d = w.row_of<std::uint32_t>(i.d);
    for (std::uint32_t l = 0; l < lanes; ++l)
      if (w.exec >> l & 1u) d[l] = !all ? fresh[l] : all_same ? taking_part : 0;
  }
  if (i.ptx->destinations > 1) {
    std::uint32_t* p = w.row_of<std::uint32_t>(i.d2);
    *p = (*p & ~w.exec) | (all_same ? w.exec : 0u);
  }
  part(w, i, members);
}

void reduce(Warp& w, const Inst& i) {
  const std::uint32_t members = members_of(w, i.b);
  if (!meet(w, i, members)) return;
  const std::uint32_t* a = w.row_of<std::uint32_t>(i.a);
  const std::uint32_t taking_part = w.exec & members;
  std::uint32_t value = 0;
  bool first = true;
  for (std::uint32_t l = 0; l < lanes; ++l) {
    if (!(taking_part >> l & 1u)) continue;
    const std::uint32_t x = a[l];
    if (std::exchange(first, false)) {
      value = x;
      continue;
    }
    const bool less = i.ptx->type == Type::s32 ? static_cast<std::int32_t>(x) < static_cast<std::int32_t>(value) : x < value;
    switch (i.ptx->atomic) {
      case ptx::AtomicOp::add:
        value += x;
        break;
      case ptx::AtomicOp::min:
        value = less ? x : value;
        break;
      case ptx::AtomicOp::max:
        value = less ? value : x;
        break;
      case ptx::AtomicOp::and_:
        value &= x;
        break;
      case ptx::AtomicOp::or_:
        value |= x;
        break;
      case ptx::AtomicOp::xor_:
        value ^= x;
        break;
      default:
        break;
    }
  }
  std::uint32_t* d = w.row_of<std::uint32_t>(i.d);
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) d[l] = value;
  part(w, i, members);
}

void elect(Warp& w, const Inst& i) {
  const std::uint32_t members = members_of(w, i.a);
  if (!meet(w, i, members)) return;
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(w.exec & members ? w.exec & members : w.exec));
  if (i.bytes) {
    std::uint32_t* d = w.row_of<std::uint32_t>(i.d);
    for (std::uint32_t l = 0; l < lanes; ++l)
      if (w.exec >> l & 1u) d[l] = leader;
  }
  std::uint32_t* p = w.row_of<std::uint32_t>(i.d2);
  *p = (*p & ~w.exec) | (w.exec & 1u << leader);
  part(w, i, members);
}

Row mask_row(const Warp& w, const Inst& i) {
  switch (i.ptx->op) {
    case Opcode::shfl:
      return w.frame->code->extras[i.extra].rows.back();
    case Opcode::bar_warp:
    case Opcode::elect:
      return i.a;
    default:
      return i.b;
  }
}

/// Lanes that come together may name different masks, as the tiles of a warp do: each group exchanges among itself.
template <Handler Exchange>
void by_mask(Warp& w, const Inst& i) {
  const std::uint32_t* masks = w.row_of<std::uint32_t>(mask_row(w, i));
  const std::uint32_t all = w.exec;
  const auto group_of = [&](std::uint32_t mask) {
    std::uint32_t group = 0;
    for (std::uint32_t l = 0; l < lanes; ++l) group |= std::uint32_t{masks[l] == mask} << l;
    return group & all;
  };
  const std::uint32_t first = masks[std::countr_zero(all)];
  if (group_of(first) == all) return Exchange(w, i);
  std::uint32_t elsewhere = 0;
  for (std::uint32_t left = all; left;) {
    const std::uint32_t mask = masks[std::countr_zero(left)], group = group_of(mask);
    if ((mask & all) != group) return Exchange(w, i);  // they do not agree on who takes part: undefined
    elsewhere |= mask & w.alive & ~all;
    left &= ~group;
  }
  if (elsewhere) {  // the groups wait apart: all come here again, the first now
    --w.at;
    return w.diverge(group_of(first), w.at, no_reconvergence);
  }
  const std::uint32_t split = w.mask;
  for (std::uint32_t left = all; left;) {
    const std::uint32_t group = group_of(masks[std::countr_zero(left)]);
    w.set_mask(group);
    Exchange(w, i);
    left &= ~group;
  }
  w.set_mask(split);
}

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
  if (w.behind) w.set_mask(std::exchange(w.behind, 0));
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
  // Exchanges name their lanes last. A constant is the same for every lane.
  const bool own_mask = !inst.operands.empty() && inst.operands.back().kind == ptx::Operand::Kind::reg;
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
      return own_mask ? by_mask<warp_barrier> : warp_barrier;
    case Opcode::shfl:
      return own_mask ? by_mask<shuffle> : shuffle;
    case Opcode::vote:
      return own_mask ? by_mask<vote> : vote;
    case Opcode::match:
      if (ptx::bytes_of(inst.type) == 8) return own_mask ? by_mask<match<std::uint64_t>> : match<std::uint64_t>;
      return own_mask ? by_mask<match<std::uint32_t>> : match<std::uint32_t>;
    case Opcode::redux:
      return own_mask ? by_mask<reduce> : reduce;
    case Opcode::elect:
      return own_mask ? by_mask<elect> : elect;
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
