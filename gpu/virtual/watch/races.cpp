#include "gpu/virtual/watch/races.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

// The loops over cells are vector code, built for several instruction sets, of which the loader takes the host's best.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#  define WARPBOOK_VECTORISED [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#  define WARPBOOK_VECTORISED
#endif

namespace warpbook::gpu::watch {

void Races::on_launch(const vm::LaunchInfo&) { start_again(); }

/// Forgets everything before this moment: at the start, and should the clock ever run out of numbers.
void Races::start_again() {
  order_.begin(scene_);
  global_.clear();
  shared_.clear();
  shared_now_ = nullptr;
  recent_.fill({});
}

void Races::on_synchronise(const vm::Synchronisation& event) {
  if (order_.out_of_numbers()) start_again();
  order_.on_synchronise(event);
}

void Races::on_block_end(std::uint32_t block) {
  order_.end_block(block);
  shared_.erase(block);
  shared_now_ = nullptr;
}

/// By lane: does the next one touch the bytes right behind mine; or the same ones?
struct Neighbours {
  std::uint32_t behind = 0, same = 0;
};
WARPBOOK_VECTORISED static Neighbours neighbours_of(const std::uint64_t* address, std::uint32_t bytes) {
  Neighbours found;
  for (unsigned lane = 0; lane < 31; ++lane) {
    found.behind |= static_cast<std::uint32_t>(address[lane + 1] - address[lane] == bytes) << lane;
    found.same |= static_cast<std::uint32_t>(address[lane + 1] == address[lane]) << lane;
  }
  return found;
}

void Races::on_access(const vm::Access& access) {
  const bool shared = access.space == ptx::Space::shared;
  if ((!shared && access.space != ptx::Space::global) || access.mask == 0) return;
  if (order_.out_of_numbers()) start_again();

  access_ = &access;
  block_ = &order_.block(access.warp.block);
  reported_lanes_ = 0;
  site_ = scene_.site_number(access.site) & site_mask;
  const bool atomic = access.kind == vm::Access::Kind::atomic;
  const bool load = access.kind == vm::Access::Kind::load;
  const bool as_volatile = access.order == ptx::Order::volatile_;
  const bool strong = atomic || access.order > ptx::Order::volatile_;
  mode_ = load ? Mode::weak_read : Mode::weak_write;
  if (strong || as_volatile) {
    signals_used_ = true;
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
  now_ = order_.now();
  barriers_only_ = order_.barriers_only(*block_, access.warp.warp);

  if (shared && (!shared_now_ || shared_block_ != access.warp.block)) {
    shared_block_ = access.warp.block;
    shared_now_ = &shared_[access.warp.block];
    if (shared_now_->empty()) shared_now_->resize((scene_.shared_bytes() + segment_bytes - 1) / segment_bytes);
  }
  // Lane after lane; neighbours that touch neighbouring bytes go together.
  const std::uint64_t* address = access.address;
  const std::uint32_t bytes = access.bytes;
  const Neighbours next = neighbours_of(address, bytes);
  unsigned lane = 0;
  std::uint32_t rest = access.mask;
  while (rest) {
    lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t start = address[lane];
    const auto offset = static_cast<std::uint32_t>(start % segment_bytes);
    const std::uint32_t follow = next.behind & rest >> 1;  // … and executes
    const unsigned n =
        std::max(1u, std::min((segment_bytes - offset) / bytes, 1 + static_cast<unsigned>(std::countr_one(follow >> lane))));
    Run run{.segment = nullptr, .offset = offset, .bytes = n * bytes, .lane = lane};
    if (shared) {
      const std::uint64_t segment = start / segment_bytes;
      if (segment >= shared_now_->size()) shared_now_->resize(segment + 1);
      run.segment = &(*shared_now_)[segment];
    } else {
      run.segment = &global_.segment(start);
    }
    touch(run);
    rest &= n == 32 ? 0u : ~(((1u << n) - 1) << lane);
    if (n == 1 && mode_ == Mode::weak_read && lane < 31 && (rest >> (lane + 1) & 1) && address[lane + 1] == start &&
        !reported_lanes_) {
      // A broadcast: two readers of a warp stand for all.
      touch({.segment = run.segment, .offset = offset, .bytes = bytes, .lane = lane + 1});
      rest &= ~(2u << lane);
      if (reported_lanes_ || lane == 30) continue;
      const auto more = static_cast<unsigned>(std::countr_one((next.same & rest >> 1) >> (lane + 1)));
      rest &= ~(((1u << more) - 1) << (lane + 2));
    }
  }
}

void Races::signal(std::uint32_t mask) {
  const vm::Access& access = *access_;
  const ptx::Order order = access.order;
  const bool acquires = order == ptx::Order::acquire || order == ptx::Order::acq_rel || order == ptx::Order::sc;
  const bool releases = order == ptx::Order::release || order == ptx::Order::acq_rel || order == ptx::Order::sc;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const ThreadId thread = block_->first | access.warp.warp << 5 | lane;
    const Order::Location location{access.address[lane], access.space == ptx::Space::shared ? block_->number + 1 : 0};
    if (access.kind != vm::Access::Kind::store) order_.strong_read(location, *block_, thread, acquires);
    if (access.kind != vm::Access::Kind::load)
      order_.strong_write(location, *block_, thread, access.scope, releases, access.kind == vm::Access::Kind::store);
  }
}

/// A bit each for cells first … first + n - 1.
static std::uint32_t cells_of(unsigned first, unsigned n) { return (n == cells ? ~0u : (1u << n) - 1) << first; }

void Races::touch(const Run& run) {
  Segment& segment = *run.segment;
  if (segment.even()) {
    if (run.bytes == segment_bytes && touch_even(run)) return;
    segment.split_to_words();
  }
  if (access_->bytes < 4 && !segment.by_byte) segment.split_to_bytes();
  const ThreadId thread = block_->first | access_->warp.warp << 5 | run.lane;
  const std::uint64_t address = access_->address[run.lane];
  granule_ = segment.by_byte ? 1 : 4;
  const auto shift = static_cast<unsigned>(std::countr_zero(access_->bytes / granule_));
  if (!segment.by_byte) {
    if (mode_ == Mode::weak_read && segment.words->settled_at == block_->barrier &&
        !(cells_of(run.offset / 4, run.bytes / 4) & ~segment.words->settled))
      return;
    touch_cells(*segment.words, run.offset / 4, run.bytes / 4, thread, shift, address);
    if (run.bytes == segment_bytes && mode_ == Mode::weak_write && !reported_lanes_ && !segment.words->strong)
      segment.make_even({thread, now_, site_, shift});
    return;
  }
  for (std::uint32_t done = 0; done < run.bytes;) {
    const std::uint32_t at = run.offset + done;
    const std::uint32_t n = std::min(run.bytes - done, cells - at % cells);
    touch_cells((*segment.bytes)[at / cells], at % cells, n, thread + done / access_->bytes, shift, address + done);
    done += n;
  }
}

/// A whole segment with one history meets a whole segment's access. False: the words differ, look at each.
bool Races::touch_even(const Run& run) {
  if (access_->bytes < 4 || (mode_ != Mode::weak_read && mode_ != Mode::weak_write)) return false;
  Segment& segment = *run.segment;
  const EvenSlot me{block_->first | access_->warp.warp << 5 | run.lane, now_, site_,
                    static_cast<unsigned>(std::countr_zero(access_->bytes / 4))};
  const auto same_threads = [&](const EvenSlot& slot) { return slot.first == me.first && slot.shift == me.shift; };
  const auto passed = [&](const EvenSlot& slot) {  // none, my own, or before a barrier of my block
    return slot.stamp == 0 || same_threads(slot) || (order_.same_block(slot.first, me.first) && slot.stamp < block_->barrier);
  };
  if (!passed(segment.write)) return false;
  if (mode_ == Mode::weak_write) {
    if (!passed(segment.reads[0]) || !passed(segment.reads[1])) return false;
    segment.make_even(me);
    return true;
  }
  if (passed(segment.reads[0])) {
    segment.reads[0] = me;
  } else if (passed(segment.reads[1])) {
    segment.reads[1] = me;
  } else if ((segment.reads[0].first ^ segment.reads[1].first) < 32 || (segment.reads[0].first ^ me.first) < 32) {
    return false;  // several lanes of a warp: let the words decide which two to keep
  } else if (order_.same_block(segment.reads[0].first, segment.reads[1].first) &&
             !order_.same_block(segment.reads[0].first, me.first)) {
    segment.reads[1] = me;
  }
  return true;
}

void Races::touch_cells(Cells& all, unsigned first, unsigned n, ThreadId thread, unsigned shift, std::uint64_t address) {
  if (mode_ != Mode::weak_read) all.settled = 0;
  if (!all.strong) {
    if (mode_ == Mode::weak_write && write_together(all, first, n, thread, shift)) return;
    if (mode_ == Mode::weak_read && (n == 1 ? read_alone(all, first, thread) : read_together(all, first, n, thread, shift))) return;
  }
  const bool strong = mode_ != Mode::weak_read && mode_ != Mode::weak_write;
  for (unsigned j = 0; j < n; ++j) {
    if (strong)
      touch_strong_cell(all, first + j, thread + (j >> shift), address + j * granule_);
    else
      touch_cell(all, first + j, thread + (j >> shift), address + j * granule_);
  }
}

/// Is an access none, my own, or before the last barrier of my block? As a number, so that loops over cells have no branches.
[[gnu::always_inline]] inline std::uint32_t Races::passed(const Slots& slots, unsigned cell, ThreadId thread) const {
  const ThreadId u = slots.thread[cell];
  const Stamp s = slots.stamp[cell];
  const unsigned block_shift = order_.block_shift();
  return static_cast<std::uint32_t>(s == 0) | static_cast<std::uint32_t>(u == thread) |
         (static_cast<std::uint32_t>((u ^ thread) >> block_shift == 0) & static_cast<std::uint32_t>(s < block_->barrier));
}

/// The common cases, all cells at once. False: some cell needs a second look; nothing has changed.
WARPBOOK_VECTORISED bool Races::write_together(Cells& all, unsigned first, unsigned n, ThreadId thread, unsigned shift) {
  std::uint32_t good = 1;
  for (unsigned j = 0; j < n; ++j) {
    const ThreadId t = thread + (j >> shift);
    good &= passed(all.write, first + j, t) & passed(all.reads[0], first + j, t) & passed(all.reads[1], first + j, t);
  }
  if (!good) return false;
  for (unsigned j = 0; j < n; ++j) all.write.thread[first + j] = thread + (j >> shift);
  std::fill_n(all.write.stamp.begin() + first, n, now_);
  const bool known = access_->value != nullptr && access_->bytes <= 8;
  std::fill_n(all.write.site.begin() + first, n, known ? site_ | value_known : site_);
  if (known) {
    const std::uint32_t cells_a_lane = (1u << shift) - 1, bits = 8 * granule_;
    for (unsigned j = 0; j < n; ++j) {
      const std::uint64_t value = access_->value[((thread & 31) + (j >> shift)) & 31] >> (bits * (j & cells_a_lane));
      all.value[first + j] = static_cast<std::uint32_t>(value) & (granule_ == 1 ? 0xffu : ~0u);
    }
  }
  std::fill_n(all.reads[0].stamp.begin() + first, n, 0u);
  std::fill_n(all.reads[1].stamp.begin() + first, n, 0u);
  return true;
}

[[gnu::always_inline]] inline bool Races::read_cells(Cells& all, unsigned first, unsigned n, ThreadId thread, unsigned shift) {
  std::uint32_t good = 1, only_mine = 1;
  for (unsigned j = 0; j < n; ++j) {
    const ThreadId t = thread + (j >> shift);
    good &= passed(all.write, first + j, t);
    only_mine &= passed(all.reads[0], first + j, t);
  }
  if (!good) return false;
  Slots &a = all.reads[0], &b = all.reads[1];
  if (only_mine) {
    for (unsigned j = 0; j < n; ++j) a.thread[first + j] = thread + (j >> shift);
    std::fill_n(a.stamp.begin() + first, n, now_);
    std::fill_n(a.site.begin() + first, n, site_);
    return true;
  }
  if (!barriers_only_) return false;
  // remember(), where order comes from barriers alone.
  const unsigned block_shift = order_.block_shift();
  for (unsigned j = 0; j < n; ++j) {
    const unsigned cell = first + j;
    const ThreadId t = thread + (j >> shift);
    const ThreadId apart = a.thread[cell] ^ b.thread[cell], apart_with_me = a.thread[cell] ^ t;
    const bool farther = (apart_with_me >> block_shift != 0 && apart >> block_shift == 0) || (apart_with_me >= 32 && apart < 32);
    const bool to_a = passed(a, cell, t) != 0;
    const bool to_b = !to_a && (farther || passed(b, cell, t) != 0);
    a.thread[cell] = to_a ? t : a.thread[cell];
    a.stamp[cell] = to_a ? now_ : a.stamp[cell];
    a.site[cell] = to_a ? site_ : a.site[cell];
    b.thread[cell] = to_b ? t : b.thread[cell];
    b.stamp[cell] = to_b ? now_ : b.stamp[cell];
    b.site[cell] = to_b ? site_ : b.site[cell];
  }
  if (access_->space != ptx::Space::shared) return true;
  std::uint32_t settled = 1;
  const Stamp since = std::max<Stamp>(block_->barrier, 1);
  for (unsigned cell = first; cell < first + n; ++cell)
    settled &= static_cast<std::uint32_t>(all.write.stamp[cell] < since) & static_cast<std::uint32_t>(a.stamp[cell] >= since) &
               static_cast<std::uint32_t>(b.stamp[cell] >= since) &
               static_cast<std::uint32_t>((a.thread[cell] ^ b.thread[cell]) >= 32);
  if (!settled) return true;
  if (std::exchange(all.settled_at, block_->barrier) != block_->barrier) all.settled = 0;
  all.settled |= cells_of(first, n);
  return true;
}

WARPBOOK_VECTORISED bool Races::read_together(Cells& all, unsigned first, unsigned n, ThreadId thread, unsigned shift) {
  return read_cells(all, first, n, thread, shift);
}
/// What lanes of a warp read that all want one element; not worth a vector.
bool Races::read_alone(Cells& all, unsigned cell, ThreadId thread) { return read_cells(all, cell, 1, thread, 0); }

void Races::touch_cell(Cells& all, unsigned cell, ThreadId thread, std::uint64_t address) {
  check(all.write, cell, thread, address, true, false, &all.value[cell]);
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
  if (!all.strong) all.strong = std::make_unique<StrongCells>();
  check(all.write, cell, thread, address, true, false);
  for (const Slots& slots : all.strong->writes) {
    // Two atomics race only where one is atomic within its own block alone.
    if (((slots.site[cell] | site_) & block_scope) && !order_.same_block(slots.thread[cell], thread))
      check(slots, cell, thread, address, true, true);
  }
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
    return stamp == 0 || order_.ordered({slot.thread[cell], stamp}, *block_, thread);
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

std::uint64_t Races::value_of(unsigned lane, std::uint64_t address, std::uint32_t bytes, bool& known) const {
  const std::uint64_t at = address - access_->address[lane];
  known = access_->value != nullptr && access_->kind == vm::Access::Kind::store && at + bytes <= 8;
  if (!known) return 0;
  const std::uint64_t bits = access_->value[lane] >> (8 * at);
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

void Races::check(const Slots& slots, unsigned cell, ThreadId thread, std::uint64_t address, bool before_write, bool before_strong,
                  const std::uint32_t* earlier_value) {
  const Epoch before{slots.thread[cell], slots.stamp[cell]};
  if (before.stamp == 0 || order_.ordered(before, *block_, thread)) return;
  const std::uint32_t lane = thread & 31;
  if (reported_lanes_ >> lane & 1) return;
  reported_lanes_ |= 1u << lane;

  const SiteFlags flags = slots.site[cell];
  const bool strong = mode_ != Mode::weak_read && mode_ != Mode::weak_write;
  const bool write = mode_ != Mode::weak_read && mode_ != Mode::strong_read;
  const int weight =
      (order_.same_block(thread, before.thread) ? (thread ^ before.thread) < 32 ? 0 : 2 : 4) + (write && before_write ? 1 : 0);
  const ptx::Space space = access_->space;
  const Element element = scene_.element(space, address, access_->site);
  // A line that races does so again and again: most are the one just seen and add nothing but to its count.
  Recent& recent = recent_[(site_ ^ flags) & site_mask & (recent_.size() - 1)];
  if (recent.now == site_ && recent.before == flags && recent.region == element.region && recent.space == space) {
    if (!recent.finding) return;
    if (weight <= recent.race->weight && !recent.race->same_value) {
      ++recent.finding->threads;
      return;
    }
  }
  Race race;
  race.weight = weight;
  race.now = {thread, access_->site, write, strong, (site_ & is_atomic) != 0, (site_ & block_scope) != 0};
  race.before = {before.thread, scene_.site(flags & site_mask), before_write,
                 before_strong, (flags & is_atomic) != 0,       (flags & block_scope) != 0};
  race.address = address;
  race.region = element.region;
  bool known = false;
  const std::uint64_t value = value_of(lane, address, granule_, known);
  race.same_value = write && before_write && !strong && !before_strong && known && earlier_value && (flags & value_known) &&
                    (*earlier_value) == static_cast<std::uint32_t>(value);
  if (race.same_value) {
    const std::uint32_t bytes = access_->bytes;
    bool whole = false;
    const std::uint64_t bits = value_of(lane, access_->address[lane], std::min(bytes, 8u), whole);
    race.value = value_text(race.region, bits, bytes);
  }
  const std::uint32_t other_lane = before.thread & 31;
  race.same_instruction = (before.thread ^ thread) < 32 && before.stamp == now_ && (flags & site_mask) == (site_ & site_mask) &&
                          (access_->mask >> other_lane & 1) && access_->address[other_lane] / granule_ <= address / granule_ &&
                          address < access_->address[other_lane] + access_->bytes;

  // Which of the two a learner should look at first: the write, and of two writes the one that is not atomic, or the later line.
  const std::uint32_t line_now = Scene::line_key(race.now.site);
  const std::uint32_t line_before = Scene::line_key(race.before.site);
  const auto rank = [](const Side& side) { return (side.strong ? 0 : 2) + (side.write ? 1 : 0); };
  const int rank_now = rank(race.now), rank_before = rank(race.before);
  const bool swap = rank_now != rank_before ? rank_before > rank_now : line_before > line_now;
  if (swap) std::swap(race.now, race.before);
  const FindingKey key{.kind = FindingKind::race,
                       .line = swap ? line_before : line_now,
                       .other_line = swap ? line_now : line_before,
                       .space = std::string{ptx::name_of(space)},
                       .buffer = element.buffer()};
  Finding* finding =
      findings_.note(key, 1, [&] { return Finding{.space = {}, .message = {}, .at = {}, .buffer = {}, .index = {}, .other = {}}; });
  recent = {site_, flags, space, element.region, finding, nullptr};
  if (!finding) return;
  const auto [entry, fresh] = races_.try_emplace(finding, race);
  recent.race = &entry->second;
  const bool same_value = (fresh || entry->second.same_value) && race.same_value;
  // Of the many that a line can have, show the one that tells most: a race between blocks is not mended by __syncwarp.
  if (fresh || race.weight > entry->second.weight) {
    entry->second = race;
    finding->at = scene_.place(race.now.site, order_.warp_of(race.now.thread), race.now.thread & 31);
    finding->other = scene_.place(race.before.site, order_.warp_of(race.before.thread), race.before.thread & 31);
    finding->index = element.region ? std::optional{element.index} : std::nullopt;
  }
  entry->second.same_value = same_value;
}

void Races::finish() {
  for (auto& [finding, race] : races_) {
    finding->message = sentence(race, *finding);
    if (finding->threads > 1) finding->message += fmt::format(" This line has {} such accesses.", finding->threads);
  }
}

namespace {

std::string lower(std::string text) {
  if (!text.empty() && text[0] == 'T') text[0] = 't';
  return text;
}

}  // namespace

std::string Races::sentence(const Race& race, const Finding& finding) const {
  const Side &a = race.now, &b = race.before;
  const Place& at = finding.at;
  const Place& other = *finding.other;
  const bool same_warp = (a.thread ^ b.thread) < 32;
  const bool same_block = order_.same_block(a.thread, b.thread);
  const bool same_line = at.line == other.line;
  const ptx::Space space = finding.space == "shared" ? ptx::Space::shared : ptx::Space::global;
  const std::string what = scene_.element(space, race.address, a.site).text();
  const auto verb = [](const Side& side) -> std::string {
    if (side.strong && side.atomic) return "updates";
    return side.write ? "writes" : "reads";
  };

  // Who and what.
  std::string text;
  if (a.atomic && b.atomic) {
    text = fmt::format("{} and {} both update {}{} atomically", who(at), lower(who(other)), what, at_line(at));
  } else if (race.same_instruction) {
    text =
        fmt::format("Lanes {} and {} of one warp, threads {} and {} of block {}, write {} in the same instruction{}", b.thread & 31,
                    a.thread & 31, to_string(other.thread), to_string(at.thread), to_string(at.block), what, at_line(at));
  } else if (a.write && b.write && !a.strong && !b.strong && same_line) {
    text = same_block ? fmt::format("Threads {} and {} of block {} both write {}{}", to_string(at.thread), to_string(other.thread),
                                    to_string(at.block), what, at_line(at))
                      : fmt::format("{} and {} both write {}{}", who(at), lower(who(other)), what, at_line(at));
  } else {
    const std::string second = same_block ? fmt::format("thread {} of the same block", to_string(other.thread)) : lower(who(other));
    text = fmt::format("{} {} {}{} and {} {} it{}{}", who(at), verb(a), what, at_line(at), second, verb(b),
                       b.strong && b.atomic ? " atomically" : "", same_line ? "" : at_line(other));
  }

  // Why it is one, and what to try.
  if (race.same_value)
    return text + fmt::format(
                      ". Both store the same value {}: harmless on today's hardware, undefined in the memory model. Let one "
                      "thread write it.",
                      race.value);
  if (a.strong && b.strong)
    return text +
           ", but an atomic of block scope is atomic within its own block only. Use the device-wide form: atomicAdd, not "
           "atomicAdd_block.";
  if (race.same_instruction)
    return text + "; which value stays is undefined. Use an atomic such as atomicAdd, or give each lane an element of its own.";
  if (a.strong != b.strong) {
    const Side& strong = a.strong ? a : b;
    const std::string between = same_warp    ? "put __syncwarp() between the two"
                                : same_block ? "put __syncthreads() between the two"
                                             : "split the kernel where the order matters";
    if (strong.atomic)
      return text + ", and nothing orders the two. An atomic protects only against other atomics: make both accesses atomic, or " +
             between + ".";
    return text + ", and nothing orders the two: volatile alone orders nothing. " +
           (same_block ? "Instead, " : "Call __threadfence() before signalling and after seeing the signal, or ") + between + ".";
  }
  if (same_warp)
    return text + ", two lanes of one warp, and nothing orders them: a warp's lanes need not run in step. " +
           (a.write && b.write
                ? "Use an atomic such as atomicAdd, or give each lane an element of its own."
                : "Put a barrier between reading and writing: __syncwarp() for the warp, __syncthreads() for the block.");
  if (same_block) {
    if (a.write && b.write)
      return text + ", with no barrier between them. Use an atomic such as atomicAdd, or give each thread an element of its own.";
    return text + (same_line ? ", with no barrier between them. Put __syncthreads() between reading and writing."
                             : fmt::format(", with no barrier between them. Put __syncthreads() between line {} and line {}.",
                                           std::min(at.line, other.line), std::max(at.line, other.line)));
  }
  if (a.write && b.write)
    return text +
           ", and nothing orders them: blocks run in any order. Use an atomic such as atomicAdd, or give each block an element "
           "of " +
           (signals_used_ ? "its own; behind a lock, call __threadfence() after taking it and before giving it back." : "its own.");
  text += ", and nothing orders two blocks of one launch. ";
  if (same_line) return text + "Read from one buffer and write to another.";
  if (signals_used_)
    return text +
           "A flag or counter alone orders nothing: call __threadfence() before signalling and after seeing the signal, or split "
           "the kernel into two launches.";
  return text + "Read from one buffer and write to another, or split the kernel into two launches.";
}

}  // namespace warpbook::gpu::watch
