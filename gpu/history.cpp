#include "gpu/history.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "gpu/address_windows.h"

namespace warpbook::gpu {
namespace {

constexpr std::size_t global_words_kept = 1 << 16;  // per move

std::uint64_t address_of(const std::uint32_t* words) { return words[0] | std::uint64_t{words[1]} << 32; }

template <class Memory>
void apply_words(Memory& memory, const History::ChangeHeader& change, const std::uint32_t* words) {
  for (std::uint32_t w = 0; w < change.count; w += 3) {
    memory.words[words[w]] ^= words[w + 1];
    memory.written[words[w]] ^= static_cast<std::uint8_t>(words[w + 2]);
  }
}

/// XORs a change into the state.
void apply(History::State& state, const History::ChangeHeader& change, const std::uint32_t* words,
           const std::vector<HistoryFunction>& functions) {
  switch (change.kind) {
    case History::ChangeKind::registers: {
      History::Frame& frame = state.frames[change.where];
      std::uint32_t* row = &frame.rows[functions[frame.function].registers[change.reg].offset / sizeof(std::uint32_t)];
      for (std::uint32_t w = 0; w < change.count; ++w) row[w] ^= words[w];
      frame.written[change.reg] ^= change.written;
      break;
    }
    case History::ChangeKind::entered: {
      auto& written = state.frames[change.where].written;
      for (std::uint32_t w = 0; w < change.count; ++w) written[w] ^= words[w];
      break;
    }
    case History::ChangeKind::shared:
      apply_words(state.blocks[change.where], change, words);
      break;
    case History::ChangeKind::local:
      apply_words(state.locals[change.where], change, words);
      break;
    case History::ChangeKind::global:
      for (std::uint32_t w = 0; w < change.count; w += 4)
        if (const std::uint32_t differs = words[w + 2] ^ words[w + 3]) state.global[address_of(words + w)] ^= differs;
      break;
  }
}

/// Calls `use` with the header and the words of each change in a range of a chunk.
template <class Use>
void for_changes(const std::uint32_t* from, const std::uint32_t* until, const Use& use) {
  while (from != until) {
    History::ChangeHeader change;
    std::memcpy(static_cast<void*>(&change), from, sizeof change);
    from += History::header_words;
    use(change, from);
    from += change.count;
  }
}

}  // namespace

History::History(Recording recording)
    : steps_(std::move(recording.steps)),
      chunks_(std::move(recording.chunks)),
      functions_(std::move(recording.functions)),
      arrays_(std::move(recording.arrays)),
      contents_(std::move(recording.contents)),
      parameters_(std::move(recording.parameters)),
      end_(std::move(recording.end)),
      dropped_(recording.dropped) {
  std::map<WarpRef, std::uint32_t> counts;
  for (const HistoryStep& step : steps_) ++counts[step.warp];
  std::uint32_t at = 0;
  for (auto& [warp, count] : counts) {
    warps_.push_back(warp);
    first_of_warp_.push_back(at);
    at += std::exchange(count, at);
  }
  first_of_warp_.push_back(at);
  by_warp_.resize(steps_.size());
  for (std::uint32_t s = 0; s < steps_.size(); ++s) by_warp_[counts[steps_[s].warp]++] = s;
  begin_ = end_;
  bytes_ = steps_.size() * sizeof(HistoryStep);
  for (const Chunk& chunk : chunks_) {
    bytes_ += (chunk.words.size() + chunk.begins.size()) * sizeof(std::uint32_t);
    for_changes(chunk.words.data(), chunk.words.data() + chunk.words.size(),
                [&](const ChangeHeader& change, const std::uint32_t* words) { apply(begin_, change, words, functions_); });
  }
  for (const Frame& frame : end_.frames) bytes_ += 2 * (frame.rows.size() + frame.written.size()) * sizeof(std::uint32_t);
  for (const Shared& block : end_.blocks) bytes_ += 2 * (block.words.size() * sizeof(std::uint32_t) + block.written.size());
  for (const Local& local : end_.locals) bytes_ += 2 * (local.words.size() * sizeof(std::uint32_t) + local.written.size());
}

const std::string& History::text_of(std::size_t step) const { return functions_[steps_[step].function].text[steps_[step].pc]; }

std::uint32_t History::ptx_line_of(std::size_t step) const { return functions_[steps_[step].function].ptx_lines[steps_[step].pc]; }

const HistoryArray* History::find_symbol(std::string_view symbol) const {
  for (const HistoryArray& array : arrays_)
    if (array.symbol == symbol) return &array;
  return nullptr;
}

const HistoryArray* History::find(bool shared, std::uint64_t address) const {
  for (const HistoryArray& array : arrays_)
    if (array.shared == shared && address - array.base < array.bytes) return &array;
  return nullptr;
}

std::span<const std::uint32_t> History::steps_of(WarpRef warp) const {
  const auto found = std::lower_bound(warps_.begin(), warps_.end(), warp);
  if (found == warps_.end() || *found != warp) return {};
  const auto which = static_cast<std::size_t>(found - warps_.begin());
  return std::span(by_warp_).subspan(first_of_warp_[which], first_of_warp_[which + 1] - first_of_warp_[which]);
}

std::optional<std::size_t> History::next_of(std::size_t from, WarpRef warp) const {
  const auto own = steps_of(warp);
  const auto at = std::lower_bound(own.begin(), own.end(), from);
  return at == own.end() ? std::nullopt : std::optional<std::size_t>(*at);
}

namespace {

/// A sequence of steps: those of one warp, or all.
struct Course {
  std::span<const std::uint32_t> own;
  bool all = false;
  std::size_t count = 0;

