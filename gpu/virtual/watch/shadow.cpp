#include "gpu/virtual/watch/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace warpbook::gpu::watch {
namespace {

constexpr std::uint32_t members = 3;  // of Slots

Slots slots_in(std::uint32_t* memory, std::uint32_t count, std::uint32_t index) {
  std::uint32_t* at = memory + std::size_t{index} * members * count;
  return {at, at + count, at + 2 * count};
}

/// Bytes' cells from the words they lie in.
void spread_slots(const Slots& words, std::uint32_t first_word, const Slots& bytes, std::uint32_t count) {
  for (std::uint32_t j = 0; j < count; ++j) {
    bytes.thread[j] = words.thread[first_word + j / 4];
    bytes.stamp[j] = words.stamp[first_word + j / 4];
    bytes.site[j] = words.site[first_word + j / 4];
  }
}

constexpr std::size_t piece_bytes = std::size_t{2} << 20;  // a huge page

/// What launches have left for the next ones.
class SparePieces {
 public:
  ~SparePieces() {
    for (std::byte* piece : kept_) std::free(piece);
  }
  std::byte* take() {
    {
      const std::lock_guard lock(mutex_);
      if (!kept_.empty()) {
        std::byte* piece = kept_.back();
        kept_.pop_back();
        return piece;
      }
    }
    void* piece = std::aligned_alloc(piece_bytes, piece_bytes);
    if (!piece) throw std::bad_alloc();
    (void)madvise(piece, piece_bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(piece);
  }
  /// Many are kept, for fresh pages cost as much as all else; the host takes them back should it need them.
  void give(std::byte* piece) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= few) (void)madvise(piece, piece_bytes, MADV_FREE);
    kept_.size() < most ? kept_.push_back(piece) : std::free(piece);
  }

 private:
  static constexpr std::size_t few = 32, most = 256;
  std::mutex mutex_;
  std::vector<std::byte*> kept_;
};

SparePieces& spare_pieces() {
  static SparePieces spare;
  return spare;
}

}  // namespace

void GlobalShadow::Pieces::FreePiece::operator()(std::byte* piece) const { spare_pieces().give(piece); }

Cells::Cells(std::uint32_t count, std::uint32_t* memory) : count_(count), memory_(memory ? 0 : memory_words(count)) {
  if (!memory) memory = memory_.data();
  write = slots_in(memory, count, 0);
  reads = {slots_in(memory, count, 1), slots_in(memory, count, 2)};
  value = memory + std::size_t{3} * members * count;
}

void Cells::make_strong() {
  strong = std::make_unique<Strong>();
  strong->memory.resize((4 * members + 1) * std::size_t{count_});
  const auto slots = [&](std::uint32_t index) { return slots_in(strong->memory.data(), count_, index); };
  strong->writes = {slots(0), slots(1)};
  strong->reads = {slots(2), slots(3)};
  strong->value = strong->memory.data() + std::size_t{4} * members * count_;
  strong->settled.resize(count_);
}

void Cells::forget() {
  strong.reset();
  for (const Slots& slots : {write, reads[0], reads[1]}) std::fill_n(slots.stamp, count_, 0u);
}

void Cells::spread(const Cells& words, std::uint32_t first) {
  spread_slots(words.write, first, write, count_);
  for (std::size_t i = 0; i < reads.size(); ++i) spread_slots(words.reads[i], first, reads[i], count_);
  for (std::uint32_t j = 0; j < count_; ++j) value[j] = words.value[first + j / 4] >> (j % 4 * 8) & 0xffu;
  strong.reset();
  if (!words.strong) return;
  make_strong();
  for (std::size_t i = 0; i < reads.size(); ++i) {
    spread_slots(words.strong->writes[i], first, strong->writes[i], count_);
    spread_slots(words.strong->reads[i], first, strong->reads[i], count_);
  }
  for (std::uint32_t j = 0; j < count_; ++j) strong->value[j] = words.strong->value[first + j / 4] >> (j % 4 * 8) & 0xffu;
}

SharedShadow::SharedShadow(std::uint64_t size)
    : words(static_cast<std::uint32_t>((size + piece - 1) / piece * (piece / 4))), bytes((size + piece - 1) / piece) {}

void SharedShadow::forget() {
  words.forget();
  for (auto& of_piece : bytes) of_piece.reset();
  any_bytes = false;
}

Cells& SharedShadow::by_byte(std::uint64_t of_piece) {
  std::unique_ptr<Cells>& cells = bytes[of_piece];
  if (!cells) {
    any_bytes = true;
    cells = std::make_unique<Cells>(piece);
    cells->spread(words, static_cast<std::uint32_t>(of_piece) * (piece / 4));
  }
  return *cells;
}

Line* GlobalShadow::find(std::uint64_t page) {
  Line*& entry = pages_[page];
  if (!entry) entry = static_cast<Line*>(lines_and_sectors_.fresh(page_bytes / Line::bytes * sizeof(Line)));
  return entry;
}

void* GlobalShadow::Pieces::fresh(std::size_t bytes) {
  if (pieces_.empty() || used_ + bytes > piece_bytes) {
    pieces_.emplace_back(spare_pieces().take());
    used_ = 0;
  }
  void* taken = pieces_.back().get() + used_;
  used_ += bytes;
  return std::memset(taken, 0, bytes);
}

void GlobalShadow::clear() {
  lines_and_sectors_.clear();
  small_.clear();
  pages_.clear();
  recent_.fill({});
  cells_.clear();
  spare_.clear();
  strong_cells_ = 0;
}

std::size_t GlobalShadow::Pieces::bytes() const { return pieces_.size() * piece_bytes; }

