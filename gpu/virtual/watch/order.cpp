#include "gpu/virtual/watch/order.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace warpbook::gpu::watch {
namespace {

// Keys of a log's facts: a thread, all lanes of a warp, all threads of a block.
std::uint64_t thread_key(ThreadId thread) { return std::uint64_t{1} << 62 | thread; }
std::uint64_t warp_key(ThreadId thread) { return std::uint64_t{2} << 62 | thread >> 5; }
std::uint64_t block_key(ThreadId thread, unsigned shift) { return std::uint64_t{3} << 62 | thread >> shift; }

}  // namespace

void Acquired::join(std::uint32_t log, std::uint32_t length) {
  if (length == 0) return;
  const auto at = std::ranges::lower_bound(logs_, log, {}, &Prefix::log);
  if (at != logs_.end() && at->log == log)
    at->length = std::max(at->length, length);
  else
    logs_.insert(at, {log, length});
}

void Acquired::join(const Acquired& other) {
  join_all_before(other.all_before_);
  if (logs_.empty()) {
    logs_ = other.logs_;
    return;
  }
  for (const Prefix& prefix : other.logs_) join(prefix.log, prefix.length);
}

bool Acquired::has(std::uint32_t log, std::uint32_t length) const {
  const auto at = std::ranges::lower_bound(logs_, log, {}, &Prefix::log);
  return at != logs_.end() && at->log == log && at->length >= length;
}

void Order::add_fact(Log& log, std::uint64_t key, Stamp stamp) {
  if (stamp == 0) return;
  std::vector<Log::Known>& known = log.facts[key];
  if (!known.empty() && known.back().stamp >= stamp) return;
  bytes_ += known.empty() ? 96 : 2 * sizeof(Log::Known);
  known.push_back({log.length, stamp});
}

bool Order::Log::knows(std::uint64_t key, Stamp stamp, std::uint32_t prefix) const {
  const auto found = facts.find(key);
  if (found == facts.end()) return false;
  const std::vector<Known>& known = found->second;  // both members grow along it
  const auto first_enough =
      std::upper_bound(known.begin(), known.end(), stamp, [](Stamp s, const Known& entry) { return s < entry.stamp; });
  return first_enough != known.end() && first_enough->position < prefix;
}

void Order::begin(const LaunchContext& context) {
  *this = Order{};
  context_ = &context;
  warps_per_block_ = std::max(context.warps_per_block(), 1u);
  block_shift_ = 5 + static_cast<unsigned>(std::bit_width(warps_per_block_ - 1));
  max_blocks_ = std::size_t{1} << (32 - block_shift_);
  blocks_.reserve(std::min<std::uint64_t>(context.grid().count(), 4096));
}

BlockClock& Order::find_block(std::uint32_t linear_index) {
  last_index_ = linear_index;
  last_ = running_.find(linear_index);
  if (last_) return *last_;
  last_ = &running_.begin(linear_index, [](BlockClock& used) {
    for (WarpClock& warp : used.warps) warp = {};
    used.barrier = used.synchronised = 0;
    used.named.clear();
    used.arrived.clear();
    used.acquired.clear();
    used.lanes_have_own = false;
    used.copiers = 0;
  });
  last_->number = static_cast<std::uint32_t>(blocks_.size());
  last_->first = last_->number << block_shift_;
  last_->warps.resize(warps_per_block_);
  blocks_.push_back(linear_index);
  return *last_;
}

std::uint32_t Order::block_of_copiers(std::uint32_t linear_index, std::vector<ThreadId> issuers) {
  const auto number = static_cast<std::uint32_t>(blocks_.size());
  blocks_.push_back(linear_index);
  issuers_.emplace(number, std::move(issuers));
  return number;
}

ThreadId Order::copier(BlockClock& block, ThreadId thread) {
  if (!block.copiers) {
    std::vector<ThreadId> issuers(std::size_t{1} << block_shift_);
    std::iota(issuers.begin(), issuers.end(), block.first);
    block.copiers = block_of_copiers(blocks_[block.number], std::move(issuers));
  }
  return block.copiers << block_shift_ | (thread - block.first);
}

