// Rows as the host's widest vectors. Included by handlers_<set>.cpp, once an instruction set.
//
// A row is always written in whole vectors. A CPU forwards a store to a later load only where that one store covers the load, and
// never a masked store, so that rows written in pieces would delay the next instruction by a dozen cycles.
#pragma once

#include <type_traits>

#include "gpu/virtual/vm/code/code.h"
#include "gpu/virtual/vm/ops/base.h"

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {

template <class T, ops::u32 Count>
struct VectorOf {
  typedef T type __attribute__((vector_size(Count * sizeof(T))));
};
template <class T, ops::u32 Count>
using Vector = typename VectorOf<T, Count>::type;

template <class V>
[[gnu::always_inline]] inline V read_vector(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
[[gnu::always_inline]] inline void write_vector(void* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// The width of the host's registers. Wider vectors work, too, but compilers divide them by way of memory.
#if defined(__AVX512F__)
inline constexpr ops::u32 vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr ops::u32 vector_bytes = 32;
#else
inline constexpr ops::u32 vector_bytes = 16;
#endif

/// Converts lane by lane. (Compilers do not omit a conversion to the same type.)
template <class To, class V>
[[gnu::always_inline]] inline To converted(const V& v) {
  if constexpr (std::is_same_v<To, V>)
    return v;
  else
    return __builtin_convertvector(v, To);
}

/// Lane numbers from `first` on.
template <class T, ops::u32 Count>
[[gnu::always_inline]] inline Vector<T, Count> lane_numbers(ops::u32 first) {
  Vector<T, Count> v;
  for (ops::u32 l = 0; l < Count; ++l) v[l] = static_cast<T>(first + l);
  return v;
}

/// d[l] = fresh[l] in the lanes of `mask`.
template <class D>
[[gnu::always_inline]] inline void keep(D* d, const D* fresh, ops::u32 mask) {
  using Bits = ops::unsigned_of<D>;
  if constexpr (sizeof(D) < 4) {
    for (ops::u32 l = 0; l < lanes; ++l) d[l] = (mask >> l & 1u) ? fresh[l] : d[l];
  } else {
    constexpr ops::u32 wide = vector_bytes / sizeof(D);
    using V = Vector<Bits, wide>;
    for (ops::u32 first = 0; first < lanes; first += wide) {
      const V chosen = (V{} + Bits{mask}) & (V{} + Bits{1}) << lane_numbers<Bits, wide>(first);
      write_vector(d + first, chosen != 0 ? read_vector<V>(fresh + first) : read_vector<V>(d + first));
    }
  }
}

/// d[l] = value_of(l) in the few lanes of `mask`.
template <class D, class F>
[[gnu::always_inline]] inline void put_lanes(D* d, ops::u32 mask, F value_of) {
  if constexpr (sizeof(D) == 4) {
    constexpr ops::u32 half = lanes / 2;
    using V = Vector<D, half>;
    V low = read_vector<V>(d), high = read_vector<V>(d + half);
    const auto low_lanes = lane_numbers<ops::u32, half>(0), high_lanes = lane_numbers<ops::u32, half>(half);
    for (; mask; mask &= mask - 1) {
      const auto l = static_cast<ops::u32>(__builtin_ctz(mask));
      const D value = value_of(l);
      low = low_lanes == l ? V{} + value : low;
      high = high_lanes == l ? V{} + value : high;
    }
    write_vector(d, low);
    write_vector(d + half, high);
  } else {
    for (; mask; mask &= mask - 1) {
      const auto l = static_cast<ops::u32>(__builtin_ctz(mask));
      d[l] = value_of(l);
    }
  }
}

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
