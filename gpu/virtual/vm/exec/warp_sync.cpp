#include "gpu/virtual/vm/exec/warp_sync.h"

#include <bit>
#include <cstring>
#include <utility>

#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/changes.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;
using ptx::Type;

/// Lanes that have met: what they bring, and what they get.
struct Exchange {
  std::uint32_t members = 0;  // the mask that they name
  std::uint32_t here = 0;     // all who have come; perhaps some that their own mask leaves out
  bool apart = false;         // some of them waited in other splits
  // Sources, a value a lane. They lie in the running split's frame, or below where lanes of other splits have brought theirs.
  const std::byte* a = nullptr;
  const std::uint32_t *b = nullptr, *c = nullptr;
  std::uint32_t predicates = 0;  // of a vote
  // Results, for the lanes that are here.
  std::uint32_t value[lanes];
  std::uint32_t holds = 0;  // a predicate

  alignas(64) std::byte brought_a[8 * lanes];
  std::uint32_t brought_b[lanes], brought_c[lanes];
};

using Compute = void (*)(Warp&, const Inst&, Exchange&);

const Inst& inst_of(const Split& split) { return split.frame->code->insts[split.at]; }

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

void tell_misuse(const Warp& w, const Inst& i, Misuse misuse) {
  misuse.site = w.worker->site(w, i);
  misuse.warp = misuse.other_warp = w.block->id(w);
  w.worker->machine.observer->on_misuse(misuse);
}

// ---- meeting and parting --------------------------------------------------------------------------------------------

/// Waits until all lanes are here that the mask names. True: they are; exchange, and then call part().
bool meet(Warp& w, const Inst& i, Exchange& x) {
  if (w.worker->machine.observer) {
    if (w.exec & ~x.members)
      tell_misuse(w, i, {.kind = Misuse::Kind::caller_not_in_mask, .mask = w.exec & ~x.members, .members = x.members});
    // Votes, match and shuffles are defined where a lane of the mask has exited; PTX does not say so of bar.warp.sync.
    if (const std::uint32_t gone = x.members & w.born & ~w.alive; gone && i.ptx->op == Opcode::bar_warp)
      tell_misuse(w, i, {.kind = Misuse::Kind::missing_lane, .mask = w.exec, .missing = gone, .members = x.members});
  }
  const std::uint32_t needed = x.members & w.alive;
  x.here = w.exec;
  if (!(needed & ~x.here) || !(x.here & x.members)) return true;
  for (const Split& other : w.waiting)
    if (waits_for(other, *i.ptx, x.members)) x.here |= other.mask;
  if (!(needed & ~x.here)) {
    x.apart = x.here != w.exec;
    return true;
  }
  Split waits = w.save();
  waits.at = w.at - 1;
  waits.state = Split::State::at_warp_sync;
  waits.members = x.members;
  w.waiting.push_back(waits);
  w.running = false;
  return false;
}

/// The sources of the lanes in `mask`, which stand at `i` in a frame of their own.
void bring_from(const std::byte* rows, const Inst& i, std::uint32_t mask, Exchange& x) {
  const bool wide = i.ptx->op == Opcode::match && ptx::bytes_of(i.ptx->type) == 8;
  const std::size_t bytes = wide ? 8 : 4;
  const auto* b = reinterpret_cast<const std::uint32_t*>(rows + i.b.offset);
  const auto* c = reinterpret_cast<const std::uint32_t*>(rows + i.c.offset);
  if (i.ptx->op == Opcode::vote) {
    std::uint32_t holds;
    std::memcpy(&holds, rows + i.a.offset, sizeof holds);
    x.predicates = (x.predicates & ~mask) | ((holds ^ (i.a_negated ? ~0u : 0u)) & mask);
    return;
  }
  for (std::uint32_t l = 0; l < lanes; ++l) {
    if (!(mask >> l & 1u)) continue;
    std::memcpy(x.brought_a + l * bytes, rows + i.a.offset + l * bytes, bytes);
    x.brought_b[l] = b[l];
    x.brought_c[l] = c[l];
  }
}

void bring(const Warp& w, const Inst& i, Exchange& x) {
  if (i.ptx->op == Opcode::bar_warp) return;
  if (!x.apart) {
    x.a = w.row(i.a);
    x.b = w.row_of<std::uint32_t>(i.b);
    x.c = w.row_of<std::uint32_t>(i.c);
    if (i.ptx->op == Opcode::vote) x.predicates = *w.row_of<std::uint32_t>(i.a) ^ (i.a_negated ? ~0u : 0u);
    return;
  }
  x.a = x.brought_a;
  x.b = x.brought_b;
  x.c = x.brought_c;
  bring_from(w.rows, i, ~0u, x);  // a shuffle may read lanes that are not here
  for (const Split& other : w.waiting)
    if (waits_for(other, *i.ptx, x.members)) bring_from(other.frame->rows.get(), inst_of(other), other.mask, x);
}