ThreadId Order::new_copier(const BlockClock& block, ThreadId thread) {
  const auto [at, fresh] = single_copiers_.try_emplace(block.number, 0);
  if (fresh || issuers_[at->second].size() >> block_shift_) at->second = block_of_copiers(blocks_[block.number], {});
  std::vector<ThreadId>& issuers = issuers_[at->second];
  issuers.push_back(thread);
  return at->second << block_shift_ | static_cast<ThreadId>(issuers.size() - 1);
}

ThreadId Order::find_issuer(ThreadId thread) const {
  const auto found = issuers_.find(thread >> block_shift_);
  if (found == issuers_.end()) return thread;
  const std::size_t which = thread & ((1u << block_shift_) - 1);
  return which < found->second.size() ? found->second[which] : thread;
}

void Order::end_block(std::uint32_t linear_index) {
  if (last_index_ == linear_index) last_ = nullptr;
  if (const BlockClock* block = issuers_.empty() ? nullptr : running_.find(linear_index)) single_copiers_.erase(block->number);
  running_.end(linear_index);
}

vm::WarpId Order::warp_of(ThreadId thread) const {
  const std::uint32_t number = thread >> block_shift_;
  return {blocks_[number], (thread >> 5) & ((1u << (block_shift_ - 5)) - 1)};
}

void Order::simplify() {
  constexpr std::size_t places = 1 << 16;
  released_before_.assign(places, 0);
  logs_ = {};
  log_of_ = {};
  running_.forget_ended();
  running_.for_running([](BlockClock& block) {
    block.acquired = {};
    for (Arrived& arrived : block.arrived) arrived.acquired = {};
    for (WarpClock& warp : block.warps) {
      if (!warp.own) continue;
      for (LaneClock& lane : *warp.own) lane.acquired = lane.pending = lane.fence_acquired = {};
    }
  });
}

LaneClock& Order::own(BlockClock& block, ThreadId thread) {
  WarpClock& warp = block.warps[(thread - block.first) >> 5];
  if (!warp.own) warp.own = std::make_unique<std::array<LaneClock, 32>>();
  block.lanes_have_own = true;
  return (*warp.own)[thread & 31];
}

bool Order::fenced(const BlockClock& block, ThreadId thread) {
  const WarpClock& warp = block.warps[(thread - block.first) >> 5];
  return warp.own && (*warp.own)[thread & 31].fence != 0;
}

void Order::on_synchronise(const vm::Synchronisation& event) {
  BlockClock& clock = block(event.warp.block);
  switch (event.kind) {
    case vm::Synchronisation::Kind::block:
      block_barrier(clock);
      break;
    case vm::Synchronisation::Kind::partial_block:
      named_barrier(clock, event.barrier, event.participants);
      break;
    case vm::Synchronisation::Kind::arrive:
      arrive(clock, event.warp.warp, event.barrier);
      break;
    case vm::Synchronisation::Kind::warp:
      warp_synchronisation(clock, event.warp.warp, event.mask);
      break;
    case vm::Synchronisation::Kind::fence:
      fence(clock, event.warp.warp, event.mask, event.scope);
      break;
    case vm::Synchronisation::Kind::copies_begun:
    case vm::Synchronisation::Kind::copies_waited:
      return;  // orders nobody with other threads
  }
  clock.synchronised = clock_;
}

void Order::block_barrier(BlockClock& block) {
  block.barrier = ++clock_;
  for (WarpClock& warp : block.warps) warp.lanes.reset();
  if (!block.lanes_have_own) return;
  // What any thread has acquired, or has only seen so far, all threads know from here on.
  for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
    WarpClock& warp = block.warps[w];
    if (!warp.own) continue;
    Stamp all_fenced = clock_;
    for (std::uint32_t lanes = context_->lanes_of(w); lanes; lanes &= lanes - 1) {
      LaneClock& lane = (*warp.own)[static_cast<std::size_t>(std::countr_zero(lanes))];
      join(block.acquired, lane.acquired);
      join(block.acquired, lane.pending);
      lane.acquired.clear();
      lane.pending.clear();
      all_fenced = std::min(all_fenced, lane.fence_scope >= ptx::Scope::gpu ? lane.fence : 0);
    }
    warp.fenced_at_barrier = std::max(warp.fenced_at_barrier, all_fenced);
  }
}

