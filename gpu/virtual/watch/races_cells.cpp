// The race detector's cells: places that remember one access each, checked eight at a time where nothing stands in the way.
#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/virtual/watch/races.h"
#include "gpu/virtual/watch/vectorised.h"

namespace warpbook::gpu::watch {
namespace {

// Neighbouring cells; one alone where they are fewer than eight.
typedef std::uint32_t Eight __attribute__((vector_size(32)));
typedef std::uint32_t One __attribute__((vector_size(4)));
template <class V>
inline constexpr std::uint32_t count_of = sizeof(V) / sizeof(std::uint32_t);

template <class V>
[[gnu::always_inline]] inline V get(const std::uint32_t* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
[[gnu::always_inline]] inline void put(std::uint32_t* to, const V& v) {
  std::memcpy(to, &v, sizeof v);
}
template <class V>
[[gnu::always_inline]] inline bool any(const V& v) {
  if constexpr (sizeof(V) == 4) return v[0] != 0;
  std::uint64_t words[sizeof(V) / 8 + 1] = {};
  std::memcpy(words, &v, sizeof v);
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}
template <class V>
[[gnu::always_inline]] inline V numbers() {
  V v;
  for (std::uint32_t j = 0; j < count_of<V>; ++j) v[j] = j;
  return v;
}

}  // namespace

/// The accesses that cells remember, as far as they are none, this thread's own, or before the last barrier of its block.
template <class V>
struct Races::Passed {
  V threads;
  Stamp since;
  unsigned block_shift;
  bool own_block;  // all are this block's