/// What the lanes in `mask` get, which stand at `i`.
void store_results(std::byte* rows, const Inst& i, std::uint32_t mask, const Exchange& x) {
  const auto store_predicate = [&](Row row) {
    auto* bits = reinterpret_cast<std::uint32_t*>(rows + row.offset);
    *bits = (*bits & ~mask) | (x.holds & mask);
  };
  if (i.ptx->op == Opcode::bar_warp) return;
  if (i.ptx->op == Opcode::vote && i.ptx->vote != ptx::Vote::ballot) return store_predicate(i.d);
  if (i.bytes) {
    auto* d = reinterpret_cast<std::uint32_t*>(rows + i.d.offset);
    if (mask == ~0u) {
      std::memcpy(d, x.value, sizeof x.value);
    } else {
      for (std::uint32_t l = 0; l < lanes; ++l)
        if (mask >> l & 1u) d[l] = x.value[l];
    }
  }
  if (i.ptx->destinations > 1) store_predicate(i.d2);
}

void part(Warp& w, const Inst& i, const Exchange& x) {
  if (Observer* observer = w.worker->machine.observer)
    observer->on_synchronise(
        {w.worker->site(w, i), w.block->id(w), Synchronisation::Kind::warp, x.members & x.here, ptx::Scope::cta, 0, {}});
  const bool tell = w.worker->machine.report_changes;
  store_results(w.rows, i, w.exec, x);
  if (tell) report_change(*w.worker, w, *w.frame, i, w.exec);
  if (!x.apart) return;
  for (Split& other : w.waiting) {
    if (!waits_for(other, *i.ptx, x.members)) continue;
    const Inst& its = inst_of(other);
    store_results(other.frame->rows.get(), its, other.mask, x);
    if (tell) report_change(*w.worker, w, *other.frame, its, other.mask);
    other.state = Split::State::ready;
    ++other.at;
  }
}

/// The running lanes name one mask.
template <Compute compute>
void with_one_mask(Warp& w, const Inst& i) {
  Exchange x;
  x.members = w.row_of<std::uint32_t>(mask_row(w, i))[std::countr_zero(w.exec)];
  if (!meet(w, i, x)) return;
  bring(w, i, x);
  compute(w, i, x);
  part(w, i, x);
}

/// Running lanes may name different masks, as the tiles of a warp do: each group meets on its own.
template <Compute compute>
void by_mask(Warp& w, const Inst& i) {
  const std::uint32_t* masks = w.row_of<std::uint32_t>(mask_row(w, i));
  const std::uint32_t all = w.exec;
  const auto group_of = [&](std::uint32_t mask) {
    std::uint32_t group = 0;
    for (std::uint32_t l = 0; l < lanes; ++l) group |= std::uint32_t{masks[l] == mask} << l;
    return group & all;
  };
  const std::uint32_t first = group_of(masks[std::countr_zero(all)]);
  if (first == all) return with_one_mask<compute>(w, i);
  bool some_must_wait = false;
  for (std::uint32_t left = all; left;) {
    const std::uint32_t mask = masks[std::countr_zero(left)], group = group_of(mask);
    some_must_wait |= (mask & group) && (mask & w.alive & ~group);
    left &= ~group;
  }
  if (some_must_wait) {  // the groups go apart: all come here again, the first now
    --w.at;
    w.executed->add(-1ull, 1, w.lane_count);
    return w.diverge(first, w.at, no_reconvergence);
  }
  const std::uint32_t split = w.mask;
  for (std::uint32_t left = all; left;) {
    const std::uint32_t group = group_of(masks[std::countr_zero(left)]);
    w.set_mask(group);
    with_one_mask<compute>(w, i);
    left &= ~group;
  }
  w.set_mask(split);
}

// ---- what they exchange ---------------------------------------------------------------------------------------------

void nothing(Warp&, const Inst&, Exchange&) {}

