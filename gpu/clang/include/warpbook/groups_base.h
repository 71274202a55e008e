// What all cooperative groups share: positions in a block, sums of lanes, a group whose kind is known at run time.
#pragma once
#pragma clang system_header

#include <warpbook_cuda.h>

namespace cooperative_groups {

namespace warpbook {

WARPBOOK_DEVICE unsigned int thread_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
WARPBOOK_DEVICE unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
WARPBOOK_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
WARPBOOK_DEVICE unsigned int lanes_below(unsigned int mask) {
  return __popc(mask & ((1u << lane()) - 1));
}

/// A value of any type as 32-bit words, so that lanes can pass it on.
template <class T, class Pass>
WARPBOOK_DEVICE T by_words(const T& value, Pass pass) {
  constexpr unsigned int count = (sizeof(T) + 3) / 4;
  unsigned int words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  _Pragma("unroll") for (unsigned int i = 0; i < count; ++i) words[i] = pass(words[i]);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

}  // namespace warpbook

enum class thread_scope { system, device, block, thread };

/// A block, a tile or coalesced threads, whichever it was made of.
class thread_group {
 public:
  WARPBOOK_DEVICE unsigned int num_threads() const { return size_; }
  WARPBOOK_DEVICE unsigned int size() const { return size_; }
  WARPBOOK_DEVICE unsigned int thread_rank() const {
    return mask_ == 0 ? warpbook::thread_in_block() : warpbook::lanes_below(mask_);
  }
  WARPBOOK_DEVICE void sync() const {
    if (mask_ == 0) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }

 protected:
  WARPBOOK_DEVICE thread_group(unsigned int mask, unsigned int size) : mask_(mask), size_(size) {}
  unsigned int mask_;  // its lanes in a warp; 0: the whole block
  unsigned int size_;
  friend WARPBOOK_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned int size);
};

template <class Group>
WARPBOOK_DEVICE void sync(const Group& group) {
  group.sync();
}
template <class Group>
WARPBOOK_DEVICE auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
WARPBOOK_DEVICE auto group_size(const Group& group) -> decltype(group.num_threads()) {
  return group.num_threads();
}

/// Runs the function in one thread of the group.
template <class Group, class Function, class... Arguments>
WARPBOOK_DEVICE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}

}  // namespace cooperative_groups