void Order::add_knowledge(const BlockClock& block, std::uint32_t w, std::vector<Stamp>& known, Acquired& acquired) {
  const std::size_t n = block.warps.size();
  if (!block.named.empty())
    for (std::size_t v = 0; v < n; ++v) known[v] = std::max(known[v], block.named[w * n + v]);
  if (!block.warps[w].own) return;
  for (const LaneClock& lane : *block.warps[w].own) {
    join(acquired, lane.acquired);
    join(acquired, lane.pending);
  }
}

void Order::arrive(BlockClock& block, std::uint32_t w, std::uint32_t barrier) {
  auto at = std::ranges::find(block.arrived, barrier, &Arrived::barrier);
  if (at == block.arrived.end()) {
    block.arrived.push_back({.barrier = barrier, .known = std::vector<Stamp>(block.warps.size(), 0), .acquired = {}});
    at = std::prev(block.arrived.end());
  }
  add_knowledge(block, w, at->known, at->acquired);
  at->known[w] = ++clock_;
}

void Order::named_barrier(BlockClock& block, std::uint32_t barrier, std::span<const std::uint32_t> warps) {
  const std::size_t n = block.warps.size();
  if (block.named.empty()) block.named.assign(n * n, 0);
  ++clock_;
  std::vector<Stamp> joined(n, 0);
  Acquired acquired;
  if (const auto at = std::ranges::find(block.arrived, barrier, &Arrived::barrier); at != block.arrived.end()) {
    joined = std::move(at->known);
    join(acquired, at->acquired);
    block.arrived.erase(at);
  }
  for (const std::uint32_t w : warps) add_knowledge(block, w, joined, acquired);
  for (const std::uint32_t w : warps) joined[w] = clock_;
  for (const std::uint32_t w : warps) {
    std::copy(joined.begin(), joined.end(), block.named.begin() + static_cast<std::ptrdiff_t>(w * n));
    if (acquired.empty()) continue;
    for (unsigned lane = 0; lane < 32; ++lane) join(own(block, block.first | w << 5 | lane).acquired, acquired);
  }
}

void Order::warp_synchronisation(BlockClock& block, std::uint32_t w, std::uint32_t mask) {
  WarpClock& warp = block.warps[w];
  const std::uint32_t everyone = context_->lanes_of(w);
  ++clock_;
  if ((mask & everyone) == everyone) {
    warp.synced = clock_;
    warp.lanes.reset();
  } else {
    if (!warp.lanes) {
      warp.lanes = std::make_unique<WarpClock::Matrix>();
    }
    std::array<Stamp, 32> joined{};
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const auto& row = (*warp.lanes)[static_cast<std::size_t>(std::countr_zero(rest))];
      for (std::size_t u = 0; u < 32; ++u) joined[u] = std::max(joined[u], row[u]);
    }
    for (unsigned u = 0; u < 32; ++u)
      if (mask >> u & 1) joined[u] = clock_;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
      (*warp.lanes)[static_cast<std::size_t>(std::countr_zero(rest))] = joined;
  }
  if (!warp.own) return;
  Acquired acquired;
  Stamp all_fenced = (mask & everyone) == everyone ? clock_ : 0;
  for (std::uint32_t rest = mask & everyone; rest; rest &= rest - 1) {
    const LaneClock& lane = (*warp.own)[static_cast<std::size_t>(std::countr_zero(rest))];
    join(acquired, lane.acquired);
    all_fenced = std::min(all_fenced, lane.fence_scope >= ptx::Scope::gpu ? lane.fence : 0);
  }
  warp.fenced = std::max(warp.fenced, all_fenced);
  if (acquired.empty()) return;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1)
    join((*warp.own)[static_cast<std::size_t>(std::countr_zero(rest))].acquired, acquired);
}

void Order::release_fence(BlockClock& block, ThreadId thread, ptx::Scope scope, Stamp stamp) {
  LaneClock& lane = own(block, thread);
  lane.fence = stamp;
  lane.fence_block = block.barrier;
  lane.fence_warp = block.warps[(thread - block.first) >> 5].synced;
  lane.fence_scope = scope == ptx::Scope::none ? ptx::Scope::gpu : scope;
  lane.fence_acquired.clear();
  join(lane.fence_acquired, block.acquired);
  join(lane.fence_acquired, lane.acquired);
}

