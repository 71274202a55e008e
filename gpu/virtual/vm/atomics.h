// Atomics when nobody watches. Lanes are performed one after another, in lane order, as any order is right.
//
// Two workers that add to the same few words spend their time passing cache lines to each other, and are slower than one. So where
// a kernel's atomics on global memory are all integer additions whose results nobody reads, and it has no fence and no strong load
// or store that could order them, a worker keeps its additions to small arrays to itself (DelayedAdds) until the block ends, spins,
// or the worker reads that array by other means. CUDA's relaxed atomics promise no more: additions commute, and others see them
// eventually.
//
//     if (DelayedAdds::Array* array = worker.delayed.array_of(worker, extent)) DelayedAdds::add(*array, word, value);
//     worker.delayed.flush();   // to memory, atomically
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/vm/code.h"
#include "gpu/virtual/vm/memory.h"

namespace warpbook::gpu::vm {

struct Worker;

class DelayedAdds {
 public:
  static constexpr std::uint64_t page_words = 256;
  struct Array {
    Extent extent;
    std::vector<std::uint32_t> sums;    // by word; a few more
    std::vector<std::uint8_t> touched;  // by page: 1 where additions wait
    bool pending = false;               // … in any of them
    unsigned forced = 0;                // how often it had to be flushed because it was read meanwhile
  };
  /// For one instruction's additions. nullptr: too big an array, or one that keeps being read in between.
  [[nodiscard]] Array* array_of(Worker& worker, const Extent& extent);
  /// Always inlined: called from code built for several instruction sets.
  [[gnu::always_inline]] static void add(Array& array, std::uint64_t word, std::uint32_t value) {
    array.sums.data()[word] += value;
    array.touched.data()[word / page_words] = 1;
  }
  /// The worker is about to read or write `extent` by other means.
  void touch(const Extent& extent);
  void flush();
  [[nodiscard]] bool empty() const { return !pending_; }

 private:
  static void flush(Array& array);
  std::vector<Array> arrays_;
  bool pending_ = false;  // some array has additions
};

/// May this kernel's additions be delayed? (All functions that it reaches.)
[[nodiscard]] bool may_delay_adds(const ptx::Module& module, const std::vector<std::uint32_t>& functions);

/// Does the function read this register anywhere?
[[nodiscard]] bool is_read(const ptx::Function& function, const ptx::Operand& destination);

/// `atom.add` or `red.add` of 32-bit integers in shared or global memory, whose result nobody reads.
[[nodiscard]] bool adds_unread(const ptx::Function& function, const ptx::Instruction& inst);

/// atom, red.
void straight_atomic(Warp& warp, const Inst& inst);

}  // namespace warpbook::gpu::vm