  [[nodiscard]] std::size_t step(std::size_t n) const { return all ? n : own[n]; }
  /// The number of them before a position.
  [[nodiscard]] std::size_t before(std::size_t position) const {
    if (all) return std::min(position, count);
    return static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), position) - own.begin());
  }
};

}  // namespace

std::size_t History::next(std::size_t from, Stride stride, std::optional<WarpRef> warp) const {
  const auto own = warp ? steps_of(*warp) : std::span<const std::uint32_t>{};
  const Course course{own, !warp, warp ? own.size() : steps_.size()};
  const std::size_t start = course.before(from);
  for (std::size_t n = start + 1; n < course.count; ++n) {
    const HistoryStep& step = steps_[course.step(n)];
    const bool there = stride == Stride::instruction ? true
                       : stride == Stride::barrier   ? step.barrier
                                                     : step.line != 0 && step.line != steps_[course.step(start)].line;
    if (there) return course.step(n);
  }
  return steps_.size();
}

std::size_t History::previous(std::size_t from, Stride stride, std::optional<WarpRef> warp) const {
  const auto own = warp ? steps_of(*warp) : std::span<const std::uint32_t>{};
  const Course course{own, !warp, warp ? own.size() : steps_.size()};
  std::optional<std::size_t> run;  // the start of the current run of steps on one line
  for (std::size_t n = course.before(from); n-- > 0;) {
    const std::size_t s = course.step(n);
    const HistoryStep& step = steps_[s];
    if (stride == Stride::instruction || (stride == Stride::barrier && step.barrier)) return s;
    if (stride == Stride::barrier || step.line == 0) continue;
    if (run && step.line != steps_[*run].line) return *run;
    run = s;
  }
  return course.count ? course.step(0) : 0;
}

std::optional<std::size_t> History::next_on_line(std::size_t from, std::uint32_t line, std::optional<WarpRef> warp) const {
  for (std::size_t s = from + 1; s < steps_.size(); ++s)
    if (steps_[s].line == line && (!warp || steps_[s].warp == *warp)) return s;
  return std::nullopt;
}

Replay::Replay(std::shared_ptr<const History> history) : history_(std::move(history)), state_(history_->begin_) {}

