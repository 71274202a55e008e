#include "gpu/virtual/watch/races.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "gpu/virtual/watch/vectorised.h"

namespace warpbook::gpu::watch {

void Races::on_launch(const vm::LaunchInfo&) {
  start_again();
  forgot_ = simplified_ = false;
}

/// Forgets everything before this moment.
void Races::start_again() {
  order_.begin(context_);
  global_.clear();
  shared_.clear();
  shared_now_ = nullptr;
  recent_.fill({});
  copies_.clear();
}

/// Before an event: where numbers, memory or time run out, something is forgotten.
void Races::make_room() {
  if (order_.out_of_numbers()) {
    start_again();
    forgot_ = true;
  }
  if (global_.bytes() > most_bytes_) {
    global_.clear();
    forgot_ = true;
  }
  if (!order_.simple() && order_.costs_too_much(most_bytes_ / 4)) {
    order_.simplify();
    global_.clear();
    shared_.clear();
    shared_now_ = nullptr;
    simplified_ = true;
  }
}

void Races::add_to(std::vector<Message>& remarks) const {
  if (forgot_)
    remarks.emplace_back(
        to_say("Races: this launch touched more than could be remembered at once, so accesses far apart in time were not compared. "
               "Smaller arrays or a smaller grid are watched whole."));
  if (simplified_)
    remarks.emplace_back(to_say(
        "Races: this kernel signals through so many places (locks, flags, atomics behind a fence) that after a while each signal "
        "counted as one for all that was done before it: a race of threads that share no lock may have gone unseen. A smaller grid "
        "is watched exactly."));
}

void Races::on_synchronise(const vm::Synchronisation& event) {
  make_room();
  if (event.copy != ptx::Copy::none) return on_copies(event);
  order_.on_synchronise(event);
}

void Races::on_block_end(std::uint32_t block) {
  if (!copies_.empty()) end_copies(block);
  order_.end_block(block);
  shared_now_ = nullptr;
  shared_.end(block);
}

void Races::find_shared(std::uint32_t block) {
  shared_block_ = block;
  shared_now_ = &shared_.of(
      block, [](SharedShadow& used) { used.forget(); }, context_.shared_bytes());
}

void Races::on_access(const vm::Access& access) {
  make_room();
  if (access.site.instruction().copy != ptx::Copy::none) return on_copy(access);
  look_at(access);
  if (copies_.any_global() && access.space == ptx::Space::global) meet_copies(access);
}

void Races::look_at(const vm::Access& access) {
  const bool shared = access.space == ptx::Space::shared;
  access_ = &access;
  block_ = &order_.block(access.warp.block);
  reported_lanes_ = knows_last_signal_ = 0;
  site_ = context_.site_number(access.site) & site_mask;
  const bool atomic = access.kind == vm::Access::Kind::atomic;
  const bool load = access.kind == vm::Access::Kind::load;
  const bool as_volatile = access.order == ptx::Order::volatile_;
  const bool strong = atomic || access.order > ptx::Order::volatile_;
  mode_ = load ? Mode::weak_read : Mode::weak_write;
  if (strong || as_volatile) {
    signals_used_ = true;
    atomics_used_ |= strong && !shared;
    if (as_volatile) site_ |= is_volatile;
    if (atomic) site_ |= is_atomic;
    if (access.scope == ptx::Scope::cta && !shared) site_ |= block_scope;
    if (atomic)
      mode_ = Mode::strong_update;
    else if (load)
      mode_ = Mode::strong_read;
    else if (strong)
      mode_ = Mode::strong_write;
  }
  // An instruction that releases is itself before what acquires from it; behind a fence, only what stands before the fence is.
  const bool releases =
      !load && strong && access.barrier_object == vm::Access::BarrierObject::none &&
      (access.order == ptx::Order::release || access.order == ptx::Order::acq_rel || access.order == ptx::Order::sc);
  const Stamp before_signal = order_.now();
  if (strong || (as_volatile && load)) {
    signal(access.mask);
  } else if (as_volatile) {
    // Volatile is not atomic. A volatile store counts as a signal only from a thread that has fenced what it signals.
    std::uint32_t signalling = 0;
    for (std::uint32_t rest = access.mask; rest; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (Order::fenced(*block_, block_->first | access.warp.warp << 5 | lane)) signalling |= 1u << lane;
    }
    if (signalling == access.mask) {
      mode_ = Mode::strong_write;
      signal(signalling);
    }
  }
  now_ = releases ? before_signal : order_.now();
  since_ = std::max<Stamp>(block_->barrier, 1);
  barriers_only_ = Order::barriers_only(*block_, access.warp.warp);
  bytes_shift_ = static_cast<unsigned>(std::countr_zero(access.bytes));
  const bool weak = mode_ == Mode::weak_read || mode_ == Mode::weak_write;
  weak_ = weak;
  plain_words_ = weak && access.bytes >= 4;
  if (shared) {
    if (!shared_now_ || shared_block_ != access.warp.block) find_shared(access.warp.block);
    plain_words_ = plain_words_ && !shared_now_->any_bytes && !shared_now_->words.strong && !shared_now_->copies;
  }

  // Lane after lane; neighbours that touch neighbouring bytes go together.
  const std::uint64_t* address = access.address;
  const std::uint32_t bytes = access.bytes;
  const ThreadId warp = block_->first | access.warp.warp << 5;
  if (mode_ == Mode::strong_update && bytes == 4) {
    may_settle_ = order_.nobody_signals(*block_) && !(site_ & block_scope) && !(shared && shared_now_->copies);
    return update_words(warp);
  }
  if (access.rows == vm::Access::Rows::side_by_side || (access.rows == vm::Access::Rows::same && weak)) {
    const bool same = access.rows == vm::Access::Rows::same;
    const std::uint64_t step = same ? 0 : 8 * bytes;
    const std::uint32_t left = shared && !same && bytes == 4 && plain_words_ ? rows_together() : access.mask;
    for (unsigned lane = 0; lane < 32;) {
      if (!(left >> lane & 1)) {
        lane += 8;
        continue;
      }
      unsigned n = 8;
      while (lane + n < 32 && (left >> (lane + n) & 1) && address[lane + n] - address[lane + n - 8] == step) n += 8;
      if (same)
        touch_same(lane, n);
      else if (shared || !touch_one_sector(address[lane], n * bytes, warp | lane))
        touch(lane, n);
      lane += n;
    }
    return;
  }
  if (!shared && weak) fetch_scattered();
  for (std::uint32_t rest = access.mask; rest;) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    unsigned n = 1;
    const auto goes_on = [&](std::uint64_t at) { return lane + n < 32 && (rest >> (lane + n) & 1) && address[lane + n] == at; };
    if (weak && goes_on(address[lane])) {
      while (goes_on(address[lane])) ++n;
      touch_same(lane, n);
    } else {
      while (goes_on(address[lane] + n * bytes)) ++n;
      const bool done = shared ? n == 1 && bytes == 4 && touch_one_word(address[lane], warp | lane)
                               : touch_one_sector(address[lane], n * bytes, warp | lane);
      if (!done && !(n == 1 && weak && race_again(lane, 1))) touch(lane, n);
    }
    rest &= n == 32 ? 0u : ~(((1u << n) - 1) << lane);
  }
}

