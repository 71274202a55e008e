// Groups within a warp: coalesced threads, and what a tile of at most 32 threads can do.
#pragma once
#pragma clang system_header

#include <warpbook/groups_base.h>

namespace cooperative_groups {

/// Threads of one warp that run together, numbered in the order of their lanes.
class coalesced_group : public thread_group {
 public:
  WARPBOOK_DEVICE explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
      : thread_group(mask, __popc(mask)), meta_rank_(meta_rank), meta_size_(meta_size) {}
  WARPBOOK_DEVICE void sync() const { __syncwarp(mask_); }
  WARPBOOK_DEVICE unsigned int thread_rank() const { return warpbook::lanes_below(mask_); }
  WARPBOOK_DEVICE unsigned int meta_group_rank() const { return meta_rank_; }
  WARPBOOK_DEVICE unsigned int meta_group_size() const { return meta_size_; }
  WARPBOOK_DEVICE unsigned int warpbook_mask() const { return mask_; }

  template <class T>
  WARPBOOK_DEVICE T shfl(const T& value, unsigned int rank) const {
    return from_lane(value, lane_of(rank % size_));
  }
  template <class T>
  WARPBOOK_DEVICE T shfl_up(const T& value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_lane(value, lane_of(delta > rank ? rank : rank - delta));
  }
  template <class T>
  WARPBOOK_DEVICE T shfl_down(const T& value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return from_lane(value, lane_of(rank + delta >= size_ ? rank : rank + delta));
  }
  WARPBOOK_DEVICE int any(int predicate) const { return __any_sync(mask_, predicate); }
  WARPBOOK_DEVICE int all(int predicate) const { return __all_sync(mask_, predicate); }
  WARPBOOK_DEVICE unsigned int ballot(int predicate) const { return by_rank(__ballot_sync(mask_, predicate)); }
  template <class T>
  WARPBOOK_DEVICE unsigned int match_any(T value) const {
    return by_rank(__match_any_sync(mask_, value));
  }
  template <class T>
  WARPBOOK_DEVICE unsigned int match_all(T value, int& all) const {
    return by_rank(__match_all_sync(mask_, value, &all));
  }

 private:
  template <class T>
  WARPBOOK_DEVICE T from_lane(const T& value, unsigned int lane) const {
    return warpbook::by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_sync(mask_, word, lane); });
  }
  WARPBOOK_DEVICE unsigned int lane_of(unsigned int rank) const {
    return mask_ == 0xffffffffu ? rank : __fns(mask_, 0, (int)rank + 1);
  }
  /// A mask of lanes becomes a mask of ranks.
  WARPBOOK_DEVICE unsigned int by_rank(unsigned int lanes) const {
    if (mask_ == 0xffffffffu) return lanes;
    unsigned int ranks = 0;
    for (unsigned int rest = mask_, rank = 0; rest != 0; rest &= rest - 1, ++rank) {
      if (lanes & rest & -rest) ranks |= 1u << rank;
    }
    return ranks;
  }
  unsigned int meta_rank_, meta_size_;
};

WARPBOOK_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// Tiles of `size` threads of a block or of a group in a warp; a size known only at run time.
WARPBOOK_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  if (parent.mask_ == 0) {
    const unsigned int first = warpbook::lane() / size * size;
    const unsigned int lanes = size >= 32 ? 0xffffffffu : ((1u << size) - 1) << first;
    return thread_group(lanes, size < 32 ? size : 32);
  }
  unsigned int mask = 0;  // of the ranks of this thread's tile, the lanes
  const unsigned int tile = warpbook::lanes_below(parent.mask_) / size;
  for (unsigned int rest = parent.mask_, rank = 0; rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == tile) mask |= rest & -rest;
  }
  return thread_group(mask, __popc(mask));
}
WARPBOOK_DEVICE coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  unsigned int mask = 0;
  const unsigned int tile = parent.thread_rank() / size;
  for (unsigned int rest = parent.warpbook_mask(), rank = 0; rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == tile) mask |= rest & -rest;
  }
  return coalesced_group(mask, tile, (parent.size() + size - 1) / size);
}

/// What a tile within a warp can do; its lanes are a power of two, side by side.
template <unsigned int Size>
class warpbook_warp_tile {
 public:
  WARPBOOK_DEVICE void sync() const { __syncwarp(mask()); }
  static WARPBOOK_DEVICE unsigned int thread_rank() { return warpbook::thread_in_block() & (Size - 1); }
  static constexpr WARPBOOK_DEVICE unsigned int num_threads() { return Size; }
  static constexpr WARPBOOK_DEVICE unsigned int size() { return Size; }

  template <class T>
  WARPBOOK_DEVICE T shfl(const T& value, int rank) const {
    return warpbook::by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_sync(mask(), word, rank, (int)Size); });
  }
  template <class T>
  WARPBOOK_DEVICE T shfl_up(const T& value, unsigned int delta) const {
    return warpbook::by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_up_sync(mask(), word, delta, (int)Size); });
  }
  template <class T>
  WARPBOOK_DEVICE T shfl_down(const T& value, unsigned int delta) const {
    return warpbook::by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_down_sync(mask(), word, delta, (int)Size); });
  }
  template <class T>
  WARPBOOK_DEVICE T shfl_xor(const T& value, unsigned int lanes) const {
    return warpbook::by_words(value, [&](unsigned int word) WARPBOOK_LAMBDA { return __shfl_xor_sync(mask(), word, (int)lanes, (int)Size); });
  }
  WARPBOOK_DEVICE int any(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) != 0; }
  WARPBOOK_DEVICE int all(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) == mask(); }
  WARPBOOK_DEVICE unsigned int ballot(int predicate) const { return (__ballot_sync(mask(), predicate) & mask()) >> first(); }
  template <class T>
  WARPBOOK_DEVICE unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> first();
  }
  template <class T>
  WARPBOOK_DEVICE unsigned int match_all(T value, int& all) const {
    return __match_all_sync(mask(), value, &all) >> first();
  }
  WARPBOOK_DEVICE unsigned int warpbook_mask() const { return mask(); }

 private:
  static WARPBOOK_DEVICE unsigned int first() { return Size == 32 ? 0 : warpbook::lane() & ~(Size - 1); }
  static WARPBOOK_DEVICE unsigned int mask() { return Size == 32 ? 0xffffffffu : ((1u << (Size & 31)) - 1) << first(); }
};

}  // namespace cooperative_groups