void Replay::to(std::size_t position) {
  marks_.clear();
  global_.clear();
  const std::size_t end = history_->steps_.size();
  position = std::min(position, end);
  const std::size_t distance = position > position_ ? position - position_ : position_ - position;
  const bool mark = distance <= marked_steps;
  // Start from the nearest state: the beginning, the end or the present one.
  if (!mark && position < distance) {
    state_ = history_->begin_;
    position_ = 0;
  } else if (!mark && end - position < distance) {
    state_ = history_->end_;
    position_ = end;
  }
  const bool back = position < position_;
  std::size_t low = std::min(position, position_), high = std::max(position, position_);
  const auto& chunks = history_->chunks_;
  while (low < high) {
    // The chunk at this end of the remaining range.
    const std::size_t at = back ? high - 1 : low;
    const auto chunk = std::prev(std::upper_bound(chunks.begin(), chunks.end(), at,
                                                  [](std::size_t step, const History::Chunk& c) { return step < c.first; }));
    const std::size_t chunk_end = chunk->first + chunk->begins.size();
    const std::size_t first = std::max<std::size_t>(low, chunk->first), last = std::min(high, chunk_end);
    const std::uint32_t* words = chunk->words.data();
    pass(words + chunk->begins[first - chunk->first],
         last == chunk_end ? words + chunk->words.size() : words + chunk->begins[last - chunk->first], back, mark);
    (back ? high : low) = back ? first : last;
  }
  position_ = position;
}

void Replay::pass(const std::uint32_t* from, const std::uint32_t* until, bool back, bool mark) {
  for_changes(from, until, [&](const History::ChangeHeader& change, const std::uint32_t* words) {
    apply(state_, change, words, history_->functions_);
    if (!mark) return;
    if (change.kind == History::ChangeKind::registers) {
      const auto& reg = history_->functions_[state_.frames[change.where].function].registers[change.reg];
      std::uint32_t lanes = reg.bytes ? 0 : words[0];
      const auto* bytes = reinterpret_cast<const std::byte*>(words);
      for (std::uint32_t l = 0; reg.bytes && l < 32; ++l) {
        const std::byte* lane = bytes + std::size_t{l} * reg.bytes;
        if (std::any_of(lane, lane + reg.bytes, [](std::byte b) { return b != std::byte{0}; })) lanes |= 1u << l;
      }
      marks_.push_back({change.kind, change.where, change.reg, lanes | change.written, change.line});
    } else if (change.kind == History::ChangeKind::shared) {
      for (std::uint32_t w = 0; w < change.count; w += 3) marks_.push_back({change.kind, change.where, words[w], 0, change.line});
    } else if (change.kind == History::ChangeKind::global) {
      for (std::uint32_t w = 0; w < change.count && global_.size() < global_words_kept; w += 4)
        global_.push_back({.address = address_of(words + w),
                           .before = words[w + (back ? 3 : 2)],
                           .after = words[w + (back ? 2 : 3)],
                           .line = change.line,
                           .by = {change.where, change.reg}});
    }
  });
}

RegisterRow Replay::register_of(const CallLevel& level, std::uint32_t reg) const {
  const History::Frame& frame = state_.frames[level.frame];
  const HistoryFunction::Register& known = history_->functions_[frame.function].registers[reg];
  RegisterRow row{.name = known.name, .type = known.type, .bytes = known.bytes, .written = frame.written[reg]};
  const auto* bytes = reinterpret_cast<const std::byte*>(frame.rows.data()) + known.offset;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (known.bytes)
      std::memcpy(&row.lanes[l], bytes + std::size_t{l} * known.bytes, std::min<std::size_t>(known.bytes, sizeof row.lanes[l]));
    else
      row.lanes[l] = frame.rows[known.offset / sizeof(std::uint32_t)] >> l & 1u;
  }
  for (const Mark& mark : marks_)
    if (mark.kind == History::ChangeKind::registers && mark.where == level.frame && mark.what == reg) {
      row.changed |= mark.lanes;
      row.line = mark.line;
    }
  return row;
}

std::vector<RegisterRow> Replay::registers(WarpRef warp) const {
  std::vector<RegisterRow> rows;
  const auto own = history_->steps_of(warp);
  if (own.empty()) return rows;
  // The current step; after the warp's last step, that one.
  const auto next = std::lower_bound(own.begin(), own.end(), position_);
  const std::size_t stands = next == own.end() ? own.back() : *next;
  const CallLevel level{stands, history_->steps_[stands].frame};
  const History::Frame& frame = state_.frames[level.frame];
  for (std::uint32_t r = 0; r < frame.written.size(); ++r)
    if (frame.written[r]) rows.push_back(register_of(level, r));
  return rows;
}

