// Delayed additions: a worker collects its atomic additions to small arrays and adds the sums to memory later.
//
//     if (DelayedAdds::Array* array = worker.delayed.array_of(worker, extent)) DelayedAdds::add(*array, word, value);
//     worker.delayed.flush();   // to memory, atomically
//
// Two workers that add to the same few words spend their time passing cache lines to each other, and are slower than one worker. So
// where analysis/atomics.h allows it, a worker collects its additions until its block ends, until it spins, or until it reads that
// array in another way. CUDA's relaxed atomics promise no more: additions commute, and other threads see them eventually.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/vm/memory/memory.h"

namespace warpbook::gpu::vm {

struct Worker;

class DelayedAdds {
 public:
  static constexpr std::uint64_t page_words = 256;
  struct Array {
    Extent extent;
    std::vector<std::uint32_t> sums;    // by word; rounded up to whole rows
    std::vector<std::uint8_t> touched;  // by page: 1 where additions wait
    bool pending = false;               // true where additions wait in any page
    unsigned forced = 0;                // how often it had to be flushed because it was read meanwhile
  };
  /// For one instruction's additions. nullptr: the array is too large, or it is read too often in between.
  [[nodiscard]] Array* array_of(Worker& worker, const Extent& extent);
  /// Always inlined, because code that is built for several instruction sets calls it.
  [[gnu::always_inline]] static void add(Array& array, std::uint64_t word, std::uint32_t value) {
    array.sums.data()[word] += value;
    array.touched.data()[word / page_words] = 1;
  }
  /// The worker is about to read or write `extent` in another way.
  void touch(const Extent& extent);
  void flush();
  [[nodiscard]] bool empty() const { return !pending_; }

 private:
  static void flush(Array& array);
  std::vector<Array> arrays_;
  bool pending_ = false;  // some array has additions
};

}  // namespace warpbook::gpu::vm
