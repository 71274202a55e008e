// thread_block_tile: parts of a block of a size that is known when the program is compiled, 1 to 512 threads.
#pragma once
#pragma clang system_header

#include <warpbook/groups_block.h>

#include <warpbook/groups_warp.h>

namespace cooperative_groups {

/// What a tile of several warps can do. Its warps meet at a barrier of their own number, and exchange values through shared memory.
template <unsigned int Size>
class warpbook_wide_tile {
 public:
  WARPBOOK_DEVICE void sync() const {
    const unsigned int number = rank_of_tile() + 1;
    // There are 16 barriers and the block has the first: of 16 tiles the last two meet at one.
    if (number + (number == 15) > 15 && warpbook::threads_of_block() / Size >= 16) {
      __barrier_sync_count(15, 2 * Size);
    } else {
      __barrier_sync_count(number, Size);
    }
  }
  static WARPBOOK_DEVICE unsigned int thread_rank() { return warpbook::thread_in_block() & (Size - 1); }
  static constexpr WARPBOOK_DEVICE unsigned int num_threads() { return Size; }
  static constexpr WARPBOOK_DEVICE unsigned int size() { return Size; }

  template <class T>
  WARPBOOK_DEVICE T shfl(const T& value, int rank) const {
    static_assert(sizeof(T) <= 16, "a tile of several warps passes on values of at most 16 bytes");
    T result;
    if ((int)thread_rank() == (rank & (int)(Size - 1))) __builtin_memcpy(slot(0), &value, sizeof(T));
    sync();
    __builtin_memcpy(&result, slot(0), sizeof(T));
    sync();
    return result;
  }
  WARPBOOK_DEVICE int any(int predicate) const { return count_of_warps(__any_sync(0xffffffffu, predicate)) != 0; }
  WARPBOOK_DEVICE int all(int predicate) const { return count_of_warps(__all_sync(0xffffffffu, predicate)) == Size / 32; }

  /// One value a warp, joined by `join` for all threads of the tile.
  template <class T, class Join>
  WARPBOOK_DEVICE T warpbook_join_warps(const T& of_warp, Join join) const {
    static_assert(sizeof(T) <= 16, "a tile of several warps joins values of at most 16 bytes");
    if (warpbook::lane() == 0) __builtin_memcpy(slot(thread_rank() / 32), &of_warp, sizeof(T));
    sync();
    T all;
    __builtin_memcpy(&all, slot(0), sizeof(T));
    for (unsigned int i = 1; i < Size / 32; ++i) {
      T next;
      __builtin_memcpy(&next, slot(i), sizeof(T));
      all = join(all, next);
    }
    sync();
    return all;
  }

 private:
  static WARPBOOK_DEVICE unsigned int rank_of_tile() { return warpbook::thread_in_block() / Size; }
  WARPBOOK_DEVICE unsigned int count_of_warps(int yes) const {
    return warpbook_join_warps((unsigned int)(yes != 0), [](unsigned int a, unsigned int b) WARPBOOK_LAMBDA { return a + b; });
  }
  /// 16 bytes for each warp of the block.
  static WARPBOOK_DEVICE void* slot(unsigned int warp) {
    static __shared__ __attribute__((aligned(16))) unsigned char memory[32 * 16];
    return memory + (rank_of_tile() * (Size / 32) + warp) * 16;
  }
};

template <bool Wide, unsigned int Size>
struct warpbook_choose_tile {
  typedef warpbook_warp_tile<Size> type;
};
template <unsigned int Size>
struct warpbook_choose_tile<true, Size> {
  typedef warpbook_wide_tile<Size> type;
};

template <unsigned int Size, class Parent = void>
class thread_block_tile : public warpbook_choose_tile<(Size > 32), Size>::type {
  static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");

 public:
  WARPBOOK_DEVICE thread_block_tile(unsigned int meta_rank, unsigned int meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <class OtherParent>
  WARPBOOK_DEVICE thread_block_tile(const thread_block_tile<Size, OtherParent>& other)
      : meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}
  WARPBOOK_DEVICE operator thread_group() const { return coalesced_group(this->warpbook_mask()); }
  WARPBOOK_DEVICE unsigned int meta_group_rank() const { return meta_rank_; }
  WARPBOOK_DEVICE unsigned int meta_group_size() const { return meta_size_; }

 private:
  unsigned int meta_rank_, meta_size_;
};

template <unsigned int Size>
WARPBOOK_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {warpbook::thread_in_block() / Size, (warpbook::threads_of_block() + Size - 1) / Size};
}
template <unsigned int Size, unsigned int ParentSize, class Parent>
WARPBOOK_DEVICE thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent>& parent) {
  static_assert(Size <= ParentSize, "a tile is no larger than what it is a part of");
  return {parent.thread_rank() / Size, ParentSize / Size};
}

/// The threads of a group within a warp that say the same: two groups, or one a label.
template <class Group>
WARPBOOK_DEVICE coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int mask = group.warpbook_mask(), yes = __ballot_sync(mask, predicate) & mask;
  return predicate ? coalesced_group(yes, 0, 2) : coalesced_group(mask & ~yes, 1, 2);
}
template <class Group, class Label>
WARPBOOK_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned int mask = group.warpbook_mask();
  return coalesced_group(__match_any_sync(mask, label));
}

}  // namespace cooperative_groups