std::vector<CallLevel> Replay::calls(WarpRef warp) const {
  std::vector<CallLevel> levels;
  const auto own = history_->steps_of(warp);
  if (own.empty()) return levels;
  auto at = std::lower_bound(own.begin(), own.end(), position_);
  if (at == own.end()) --at;
  const auto& steps = history_->steps_;
  levels.push_back({*at, steps[*at].frame});
  while (steps[*at].caller != no_frame) {
    // The calling step is the last step of the calling frame in which these lanes were active.
    const std::uint32_t wanted = steps[*at].caller, mask = steps[*at].mask;
    while (at != own.begin() && (steps[*at].frame != wanted || (steps[*at].mask & mask) != mask)) --at;
    if (steps[*at].frame != wanted) break;  // the call is among the dropped steps
    levels.push_back({*at, wanted});
  }
  return levels;
}

namespace {

/// Reads bytes from strided words. Empty if one of them was not written.
template <class Memory>
Known read_words(const Memory& memory, std::uint64_t offset, std::span<std::byte> into, std::size_t stride, std::size_t first) {
  for (std::size_t b = 0; b < into.size(); ++b) {
    const std::size_t at = (offset + b) / 4 * stride + first, within = (offset + b) % 4;
    if (at >= memory.words.size() || !(memory.written[at] >> within & 1u)) return Known::unwritten;
    into[b] = static_cast<std::byte>(memory.words[at] >> (8 * within));
  }
  return Known::yes;
}

}  // namespace

Known Replay::read(WarpRef warp, std::uint32_t lane, std::uint64_t address, std::span<std::byte> into) const {
  if (const std::uint64_t offset = address - shared_window; offset < window_bytes) {
    for (const History::Shared& memory : state_.blocks)
      if (memory.block == warp.block)
        return offset + into.size() > memory.words.size() * 4 ? Known::outside : read_words(memory, offset, into, 1, 0);
    return Known::unwritten;
  }
  if (const std::uint64_t offset = address - local_window; offset < window_bytes) {
    for (const History::Local& memory : state_.locals)
      if (memory.warp == warp && !memory.words.empty()) return read_words(memory, offset, into, 32, lane);
    return Known::unwritten;
  }
  return read_global(address, into);
}

Known Replay::read_global(std::uint64_t address, std::span<std::byte> into) const {
  const auto& arrays = history_->arrays_;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].shared || address - arrays[a].base >= arrays[a].bytes) continue;
    const std::uint64_t offset = address - arrays[a].base;
    if (offset + into.size() > arrays[a].bytes) return Known::outside;
    if (a >= history_->contents_.size() || history_->contents_[a].empty()) return Known::not_kept;
    std::copy_n(history_->contents_[a].begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    for (std::size_t b = 0; b < into.size(); ++b) {
      const std::uint64_t byte = address + b;
      if (const auto differs = state_.global.find(byte & ~std::uint64_t{3}); differs != state_.global.end())
        into[b] ^= static_cast<std::byte>(differs->second >> (8 * (byte % 4)));
    }
    return Known::yes;
  }
  return address >= global_base ? Known::not_kept : Known::outside;
}

std::vector<SharedWord> Replay::shared(std::uint32_t block) const {
  std::vector<SharedWord> words;
  for (std::uint32_t b = 0; b < state_.blocks.size(); ++b) {
    const History::Shared& memory = state_.blocks[b];
    if (memory.block != block) continue;
    std::set<std::uint32_t> changed;
    for (const Mark& mark : marks_)
      if (mark.kind == History::ChangeKind::shared && mark.where == b) changed.insert(mark.what);
    for (std::uint32_t w = 0; w < memory.words.size(); ++w)
      if (memory.written[w]) words.push_back({.offset = 4 * w, .value = memory.words[w], .changed = changed.contains(w)});
  }
  return words;
}

LaneStates Replay::lanes(WarpRef warp) const {
  LaneStates lanes;
  const auto own = history_->steps_of(warp);
  for (auto next = std::lower_bound(own.begin(), own.end(), position_), first = next; next != own.end(); ++next) {
    const std::uint32_t mask = history_->steps_[*next].mask;
    if (next == first) lanes.on = mask;
    lanes.waiting |= mask;
  }
  lanes.waiting &= ~lanes.on;
  return lanes;
}

}  // namespace warpbook::gpu