/// Lanes that lie far apart miss the host's caches, each several times: better all at once.
void Races::fetch_scattered() {
  constexpr unsigned many = 8;
  const vm::Access& access = *access_;
  const std::uint32_t mask = access.mask;
  const auto first = static_cast<unsigned>(std::countr_zero(mask)), last = 31 - static_cast<unsigned>(std::countl_zero(mask));
  const std::uint64_t apart = access.address[last] - access.address[first];
  if (static_cast<unsigned>(std::popcount(mask)) < many || apart / Line::bytes < many) return;
  std::array<const Line*, 32> lines;
  std::array<const Sector*, 32> sectors;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    lines[lane] = &global_.line(access.address[lane]);
    __builtin_prefetch(lines[lane]);
  }
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    sectors[lane] = lines[lane]->sectors ? lines[lane]->sectors + access.address[lane] % Line::bytes / Sector::bytes : nullptr;
    if (!sectors[lane]) continue;
    __builtin_prefetch(sectors[lane]);
    __builtin_prefetch(&sectors[lane]->cells);
  }
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const Sector* const sector = sectors[static_cast<unsigned>(std::countr_zero(rest))];
    if (sector && sector->by_word) __builtin_prefetch(sector->by_word);
  }
}

/// One place for several lanes. Two readers of a warp stand for all, unless they race: then each lane counts.
void Races::touch_same(unsigned lane, unsigned n) {
  if (n > 1 && mode_ == Mode::weak_read && access_->space == ptx::Space::shared && access_->bytes == 4 && !shared_now_->any_bytes &&
      !shared_now_->copies) {
    const std::uint64_t cell = access_->address[lane] / 4;
    const ThreadId thread = block_->first | access_->warp.warp << 5 | lane;
    if (cell < shared_now_->words.count() && read_by_two(shared_now_->words, static_cast<std::uint32_t>(cell), thread)) return;
  }
  for (unsigned k = 0; k < n; ++k) {
    // Where the first two have races of a kind that was not known, those behind them have no others.
    if ((k == 0 || k == 2) && race_again(lane + k, n - k)) return;
    touch(lane + k, 1);
    if (k == 1 && mode_ == Mode::weak_read && !reported_lanes_) return;
  }
}

