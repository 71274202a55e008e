// What CUB's parts for a warp and for a block share: values of any type from lane to lane, and CUB's names for operators.
#pragma once
#pragma clang system_header

#include <warpbook/groups_base.h>

namespace cub {

struct Sum {
  template <class T>
  WARPBOOK_DEVICE T operator()(const T& a, const T& b) const { return a + b; }
};
struct Max {
  template <class T>
  WARPBOOK_DEVICE T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
struct Min {
  template <class T>
  WARPBOOK_DEVICE T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};

}  // namespace cub

namespace warpbook_cub {

using cooperative_groups::warpbook::by_words;

WARPBOOK_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }

/// The first `count` lanes from `first` on, which take part in what follows.
WARPBOOK_DEVICE unsigned int lanes_from(unsigned int first, unsigned int count) {
  return (count >= 32 ? 0xffffffffu : (1u << count) - 1) << first;
}

/// Lane 0 of each group of `width` lanes has the result of the group's first `valid` values. Only these lanes need be there.
template <class T, class Op>
WARPBOOK_DEVICE T reduce_lanes(T value, Op op, unsigned int mask, int width, int valid) {
  const int rank = (int)(lane() % (unsigned int)width);
  for (int distance = 1; distance < width; distance *= 2) {
    const int from = rank + distance < valid ? rank + distance : rank;
    const T other = by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_sync(mask, word, from, width); });
    if (from != rank) value = op(value, other);
  }
  return value;
}

/// Each lane has the result of the values up to its own in its group of `width` lanes.
template <class T, class Op>
WARPBOOK_DEVICE T scan_lanes(T value, Op op, unsigned int mask, int width) {
  const int rank = (int)(lane() % (unsigned int)width);
  for (int distance = 1; distance < width; distance *= 2) {
    const T other = by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_up_sync(mask, word, distance, width); });
    if (rank >= distance) value = op(other, value);
  }
  return value;
}

/// The value of the lane before; of a group's first lane its own.
template <class T>
WARPBOOK_DEVICE T from_lane_before(const T& value, unsigned int mask, int width) {
  return by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_up_sync(mask, word, 1, width); });
}

}  // namespace warpbook_cub
