// How the addresses of a request's lanes lie, and how rows are copied to them and from them. Included by handlers_<set>.cpp with
// handlers_memory.h, once for each instruction set.
//
// A request's 32 addresses are examined in groups of eight lanes, because tiles are 8, 16 or 32 wide. A group of consecutive
// addresses is one copy, a group of equal ones one load; any other group goes lane by lane.
#pragma once

#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/lanes/vectors.h"
#include "gpu/virtual/vm/ops/base.h"

#ifdef __AVX512F__
#  include <immintrin.h>
#endif

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {

namespace {

using ops::s32;
using ops::s64;
using ops::u32;
using ops::u64;

inline constexpr u32 group = 8, groups = lanes / group;
template <class T>
using Eight = Vector<T, group>;

/// How a request's addresses lie, for all lanes together or for each group on its own.
enum class Form { consecutive, same, groups_consecutive, groups_same, scattered };
struct Shape {
  Form form;
  bool aligned;
  u64 low, high;  // the least and the greatest address
};

[[gnu::always_inline]] inline bool any(const Eight<u64>& v) {
#ifdef __AVX512F__
  return _mm512_test_epi64_mask(reinterpret_cast<const __m512i&>(v), reinterpret_cast<const __m512i&>(v)) != 0;
#else
  u64 bits = 0;
  for (u32 l = 0; l < group; ++l) bits |= v[l];
  return bits != 0;
#endif
}

/// Up to so many lanes are looked at one by one.
inline constexpr int few = 8;
static_assert(few == std::size(FixedShape{}.lane));
inline constexpr u32 cache_line = 64, lines_ahead = 4;

/// at: the addresses of the lanes that execute. Unless they are few, the others' are there too, and repeat an active one's: they
/// may be read (never written). Bytes: of one lane's access.
template <u32 Bytes, bool Indexed = false>
[[gnu::always_inline]] inline Shape look_here(const Warp& w, const Inst& i, u64* at) {
  const auto offset = static_cast<u64>(i.offset) + (i.frame_relative ? w.frame->local_base : 0u);
  const auto indexed = [&](u32 l) {
    const u32 index = w.row_of<u32>(i.c)[l];
    const u64 wide = i.index_signed ? static_cast<u64>(s64{static_cast<s32>(index)}) : u64{index};
    return w.row_of<u64>(i.a)[l] + offset + wide * Bytes;
  };
  const auto scattered = [](u64 all, u64 least, u64 most) -> Shape {
    return {Form::scattered, (all & (Bytes - 1)) == 0, least, most};
  };
  u64 all = 0, least = ~u64{0}, most = 0;
  if (__builtin_popcount(w.exec) <= few) {
    for (u32 left = w.exec; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      const u64 a = Indexed       ? indexed(l)
                    : i.address32 ? w.row_of<u32>(i.a)[l] + static_cast<u32>(offset)
                                  : w.row_of<u64>(i.a)[l] + offset;
      at[l] = a;
      all |= a;
      least = a < least ? a : least;
      most = a > most ? a : most;
    }
    return scattered(all, least, most);
  }
  if (Indexed) {
    for (u32 l = 0; l < lanes; ++l) at[l] = indexed(l);
  } else if (i.address32) {
    const u32* a = w.row_of<u32>(i.a);
    for (u32 l = 0; l < lanes; ++l) at[l] = a[l] + static_cast<u32>(offset);
  } else {
    const u64* a = w.row_of<u64>(i.a);
    for (u32 l = 0; l < lanes; ++l) at[l] = a[l] + offset;
  }
  if (w.exec == 0xffffffffu) {
    constexpr Eight<u64> steps = {0, Bytes, 2 * Bytes, 3 * Bytes, 4 * Bytes, 5 * Bytes, 6 * Bytes, 7 * Bytes};
    Eight<u64> differences = {}, strays = {};
    for (u32 g = 0; g < groups; ++g) {
      const Eight<u64> from_first = read_vector<Eight<u64>>(at + g * group) - at[g * group];
      differences |= from_first;
      strays |= from_first ^ steps;
    }
    const bool equal = !any(differences);
    if (equal || !any(strays)) {
      const u64 a = at[0], b = at[group], c = at[2 * group], d = at[3 * group];
      const u64 step = equal ? 0 : group * Bytes, rest = equal ? 0 : (group - 1) * Bytes;
      const bool aligned = ((a | b | c | d) & (Bytes - 1)) == 0;
      // Consecutive addresses that begin below 0 (tile[t - 1]) go on at 0: the last is then less than the first, and they count as
      // scattered.
      if (!(((b - a) ^ step) | ((c - b) ^ step) | ((d - c) ^ step))) {
        if (d + rest >= a) [[likely]]
          return {equal ? Form::same : Form::consecutive, aligned, a, d + rest};
      } else {
        const u64 least_ab = a < b ? a : b, least_cd = c < d ? c : d, most_ab = a < b ? b : a, most_cd = c < d ? d : c;
        const u64 low = least_ab < least_cd ? least_ab : least_cd, high = most_ab < most_cd ? most_cd : most_ab;
        if (high + rest >= high) [[likely]]
          return {equal ? Form::groups_same : Form::groups_consecutive, aligned, low, high + rest};
      }
    }
  } else {
    const u64 some = at[__builtin_ctz(w.exec)];
    for (u32 l = 0; l < lanes; ++l) at[l] = (w.exec >> l & 1u) ? at[l] : some;
  }
  for (u32 l = 0; l < lanes; ++l) {
    all |= at[l];
    least = at[l] < least ? at[l] : least;
    most = at[l] > most ? at[l] : most;
  }
  return scattered(all, least, most);
}

/// The same as a function: most handlers may do with a call.
template <u32 Bytes, bool Indexed = false>
[[gnu::noinline]] Shape look(const Warp& w, const Inst& i, u64* at) {
  return look_here<Bytes, Indexed>(w, i, at);
}

enum class Where { global, shared };

/// What to add to the addresses to reach the host's memory: nothing, where guest and host addresses are the same.
struct Host {
  bool straight = false;  // the request is one
  std::byte* base = nullptr;
};
template <Where Space, u32 Bytes, bool Atomic = false>
[[gnu::always_inline]] inline Host reach(Warp& w, const Inst& i, const Shape& shape, bool write) {
  if (!shape.aligned) return {};
  if constexpr (Space == Where::shared) {
    (void)i, (void)write;
    return {shape.high + Bytes <= w.shared_bytes && shape.high < w.shared_bytes, w.shared};
  } else {
    Extent& extent = w.extents[i.cache];
    if (shape.low < extent.low || shape.high >= extent.high || extent.high - shape.high < Bytes || shape.high < shape.low) {
      const Extent found = w.worker->find(shape.low);
      if (found.heap || !found.holds(shape.low, Bytes) || !found.holds(shape.high, Bytes)) return {};
      // Who stores where all only read, or touches what only atomics do, is looked at: Worker::report_from_now_on.
      if (found.only_atomics && !Atomic) return {};
      extent = found;
      extent.writable &= found.report_loads;
    }
    return {!write || extent.writable, extent.host - extent.low};
  }
}

/// Four groups of eight lanes into a row, in the widest stores: a row is read that way, and a host forwards what it stored only
/// to a load that the store covers.
template <class R>
[[gnu::always_inline]] inline void put(R* d, const Eight<R>& a, const Eight<R>& b, const Eight<R>& c, const Eight<R>& e) {
  if constexpr (sizeof(R) == 4 && vector_bytes == 64) {
    write_vector(d, __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    write_vector(d + 2 * group, __builtin_shufflevector(c, e, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  } else {
    write_vector(d, a), write_vector(d + group, b), write_vector(d + 2 * group, c), write_vector(d + 3 * group, e);
  }
}

template <class R, class T>
[[gnu::always_inline]] inline Eight<R> copies(T value) {
  return Eight<R>{} + static_cast<R>(value);
}

template <class T, class R>
[[gnu::noinline]] void load_scattered(R* d, const std::byte* host, const u64* at, u32 exec) {
  const auto from = [&](u32 l) { return reinterpret_cast<const T*>(host + at[l]); };
  if (__builtin_popcount(exec) <= few) return put_lanes(d, exec, [&](u32 l) { return static_cast<R>(*from(l)); });
  alignas(64) R fresh[lanes];
  for (u32 l = 0; l < lanes; ++l) fresh[l] = static_cast<R>(*from(l));
  keep(d, fresh, exec);
}
/// skip: bytes from the lane's address to the element, of vector accesses; whose groups are then never consecutive.
template <class T, class R>
[[gnu::always_inline]] inline void load_row(R* d, const std::byte* host, const u64* at, Form form, u32 exec, u32 skip) {
  const auto from = [&](u32 l) { return reinterpret_cast<const T*>(host + at[l] + skip); };
  const auto eight = [](const T* first) { return converted<Eight<R>>(read_vector<Eight<T>>(first)); };
  switch (form) {
    case Form::consecutive:
      return put<R>(d, eight(from(0)), eight(from(0) + group), eight(from(0) + 2 * group), eight(from(0) + 3 * group));
    case Form::same: {
      const Eight<R> value = copies<R>(*from(0));
      return put<R>(d, value, value, value, value);
    }
    case Form::groups_consecutive:
      return put<R>(d, eight(from(0)), eight(from(group)), eight(from(2 * group)), eight(from(3 * group)));
    case Form::groups_same:
      return put<R>(d, copies<R>(*from(0)), copies<R>(*from(group)), copies<R>(*from(2 * group)), copies<R>(*from(3 * group)));
    case Form::scattered:
      break;
  }
  load_scattered<T, R>(d, host + skip, at, exec);
}

template <class T, class R>
[[gnu::always_inline]] inline void store_row(const R* a, std::byte* host, const u64* at, Form form, u32 exec, u32 skip) {
  const auto to = [&](u32 l) { return reinterpret_cast<T*>(host + at[l] + skip); };
  const auto eight = [&](T* first, u32 g) { write_vector(first, converted<Eight<T>>(read_vector<Eight<R>>(a + g))); };
  if (form == Form::consecutive) {
    for (u32 g = 0; g < lanes; g += group) eight(to(0) + g, g);
    return;
  }
  if (form == Form::groups_consecutive) {
    for (u32 g = 0; g < lanes; g += group) eight(to(g), g);
    return;
  }
  if (form == Form::same) {
    *to(lanes - 1) = static_cast<T>(a[lanes - 1]);  // the others' do not stay
    return;
  }
  for (u32 left = exec; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    *to(l) = static_cast<T>(a[l]);
  }
}

}  // namespace

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