void Races::signal(std::uint32_t mask) {
  if (settling_) return;
  const vm::Access& access = *access_;
  const ptx::Order order = access.order;
  const bool acquires = order == ptx::Order::acquire || order == ptx::Order::acq_rel || order == ptx::Order::sc;
  const bool releases = order == ptx::Order::release || order == ptx::Order::acq_rel || order == ptx::Order::sc;
  if (!acquires && !releases && order_.nobody_signals(*block_)) return;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const ThreadId thread = block_->first | access.warp.warp << 5 | lane;
    const Order::Location location{access.address[lane], access.space == ptx::Space::shared ? block_->number + 1 : 0};
    if (access.barrier_object != vm::Access::BarrierObject::none) {
      signal_at_barrier_object(location, thread, releases, acquires);
      continue;
    }
    if (access.kind != vm::Access::Kind::store) order_.strong_read(location, *block_, thread, acquires);
    if (access.kind == vm::Access::Kind::store && order_.knows_last_signal(location, *block_, thread))
      knows_last_signal_ |= 1u << lane;
    if (access.kind != vm::Access::Kind::load)
      order_.strong_write(location, *block_, thread, access.scope, releases, access.kind == vm::Access::Kind::store);
  }
}

/// A wait that passes learns what was done before the arrivals of phases that have ended. An arrival learns nothing.
void Races::signal_at_barrier_object(const Order::Location& location, ThreadId thread, bool releases, bool acquires) {
  const bool ended = access_->ended_phase >> (thread & 31) & 1u;
  if (access_->barrier_object == vm::Access::BarrierObject::wait) {
    if (ended) order_.strong_read(location, *block_, thread, acquires, true);
    return;
  }
  order_.strong_write(location, *block_, thread, access_->scope, releases, false, come_[thread & 31]);
  if (ended) order_.end_phase(location);
}