void shuffle(Warp& w, const Inst& i, Exchange& x) {
  const auto* a = reinterpret_cast<const std::uint32_t*>(x.a);
  std::uint32_t from_absent = 0, absent = 0;
  for (std::uint32_t l = 0; l < lanes; ++l) {
    if (!(x.here >> l & 1u)) continue;
    // PTX ISA, shfl.sync: c holds the clamp in bits 0–4 and the segment mask in bits 8–12.
    const std::uint32_t clamp = x.c[l] & 31u, segment = x.c[l] >> 8 & 31u, amount = x.b[l] & 31u;
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
    source &= 31u;
    x.value[l] = a[source];
    x.holds |= static_cast<std::uint32_t>(valid) << l;
    if (x.here >> source & 1u) continue;
    if (!from_absent) absent = 1u << source;
    from_absent |= 1u << l;
  }
  if (!from_absent || !w.worker->machine.observer) return;
  tell_misuse(w, i,
              {.kind = Misuse::Kind::shuffle_from_inactive,
               .mask = from_absent,
               .missing = absent,
               .members = x.members,
               .exited = !(absent & w.alive)});
}

void vote(Warp&, const Inst& i, Exchange& x) {
  const std::uint32_t all = x.here & x.members, p = x.predicates & all;
  if (i.ptx->vote == ptx::Vote::ballot) {
    for (std::uint32_t& value : x.value) value = p;
    return;
  }
  const bool value = i.ptx->vote == ptx::Vote::all ? p == all : i.ptx->vote == ptx::Vote::any ? p != 0 : p == all || p == 0;
  x.holds = value ? ~0u : 0u;
}

template <class T>
void match(Warp&, const Inst& i, Exchange& x) {
  const T* a = reinterpret_cast<const T*>(x.a);
  const std::uint32_t taking_part = x.here & x.members;
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
  for (std::uint32_t l = 0; l < lanes; ++l) x.value[l] = !all ? fresh[l] : all_same ? taking_part : 0;
  x.holds = all_same ? ~0u : 0u;
}

void reduce(Warp&, const Inst& i, Exchange& x) {
  const auto* a = reinterpret_cast<const std::uint32_t*>(x.a);
  std::uint32_t value = 0;
  bool first = true;
  for (std::uint32_t left = x.here & x.members; left; left &= left - 1) {
    const std::uint32_t its = a[std::countr_zero(left)];
    if (std::exchange(first, false)) {
      value = its;
      continue;
    }
    const bool less = i.ptx->type == Type::s32 ? static_cast<std::int32_t>(its) < static_cast<std::int32_t>(value) : its < value;
    switch (i.ptx->atomic) {
      case ptx::AtomicOp::add:
        value += its;
        break;
      case ptx::AtomicOp::min:
        value = less ? its : value;
        break;
      case ptx::AtomicOp::max:
        value = less ? value : its;
        break;
      case ptx::AtomicOp::and_:
        value &= its;
        break;
      case ptx::AtomicOp::or_:
        value |= its;
        break;
      case ptx::AtomicOp::xor_:
        value ^= its;
        break;
      default:
        break;
    }
  }
  for (std::uint32_t& result : x.value) result = value;
}

void elect(Warp&, const Inst&, Exchange& x) {
  const std::uint32_t taking_part = x.here & x.members;
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(taking_part ? taking_part : x.here));
  for (std::uint32_t& value : x.value) value = leader;
  x.holds = 1u << leader;
}

template <Compute compute>
Handler handler_for(const ptx::Instruction& inst) {
  // The mask is the last operand. A constant is the same for every lane.
  const bool own_mask = !inst.operands.empty() && inst.operands.back().kind == ptx::Operand::Kind::reg;
  return own_mask ? by_mask<compute> : with_one_mask<compute>;
}

}  // namespace

Handler warp_sync_handler(const ptx::Instruction& inst) {
  switch (inst.op) {
    case Opcode::shfl:
      return handler_for<shuffle>(inst);
    case Opcode::vote:
      return handler_for<vote>(inst);
    case Opcode::match:
      return ptx::bytes_of(inst.type) == 8 ? handler_for<match<std::uint64_t>>(inst) : handler_for<match<std::uint32_t>>(inst);
    case Opcode::redux:
      return handler_for<reduce>(inst);
    case Opcode::elect:
      return handler_for<elect>(inst);
    default:
      return handler_for<nothing>(inst);
  }
}

bool same_call(const ptx::Instruction& a, const ptx::Instruction& b) {
  // A shuffle moves 32 bits, whatever their type.
  return a.op == b.op && (a.op == Opcode::shfl || a.type == b.type) && a.shuffle == b.shuffle && a.vote == b.vote &&
         a.atomic == b.atomic;
}

bool waits_for(const Split& split, const ptx::Instruction& inst, std::uint32_t members) {
  return split.state == Split::State::at_warp_sync && split.members == members && same_call(*inst_of(split).ptx, inst);
}

}  // namespace warpbook::gpu::vm
