// Atomics by the row. Included by handlers_<set>.cpp, once an instruction set. Nobody watches: additions to 32-bit integers whose
// results nobody reads, what counters and histograms do; all others, and whatever is not straight here, go to straight_atomic().
// Watched: all that go well; general_access() does the rest.
#pragma once

#include "gpu/virtual/vm/lanes/access.h"
#include "gpu/virtual/vm/lanes/atomics.h"
#include "gpu/virtual/vm/lanes/handlers_alu.h"
#include "gpu/virtual/vm/lanes/handlers_memory.h"

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {
namespace {

/// A request's words, numbered within the memory that they lie in.
struct Words {
  const u32* of_lane;  // plus `first`
  u64 first;
  u32 within;  // lanes whose word lies wholly in that memory, aligned
};

/// scratch: for the numbers, where they have to be made.
template <bool Indexed>
[[gnu::always_inline]] inline Words words_of(const Warp& w, const Inst& i, u64 low, u64 bytes, u32* scratch) {
  constexpr u64 most = u64{1} << 31;  // words; further indices would be negative ones, or not fit
  if constexpr (Indexed) {
    const u32* index = w.row_of<u32>(i.c);
    const u64 from_low = *w.row_of<u64>(i.a) + static_cast<u64>(i.offset) - low;
    if ((from_low & 3) || from_low >= bytes) return {index, 0, 0};
    const u64 behind = (bytes - from_low) / 4;
    const u32 count = static_cast<u32>(behind < most ? behind : most);
    return {index, from_low / 4, bits_where([&](u32 l) { return index[l] < count; })};
  }
  // Turned right by two bits, an address that is not aligned is beyond all memory.
  const u32 count = static_cast<u32>(bytes / 4 < most ? bytes / 4 : most);
  const u64 offset = static_cast<u64>(i.offset) - low;
  if (i.address32) {
    if (low) return {scratch, 0, 0};  // no such address reaches so far
    const u32* a = w.row_of<u32>(i.a);
    for (u32 l = 0; l < lanes; ++l) {
      const u32 at = a[l] + static_cast<u32>(offset);
      scratch[l] = at >> 2 | at << 30;
    }
  } else {
    const u64* a = w.row_of<u64>(i.a);
    for (u32 l = 0; l < lanes; ++l) {
      const u64 at = a[l] + offset, word = at >> 2 | at << 62;
      scratch[l] = static_cast<u32>(word < count ? word : count);
    }
  }
  return {scratch, 0, bits_where([&](u32 l) { return scratch[l] < count; })};
}

/// So many lanes that add to the same word, as to a histogram's peak, are summed up first.
inline constexpr int worth_a_sum = 8;

[[gnu::always_inline]] inline void add_to(u32* words, const u32* of_lane, const u32* values, u32 exec) {
  while (exec) {
    const u32 word = of_lane[__builtin_ctz(exec)];
    const u32 same = exec & bits_where([&](u32 l) { return of_lane[l] == word; });
    if (__builtin_popcount(same) < worth_a_sum) break;
    u32 sum = 0;
    for (u32 l = 0; l < lanes; ++l) sum += (same >> l & 1u) ? values[l] : 0;
    words[word] += sum;
    exec &= ~same;
  }
  if (exec == all_lanes) {
#pragma GCC unroll 8
    for (u32 l = 0; l < lanes; ++l) words[of_lane[l]] += values[l];
    return;
  }
  for (; exec; exec &= exec - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(exec));
    words[of_lane[l]] += values[l];
  }
}

/// Which pages of the array have additions.
[[gnu::always_inline]] inline void mark(DelayedAdds::Array& array, u64 first, const u32* of_lane, u32 exec) {
  constexpr u64 side_by_side = 8;  // pages
  std::uint8_t* const touched = array.touched.data();
  if (array.touched.size() == 1) {
    touched[0] = 1;
    return;
  }
  u32 least = ~0u, most = 0;
  for (u32 l = 0; l < lanes; ++l) {
    const u32 word = of_lane[l], no = (exec >> l & 1u) - 1u;  // all ones where the lane does not execute
    least = (word | no) < least ? word | no : least;
    most = (word & ~no) > most ? word & ~no : most;
  }
  const u64 from = (first + least) / DelayedAdds::page_words, to = (first + most) / DelayedAdds::page_words;
  if (to - from < side_by_side) {
    for (u64 page = from; page <= to; ++page) touched[page] = 1;
    return;
  }
  for (; exec; exec &= exec - 1) touched[(first + of_lane[__builtin_ctz(exec)]) / DelayedAdds::page_words] = 1;
}

template <bool Indexed>
[[gnu::always_inline]] inline void add_to_shared(Warp& w, const Inst& i) {
  alignas(64) u32 scratch[lanes];
  const Words at = words_of<Indexed>(w, i, 0, w.shared_bytes, scratch);
  if (w.exec & ~at.within) return general_access(w, i);
  add_to(reinterpret_cast<u32*>(w.shared) + at.first, at.of_lane, w.row_of<u32>(i.b), w.exec);
}

/// Of one worker.
template <bool Indexed>
[[gnu::always_inline]] inline void add_to_global(Warp* const* warps, u32 count, const Inst& i) {
  Worker& worker = *warps[0]->worker;
  Extent& remembered = worker.extents[i.cache];
  DelayedAdds::Array* delayed = nullptr;
  for (u32 k = 0; k < count; ++k) {
    Warp& w = *warps[k];
    alignas(64) u32 scratch[lanes];
    const Words at = words_of<Indexed>(w, i, remembered.low, remembered.high - remembered.low, scratch);
    bool straight = !(w.exec & ~at.within) && remembered.writable;
    if (straight && worker.machine.parallel && !delayed) {
      const Extent extent = remembered;
      delayed = worker.machine.image->may_delay_adds ? worker.delayed.array_of(worker, extent) : nullptr;
      straight = delayed != nullptr;
      if (straight) remembered = extent;  // the array is only kept from those that read it
    }
    if (!straight) {
      straight_atomic(w, i);
      delayed = nullptr;
      continue;
    }
    const u32* values = w.row_of<u32>(i.b);
    if (!delayed) {
      add_to(reinterpret_cast<u32*>(remembered.host) + at.first, at.of_lane, values, w.exec);
    } else {
      mark(*delayed, at.first, at.of_lane, w.exec);
      add_to(delayed->sums.data() + at.first, at.of_lane, values, w.exec);
    }
  }
}

template <bool Indexed>
void add_shared_alone(Warp& w, const Inst& i) {
  add_to_shared<Indexed>(w, i);
}
template <bool Indexed>
void add_shared_together(const Lockstep& m, const Inst& i) {
  for (u32 w = 0; w < m.count; ++w) add_to_shared<Indexed>(*m.warps[w], i);
}
template <bool Indexed>
void add_global_alone(Warp& w, const Inst& i) {
  Warp* const only = &w;
  add_to_global<Indexed>(&only, 1, i);
}
template <bool Indexed>
void add_global_together(const Lockstep& m, const Inst& i) {
  add_to_global<Indexed>(m.warps, m.count, i);
}

template <bool Indexed>
Handlers addition_to(ptx::Space space) {
  if (space == ptx::Space::shared) return {add_shared_alone<Indexed>, add_shared_together<Indexed>};
  return {add_global_alone<Indexed>, add_global_together<Indexed>};
}

/// Lanes in order, and the observer hears of it. Plain: an addition to a 32-bit integer whose result nobody reads.
template <Where Space, class T, bool Indexed, bool Plain>
void told_atomic(Warp& w, const Inst& i) {
  alignas(64) u64 at[lanes], old[lanes];
  const Shape shape = look<sizeof(T), Indexed>(w, i, at);
  const Host host = reach<Space, sizeof(T), true>(w, i, shape, true);
  if (!host.straight) return general_access(w, i);
  const Machine& machine = w.worker->machine;
  const bool values = machine.report_loaded_values;
  if (Plain && !values) {
    const u32* const added = w.row_of<u32>(i.b);
    const auto add = [&](u32 l) { *reinterpret_cast<u32*>(host.base + at[l]) += added[l]; };
    if (w.exec == all_lanes) {
#pragma GCC unroll 8
      for (u32 l = 0; l < lanes; ++l) add(l);
    } else {
      for (u32 left = w.exec; left; left &= left - 1) add(static_cast<u32>(__builtin_ctz(left)));
    }
  } else {
    const Extra& extra = w.frame->code->extras[i.extra];
    for (u32 left = w.exec; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      old[l] = perform_atomic(w, i, extra, l, host.base + at[l], machine.parallel);
    }
  }
  Access event = event_of<Space>(w, i, Access::Kind::atomic, sizeof(T), at);
  if (Space == Where::global) event.only_atomics = w.extents[i.cache].only_atomics;
  if (values) event.value = old;
  machine.observer->on_access(event);
}
template <Where Space, class T, bool Indexed>
Handlers told(bool plain) {
  if constexpr (sizeof(T) == 4)
    if (plain) return told_atomic<Space, T, Indexed, true>;
  return told_atomic<Space, T, Indexed, false>;
}
template <Where Space, bool Indexed>
Handlers told(const ptx::Instruction& p, bool plain) {
  switch (ptx::bytes_of(p.type)) {
    case 2:
      return told<Space, u16, Indexed>(plain);
    case 4:
      return told<Space, u32, Indexed>(plain);
    case 8:
      return told<Space, u64, Indexed>(plain);
    default:
      return nullptr;
  }
}

}  // namespace

Handlers atomic_handler(const ptx::Instruction& p, Addressing addressing, bool adds_unread, bool watched) {
  const bool indexed = addressing == Addressing::indexed, shared = p.space == ptx::Space::shared;
  if (watched) {
    if (shared) return indexed ? told<Where::shared, true>(p, adds_unread) : told<Where::shared, false>(p, adds_unread);
    return indexed ? told<Where::global, true>(p, adds_unread) : told<Where::global, false>(p, adds_unread);
  }
  if (!adds_unread) return straight_atomic;
  return indexed ? addition_to<true>(p.space) : addition_to<false>(p.space);
}

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