/// `n` lanes from `lane` on touch places side by side.
void Races::touch(unsigned lane, unsigned n) {
  const std::uint64_t address = access_->address[lane];
  const ThreadId thread = block_->first | access_->warp.warp << 5 | lane;
  const std::uint32_t bytes = n * access_->bytes;
  const bool shared = access_->space == ptx::Space::shared;
  if (shared && !shared_now_->any_bytes && access_->bytes >= 4) {
    if (address + bytes <= std::uint64_t{shared_now_->words.count()} * 4)
      touch_words(shared_now_->words, static_cast<std::uint32_t>(address / 4), bytes / 4, thread, address);
    return;
  }
  const std::uint32_t piece = shared ? SharedShadow::piece : Line::bytes;
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const std::uint32_t here = std::min(bytes - done, piece - static_cast<std::uint32_t>(at % piece));
    const ThreadId first = thread + (done >> bytes_shift_);
    shared ? touch_piece(at, here, first) : touch_line(at, here, first);
    done += here;
  }
}

/// Within a piece of shared memory, where some pieces go by the byte.
void Races::touch_piece(std::uint64_t address, std::uint32_t bytes, ThreadId thread) {
  const std::uint64_t piece = address / SharedShadow::piece;
  if (piece >= shared_now_->bytes.size()) return;
  if (access_->bytes >= 4 && !shared_now_->bytes[piece])
    return touch_words(shared_now_->words, static_cast<std::uint32_t>(address / 4), bytes / 4, thread, address);
  touch_bytes(shared_now_->by_byte(piece), static_cast<std::uint32_t>(address % SharedShadow::piece), bytes, thread, address);
}

void Races::touch_words(Cells& cells, std::uint32_t first, std::uint32_t n, ThreadId thread, std::uint64_t address) {
  granule_ = 4;
  touch_cells(cells, first, n, thread, bytes_shift_ - 2, address);
}
void Races::touch_bytes(Cells& cells, std::uint32_t first, std::uint32_t n, ThreadId thread, std::uint64_t address) {
  granule_ = 1;
  touch_cells(cells, first, n, thread, bytes_shift_, address);
}

/// A line with one history meets an access to all of it. False: its sectors differ, look at each.
bool Races::touch_whole_line(Line& line, ThreadId thread) {
  if (!plain_words_) return false;
  const EvenSlot me{thread, now_, site_, static_cast<std::uint8_t>(bytes_shift_), 1};
  const auto passed = [&](const EvenSlot& slot) {  // none, my own, or before a barrier of my block
    return !slot.words || slot.same_threads(me) || (slot.stamp < since_ && order_.same_block(slot.first, thread));
  };
  auto& [r0, r1] = line.reads;
  if (!passed(line.write)) return false;
  if (mode_ == Mode::weak_write) {
    if (!passed(r0) || !passed(r1)) return false;
    line.write = me;
    line.reads = {};
    return true;
  }
  if (passed(r0)) {
    r0 = me;
    if (passed(r1)) r1 = {};
  } else if (passed(r1)) {
    r1 = me;
  } else if ((r0.first ^ r1.first) < 32 || (r0.first ^ thread) < 32) {
    return false;  // several lanes of a warp: let the sectors decide which to keep
  } else if (order_.same_block(r0.first, r1.first) && !order_.same_block(r0.first, thread)) {
    r1 = me;
  }
  return true;
}