  /// Not 0 where one stands in the way.
  [[gnu::always_inline]] V stands(const Slots& slots, std::uint32_t first) const {
    const V stamp = get<V>(slots.stamp + first), thread = get<V>(slots.thread + first);
    V blocks = static_cast<V>(stamp >= since) & static_cast<V>(thread != threads);
    if (!own_block) blocks |= static_cast<V>(stamp != 0) & static_cast<V>((thread ^ threads) >> block_shift != 0);
    return blocks;
  }
};

template <class V>
[[gnu::always_inline]] inline bool Races::write_cells(const Chunk& c) {
  Cells& all = *c.cells;
  const V threads = c.thread + ((c.before + numbers<V>()) >> c.shift);
  const Passed<V> passed{threads, since_, order_.block_shift(), only_own_block()};
  if (any<V>(passed.stands(all.write, c.first) | passed.stands(all.reads[0], c.first) | passed.stands(all.reads[1], c.first)))
    return false;
  const bool known = values_known() && access_->bytes <= 8;
  const V zero = {};
  put<V>(all.write.thread + c.first, threads);
  put<V>(all.write.stamp + c.first, zero + now_);
  put<V>(all.write.site + c.first, zero + (known ? site_ | value_known : site_));
  put<V>(all.reads[0].stamp + c.first, zero);
  put<V>(all.reads[1].stamp + c.first, zero);
  if (!known) return true;
  if (access_->words && granule_ == 4 && c.shift == 0) {
    V words;
    std::memcpy(&words, access_->words + ((c.thread + c.before) & 31), sizeof words);
    put<V>(all.value + c.first, words);
    return true;
  }
  const std::uint32_t cells_a_lane = (1u << c.shift) - 1, bits = 8 * granule_, mask = granule_ == 1 ? 0xffu : ~0u;
  V value;
  for (std::uint32_t j = 0; j < count_of<V>; ++j)
    value[j] = static_cast<std::uint32_t>(value_in(threads[j] & 31) >> (bits * ((c.before + j) & cells_a_lane))) & mask;
  put<V>(all.value + c.first, value);
  return true;
}

template <class V>
[[gnu::always_inline]] inline bool Races::read_cells(const Chunk& c) {
  Cells& all = *c.cells;
  const Slots &a = all.reads[0], &b = all.reads[1];
  const V threads = c.thread + ((c.before + numbers<V>()) >> c.shift), zero = {};
  const Passed<V> passed{threads, since_, order_.block_shift(), only_own_block()};
  if (any<V>(passed.stands(all.write, c.first))) return false;
  const V not_a = passed.stands(a, c.first);
  if (!any<V>(not_a)) {
    put<V>(a.thread + c.first, threads);
    put<V>(a.stamp + c.first, zero + now_);
    put<V>(a.site + c.first, zero + site_);
    return true;
  }
  if (!barriers_only_) return false;
  // remember(), where order comes from barriers alone.
  const unsigned block_shift = order_.block_shift();
  const V a_thread = get<V>(a.thread + c.first), b_thread = get<V>(b.thread + c.first);
  const V apart = a_thread ^ b_thread, apart_with_me = a_thread ^ threads;
  const V farther = (static_cast<V>(apart_with_me >> block_shift != 0) & static_cast<V>(apart >> block_shift == 0)) |
                    (static_cast<V>(apart_with_me >= 32) & static_cast<V>(apart < 32));
  const V to_a = static_cast<V>(not_a == 0), to_b = ~to_a & (farther | static_cast<V>(passed.stands(b, c.first) == 0));
  const auto put_where = [&] [[gnu::always_inline]] (const V& where, std::uint32_t* to, const V& fresh) {
    const V kept = (fresh & where) | (get<V>(to) & ~where);
    put<V>(to, kept);
  };
  put_where(to_a, a.thread + c.first, threads);
  put_where(to_a, a.stamp + c.first, zero + now_);
  put_where(to_a, a.site + c.first, zero + site_);
  put_where(to_b, b.thread + c.first, threads);
  put_where(to_b, b.stamp + c.first, zero + now_);
  put_where(to_b, b.site + c.first, zero + site_);
  return true;
}

WARPBOOK_VECTORISED bool Races::write_together(const Chunk& c) { return write_cells<Eight>(c); }
WARPBOOK_VECTORISED bool Races::read_together(const Chunk& c) { return read_cells<Eight>(c); }

/// Rows of eight lanes on words of shared memory. The lanes that need a second look.
WARPBOOK_VECTORISED std::uint32_t Races::rows_together() {
  SharedShadow& shared = *shared_now_;
  const ThreadId thread = block_->first | access_->warp.warp << 5;
  std::uint32_t left = 0;
  for (std::uint32_t lane = 0; lane < 32; lane += 8) {
    if (!(access_->mask >> lane & 1)) continue;
    const std::uint64_t word = access_->address[lane] / 4;
    const auto first = static_cast<std::uint32_t>(word);
    const Chunk c{&shared.words, first, 0, thread + lane, 0};
    const bool inside = word + 8 <= shared.words.count();
    if (!inside || !(mode_ == Mode::weak_write ? write_cells<Eight>(c) : read_cells<Eight>(c))) left |= 0xffu << lane;
  }
  return left;
}

/// By the chunk of eight where nothing stands in the way, else one by one.
void Races::touch_cells(Cells& all, std::uint32_t first, std::uint32_t n, ThreadId thread, unsigned shift, std::uint64_t address) {
  const bool strong = mode_ != Mode::weak_read && mode_ != Mode::weak_write;
  const bool plain = !strong && !all.strong, write = mode_ == Mode::weak_write;
  Chunk c{&all, first, 0, thread, shift};
  for (std::uint32_t done = 0; done < n;) {
    const bool eight = n - done >= 8;
    const std::uint32_t some = eight ? 8 : 1;
    c.first = first + done;
    c.before = done;
    done += some;
    if (plain && eight && (write ? write_together(c) : read_together(c))) continue;
    if (plain && !eight && (write ? write_cells<One>(c) : read_cells<One>(c))) continue;
    for (std::uint32_t j = c.before; j < done; ++j) {
      if (strong)
        touch_strong_cell(all, first + j, thread + (j >> shift), address + j * granule_);
      else
        touch_cell(all, first + j, thread + (j >> shift), address + j * granule_);
    }
  }
}

/// A word of shared memory, of which all are words, weakly. False, and nothing has changed: it needs a second look.
bool Races::touch_one_word(std::uint64_t address, ThreadId thread) {
  Cells& all = shared_now_->words;
  const std::uint64_t cell = address / 4;
  if (!plain_words_ || cell >= all.count()) return false;
  const auto passed = [&](const Slots& slots) { return slots.stamp[cell] < since_ || slots.thread[cell] == thread; };
  const bool write = mode_ == Mode::weak_write;
  Slots &a = all.reads[0], &b = all.reads[1], &mine = write ? all.write : a;
  if (!passed(all.write) || !passed(a) || (write && !passed(b))) return false;
  const bool known = write && values_known();
  mine.thread[cell] = thread;
  mine.stamp[cell] = now_;
  mine.site[cell] = known ? site_ | value_known : site_;
  if (write) a.stamp[cell] = b.stamp[cell] = 0;
  if (known) all.value[cell] = static_cast<std::uint32_t>(value_in(thread & 31));
  return true;
}

/// Behind remember(): two lanes of a warp stand for the warp, two warps for their block, two blocks for all.
void Races::settle(Cells& all, std::uint64_t cell) {
  const auto& [a, b] = all.strong->writes;
  Cells::Strong::Settled& settled = all.strong->settled[cell];
  const Stamp passed = access_->space == ptx::Space::shared ? since_ : 1;
  if (all.write.stamp[cell] >= passed || all.reads[0].stamp[cell] >= passed || all.reads[1].stamp[cell] >= passed) {
    settled = {};
    return;
  }
  const ThreadId thread = a.thread[cell], apart = b.stamp[cell] ? thread ^ b.thread[cell] : 0;
  const ThreadId others = !apart                          ? 0
                          : apart < 32                    ? 31
                          : apart >> order_.block_shift() ? ~ThreadId{0}
                                                          : (1u << order_.block_shift()) - 1;
  settled = {thread & ~others, others, apart ? std::min(a.stamp[cell], b.stamp[cell]) : a.stamp[cell]};
}

[[gnu::always_inline]] inline bool Races::is_settled(const Cells::Strong& strong, std::uint64_t cell, ThreadId thread) const {
  const Cells::Strong::Settled& settled = strong.settled[cell];
  if (!settled.since || thread - settled.first > settled.others) return false;
  if (settled.since >= block_->synchronised) return true;
  // Two other blocks, which this one's barriers do not order.
  const auto& [a, b] = strong.writes;
  return settled.others == ~ThreadId{0} && !order_.same_block(a.thread[cell], thread) && !order_.same_block(b.thread[cell], thread);
}

/// The cells of an address, and which of them; null where memory goes by larger pieces than this access or than cells.
[[gnu::always_inline]] inline std::pair<Cells*, unsigned> Races::find_cells(std::uint64_t address) {
  const auto found = [&](Cells* cells, std::uint32_t granule, std::uint64_t offset) -> std::pair<Cells*, unsigned> {
    const auto first = static_cast<unsigned>(offset / granule);
    if (!cells || access_->bytes < granule || first + access_->bytes / granule > cells->count()) return {};
    granule_ = granule;
    return {cells, first};
  };
  if (access_->space == ptx::Space::shared) {
    if (address / SharedShadow::piece >= shared_now_->bytes.size()) return {};
    Cells* const bytes = shared_now_->any_bytes ? shared_now_->bytes[address / SharedShadow::piece].get() : nullptr;
    return bytes ? found(bytes, 1, address % SharedShadow::piece) : found(&shared_now_->words, 4, address);
  }
  const Line& line = global_.line(address);
  if (!line.sectors) return {};
  const Sector& sector = line.sectors[address % Line::bytes / Sector::bytes];
  return found(sector.cells, sector.by_byte() ? 1 : 4, address % Sector::bytes);
}

/// An atomic on a word that others have touched atomically, and where nothing else stands in the way. False, and nothing has
/// changed: it needs a second look.
bool Races::update_one_word(std::uint64_t address, ThreadId thread) {
  const auto [all, cell] = find_cells(address);
  if (!all || granule_ != 4 || !all->strong) return false;
  if (may_settle_ && is_settled(*all->strong, cell, thread)) return true;
  const auto passed = [&](const Slots& slots) {
    const Stamp stamp = slots.stamp[cell];
    if (stamp == 0 || slots.thread[cell] == thread) return true;
    return stamp < since_ && order_.same_block(slots.thread[cell], thread);
  };
  if (!passed(all->write) || !passed(all->reads[0]) || !passed(all->reads[1])) return false;
  auto& [a, b] = all->strong->writes;
  if ((a.site[cell] | b.site[cell] | site_) & block_scope) return false;
  remember(all->strong->writes, cell, thread);
  if (may_settle_) settle(*all, cell);
  return true;
}

/// Atomics on words, lane after lane. Of shared memory, most have nothing to add to what is settled: these are passed over here.
void Races::update_words(ThreadId warp) {
  const vm::Access& access = *access_;
  const bool words = access.space == ptx::Space::shared && !shared_now_->any_bytes && may_settle_;
  const Cells::Strong* const strong = words ? shared_now_->words.strong.get() : nullptr;
  const std::uint64_t settled = strong ? shared_now_->words.count() : 0;
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = access.address[lane];
    if (address / 4 < settled && is_settled(*strong, address / 4, warp | lane)) continue;
    if (!update_one_word(address, warp | lane)) touch(lane, 1);
  }
}

/// One place for a lane or its neighbours too, which race on it as others did before: they are counted together. False, and nothing
/// has changed: it needs a second look.
bool Races::race_again(unsigned lane, unsigned n) {
  const vm::Access& access = *access_;
  if (!barriers_only_ || access.bytes > 8 || settling_) return false;
  const std::uint64_t address = access.address[lane];
  const auto [all, cell] = find_cells(address);
  if (!all || all->strong) return false;
  if (mode_ == Mode::weak_write && access.site.instruction().in_toolkit) return false;  // not all of them count
  const unsigned cells = access.bytes / granule_;
  const ThreadId first = block_->first | access.warp.warp << 5 | lane, last = first + n - 1;
  const Region* const region = context_.find(access.space, address);
  const auto stands = [&, at = cell](const Slots& slots) {
    return slots.stamp[at] != 0 && !ordered({slots.thread[at], slots.stamp[at]}, first);
  };
  Slots &write = all->write, &a = all->reads[0], &b = all->reads[1];
  if (mode_ == Mode::weak_read) {
    if (!stands(write) || (n > 1 && (write.thread[cell] ^ first) < 32)) return false;  // who wrote it does not race with itself
    const Recent* const known = known_race(write.site[cell], weight_of(first, write.thread[cell], false), region);
    if (!known) return false;
    known->count(n);
    for (unsigned c = cell; c < cell + cells; ++c)
      for (ThreadId reader = first; reader <= last && reader < first + 2; ++reader)
        remember(all->reads, c, reader);  // two stand for all
    return true;
  }
  // The first lane races with others, each further one with the lane before it, and of the writes the last is left.
  const bool known = values_known();
  const SiteFlags flags = known ? site_ | value_known : site_;
  const Recent* const among_us = n > 1 ? known_race(flags, weight_of(first, last, true), region) : nullptr;
  if (n > 1 && (!among_us || (among_us->same_value() && !stores_one_value(lane, n)))) return false;
  const Slots* const before = stands(write) ? &write : stands(a) ? &a : stands(b) ? &b : nullptr;
  if (before) {
    const bool both_write = before == &write;
    const Recent* const with_others = known_race(before->site[cell], weight_of(first, before->thread[cell], both_write), region);
    if (!with_others) return false;
    if (with_others->same_value() && (!both_write || !stores_what_was_stored(*all, cell, lane, address))) return false;
    with_others->count(1);
  } else if (cells > 1) {
    return false;  // the race may be on another of them
  }
  if (among_us) among_us->count(n - 1);
  for (unsigned c = cell; c < cell + cells; ++c) {
    bool told = false;
    all->value[c] = static_cast<std::uint32_t>(value_of(last & 31, address + (c - cell) * granule_, granule_, told));
    write.thread[c] = last;
    write.stamp[c] = now_;
    write.site[c] = flags;
    a.stamp[c] = b.stamp[c] = 0;
  }
  return true;
}

/// Two lanes of a warp, first and next, read one word of shared memory. False: it needs a second look.
bool Races::read_by_two(Cells& all, std::uint32_t cell, ThreadId thread) {
  const auto passed = [&](const Slots& slots, ThreadId t) { return slots.stamp[cell] < since_ || slots.thread[cell] == t; };
  if (all.strong || all.write.stamp[cell] >= since_) return false;
  for (std::uint32_t i = 0; i < 2; ++i)
    if (!passed(all.reads[i], thread + i)) return false;
  for (std::uint32_t i = 0; i < 2; ++i) {
    all.reads[i].thread[cell] = thread + i;
    all.reads[i].stamp[cell] = now_;
    all.reads[i].site[cell] = site_;
  }
  return true;
}

void Races::touch_cell(Cells& all, unsigned cell, ThreadId thread, std::uint64_t address) {
  if (all.strong) all.strong->settled[cell] = {};
  check(all.write, cell, thread, address, true, false, &all);
  const bool write = mode_ == Mode::weak_write;
  if (all.strong) {
    for (const Slots& slots : all.strong->writes) check(slots, cell, thread, address, true, true);
    if (write)
      for (const Slots& slots : all.strong->reads) check(slots, cell, thread, address, false, true);
  }
  if (!write) {
    remember(all.reads, cell, thread);
    return;
  }
  for (Slots& slots : all.reads) {
    check(slots, cell, thread, address, false, false);
    slots.stamp[cell] = 0;  // who races with them from now on races with this write too
  }
  if (all.strong) {
    for (Slots& slots : all.strong->writes) slots.stamp[cell] = 0;
    for (Slots& slots : all.strong->reads) slots.stamp[cell] = 0;
  }
  bool known = false;
  all.value[cell] = static_cast<std::uint32_t>(value_of(thread & 31, address, granule_, known));
  all.write.thread[cell] = thread;
  all.write.stamp[cell] = now_;
  all.write.site[cell] = site_ | (known ? value_known : 0);
}

void Races::touch_strong_cell(Cells& all, unsigned cell, ThreadId thread, std::uint64_t address) {
  if (!all.strong) access_->space == ptx::Space::shared ? all.make_strong() : global_.make_strong(all);
  check(all.write, cell, thread, address, true, false);
  bool stores = false;
  const auto value = static_cast<std::uint32_t>(value_of(thread & 31, address, granule_, stores));
  stores = stores && (site_ & is_volatile);
  const bool follows = knows_last_signal_ >> (thread & 31) & 1;
  for (const Slots& slots : all.strong->writes) {
    // Two atomics race only where one is atomic within its own block alone, two volatile stores unless they say the same.
    const bool apart = ((slots.site[cell] | site_) & block_scope) && !order_.same_block(slots.thread[cell], thread);
    if (apart || (stores && !follows && (slots.site[cell] & is_volatile) && all.strong->value[cell] != value))
      check(slots, cell, thread, address, true, true);
  }
  if (stores) all.strong->value[cell] = value;
  if (mode_ == Mode::strong_read) {
    remember(all.strong->reads, cell, thread);
    return;
  }
  for (const Slots& slots : all.reads) check(slots, cell, thread, address, false, false);
  remember(all.strong->writes, cell, thread);
}

/// Puts this access in one of two slots, keeping the two that are farthest apart.
void Races::remember(std::array<Slots, 2>& slots, unsigned cell, ThreadId thread) {
  const auto put = [&](Slots& slot) {
    slot.thread[cell] = thread;
    slot.stamp[cell] = now_;
    slot.site[cell] = site_;
  };
  const auto replaceable = [&](const Slots& slot) {
    const Stamp stamp = slot.stamp[cell];
    return stamp == 0 || ordered({slot.thread[cell], stamp}, thread);
  };
  Slots &a = slots[0], &b = slots[1];
  if (replaceable(a)) {
    put(a);
    if (b.stamp[cell] && replaceable(b)) b.stamp[cell] = 0;
    return;
  }
  if (replaceable(b)) {
    put(b);
    return;
  }
  const ThreadId apart = a.thread[cell] ^ b.thread[cell];
  const ThreadId apart_with_me = a.thread[cell] ^ thread;
  const bool other_block = (apart_with_me >> order_.block_shift()) != 0 && (apart >> order_.block_shift()) == 0;
  const bool other_warp = apart_with_me >= 32 && apart < 32;
  if (other_block || other_warp) put(b);
}

}  // namespace warpbook::gpu::watch