std::size_t GlobalShadow::bytes() const {
  constexpr std::size_t of_strong_cell = (4 * members + 1) * sizeof(std::uint32_t) + sizeof(Cells::Strong::Settled);
  return lines_and_sectors_.bytes() + small_.bytes() + cells_.size() * sizeof(Cells) + strong_cells_ * of_strong_cell;
}

void GlobalShadow::make_strong(Cells& cells) {
  cells.make_strong();
  strong_cells_ += cells.count();
}

Cells* GlobalShadow::new_cells(std::uint32_t count) {
  if (count == Sector::words && !spare_.empty()) {
    Cells* cells = spare_.back();
    spare_.pop_back();
    cells->forget();
    return cells;
  }
  void* const memory = small_.fresh(Cells::memory_words(count) * sizeof(std::uint32_t));
  return &cells_.emplace_back(count, static_cast<std::uint32_t*>(memory));
}

void GlobalShadow::split(Line& line) {
  constexpr std::uint32_t sectors = Line::bytes / Sector::bytes;
  const bool untouched = line.is_untouched();
  line.sectors = static_cast<Sector*>(lines_and_sectors_.fresh(sectors * sizeof(Sector)));
  if (untouched) return;
  for (std::uint32_t s = 0; s < sectors; ++s) {
    const auto part = [&](EvenSlot even) {
      even.first = even.thread(s * Sector::words);
      if (even.words) even.words = 0xff;
      return even;
    };
    line.sectors[s].writes[0] = part(line.write);
    for (std::size_t i = 0; i < line.reads.size(); ++i) line.sectors[s].reads[i] = part(line.reads[i]);
  }
}

bool GlobalShadow::split_to_words(Sector& sector) {
  const auto for_words = [](const EvenSlot& even, auto act) {
    for (unsigned j = 0; j < Sector::words; ++j)
      if (even.words >> j & 1) act(j, even.thread(j));
  };
  ByWord read{};
  bool fits = true, any_read = false;
  for (const EvenSlot& even : sector.writes) fits &= !even.in_parts();
  for (const EvenSlot& even : sector.reads) {
    fits &= !even.in_parts();
    for_words(even, [&](unsigned j, ThreadId thread) {
      any_read = true;
      fits &= !read.stamp[j] || read.thread[j] == thread;
      if (read.stamp[j] < even.stamp) read.put(j, thread, even.stamp, even.site);
    });
  }
  if (!fits) return false;
  sector.by_word = static_cast<Words*>(small_.fresh(sizeof(Words)));
  for (const EvenSlot& even : sector.writes)
    for_words(even, [&](unsigned j, ThreadId thread) { sector.by_word->write.put(j, thread, even.stamp, even.site); });
  if (any_read) *(sector.by_word->read = new_words()) = read;
  sector.writes = {};
  sector.reads = {};
  return true;
}

void GlobalShadow::split_to_cells(Sector& sector) {
  const auto in_parts = [](const EvenSlot& even) { return even.in_parts(); };
  const bool bytes = std::ranges::any_of(sector.writes, in_parts) || std::ranges::any_of(sector.reads, in_parts);
  const std::uint32_t a_word = bytes ? 4 : 1;  // cells
  sector.cells = new_cells(a_word * Sector::words);
  const auto put = [](const Slots& slots, unsigned cell, ThreadId thread, Stamp stamp, SiteFlags site) {
    slots.thread[cell] = thread;
    slots.stamp[cell] = stamp;
    slots.site[cell] = site;
  };
  const auto for_cells = [&](const EvenSlot& even, auto act) {
    for (unsigned cell = 0; cell < sector.cells->count(); ++cell)
      if (even.words >> cell / a_word & 1) act(cell, even.first + (4 * cell / a_word >> even.shift));
  };
  for (const EvenSlot& even : sector.writes)
    for_cells(even, [&](unsigned cell, ThreadId thread) { put(sector.cells->write, cell, thread, even.stamp, even.site); });
  const auto move = [&](ByWord& words, const Slots& slots) {
    for (unsigned j = 0; j < Sector::words; ++j)
      if (words.stamp[j]) put(slots, j, words.thread[j], words.stamp[j], words.site[j]);
    words = {};
  };
  if (sector.by_word) move(sector.by_word->write, sector.cells->write);  // and then cells are words
  if (sector.by_word && sector.by_word->read) move(*sector.by_word->read, sector.cells->reads[0]);
  for (unsigned cell = 0; cell < sector.cells->count(); ++cell)
    sector.cells->value[cell] = bytes ? sector.value[cell / 4] >> (cell % 4 * 8) & 0xffu : sector.value[cell];
  // Of three reads of a cell the two that are farthest apart: ids differ the higher up, the more levels part the two.
  const auto &a = sector.cells->reads[0], &b = sector.cells->reads[1];
  for (const EvenSlot& even : sector.reads)
    for_cells(even, [&](unsigned cell, ThreadId thread) {
      const bool third = a.stamp[cell] && b.stamp[cell];
      if (third && (a.thread[cell] ^ thread) <= (a.thread[cell] ^ b.thread[cell])) return;
      put(a.stamp[cell] ? b : a, cell, thread, even.stamp, even.site);
    });
  sector.writes = {};
  sector.reads = {};
}

void GlobalShadow::split_to_bytes(Sector& sector) {
  if (!sector.cells) split_to_cells(sector);
  if (sector.by_byte()) return;
  Cells* words = sector.cells;
  sector.cells = new_cells(Sector::bytes);
  sector.cells->spread(*words, 0);
  if (sector.cells->strong) strong_cells_ += Sector::bytes;
  spare_.push_back(words);
}

void GlobalShadow::make_even(Sector& sector) {
  spare_.push_back(sector.cells);
  sector.cells = nullptr;
  sector.writes = {};
  sector.reads = {};
}

}  // namespace warpbook::gpu::watch