void Order::fence(BlockClock& block, std::uint32_t warp, std::uint32_t mask, ptx::Scope scope) {
  ++clock_;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const ThreadId thread = block.first | warp << 5 | static_cast<std::uint32_t>(std::countr_zero(rest));
    LaneClock& lane = own(block, thread);
    if (scope == ptx::Scope::cta) {
      acquire_within(thread, lane);
    } else {
      join(lane.acquired, lane.pending);
      lane.pending.clear();
    }
    release_fence(block, thread, scope, clock_);
  }
}

void Order::acquire_within(ThreadId thread, LaneClock& lane) {
  Acquired heard;
  heard.join_all_before(lane.pending.all_before());
  for (const auto& [log, length] : lane.pending) {
    const auto of_block = [&, before = length](const Log::Writer& writer) {
      return writer.position < before && writer.thread != thread && same_block(writer.thread, thread);
    };
    const auto& writers = logs_[log].writers;
    steps_ += writers.size();
    if (!std::ranges::any_of(writers, of_block)) continue;
    heard.join(log, length);
    for (const auto& [other, known] : logs_[log].other_logs) heard.join(other, known);  // what its own block had acquired before
  }
  join(lane.acquired, heard);  // what stays pending waits for a fence that reaches farther, or for a barrier
}

void Order::strong_write(const Location& location, BlockClock& block, ThreadId thread, ptx::Scope scope, bool release,
                         bool replaces, std::span<const ThreadId> copiers) {
  if (release) release_fence(block, thread, scope, ++clock_);
  const auto found = log_of_.find(location);
  if (!fenced(block, thread)) {
    // A plain overwrite ends what earlier writers released through this location: nobody can read their values any more.
    if (replaces && found != log_of_.end()) log_of_.erase(found);
    return;
  }
  const LaneClock& lane = own(block, thread);
  const bool block_scope = location.owner == 0 && (lane.fence_scope == ptx::Scope::cta || scope == ptx::Scope::cta);
  const Location where = block_scope ? Location{location.address, block.number + 1} : location;
  if (simple()) {
    Stamp& before = released_before_[place_of(where)];
    before = std::max({before, lane.fence, block.warps[(thread - block.first) >> 5].fenced});
    for (const WarpClock& warp : block.warps) before = std::max(before, warp.fenced_at_barrier);
    return;
  }
  auto at = log_of_.find(where);
  if (at == log_of_.end() || replaces) {
    at = log_of_.insert_or_assign(where, static_cast<std::uint32_t>(logs_.size())).first;
    logs_.emplace_back();
    bytes_ += sizeof(Log) + 64;
  }
  const std::uint32_t log_number = at->second;
  Log& log = logs_[log_number];
  if (log.writers.empty() || log.writers.back().thread != thread) {
    log.writers.push_back({log.length, thread});
    bytes_ += sizeof(Log::Writer);
  }
  add_fact(log, thread_key(thread), lane.fence);
  for (const ThreadId copier : copiers) add_fact(log, thread_key(copier), lane.fence);
  add_fact(log, warp_key(thread), std::max(lane.fence_warp, block.warps[(thread - block.first) >> 5].fenced));
  add_fact(log, block_key(thread, block_shift_), lane.fence_block);
  // Threads that fenced what they did before the barrier that this one came through have released it too: strictly they would have
  // to be ordered before this thread's own fence, but "__threadfence(); __syncthreads(); if (first) signal();" is common and sound
  // on hardware.
  for (std::size_t v = 0; v < block.warps.size(); ++v) {
    if (block.warps[v].fenced_at_barrier > lane.fence_block)
      add_fact(log, warp_key(block.first | static_cast<ThreadId>(v) << 5), block.warps[v].fenced_at_barrier);
  }
  const WarpClock& warp = block.warps[(thread - block.first) >> 5];
  if (warp.lanes) {
    for (unsigned u = 0; u < 32; ++u)
      add_fact(log, thread_key((thread & ~31u) | u), std::min((*warp.lanes)[thread & 31][u], lane.fence));
  }
  if (!block.named.empty()) {
    const std::size_t n = block.warps.size();
    const std::size_t w = (thread - block.first) >> 5;
    for (std::size_t v = 0; v < n; ++v)
      add_fact(log, warp_key(block.first | static_cast<ThreadId>(v) << 5), std::min(block.named[w * n + v], lane.fence));
  }
  const std::size_t others = log.other_logs.size();
  for (const auto& [other, length] : lane.fence_acquired) {
    if (other == log_number) continue;
    std::uint32_t& known = log.other_logs[other];
    known = std::max(known, length);
  }
  bytes_ += 40 * (log.other_logs.size() - others);
  steps_ += 4 * lane.fence_acquired.size();
  ++log.length;
}

