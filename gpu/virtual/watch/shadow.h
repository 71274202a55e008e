// Shadow: what the race detector remembers of memory: who last wrote and read each place.
//
// A place keeps the last weak write and two weak reads. Two are enough for barriers: they are kept as far apart as possible
// (different blocks before different warps before different lanes), so that whoever writes next without having synchronised is
// unordered with at least one. Strong accesses (atomics and what else threads signal with) have slots of their own, made on demand,
// since two of them never race, while a strong and a weak one do.
//
// Shared memory is small and busy: a cell a word (SharedShadow). Global memory is large, and mostly a warp's threads touch words
// side by side: a line of 128 bytes has one history until somebody touches a part of it, a sector of 32 bytes a few accesses to
// some of its words, one write and one read of each word where those are not few, and cells of its own once that does not say it.
// Cells are words, or bytes where pieces of words were accessed: neighbours in a word are different places.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/virtual/watch/order.h"

namespace warpbook::gpu::watch {

/// Of an access, beside thread and stamp: LaunchContext's site number and how it was made.
using SiteFlags = std::uint32_t;
inline constexpr SiteFlags site_mask = 0x00ffffffu;
inline constexpr SiteFlags value_known = 1u << 24;
inline constexpr SiteFlags block_scope = 1u << 25;
inline constexpr SiteFlags is_volatile = 1u << 26;
inline constexpr SiteFlags is_atomic = 1u << 27;

/// One remembered access of each cell; as arrays, so that neighbouring cells are checked together.
struct Slots {
  ThreadId* thread = nullptr;
  Stamp* stamp = nullptr;  // 0: none
  SiteFlags* site = nullptr;
};

class Cells {
 public:
  /// memory: memory_words(count) zeros that others own; nullptr: it owns them.
  explicit Cells(std::uint32_t count, std::uint32_t* memory = nullptr);
  [[nodiscard]] static constexpr std::size_t memory_words(std::uint32_t count) { return std::size_t{10} * count; }
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  Slots write;
  std::array<Slots, 2> reads;
  std::uint32_t* value = nullptr;  // low 32 bits written, where write.site has value_known

  struct Strong {
    std::array<Slots, 2> writes, reads;
    std::uint32_t* value = nullptr;  // low 32 bits of the last volatile store
    std::vector<std::uint32_t> memory;
    /// By cell: whose further atomics would change nothing. The two writes are as far apart as those threads can be, and no weak
    /// access is remembered that races with any of theirs.
    struct Settled {
      ThreadId first = 0, others = 0;  // threads first … first + others
      Stamp since = 0;                 // for a block that has not synchronised since then; 0: for nobody
    };
    std::vector<Settled> settled;
  };
  std::unique_ptr<Strong> strong;
  void make_strong();

  [[nodiscard]] std::uint32_t count() const { return count_; }
  void forget();
  /// Makes these, of bytes, what `words` from the first on are.
  void spread(const Cells& words, std::uint32_t first);

 private:
  std::uint32_t count_;
  std::vector<std::uint32_t> memory_;
};

/// The shadow of a block's shared memory.
struct SharedShadow {
  explicit SharedShadow(std::uint64_t bytes);
  void forget();

  static constexpr std::uint32_t piece = 128;  // bytes that go by the byte together
  Cells words;
  std::vector<std::unique_ptr<Cells>> bytes;  // by piece; null: words
  bool any_bytes = false;
  bool copies = false;  // copiers have touched it, whom no barrier orders
  [[nodiscard]] Cells& by_byte(std::uint64_t of_piece);
};

/// One remembered access of a warp to whole words of a line or sector.
struct EvenSlot {
  ThreadId first = 0;  // who would have touched byte 0
  Stamp stamp = 0;
  SiteFlags site = 0;
  std::uint8_t shift = 0;  // 1 << shift bytes a thread
  std::uint8_t words = 0;  // of a sector: a bit each; of a line: 1; 0: empty

  [[nodiscard]] ThreadId thread(unsigned word) const { return first + (4 * word >> shift); }
  [[nodiscard]] bool in_parts() const { return words && shift < 2; }  // several threads a word
  [[nodiscard]] ThreadId some_thread() const { return thread(static_cast<unsigned>(std::countr_zero(words))); }
  [[nodiscard]] bool same_threads(const EvenSlot& other) const { return first == other.first && shift == other.shift; }
};

/// An access of each word of a sector.
struct ByWord {
  std::array<ThreadId, 8> thread;
  std::array<Stamp, 8> stamp;  // 0: none
  std::array<SiteFlags, 8> site;