/// Whole words of a sector that has no cells. False, and nothing has changed: there may be a race, or there is no room.
bool Races::touch_even(Sector& sector, std::uint32_t offset, std::uint32_t bytes, ThreadId thread) {
  if (!weak_ || (offset | bytes) % 4) return false;
  const unsigned first = offset / 4, n = bytes / 4;
  const bool write = mode_ == Mode::weak_write, known = write && values_known() && access_->bytes <= 8;
  const unsigned shift = bytes_shift_, block_shift = order_.block_shift();
  const auto words = static_cast<std::uint8_t>(((1u << n) - 1) << first), leave = static_cast<std::uint8_t>(~words);
  const EvenSlot me{.first = thread - (offset >> shift),
                    .stamp = now_,
                    .site = known ? site_ | value_known : site_,
                    .shift = static_cast<std::uint8_t>(shift),
                    .words = words};
  const Stamp since = since_;
  const auto same_block = [&] [[gnu::always_inline]] (const EvenSlot& a, ThreadId b) {
    return (a.some_thread() ^ b) >> block_shift == 0;
  };
  const auto passed = [&] [[gnu::always_inline]] (const EvenSlot& slot) {  // none of these words, my own, or before a barrier
    return !(slot.words & words) || slot.same_threads(me) || (slot.stamp < since && same_block(slot, thread));
  };
  const auto same_access = [&] [[gnu::always_inline]] (const EvenSlot& slot) {
    return slot.same_threads(me) && slot.stamp == me.stamp && slot.site == me.site;
  };
  auto& [w0, w1] = sector.writes;
  auto& [r0, r1, r2] = sector.reads;
  if (sector.by_word) return touch_by_word(sector, me, first, n);
  if (write) {
    std::uint8_t before = 0;
    EvenSlot* slot = &w0;
    if (!sector.is_untouched()) {
      if (!passed(w0) || !passed(w1) || !passed(r0) || !passed(r1) || !passed(r2)) return false;
      slot = same_access(w0) || !(w0.words & leave) ? &w0 : same_access(w1) || !(w1.words & leave) ? &w1 : nullptr;
      if (!slot) return shift >= 2 && global_.split_to_words(sector) && touch_by_word(sector, me, first, n);
      for (EvenSlot* other : {&w0, &w1, &r0, &r1, &r2}) other->words &= leave;
      before = slot->words;
    }
    *slot = me;
    slot->words |= before;
    if (known) note_values(sector, first, n, thread);
    return true;
  }
  if ((w0.words | w1.words) && (!passed(w0) || !passed(w1))) return false;
  const auto two_blocks = [&] [[gnu::always_inline]] (const EvenSlot& a, const EvenSlot& b, std::uint8_t of) {
    return !(of & ~(a.words & b.words)) && !same_block(a, b.some_thread());
  };
  if (two_blocks(r0, r1, words) && !passed(r0) && !passed(r1)) return true;
  // Who reads for the second time, or after a barrier, says all that the earlier read did.
  for (EvenSlot* slot : {&r0, &r1, &r2})
    if (slot->words && passed(*slot)) slot->words &= leave;
  for (EvenSlot* slot : {&r0, &r1, &r2}) {
    if (!same_access(*slot)) continue;
    slot->words |= words;
    return true;
  }
  if (two_blocks(r0, r1, words) || two_blocks(r0, r2, words) || two_blocks(r1, r2, words)) return true;
  for (EvenSlot* slot : {&r0, &r1, &r2}) {
    if (slot->words) continue;
    *slot = me;
    return true;
  }
  // Room is where two reads from different blocks, mine and another, stand for a third.
  for (EvenSlot* slot : {&r0, &r1, &r2})
    for (const EvenSlot* other : {&r0, &r1, &r2}) {
      if (slot == other || !two_blocks(me, *other, slot->words)) continue;
      *slot = me;
      return true;
    }
  return shift >= 2 && global_.split_to_words(sector) && touch_by_word(sector, me, first, n);
}

/// The same of a sector that remembers a write and a read of each word.
bool Races::touch_by_word(Sector& sector, const EvenSlot& me, unsigned first, unsigned n) {
  if (me.in_parts()) return false;
  Words& words = *sector.by_word;
  const auto passed = [&](const ByWord& by_word, unsigned j) {
    const Stamp stamp = by_word.stamp[j];
    const ThreadId thread = by_word.thread[j];
    return !stamp || thread == me.thread(j) || (stamp < since_ && order_.same_block(thread, me.thread(j)));
  };
  bool all_passed = true;
  for (unsigned j = first; j < first + n; ++j) all_passed &= passed(words.write, j) && (!words.read || passed(*words.read, j));
  if (!all_passed) return false;
  if (mode_ == Mode::weak_write) {
    for (unsigned j = first; j < first + n; ++j) {
      words.write.put(j, me.thread(j), me.stamp, me.site);
      if (words.read) words.read->stamp[j] = 0;
    }
    if (me.site & value_known) note_values(sector, first, n, me.thread(first));
    return true;
  }
  if (!words.read) words.read = global_.new_words();
  for (unsigned j = first; j < first + n; ++j) words.read->put(j, me.thread(j), me.stamp, me.site);
  return true;
}

