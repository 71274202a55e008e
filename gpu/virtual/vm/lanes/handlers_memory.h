// The straight memory paths: requests without a fault, observed or not. Included by handlers_<set>.cpp, once for each instruction
// set. A request must lie in one allocation and be aligned; any other is left to general_access().
//
// Longer than other files: the paths for each way in which addresses lie stand side by side, since they are inlined into one
// handler.
#pragma once

#include "gpu/virtual/vm/exec/lockstep.h"
#include "gpu/virtual/vm/lanes/handlers.h"
#include "gpu/virtual/vm/lanes/handlers_places.h"

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {

namespace {

/// Are all these bytes set in a map of a bit a byte? At most 64.
[[gnu::always_inline]] inline bool all_set(const u64* map, u64 at, u32 bytes) {
  const u64 wanted = bytes >= 64 ? ~u64{0} : (u64{1} << bytes) - 1;
  const u32 into = at % 64;
  if (wanted << into & ~map[at / 64]) return false;
  return into + bytes <= 64 || !(wanted >> (64 - into) & ~map[at / 64 + 1]);
}
/// Does a weak load touch a byte that the observer does not know already? at: of every `step`-th lane.
template <u32 Step>
[[gnu::always_inline]] inline bool leaves_known(const Warp& w, const Inst& i, const u64* at, u32 bytes) {
  const u64* const known = w.block->reported_shared_loads.known;
  if (!known || i.ptx->order != ptx::Order::weak) return true;
  for (u32 l = 0; l < lanes; l += Step)
    if ((w.exec >> l & 1u) && !all_set(known, at[l / Step], bytes)) return true;
  return false;
}
/// Does the observer hear of this request, which its handler has just reached? Of a load from shared memory only perhaps: see
/// leaves_known().
template <Where Space, bool Load>
[[gnu::always_inline]] inline bool is_told(const Warp& w, const Inst& i) {
  return !Load || i.ptx->order != ptx::Order::weak ||
         (Space == Where::shared ? w.block->reported_shared_loads.any : w.extents[i.cache].report_loads);
}
/// A request that went well.
template <Where Space>
[[gnu::always_inline]] inline Access event_of(const Warp& w, const Inst& i, Access::Kind kind, u32 bytes, const u64* at) {
  const ptx::Instruction& p = *i.ptx;
  Access event;
  event.site = w.worker->site(w, i);
  event.warp = w.block->id(w);
  event.kind = kind;
  event.space = Space == Where::shared            ? ptx::Space::shared
                : p.space == ptx::Space::constant ? ptx::Space::constant
                                                  : ptx::Space::global;
  event.mask = w.exec;
  event.bytes = bytes;
  if constexpr (Space == Where::shared) {
    event.only_read = w.block->shared_only_read;
    event.same_in_blocks = i.addressing == Addressing::fixed;
    event.step = p.order == ptx::Order::weak ? &i : nullptr;
  }
  event.order = p.order;
  event.scope = p.scope;
  event.address = at;
  event.issued = event.reached = event.done = w.worker->event_number;
  return event;
}
/// The low 64 bits of what each lane stores.
template <class T, class R, u32 Count>
[[gnu::always_inline]] inline void stored(const Warp& w, const Inst& i, u64* value) {
  const Extra& extra = w.frame->code->extras[i.extra];
  for (u32 l = 0; l < lanes; ++l) value[l] = 0;
  for (u32 e = 0; e < Count && e * sizeof(T) < sizeof(u64); ++e) {
    const R* const element = w.row_of<R>(extra.rows[e]);
    for (u32 l = 0; l < lanes; ++l) value[l] |= u64{static_cast<ops::unsigned_of<T>>(element[l])} << (e * sizeof(T) * 8);
  }
}
/// The observer hears of it. row: what was loaded, at most 64 bits a lane, or stored, of each lane's first element.
template <Where Space, bool Load, class T, class R, u32 Count = 1>
[[gnu::noinline]] void tell(Warp& w, const Inst& i, const u64* at, Access::Rows rows, const R* row) {
  if (Space == Where::shared && Load && !leaves_known<1>(w, i, at, sizeof(T) * Count)) return;
  if (Space == Where::shared && i.ptx->order == ptx::Order::weak && w.block->take_step(i, w.index, w.exec, at)) return;
  [[maybe_unused]] alignas(64) u64 value[lanes];
  [[maybe_unused]] alignas(64) u32 words[lanes];
  const Machine& machine = w.worker->machine;
  Access event = event_of<Space>(w, i, Load ? Access::Kind::load : Access::Kind::store, sizeof(T) * Count, at);
  event.rows = rows;
  if (!Load || machine.report_loaded_values) {
    if constexpr (Count > 1 && !Load) {
      stored<T, R, Count>(w, i, value);
      event.value = value;
    } else if constexpr (sizeof(T) == 4 && sizeof(R) == 4) {
      event.words = reinterpret_cast<const u32*>(row);
    } else if constexpr (sizeof(T) <= 4) {
      for (u32 l = 0; l < lanes; ++l) words[l] = static_cast<ops::unsigned_of<T>>(row[l]);
      event.words = words;
    } else {
      for (u32 l = 0; l < lanes; ++l) value[l] = static_cast<ops::unsigned_of<T>>(row[l]);
      event.value = value;
    }
  }
  machine.observer->on_access(event);
}
[[gnu::always_inline]] inline Access::Rows rows_of(Form form) {
  if (form == Form::consecutive || form == Form::groups_consecutive) return Access::Rows::side_by_side;
  return form == Form::scattered ? Access::Rows::unknown : Access::Rows::same;
}
/// The same of whole groups, each from where its first lane accesses.
template <Where Space, bool Load, class T, class R>
void tell_groups(Warp& w, const Inst& i, const u64* first, bool same, const R* row) {
  if (Space == Where::shared && Load && !leaves_known<group>(w, i, first, static_cast<u32>(same ? sizeof(T) : sizeof(T) * group)))
    return;
  alignas(64) u64 at[lanes];
  const Eight<u64> steps = lane_numbers<u64, group>(0) * (same ? 0 : sizeof(T));
  for (u32 g = 0; g < groups; ++g) write_vector(at + g * group, steps + first[g]);
  tell<Space, Load, T, R>(w, i, at, same ? Access::Rows::same : Access::Rows::side_by_side, row);
}

/// A request of few lanes, one by one, to the memory from `low` up to `high`, which the host has at `host`. False, and nothing has
/// happened: it is not straight, or not all in that memory.
template <class T, class R, bool Indexed, bool Load>
[[gnu::noinline]] bool few_lanes_within(Warp& w, const Inst& i, u64 low, u64 high, std::byte* host) {
  if (high - low < sizeof(T)) return false;
  const u64 offset = static_cast<u64>(i.offset) + (i.frame_relative ? w.frame->local_base : 0u), last = high - low - sizeof(T);
  u64 from_low[few];
  R loaded[few];
  u32 count = 0;
  for (u32 left = w.exec; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    u64 at = !Indexed && i.address32 ? w.row_of<u32>(i.a)[l] + static_cast<u32>(offset) : w.row_of<u64>(i.a)[l] + offset;
    if (Indexed) {
      const u32 index = w.row_of<u32>(i.c)[l];
      at += (i.index_signed ? static_cast<u64>(s64{static_cast<s32>(index)}) : u64{index}) * sizeof(T);
    }
    if ((at & (sizeof(T) - 1)) || at - low > last) return false;
    if constexpr (Load)
      loaded[count++] = static_cast<R>(*reinterpret_cast<const T*>(host + (at - low)));
    else
      from_low[count++] = at - low;
  }
  count = 0;
  if constexpr (Load) {
    put_lanes(w.row_of<R>(i.d), w.exec, [&](u32) { return loaded[count++]; });
  } else {
    const R* a = w.row_of<R>(i.b);
    for (u32 left = w.exec; left; left &= left - 1)
      *reinterpret_cast<T*>(host + from_low[count++]) = static_cast<T>(a[__builtin_ctz(left)]);
  }
  return true;
}

/// In shared memory, or in the allocation that the instruction remembers.
template <Where Space, class T, class R, bool Indexed, bool Load>
[[gnu::always_inline]] inline bool few_lanes(Warp& w, const Inst& i) {
  if constexpr (Space == Where::shared) return few_lanes_within<T, R, Indexed, Load>(w, i, 0, w.shared_bytes, w.shared);
  const Extent& extent = w.extents[i.cache];
  return (Load || extent.writable) && few_lanes_within<T, R, Indexed, Load>(w, i, extent.low, extent.high, extent.host);
}

template <Where Space, class T, class R, bool Indexed = false, bool Watched = false>
[[gnu::noinline]] void load(Warp& w, const Inst& i) {
  if (!Watched || (Space == Where::global && !is_told<Space, true>(w, i)))
    if (__builtin_popcount(w.exec) <= few && few_lanes<Space, T, R, Indexed, true>(w, i)) return;
  alignas(64) u64 at[lanes];
  const Shape shape = Indexed || Watched ? look<sizeof(T), Indexed>(w, i, at) : look_here<sizeof(T), Indexed>(w, i, at);
  const Host host = reach<Space, sizeof(T)>(w, i, shape, false);
  if (!host.straight) return general_access(w, i);
  R* d = w.row_of<R>(i.d);
  load_row<T, R>(d, host.base, at, shape.form, w.exec, 0);
  if (Watched && is_told<Space, true>(w, i)) tell<Space, true, T, R>(w, i, at, rows_of(shape.form), d);
}
template <Where Space, class T, class R, bool Indexed = false, bool Watched = false>
[[gnu::noinline]] void store(Warp& w, const Inst& i) {
  if constexpr (!Watched)
    if (__builtin_popcount(w.exec) <= few && few_lanes<Space, T, R, Indexed, false>(w, i)) return;
  alignas(64) u64 at[lanes];
  const Shape shape = Indexed || Watched ? look<sizeof(T), Indexed>(w, i, at) : look_here<sizeof(T), Indexed>(w, i, at);
  const Host host = reach<Space, sizeof(T)>(w, i, shape, true);
  if (!host.straight) return general_access(w, i);
  const R* a = w.row_of<R>(i.b);
  store_row<T, R>(a, host.base, at, shape.form, w.exec, 0);
  if constexpr (Watched) tell<Space, false, T, R>(w, i, at, rows_of(shape.form), a);
}

/// An indexed request to global memory of whole groups, each at consecutive addresses: where the first lane of each points, nullptr
/// for a group that does not execute. False: it is not one, or not a straight one.
template <u32 Bytes>
[[gnu::noinline]] bool some_groups_of_index(Warp& w, const Inst& i, bool write, std::byte** to) {
  constexpr Vector<u32, group> steps = {0, 1, 2, 3, 4, 5, 6, 7};
  const u32 leaders = w.exec & 0x01010101u;
  const u32* index = w.row_of<u32>(i.c);
  const u64 base = *w.row_of<u64>(i.a) + static_cast<u64>(i.offset);
  if (base & (Bytes - 1)) return false;
  Vector<u32, group> strays = {};
  s64 wide[groups], least = s64{1} << 33, most = -least;
  for (u32 g = 0; g < groups; ++g) {
    if (!(leaders >> (g * group) & 1u)) continue;
    const u32 first = index[g * group];
    strays |= (read_vector<Vector<u32, group>>(index + g * group) - first) ^ steps;
    wide[g] = i.index_signed ? s64{static_cast<s32>(first)} : s64{first};
    least = wide[g] < least ? wide[g] : least;
    most = wide[g] > most ? wide[g] : most;
  }
  if (any(converted<Eight<u64>>(strays))) return false;
  most += group - 1;
  if (most > (i.index_signed ? s64{0x7fffffff} : s64{0xffffffff})) return false;  // the last lanes' indices wrap round
  const u64 low = base + static_cast<u64>(least) * Bytes, high = base + static_cast<u64>(most) * Bytes;
  const Host host = reach<Where::global, Bytes>(w, i, {Form::consecutive, true, low, high}, write);
  if (!host.straight) return false;
  for (u32 g = 0; g < groups; ++g)
    to[g] = leaders >> (g * group) & 1u ? host.base + base + static_cast<u64>(wide[g]) * Bytes : nullptr;
  return true;
}
/// The same where all lanes execute, in the remembered allocation.
template <u32 Bytes>
[[gnu::always_inline]] inline bool groups_of_index(Warp& w, const Inst& i, bool write, std::byte** to) {
  // Groups execute whole or not at all.
  if (w.exec != 0xffffffffu) return (w.exec & 0x01010101u) * 0xffu == w.exec && some_groups_of_index<Bytes>(w, i, write, to);
  using Half = Vector<u32, 2 * group>;
  constexpr Half steps = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const u32* index = w.row_of<u32>(i.c);
  const Half one = read_vector<Half>(index), two = read_vector<Half>(index + 2 * group);
  const auto firsts = [](const Half& v) { return __builtin_shufflevector(v, v, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8); };
  const Half strays = ((one - firsts(one)) ^ steps) | ((two - firsts(two)) ^ steps);
  const Extent& extent = w.extents[i.cache];
  const u64 base = *w.row_of<u64>(i.a) + static_cast<u64>(i.offset), bytes = extent.high - extent.low;
  if (any(read_vector<Eight<u64>>(&strays)) || (base & (Bytes - 1)) || bytes < group * Bytes || (write && !extent.writable))
    return some_groups_of_index<Bytes>(w, i, write, to);
  // A signed index in the order of unsigned ones: 0x80000000 is the least.
  const u32 sign = u32{i.index_signed} << 31;
  u32 first[groups];
  bool straight = true;
  for (u32 g = 0; g < groups; ++g) {
    first[g] = index[g * group] ^ sign;
    asm("" : "+r"(first[g]));  // four numbers that compilers would rather carry to a vector and back
    const u64 from_low = base - extent.low + (u64{first[g]} - sign) * Bytes;
    // No lane's index wraps round, all lie within.
    straight &= first[g] <= 0xffffffffu - (group - 1) && from_low <= bytes - group * Bytes;
    to[g] = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(extent.host) + from_low);  // perhaps outside: then unused
  }
  if (!straight) return some_groups_of_index<Bytes>(w, i, write, to);
  // Pieces of several lines of a field, which a host does not see coming: blocks to the right will want what follows them.
  if (first[groups - 1] - first[0] != lanes - group)
    for (u32 g = 0; g < groups; ++g) __builtin_prefetch(to[g] + lines_ahead * cache_line);
  return true;
}
template <bool Load, class T, class R>
void tell_index(Warp& w, const Inst& i, std::byte* const* to, const R* row) {
  const Extent& extent = w.extents[i.cache];
  u64 first[groups];
  for (u32 g = 0; g < groups; ++g) first[g] = to[g] ? extent.low + static_cast<u64>(to[g] - extent.host) : 0;
  tell_groups<Where::global, Load, T, R>(w, i, first, false, row);
}
template <class T, class R, bool Watched>
void load_indexed(Warp& w, const Inst& i) {
  std::byte* from[groups];
  if (!groups_of_index<sizeof(T)>(w, i, false, from)) return load<Where::global, T, R, true, Watched>(w, i);
  R* d = w.row_of<R>(i.d);
  const auto eight = [&](u32 g) {
    return from[g] ? converted<Eight<R>>(read_vector<Eight<T>>(from[g])) : read_vector<Eight<R>>(d + g * group);
  };
  put<R>(d, eight(0), eight(1), eight(2), eight(3));
  if (Watched && is_told<Where::global, true>(w, i)) tell_index<true, T, R>(w, i, from, d);
}
template <class T, class R, bool Watched>
void store_indexed(Warp& w, const Inst& i) {
  std::byte* to[groups];
  if (!groups_of_index<sizeof(T)>(w, i, true, to)) return store<Where::global, T, R, true, Watched>(w, i);
  const R* a = w.row_of<R>(i.b);
  for (u32 g = 0; g < groups; ++g)
    if (to[g]) write_vector(to[g], converted<Eight<T>>(read_vector<Eight<R>>(a + g * group)));
  if constexpr (Watched) tell_index<false, T, R>(w, i, to, a);
}

/// A fixed request not seen with these lanes: notes what it finds. Bytes: of one lane's access.
template <u32 Bytes>
[[gnu::noinline]] void note_fixed(Warp& w, const Inst& i, bool load) {
  alignas(64) u64 at[lanes];
  const Shape shape = look<Bytes>(w, i, at);
  FixedShape& fixed = *w.row_of<FixedShape>(i.c);
  const bool same = shape.form == Form::same || shape.form == Form::groups_same;
  const bool whole = w.exec == 0xffffffffu && shape.form != Form::scattered && (load || !same);
  const auto count = static_cast<u32>(__builtin_popcount(w.exec));
  if (!whole && w.exec == 0xffffffffu) {
    fixed.exec = 0;
    fixed.kind = FixedShape::Kind::scattered;
  }
  if (!(whole || count <= few) || !reach<Where::shared, Bytes>(w, i, shape, true).straight) return;
  fixed.exec = w.exec;
  if (whole) {
    for (u32 g = 0; g < groups; ++g) fixed.at[g] = static_cast<u32>(at[g * group]);
    fixed.kind = same ? FixedShape::Kind::groups_same : FixedShape::Kind::groups_consecutive;
    return;
  }
  fixed.kind = FixedShape::Kind::few;
  u32 n = 0;
  for (u32 left = w.exec; left; left &= left - 1, ++n) {
    fixed.lane[n] = static_cast<std::uint8_t>(__builtin_ctz(left));
    fixed.at[n] = static_cast<u32>(at[fixed.lane[n]]);
  }
}
/// What a recorded block did with these lanes, so that it is straight.
template <class T, class R, bool Load>
[[gnu::always_inline]] inline void known_fixed(Warp& w, const Inst& i) {
  const u64 offset = static_cast<u64>(i.offset);
  const auto place = [&](u32 l) {
    const u64 at = i.address32 ? w.row_of<u32>(i.a)[l] + static_cast<u32>(offset) : w.row_of<u64>(i.a)[l] + offset;
    return reinterpret_cast<T*>(w.shared + at);
  };
  if constexpr (Load) {
    put_lanes(w.row_of<R>(i.d), w.exec, [&](u32 l) { return static_cast<R>(*place(l)); });
  } else {
    const R* const a = w.row_of<R>(i.b);
    for (u32 left = w.exec; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      *place(l) = static_cast<T>(a[l]);
    }
  }
}
/// Is the observer told of it whichever bytes it knows?
template <bool Load>
[[gnu::always_inline]] inline bool is_told_whatever(const Warp& w) {
  return !Load || !w.block->reported_shared_loads.known;
}
/// Notes it, and does it the ordinary way.
template <class T, class R, bool Load, bool Watched>
[[gnu::noinline]] void first_fixed(Warp& w, const Inst& i) {
  if constexpr (Watched) {
    // What all lanes do stays noted.
    const bool told = w.exec != 0xffffffffu && is_told<Where::shared, Load>(w, i) && is_told_whatever<Load>(w);
    if (told && i.ptx->order == ptx::Order::weak && w.block->take_step(i, w.index, w.exec, nullptr))
      return known_fixed<T, R, Load>(w, i);
  }
  note_fixed<sizeof(T)>(w, i, Load);
  return Load ? load<Where::shared, T, R, false, Watched>(w, i) : store<Where::shared, T, R, false, Watched>(w, i);
}
template <class T, class R>
[[gnu::always_inline]] inline void load_shape(const FixedShape& fixed, const std::byte* shared, R* d) {
  const auto from = [&](u32 g) { return reinterpret_cast<const T*>(shared + u64{fixed.at[g]}); };
  const auto eight = [&](u32 g) { return converted<Eight<R>>(read_vector<Eight<T>>(from(g))); };
  switch (fixed.kind) {
    case FixedShape::Kind::groups_consecutive:
      return put<R>(d, eight(0), eight(1), eight(2), eight(3));
    case FixedShape::Kind::groups_same:
      return put<R>(d, copies<R>(*from(0)), copies<R>(*from(1)), copies<R>(*from(2)), copies<R>(*from(3)));
    default:
      for (u32 n = 0, count = static_cast<u32>(__builtin_popcount(fixed.exec)); n < count; ++n)
        d[fixed.lane[n]] = static_cast<R>(*from(n));
  }
}
template <class T, class R>
[[gnu::always_inline]] inline void store_shape(const FixedShape& fixed, std::byte* shared, const R* a) {
  if (fixed.kind == FixedShape::Kind::groups_consecutive) {
    for (u32 g = 0; g < groups; ++g) write_vector(shared + fixed.at[g], converted<Eight<T>>(read_vector<Eight<R>>(a + g * group)));
    return;
  }
  for (u32 n = 0, count = static_cast<u32>(__builtin_popcount(fixed.exec)); n < count; ++n)
    *reinterpret_cast<T*>(shared + fixed.at[n]) = static_cast<T>(a[fixed.lane[n]]);
}
template <class T, class R, bool Load, bool Watched>
void fixed_alone(Warp& w, const Inst& i) {
  const FixedShape& fixed = *w.row_of<FixedShape>(i.c);
  if (w.exec != fixed.exec) return first_fixed<T, R, Load, Watched>(w, i);
  R* row = w.row_of<R>(Load ? i.d : i.b);
  if constexpr (Load)
    load_shape<T, R>(fixed, w.shared, row);
  else
    store_shape<T, R>(fixed, w.shared, row);
  if (!Watched || !is_told<Where::shared, Load>(w, i)) return;
  if (is_told_whatever<Load>(w) && i.ptx->order == ptx::Order::weak && w.block->take_step(i, w.index, w.exec, nullptr)) return;
  if (fixed.kind == FixedShape::Kind::few) {
    alignas(64) u64 at[lanes];
    for (u32 n = 0, count = static_cast<u32>(__builtin_popcount(fixed.exec)); n < count; ++n) at[fixed.lane[n]] = fixed.at[n];
    tell<Where::shared, Load, T, R>(w, i, at, Access::Rows::unknown, row);
  } else {
    const u64 first[groups] = {fixed.at[0], fixed.at[1], fixed.at[2], fixed.at[3]};
    tell_groups<Where::shared, Load, T, R>(w, i, first, fixed.kind == FixedShape::Kind::groups_same, row);
  }
}
template <class T, class R, bool Load>
void fixed_together(const Lockstep& m, const Inst& i) {
  const u64 data = Load ? i.d.offset : i.b.offset, shape = i.c.offset;
  for (u32 w = 0; w < m.count; ++w) {
    const FixedShape& fixed = *m.row<FixedShape>(w, shape);
    if (m.warps[w]->exec != fixed.exec)
      first_fixed<T, R, Load, false>(*m.warps[w], i);
    else if constexpr (Load)
      load_shape<T, R>(fixed, m.shared[w], m.row<R>(w, data));
    else
      store_shape<T, R>(fixed, m.shared[w], m.row<R>(w, data));
  }
}

/// One address for all lanes: the last lane's value stays.
template <class T, class R, bool Load, bool Watched>
void uniform(Warp& w, const Inst& i) {
  const Extent& extent = w.extents[i.cache];
  const u64 at = *w.row_of<u64>(i.a) + static_cast<u64>(i.offset);
  const bool straight = at >= extent.low && at < extent.high && extent.high - at >= sizeof(T) && !(at & (sizeof(T) - 1));
  if (!straight || i.address32 || i.frame_relative || (!Load && !extent.writable))
    return Load ? load<Where::global, T, R, false, Watched>(w, i) : store<Where::global, T, R, false, Watched>(w, i);
  T* const word = reinterpret_cast<T*>(extent.host + (at - extent.low));
  if constexpr (Load) {
    alignas(64) R fresh[lanes];
    const Eight<R> value = copies<R>(*word);
    put<R>(fresh, value, value, value, value);
    keep(w.row_of<R>(i.d), fresh, w.exec);
  } else {
    *word = static_cast<T>(w.row_of<R>(i.b)[lanes - 1 - static_cast<u32>(__builtin_clz(w.exec))]);
  }
  if (!Watched || !is_told<Where::global, Load>(w, i)) return;
  alignas(64) u64 all[lanes];
  put<u64>(all, copies<u64>(at), copies<u64>(at), copies<u64>(at), copies<u64>(at));
  const Access::Rows rows = w.exec == 0xffffffffu ? Access::Rows::same : Access::Rows::unknown;
  tell<Where::global, Load, T, R>(w, i, all, rows, w.row_of<R>(Load ? i.d : i.b));
}

/// Elements of one lane lie side by side, so those of neighbours never do.
[[gnu::always_inline]] inline Form of_elements(Form form) {
  return form == Form::same || form == Form::groups_same ? form : Form::scattered;
}
template <Where Space, class T, class R, u32 Count, bool Watched>
void load_vector(Warp& w, const Inst& i) {
  alignas(64) u64 at[lanes];
  const Shape shape = look<sizeof(T) * Count>(w, i, at);
  const Host host = reach<Space, sizeof(T) * Count>(w, i, shape, false);
  if (!host.straight) return general_access(w, i);
  const Extra& extra = w.frame->code->extras[i.extra];
  for (u32 e = 0; e < Count; ++e)
    if (extra.row_bytes[e])
      load_row<T, R>(w.row_of<R>(extra.rows[e]), host.base, at, of_elements(shape.form), w.exec, static_cast<u32>(e * sizeof(T)));
  if (Watched && is_told<Space, true>(w, i)) {
    // From memory, for an element may go nowhere: `{_, %f2}`.
    constexpr u32 bytes = sizeof(T) * Count;
    using Low = std::conditional_t<bytes == 2, ops::u16, std::conditional_t<bytes == 4, u32, u64>>;
    alignas(64) Low low[lanes];
    load_row<Low, Low>(low, host.base, at, of_elements(shape.form), w.exec, 0);
    tell<Space, true, Low, Low, bytes / sizeof(Low)>(w, i, at, rows_of(shape.form), low);
  }
}
template <Where Space, class T, class R, u32 Count, bool Watched>
void store_vector(Warp& w, const Inst& i) {
  alignas(64) u64 at[lanes];
  const Shape shape = look<sizeof(T) * Count>(w, i, at);
  const Host host = reach<Space, sizeof(T) * Count>(w, i, shape, true);
  if (!host.straight) return general_access(w, i);
  const Extra& extra = w.frame->code->extras[i.extra];
  for (u32 e = 0; e < Count; ++e)
    store_row<T, R>(w.row_of<R>(extra.rows[e]), host.base, at, Form::scattered, w.exec, static_cast<u32>(e * sizeof(T)));
  if constexpr (Watched) tell<Space, false, T, R, Count>(w, i, at, rows_of(shape.form), w.row_of<R>(extra.rows[0]));
}

/// .local: every lane its own bytes, usually at the same offset.
template <class T, class R, bool Load>
void local(Warp& w, const Inst& i) {
  alignas(64) u64 at[lanes];
  const Shape shape = look<sizeof(T)>(w, i, at);
  if (!shape.aligned || shape.high >= w.local_bytes || shape.high + sizeof(T) > w.local_bytes) return general_access(w, i);
  std::byte* base = w.local.data();
  R* row = w.row_of<R>(Load ? i.d : i.b);
  for (u32 left = w.exec; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    // Aligned for the lane, which need not begin at a multiple for the host.
    std::byte* element = base + u64{l} * w.local_bytes + at[l];
    T value = static_cast<T>(row[l]);
    if constexpr (Load) {
      __builtin_memcpy(&value, element, sizeof value);
      row[l] = static_cast<R>(value);
    } else {
      __builtin_memcpy(element, &value, sizeof value);
    }
  }
}

template <bool Load, Where Space, class T, class R, bool Watched>
Handlers by_count(const ptx::Instruction& p) {
  if (p.vector == 1) return Load ? load<Space, T, R, false, Watched> : store<Space, T, R, false, Watched>;
  constexpr bool bytes = sizeof(T) == 1 && sizeof(R) == 2;  // PTX has no smaller registers
  if constexpr (sizeof(T) == sizeof(R) || bytes) {
    if (p.vector == 2) return Load ? load_vector<Space, T, R, 2, Watched> : store_vector<Space, T, R, 2, Watched>;
    if (p.vector == 4 && sizeof(T) <= 4) return Load ? load_vector<Space, T, R, 4, Watched> : store_vector<Space, T, R, 4, Watched>;
  }
  return nullptr;
}
template <bool Load, class T, class R, bool Watched>
Handlers by_space(const ptx::Instruction& p, Addressing addressing) {
  using ptx::Space;
  switch (addressing) {
    case Addressing::fixed:
      if constexpr (Watched) return fixed_alone<T, R, Load, true>;
      return {fixed_alone<T, R, Load, false>, fixed_together<T, R, Load>};
    case Addressing::indexed:
      return Load ? load_indexed<T, R, Watched> : store_indexed<T, R, Watched>;
    case Addressing::uniform:
      if (p.space == Space::global || p.space == Space::generic || p.space == Space::constant) return uniform<T, R, Load, Watched>;
      break;
    case Addressing::any:
      break;
  }
  // Generic addresses nearly always mean global memory; the others fall out of the bounds check into the general path.
  if (p.space == Space::shared) return by_count<Load, Where::shared, T, R, Watched>(p);
  if (p.space == Space::global || p.space == Space::generic || p.space == Space::constant)
    return by_count<Load, Where::global, T, R, Watched>(p);
  if (p.vector == 1 && (p.space == Space::local || p.space == Space::param)) return local<T, R, Load>;  // nobody need hear of it
  return nullptr;
}

/// Registers may be wider than the access: loads extend (signed types their sign), stores cut. Where nothing is extended, a signed
/// type does as the unsigned one does, and is not compiled again.
template <bool Load, bool Watched, class T>
Handlers by_register(const ptx::Instruction& p, u32 bytes, Addressing addressing) {
  const auto with = [&](auto reg) -> Handlers {
    using R = decltype(reg);
    if constexpr (sizeof(T) > sizeof(R))
      return nullptr;
    else if constexpr (ops::is_signed_v<T> && Load && sizeof(T) < sizeof(R))
      return by_space<Load, T, ops::signed_of<R>, Watched>(p, addressing);
    else
      return by_space<Load, ops::unsigned_of<T>, R, Watched>(p, addressing);
  };
  switch (bytes) {
    case 2:
      return with(ops::u16{});
    case 4:
      return with(ops::u32{});
    case 8:
      return with(ops::u64{});
    default:
      return nullptr;
  }
}

template <bool Load, bool Watched>
Handlers by_type(const ptx::Instruction& p, u32 register_bytes, Addressing addressing) {
  using ptx::Type;
  if constexpr (Load) {
    switch (p.type) {
      case Type::s8:
        return by_register<Load, Watched, ops::s8>(p, register_bytes, addressing);
      case Type::s16:
        return by_register<Load, Watched, ops::s16>(p, register_bytes, addressing);
      case Type::s32:
        return by_register<Load, Watched, ops::s32>(p, register_bytes, addressing);
      default:
        break;
    }
  }
  switch (ptx::bytes_of(p.type)) {
    case 1:
      return by_register<Load, Watched, ops::u8>(p, register_bytes, addressing);
    case 2:
      return by_register<Load, Watched, ops::u16>(p, register_bytes, addressing);
    case 4:
      return by_register<Load, Watched, ops::u32>(p, register_bytes, addressing);
    case 8:
      return by_register<Load, Watched, ops::u64>(p, register_bytes, addressing);
    default:
      return nullptr;
  }
}

}  // namespace

Handlers memory_handler(const ptx::Instruction& p, Widths widths, Addressing addressing, bool watched) {
  if (p.op == ptx::Opcode::st)
    return watched ? by_type<false, true>(p, widths.a, addressing) : by_type<false, false>(p, widths.a, addressing);
  if (p.op == ptx::Opcode::ld || p.op == ptx::Opcode::ldu)
    return watched ? by_type<true, true>(p, widths.d, addressing) : by_type<true, false>(p, widths.d, addressing);
  return nullptr;
}

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
