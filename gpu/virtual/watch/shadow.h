// Shadow: what the race detector remembers of memory: who last wrote and read each word, in 128-byte segments made when first
// touched.
//
// A segment is one of
//   untouched or even   the whole segment has one history: word j was touched by thread `first + (j >> shift)`. What a warp that
//                       reads or writes a[i] leaves behind; 80 bytes for 32 words.
//   words               32 cells of their own
//   bytes               128 cells, once something smaller than a word was accessed: neighbours in a word are different places
//
// A cell keeps the last weak write and two weak reads. Two are enough for barriers: they are kept as far apart as possible
// (different blocks before different warps before different lanes), so that whoever writes next without having synchronised is
// unordered with at least one. Strong accesses (atomics and what else threads signal with) have slots of their own, made on demand,
// since two of them never race, while a strong and a weak one do.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/virtual/watch/order.h"

namespace warpbook::gpu::watch {

inline constexpr std::uint32_t segment_bytes = 128;
inline constexpr std::uint32_t cells = 32;

/// Of an access, beside thread and stamp: Scene's site number and how it was made.
using SiteFlags = std::uint32_t;
inline constexpr SiteFlags site_mask = 0x00ffffffu;
inline constexpr SiteFlags value_known = 1u << 24;
inline constexpr SiteFlags block_scope = 1u << 25;
inline constexpr SiteFlags is_volatile = 1u << 26;
inline constexpr SiteFlags is_atomic = 1u << 27;

/// One remembered access of each of 32 cells; as arrays, so that a warp's cells are checked together.
struct Slots {
  std::array<ThreadId, cells> thread{};
  std::array<Stamp, cells> stamp{};  // 0: none
  std::array<SiteFlags, cells> site{};
};

struct StrongCells {
  std::array<Slots, 2> writes, reads;
};

struct Cells {
  Slots write;
  std::array<Slots, 2> reads;
  std::array<std::uint32_t, cells> value{};  // low 32 bits written, where `write.site` has value_known
  std::unique_ptr<StrongCells> strong;
  // Of shared memory: cells of which a further read would change nothing, as two of different warps are remembered since the
  // block's last barrier (settled_at) and the last write was before it.
  std::uint32_t settled = 0;
  Stamp settled_at = 0;
};

/// One remembered access of a whole segment.
struct EvenSlot {
  ThreadId first = 0;
  Stamp stamp = 0;
  SiteFlags site = 0;
  unsigned shift = 0;

  [[nodiscard]] ThreadId thread(unsigned word) const { return first + (word >> shift); }
};

struct Segment {
  EvenSlot write;
  std::array<EvenSlot, 2> reads;
  bool by_byte = false;
  std::unique_ptr<Cells> words;                 // null: even
  std::unique_ptr<std::array<Cells, 4>> bytes;  // 32 bytes each; null unless by_byte

  [[nodiscard]] bool even() const { return !words && !bytes; }
  void split_to_words();  // from even
  void split_to_bytes();  // from even or words
  void make_even(const EvenSlot& last_write);
};

/// The shadow of global memory: segments in pages, found by guest address.
class GlobalShadow {
 public:
  [[nodiscard]] Segment& segment(std::uint64_t address) {
    const std::uint64_t page = address / page_bytes;
    Recent& recent = recent_[page % recent_.size()];
    if (recent.page != page || !recent.segments) {
      std::unique_ptr<Page>& entry = pages_[page];
      if (!entry) entry = std::make_unique<Page>();
      recent = {page, entry.get()};
    }
    return (*recent.segments)[address % page_bytes / segment_bytes];
  }
  void clear() {
    pages_.clear();
    recent_.fill({});
  }

 private:
  static constexpr std::uint64_t page_bytes = 16384;
  using Page = std::array<Segment, page_bytes / segment_bytes>;
  struct Recent {
    std::uint64_t page = 0;
    Page* segments = nullptr;
  };
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::array<Recent, 64> recent_{};
};

}  // namespace warpbook::gpu::watch