void Order::end_phase(const Location& location) {
  if (const auto found = log_of_.find(location); found != log_of_.end()) logs_[found->second].ended = logs_[found->second].length;
}

void Order::strong_read(const Location& location, BlockClock& block, ThreadId thread, bool acquire, bool of_ended_phases) {
  if (logs_.empty() && !simple()) return;
  const auto into = [&]() -> Acquired& {
    LaneClock& lane = own(block, thread);
    return acquire ? lane.acquired : lane.pending;
  };
  const auto read = [&](const Location& where) {
    if (simple()) {
      if (const Stamp before = released_before_[place_of(where)]) into().join_all_before(before);
      return;
    }
    const auto found = log_of_.find(where);
    if (found == log_of_.end()) return;
    const Log& log = logs_[found->second];
    const std::uint32_t known = of_ended_phases ? log.ended : log.length;
    if (!known) return;
    Acquired& acquired = into();
    const std::size_t before = acquired.size();
    acquired.join(found->second, known);
    for (const auto& [other, length] : log.other_logs) acquired.join(other, length);
    steps_ += 8 * log.other_logs.size();
    bytes_ += 16 * (acquired.size() - before);
  };
  read(location);
  if (location.owner == 0) read({location.address, block.number + 1});
}

bool Order::knows_last_signal(const Location& location, const BlockClock& block, ThreadId thread) const {
  const WarpClock& warp = block.warps[(thread - block.first) >> 5];
  const auto known = [&](const Location& where) {
    if (simple()) {
      const Stamp before = released_before_[place_of(where)];
      return before &&
             std::max(block.acquired.all_before(), warp.own ? (*warp.own)[thread & 31].acquired.all_before() : 0) >= before;
    }
    const auto found = log_of_.find(where);
    if (found == log_of_.end()) return false;
    const std::uint32_t log = found->second, length = logs_[log].length;
    return block.acquired.has(log, length) || (warp.own && (*warp.own)[thread & 31].acquired.has(log, length));
  };
  return known(location) || (location.owner == 0 && known({location.address, block.number + 1}));
}

bool Order::learned(const Acquired& acquired, Epoch before) const {
  if (before.stamp < acquired.all_before()) return true;
  steps_ += 16 * acquired.size();
  for (const auto& [log_number, length] : acquired) {
    const Log& log = logs_[log_number];
    if (log.knows(block_key(before.thread, block_shift_), before.stamp, length) ||
        log.knows(thread_key(before.thread), before.stamp, length) || log.knows(warp_key(before.thread), before.stamp, length))
      return true;
  }
  return false;
}

bool Order::ordered_otherwise(Epoch before, const BlockClock& block, ThreadId thread) const {
  const WarpClock& warp = block.warps[(thread - block.first) >> 5];
  if (same_block(before.thread, thread)) {
    if ((before.thread ^ thread) < 32) {
      if (before.stamp < warp.synced) return true;
      if (warp.lanes && before.stamp < (*warp.lanes)[thread & 31][before.thread & 31]) return true;
    }
    if (!block.named.empty()) {
      const std::size_t from = (before.thread - block.first) >> 5;
      const std::size_t to = (thread - block.first) >> 5;
      if (before.stamp < block.named[to * block.warps.size() + from]) return true;
    }
  }
  if (!block.acquired.empty() && learned(block.acquired, before)) return true;
  return warp.own && learned((*warp.own)[thread & 31].acquired, before);
}

}  // namespace warpbook::gpu::watch