  void put(unsigned word, ThreadId by, Stamp at, SiteFlags from) { thread[word] = by, stamp[word] = at, site[word] = from; }
};
struct Words {
  ByWord write;
  ByWord* read;  // GlobalShadow's; null: none
};

/// 32 bytes of global memory. All zeros: untouched.
struct Sector {
  static constexpr std::uint32_t bytes = 32, words = 8;
  std::array<EvenSlot, 2> writes;  // their words are disjoint
  std::array<std::uint32_t, words> value;
  std::array<EvenSlot, 3> reads;
  Words* by_word;  // GlobalShadow's; instead of these slots; null: they say it all
  Cells* cells;    // GlobalShadow's; instead of all else; null: that says it

  [[nodiscard]] bool is_untouched() const {
    return !cells && !by_word && !(writes[0].words | writes[1].words | reads[0].words | reads[1].words | reads[2].words);
  }
  [[nodiscard]] bool by_byte() const { return cells && cells->count() == bytes; }
};
static_assert(sizeof(Sector) == 128);

/// 128 bytes of global memory. All zeros: untouched.
struct Line {
  static constexpr std::uint32_t bytes = 128;
  EvenSlot write;
  std::array<EvenSlot, 2> reads;
  Sector* sectors;  // GlobalShadow's, four; null: the slots say it all

  [[nodiscard]] bool is_untouched() const { return !sectors && !(write.words | reads[0].words | reads[1].words); }
};

/// The shadow of global memory: lines in pages, found by guest address.
class GlobalShadow {
 public:
  GlobalShadow() = default;
  ~GlobalShadow() { clear(); }
  GlobalShadow(const GlobalShadow&) = delete;
  GlobalShadow& operator=(const GlobalShadow&) = delete;

  [[nodiscard]] Line& line(std::uint64_t address) {
    const std::uint64_t page = address / page_bytes;
    // Arrays of a power of two's size lie at equal distances: spread them.
    Recent& recent = recent_[(page * 0x9e3779b97f4a7c15u) >> 58];
    if (recent.page != page || !recent.lines) recent = {page, find(page)};
    return recent.lines[address % page_bytes / Line::bytes];
  }
  void split(Line& line);
  /// From even; false: somebody touched a part of a word, or two threads read one.
  [[nodiscard]] bool split_to_words(Sector& sector);
  [[nodiscard]] ByWord* new_words() { return static_cast<ByWord*>(small_.fresh(sizeof(ByWord))); }
  void split_to_cells(Sector& sector);  // from even or words; bytes where somebody touched parts of words
  void split_to_bytes(Sector& sector);  // from whatever it is
  void make_even(Sector& sector);       // from cells; what they held is forgotten
  void make_strong(Cells& cells);
  void clear();
  [[nodiscard]] std::size_t bytes() const;  // of the host's memory, about

 private:
  static constexpr std::uint64_t page_bytes = 16384;
  struct Recent {
    std::uint64_t page = 0;
    Line* lines = nullptr;
  };
  Line* find(std::uint64_t page);
  Cells* new_cells(std::uint32_t count);

  std::unordered_map<std::uint64_t, Line*> pages_;
  std::array<Recent, 64> recent_{};
  // Cut from pieces of memory; some are kept from launch to launch, since fresh pages cost much.
  class Pieces {
   public:
    void* fresh(std::size_t bytes);
    void clear() { pieces_.clear(); }
    [[nodiscard]] std::size_t bytes() const;

   private:
    struct FreePiece {
      void operator()(std::byte* piece) const;
    };
    std::vector<std::unique_ptr<std::byte[], FreePiece>> pieces_;
    std::size_t used_ = 0;  // of the last one
  };
  Pieces lines_and_sectors_, small_;
  std::deque<Cells> cells_;    // all that were made
  std::vector<Cells*> spare_;  // words that no sector has
  std::size_t strong_cells_ = 0;
};

}  // namespace warpbook::gpu::watch
