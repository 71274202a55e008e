#include "gpu/virtual/watch/shadow.h"

#include <sys/mman.h>

#include <algorithm>
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

}  // namespace

Cells::Cells(std::uint32_t count) : count_(count), memory_((3 * members + 1) * std::size_t{count}) {
  write = slots_in(memory_.data(), count, 0);
  reads = {slots_in(memory_.data(), count, 1), slots_in(memory_.data(), count, 2)};
  value = memory_.data() + std::size_t{3} * members * count;
}

void Cells::make_strong() {
  strong = std::make_unique<Strong>();
  strong->memory.resize(4 * members * std::size_t{count_});
  const auto slots = [&](std::uint32_t index) { return slots_in(strong->memory.data(), count_, index); };
  strong->writes = {slots(0), slots(1)};
  strong->reads = {slots(2), slots(3)};
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
}

SharedShadow::SharedShadow(std::uint64_t size)
    : words(static_cast<std::uint32_t>((size + piece - 1) / piece * (piece / 4))),
      bytes((size + piece - 1) / piece) {}

void SharedShadow::forget() {
  words.forget();
  for (auto& of_piece : bytes) of_piece.reset();
  any_bytes = only_read = false;
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
  if (!entry) entry = static_cast<Line*>(fresh(page_bytes / Line::bytes * sizeof(Line)));
  return entry;
}

void* GlobalShadow::fresh(std::size_t bytes) {
  constexpr std::size_t least = std::size_t{64} << 10, huge = std::size_t{2} << 20, most = 8 * huge;
  if (pieces_.empty() || used_ + bytes > pieces_.back().bytes) {
    const std::size_t size = pieces_.empty() ? least : std::min(2 * pieces_.back().bytes, most);
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    if (size >= huge) (void)madvise(at, size, MADV_HUGEPAGE);
    pieces_.push_back({at, size});
    used_ = 0;
  }
  void* taken = static_cast<std::byte*>(pieces_.back().at) + used_;
  used_ += bytes;
  return taken;
}

void GlobalShadow::clear() {
  for (const Piece& piece : pieces_) munmap(piece.at, piece.bytes);
  pieces_.clear();
  pages_.clear();
  recent_.fill({});
  cells_.clear();
  spare_.clear();
}

Cells* GlobalShadow::new_cells(std::uint32_t count) {
  if (count == Sector::words && !spare_.empty()) {
    Cells* cells = spare_.back();
    spare_.pop_back();
    cells->forget();
    return cells;
  }
  return cells_.emplace_back(std::make_unique<Cells>(count)).get();
}

void GlobalShadow::split(Line& line) {
  constexpr std::uint32_t sectors = Line::bytes / Sector::bytes;
  line.sectors = static_cast<Sector*>(fresh(sectors * sizeof(Sector)));
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

void GlobalShadow::split_to_words(Sector& sector) {
  sector.cells = new_cells(Sector::words);
  const auto spread = [](const EvenSlot& even, const Slots& slots) {
    for (unsigned j = 0; j < Sector::words; ++j) {
      if (!(even.words >> j & 1)) continue;
      slots.thread[j] = even.thread(j);
      slots.stamp[j] = even.stamp;
      slots.site[j] = even.site;
    }
  };
  for (const EvenSlot& even : sector.writes) spread(even, sector.cells->write);
  std::copy(sector.value.begin(), sector.value.end(), sector.cells->value);
  // Of three reads of a word the two that are farthest apart: ids differ the higher up, the more levels part the two.
  const auto &a = sector.cells->reads[0], &b = sector.cells->reads[1];
  for (const EvenSlot& even : sector.reads)
    for (unsigned j = 0; j < Sector::words; ++j) {
      if (!(even.words >> j & 1)) continue;
      const ThreadId thread = even.thread(j);
      const bool third = a.stamp[j] && b.stamp[j];
      if (third && (a.thread[j] ^ thread) <= (a.thread[j] ^ b.thread[j])) continue;
      const Slots& slots = a.stamp[j] ? b : a;
      slots.thread[j] = thread;
      slots.stamp[j] = even.stamp;
      slots.site[j] = even.site;
    }
  sector.writes = {};
  sector.reads = {};
}

void GlobalShadow::split_to_bytes(Sector& sector) {
  if (!sector.cells) split_to_words(sector);
  Cells* words = sector.cells;
  sector.cells = new_cells(Sector::bytes);
  sector.cells->spread(*words, 0);
  sector.by_byte = true;
  spare_.push_back(words);
}

void GlobalShadow::make_even(Sector& sector) {
  spare_.push_back(sector.cells);
  sector.cells = nullptr;
  sector.writes = {};
  sector.reads = {};
}

}  // namespace warpbook::gpu::watch
