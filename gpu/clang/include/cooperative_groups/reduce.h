// reduce(group, value, operation): one value from those of all threads of a tile or of coalesced threads.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <cooperative_groups.h>

namespace cooperative_groups {

#define WARPBOOK_OPERATION(NAME, EXPRESSION)                                                      \
  template <class T = void>                                                                       \
  struct NAME {                                                                                   \
    WARPBOOK_BOTH T operator()(const T& a, const T& b) const { return EXPRESSION; }               \
  };                                                                                              \
  template <>                                                                                     \
  struct NAME<void> {                                                                             \
    template <class T>                                                                            \
    WARPBOOK_BOTH T operator()(const T& a, const T& b) const {                                    \
      return EXPRESSION;                                                                          \
    }                                                                                             \
  };
WARPBOOK_OPERATION(plus, a + b)
WARPBOOK_OPERATION(less, b < a ? b : a)
WARPBOOK_OPERATION(greater, a < b ? b : a)
WARPBOOK_OPERATION(bit_and, a& b)
WARPBOOK_OPERATION(bit_or, a | b)
WARPBOOK_OPERATION(bit_xor, a ^ b)
#undef WARPBOOK_OPERATION

namespace warpbook {

template <class T>
struct plain {
  typedef T type;
};
template <class T>
struct plain<const T> {
  typedef T type;
};
template <class T>
struct plain<T&> : plain<T> {};
template <class T>
struct plain<T&&> : plain<T> {};

}  // namespace warpbook

template <unsigned int Size, class Parent, class T, class Operation>
WARPBOOK_DEVICE typename warpbook::plain<T>::type reduce(const thread_block_tile<Size, Parent>& tile, T&& value,
                                                         Operation&& operation) {
  typedef typename warpbook::plain<T>::type Value;
  constexpr unsigned int lanes = Size < 32 ? Size : 32;
  const thread_block_tile<lanes> warp(0, 1);
  Value result = value;
  _Pragma("unroll") for (unsigned int step = lanes / 2; step > 0; step /= 2)
    result = operation(result, warp.shfl_xor(result, step));
  if constexpr (Size > 32) result = tile.warpbook_join_warps(result, operation);
  return result;
}

template <class T, class Operation>
WARPBOOK_DEVICE typename warpbook::plain<T>::type reduce(const coalesced_group& group, T&& value, Operation&& operation) {
  typename warpbook::plain<T>::type result = value;
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const auto other = group.shfl_down(result, step);
    if (rank % (2 * step) == 0 && rank + step < size) result = operation(result, other);
  }
  return group.shfl(result, 0);
}

template <class Group, class T, class Value, class Operation>
WARPBOOK_DEVICE void reduce_store_async(const Group& group, T* to, Value&& value, Operation&& operation) {
  const T all = reduce(group, value, operation);
  if (group.thread_rank() == 0) *to = all;
}

}  // namespace cooperative_groups

#include <warpbook/letters_back.h>
