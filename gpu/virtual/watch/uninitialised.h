// init: reads of bytes that nobody has written: global memory that neither host nor kernel wrote, what malloc in a kernel gave, and
// shared memory, which starts with garbage in every block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gpu/virtual/watch/by_block.h"
#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Uninitialised : public Detector {
 public:
  using Detector::Detector;
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_access(const vm::Access& access) override;
  vm::SharedLoads wants_shared_loads(std::uint32_t block) override;
  [[nodiscard]] bool wants_loads(const vm::Allocation& allocation) const override { return !allocation.initialised.empty(); }
  void on_block_end(std::uint32_t block) override;
  void finish() override;

  /// A bit a byte: written. At most 64 at once.
  class Written {
   public:
    explicit Written(std::uint64_t bytes, std::uint64_t known = 0) { forget(bytes, known); }
    [[nodiscard]] bool has(std::uint64_t at, std::uint32_t bytes) const {
      const std::uint64_t wanted = mask(bytes);
      const auto into = static_cast<unsigned>(at % 64);
      if (wanted << into & ~words_[at / 64]) return false;
      return into + bytes <= 64 || !(wanted >> (64 - into) & ~words_[at / 64 + 1]);
    }
    void set(std::uint64_t at, std::uint32_t bytes) {
      const std::uint64_t wanted = mask(bytes);
      const auto into = static_cast<unsigned>(at % 64);
      words_[at / 64] |= wanted << into;
      if (into + bytes > 64) words_[at / 64 + 1] |= wanted >> (64 - into);
    }
    /// Bytes that do not lie across two words of bits.
    void set_in_piece(std::uint64_t at, std::uint32_t bytes) { words_[at / 64] |= mask(bytes) << at % 64; }
    /// But for the last ones, which count as written.
    void forget(std::uint64_t bytes, std::uint64_t known) {
      const std::uint64_t unknown = bytes - known;
      words_.assign((bytes + 63) / 64 + 1, ~std::uint64_t{0});
      std::fill_n(words_.begin(), unknown / 64, 0);
      if (unknown % 64) words_[unknown / 64] = ~mask(static_cast<std::uint32_t>(unknown % 64));
      gap_ = 0;
    }
    [[nodiscard]] const std::uint64_t* words() const { return words_.data(); }
    [[nodiscard]] bool all() {
      while (gap_ < words_.size() && words_[gap_] == ~std::uint64_t{0}) ++gap_;
      return gap_ == words_.size();
    }
    [[nodiscard]] std::uint64_t size() const { return (words_.size() - 1) * 64; }

   private:
    static std::uint64_t mask(std::uint32_t bytes) { return bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1; }
    std::vector<std::uint64_t> words_;  // and one more, full
    std::size_t gap_ = 0;               // the words before it are full
  };
  /// What is written of a block's shared memory.
  [[nodiscard]] Written& shared_of(std::uint32_t block);

 private:
  struct Partial {  // an allocation that was not all written before the launch
    std::uint64_t base = 0, bytes = 0;
    Written written{0};
  };

  /// What is written of a piece of the kernels' heap, as long as it is that piece.
  struct HeapWritten {
    std::uint64_t number = 0;
    Written written{0};
  };
  void look_at_heap(const vm::Access& access, std::uint32_t mask);

  static void fill(const vm::Access& access, Written& written, std::uint64_t base, std::uint32_t mask);
  void look(const vm::Access& access, Written& written, std::uint64_t base, std::uint32_t mask);
  [[nodiscard]] bool look_at_rows(const vm::Access& access, Written& written, std::uint64_t base) const;
  void report(const vm::Access& access, std::uint32_t lanes);
  void wait_for_stores(Finding* finding, const vm::Access& access, std::uint32_t lanes);
  [[nodiscard]] bool fills_before(const vm::Site& store, const vm::Site& load);
  void look_for_late_stores(const vm::Access& access);

  /// A place in shared memory that was read too early, perhaps: until its block ends, somebody may store there.
  struct Awaited {
    Finding* finding = nullptr;
    std::uint32_t block = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    vm::Site reader;
    Place place;
  };
  std::vector<Awaited> awaited_;
  std::map<std::tuple<const ptx::Function*, std::uint32_t, std::uint32_t>, bool> fills_before_;  // by the pcs of store and load

  std::vector<Partial> global_;
  std::unordered_map<std::uint64_t, HeapWritten> heap_;  // by where a piece begins
  ByBlock<Written> shared_;
  std::uint32_t shared_block_ = 0;
  Written* shared_now_ = nullptr;  // of shared_block_
};

}  // namespace warpbook::gpu::watch