/// What lanes from this thread on store to these words.
void Races::note_values(Sector& sector, unsigned first, unsigned n, ThreadId thread) const {
  const unsigned lane = thread & 31;
  const bool words_told = access_->words && access_->bytes == 4;
  if (words_told && n == Sector::words)
    std::memcpy(sector.value.data(), access_->words + lane, Sector::bytes);
  else if (words_told)
    std::copy_n(access_->words + lane, n, sector.value.begin() + first);
  else
    for (unsigned j = 0; j < n; ++j) sector.value[first + j] = word_in(lane, 4 * j);
}

/// Of what lanes from this one on store side by side, the word behind so many bytes.
inline std::uint32_t Races::word_in(unsigned lane, std::uint32_t bytes) const {
  const std::uint32_t each = access_->bytes;
  if (each >= 4) return static_cast<std::uint32_t>(value_in(lane + bytes / each) >> 8 * (bytes % each));
  std::uint32_t word = 0;
  for (std::uint32_t part = 0; part < 4; part += each)
    word |= (static_cast<std::uint32_t>(value_in(lane + (bytes + part) / each)) & ((1u << 8 * each) - 1)) << 8 * part;
  return word;
}

/// Places side by side within a sector of global memory. False, and nothing has changed: it needs a second look.
[[gnu::always_inline]] inline bool Races::touch_one_sector(std::uint64_t address, std::uint32_t bytes, ThreadId thread) {
  const auto offset = static_cast<std::uint32_t>(address % Sector::bytes);
  if (!weak_ || offset + bytes > Sector::bytes) return false;
  Line& line = global_.line(address);
  if (!line.sectors) global_.split(line);
  Sector& sector = line.sectors[address % Line::bytes / Sector::bytes];
  return !sector.cells && touch_even(sector, offset, bytes, thread);
}

void Races::touch_sector(Sector& sector, std::uint32_t offset, std::uint32_t bytes, ThreadId thread, std::uint64_t address) {
  if (!sector.cells) {
    if (touch_even(sector, offset, bytes, thread)) return;
    global_.split_to_cells(sector);
  }
  if (access_->bytes < 4) global_.split_to_bytes(sector);
  if (sector.by_byte()) return touch_bytes(*sector.cells, offset, bytes, thread, address);
  touch_words(*sector.cells, offset / 4, bytes / 4, thread, address);
  if (bytes == Sector::bytes && mode_ == Mode::weak_write && !reported_lanes_ && !sector.cells->strong) {
    global_.make_even(sector);
    touch_even(sector, 0, Sector::bytes, thread);
  }
}

/// Within a line of global memory.
void Races::touch_line(std::uint64_t address, std::uint32_t bytes, ThreadId thread) {
  Line& line = global_.line(address);
  if (!line.sectors) {
    if (bytes == Line::bytes && touch_whole_line(line, thread)) return;
    global_.split(line);
  }
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const auto offset = static_cast<std::uint32_t>(at % Sector::bytes);
    const std::uint32_t here = std::min(bytes - done, Sector::bytes - offset);
    Sector& sector = line.sectors[at % Line::bytes / Sector::bytes];
    __builtin_prefetch(&sector + 1);  // the block to the right will want it
    const ThreadId first = thread + (done >> bytes_shift_);
    touch_sector(sector, offset, here, first, at);
    done += here;
  }
}

}  // namespace warpbook::gpu::watch
