#include "gpu/virtual/vm/clock/memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;
using ptx::Space;

constexpr std::uint64_t sector = 32, line_bytes = 128;  // all devices of the table (T4P, GB)
constexpr unsigned l1_ways = 4, l2_ways = 16;           // T4P table 3.1
constexpr unsigned lines_a_cycle = 4;                   // that the L1 looks up: what strides of odd lengths cost (GB, strides)
constexpr double fill_bytes_a_cycle = 64;               // of a multiprocessor's port to the L2 (C&C; T4P measures no more)
// Requests that the load/store unit queues before warps must wait with theirs, in cycles of its work. Inferred: a few.
constexpr std::uint64_t queue_cycles = 48;
// How far stores and atomics may run ahead of memory. Inferred: what is in flight at full speed, about one latency of memory.
constexpr std::uint64_t backlog = 600;
// Now and then a request meets a refresh of the memory or a page that the TLB does not know. No source measures how often;
// one in 1024 is rare enough to leave the average alone, and makes rare interleavings possible at all.
constexpr std::uint64_t one_in_delayed = 1024;

std::uint64_t cycles(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

unsigned bytes_a_lane(const MemoryRequest& request) {
  return std::max<unsigned>(1, request.inst->bytes) * request.inst->ptx->vector;
}

/// The most different 4-byte words that lanes want of one of the 32 banks: what a request costs in shared memory, and in the L1.
unsigned bank_passes(const MemoryRequest& request, const std::uint64_t* address, unsigned bytes) {
  std::uint64_t seen[lanes][8];  // by bank, the first few different words
  std::uint8_t ways[lanes] = {};
  unsigned most = 1;
  for (std::uint32_t left = request.mask; left; left &= left - 1) {
    const std::uint64_t at = address[std::countr_zero(left)];
    for (std::uint64_t word = at / 4; word <= (at + bytes - 1) / 4; ++word) {
      const std::size_t bank = word % 32;
      std::uint8_t& known = ways[bank];
      bool here = false;
      for (unsigned w = 0; w < std::min<unsigned>(known, 8); ++w) here |= seen[bank][w] == word;
      if (here) continue;
      if (known < 8) seen[bank][known] = word;
      most = std::max<unsigned>(most, ++known);
    }
  }
  return std::min(most, lanes * (bytes + 3) / 4);
}

/// The most lanes with one address.
unsigned same_address(const MemoryRequest& request) {
  unsigned most = 1;
  for (std::uint32_t left = request.mask; left;) {
    const std::uint64_t at = request.address[std::countr_zero(left)];
    std::uint32_t same = 0;
    for (std::uint32_t b = left; b; b &= b - 1)
      if (request.address[std::countr_zero(b)] == at) same |= b & -b;
    most = std::max(most, static_cast<unsigned>(std::popcount(same)));
    left &= ~same;
  }
  return most;
}

}  // namespace

SectorCache::SectorCache(std::size_t bytes, unsigned ways) : ways_(ways) {
  sets_ = std::max<std::uint64_t>(1, bytes / line_bytes / ways);
  lines_.reset(static_cast<Line*>(std::calloc(sets_ * ways, sizeof(Line))));
}

SectorCache::Found SectorCache::find(std::uint64_t number) {
  // Neighbouring lines lie in neighbouring sets; the higher bits are folded in, as hardware does, so that powers of two do not
  // meet in one set.
  Line* set = &lines_[(number ^ number / sets_ * 7) % sets_ * ways_];
  Line* oldest = set;
  ++clock_;
  for (Line* line = set; line != set + ways_; ++line) {
    if (line->tag == number + 1) {
      line->used = clock_;
      return {line, 0, 0};
    }
    if (line->used < oldest->used) oldest = line;
  }
  const Found found{oldest, oldest->dirty, oldest->tag - 1};
  *oldest = {number + 1, 0, clock_, 0, 0};
  return found;
}

ClockMemory::ClockMemory(const ClockFigures& figures, Random& random)
    : figures_(figures),
      random_(random),
      units_(figures.multiprocessors),
      l2_(figures.l2_bytes, l2_ways),
      channel_free_(std::max(1u, figures.dram_channels), 0) {}

std::uint64_t ClockMemory::accepts_at(unsigned sm) const {
  const std::uint64_t free = units_[sm].free;
  return free < queue_cycles ? 0 : free - queue_cycles;
}

std::uint64_t ClockMemory::jitter() {
  const std::uint64_t delay = random_.below(one_in_delayed) ? 0 : random_.below(cycles(2 * figures_.dram));
  return random_.below(cycles(figures_.l2 / 8)) + delay;
}

bool ClockMemory::held(std::uint64_t line) const {
  const std::uint64_t address = line * line_bytes;
  return std::any_of(figures_.placed.begin(), figures_.placed.end(), [&](const ClockFigures::Placed& p) {
    return p.in_l2 && address + line_bytes > p.at && address < p.at + (p.last - p.first);
  });
}

std::uint64_t ClockMemory::place(std::uint64_t address) {
  if (address - near_.first >= near_.last - near_.first) {
    const auto& all = figures_.placed;
    const auto behind = std::upper_bound(all.begin(), all.end(), address,
                                         [](std::uint64_t a, const ClockFigures::Placed& p) { return a < p.first; });
    if (behind == all.begin() || address >= std::prev(behind)->last) return address;
    near_ = *std::prev(behind);
  }
  return near_.at + (address - near_.first);
}

double ClockMemory::through_l2(unsigned sectors, std::uint64_t start) {
  l2_free_ = std::max(l2_free_, static_cast<double>(start)) + static_cast<double>(sectors * sector) / figures_.l2_bytes_per_cycle;
  return l2_free_;
}

double ClockMemory::through_dram(std::uint64_t line, unsigned sectors, double start) {
  // Two lines lie in one channel, the next in another: scattered, so that no stride meets one channel alone.
  std::uint64_t mixed = line / 2 * 0x9e3779b97f4a7c15ull;
  mixed ^= mixed >> 29;
  double& free = channel_free_[mixed % channel_free_.size()];
  free = std::max(free, start) +
         static_cast<double>(sectors * sector) * static_cast<double>(channel_free_.size()) / figures_.dram_bytes_per_cycle;
  return free;
}

void ClockMemory::evict(const SectorCache::Found& found, double start) {
  if (!found.evicted_dirty || figures_.writes_back) return;
  const auto sectors = static_cast<unsigned>(std::popcount(found.evicted_dirty));
  dram_sum_.bytes_written += sectors * sector;
  (void)through_dram(found.evicted_number, sectors, start);
}

std::uint64_t ClockMemory::read_l2(std::uint64_t line, std::uint8_t sectors, std::uint64_t start) {
  const auto count = static_cast<unsigned>(std::popcount(sectors));
  const double served = through_l2(count, start);
  const SectorCache::Found found = l2_.find(line);
  if (found.line->valid == 0 && held(line)) found.line->valid = 0xf;
  evict(found, served);
  l2_sum_.sectors += count;
  l2_sum_.bytes_read += count * sector;
  const std::uint8_t missing = sectors & static_cast<std::uint8_t>(~found.line->valid);
  l2_sum_.hits += count - static_cast<unsigned>(std::popcount(missing));
  std::uint64_t arrives = cycles(served + figures_.l2);
  if (missing) {
    const auto fetched = static_cast<unsigned>(std::popcount(missing));
    dram_sum_.sectors += fetched;
    dram_sum_.bytes_read += fetched * sector;
    found.line->valid |= missing;
    found.line->ready = cycles(through_dram(line, fetched, served) + figures_.dram);
  }
  // Who asks for a line that is on its way waits for the same delivery.
  return std::max(arrives, found.line->ready);
}

std::uint64_t ClockMemory::write_l2(const Touched& touched, std::uint64_t start) {
  const std::uint64_t line = touched.line;
  const std::uint8_t sectors = touched.sectors;
  const auto count = static_cast<unsigned>(std::popcount(sectors));
  // A sector that is written in part is read first, for its error-correcting code.
  unsigned passes = count;
  for (const std::uint8_t bytes : touched.bytes) passes += bytes > 0 && bytes < sector;
  double served = through_l2(passes, start);
  const SectorCache::Found found = l2_.find(line);
  evict(found, served);
  l2_sum_.sectors += count;
  l2_sum_.bytes_written += count * sector;
  l2_sum_.hits += static_cast<unsigned>(std::popcount(static_cast<unsigned>(sectors & found.line->valid)));
  const auto fresh = static_cast<unsigned>(std::popcount(static_cast<unsigned>(sectors & ~found.line->dirty)));
  if (fresh && figures_.writes_back) {
    dram_sum_.bytes_written += fresh * sector;
    served = through_dram(line, fresh, served);
  }
  found.line->valid |= sectors;
  found.line->dirty |= sectors;
  return cycles(served + figures_.l2 / 2);
}

void ClockMemory::find_lines(const MemoryRequest& request, const std::uint64_t* address, unsigned bytes) {
  touched_.clear();
  for (std::uint32_t left = request.mask; left; left &= left - 1) {
    const std::uint64_t at = place(address[std::countr_zero(left)]);
    for (std::uint64_t s = at / sector; s <= (at + bytes - 1) / sector; ++s) {
      const std::uint64_t line = s / 4;
      const auto bit = static_cast<std::uint8_t>(1u << s % 4);
      std::size_t t = touched_.size();
      while (t > 0 && touched_[t - 1].line != line) --t;
      if (t == 0) {
        touched_.push_back({line, 0, {}});
        t = touched_.size();
      }
      Touched& touched = touched_[t - 1];
      touched.sectors |= bit;
      const std::uint64_t here = std::min(at + bytes, (s + 1) * sector) - std::max(at, s * sector);
      std::uint8_t& sum = touched.bytes[s % 4];
      sum = static_cast<std::uint8_t>(std::min<std::uint64_t>(sector, sum + here));
    }
  }
}

void ClockMemory::hold_back(Unit& unit, std::uint64_t start, std::uint64_t reached) {
  if (reached > start + backlog) unit.free = std::max(unit.free, reached - backlog);
}

ClockMemory::Times ClockMemory::shared(const MemoryRequest& request, bool atomic, bool joins, std::uint64_t start, Unit& unit) {
  const unsigned passes = atomic ? same_address(request) : bank_passes(request, request.address, bytes_a_lane(request));
  shared_passes_ += passes;
  ++shared_requests_;
  const double latency = atomic ? figures_.shared_atomic_first + figures_.shared_atomic_further * (passes - 1)
                                : figures_.shared + figures_.shared_further * (passes - 1);
  for (std::uint32_t left = joins ? request.mask : 0; left && joins; left &= left - 1)
    joins = (request.address[std::countr_zero(left)] & 15) == (static_cast<std::uint64_t>(request.inst->offset) & 15);
  if (!joins)
    unit.free = start + std::max<std::uint64_t>(cycles(passes * figures_.pass_cycles),
                                                lanes / static_cast<unsigned>(figures_.load_store_lanes));
  return {start + cycles(latency / 2), start + cycles(latency), WarpState::shared};
}

ClockMemory::Times ClockMemory::constant(const MemoryRequest& request, std::uint64_t now, Unit& unit) {
  constexpr std::uint64_t further = 4;  // cycles of a hit, TU104 (sjfeng1999/gpu-arch-microbenchmark)
  std::array<std::uint64_t, lanes> words{};
  unsigned passes = 0;
  for (std::uint32_t left = request.mask; left; left &= left - 1) {
    const std::uint64_t word = request.address[std::countr_zero(left)] / 4;
    if (std::find(words.begin(), words.begin() + passes, word) == words.begin() + passes) words[passes++] = word;
  }
  constant_passes_ += passes;
  ++constant_requests_;
  const std::uint64_t start = std::max(now, unit.constant_free), last = start + further * (passes - 1);
  unit.constant_free = last;
  return {start, last + cycles(figures_.shared), WarpState::shared};
}

ClockMemory::Times ClockMemory::atomic(const MemoryRequest& request, std::uint64_t start, Unit& unit) {
  unit.free = start + 1;
  find_lines(request, request.address, bytes_a_lane(request));
  double served = 0;
  for (const Touched& t : touched_) {
    const auto count = static_cast<unsigned>(std::popcount(t.sectors));
    served = through_l2(2 * count, start);  // read and written
    const SectorCache::Found found = l2_.find(t.line);
    if (found.line->valid == 0 && held(t.line)) found.line->valid = 0xf;
    evict(found, served);
    const std::uint8_t missing = t.sectors & static_cast<std::uint8_t>(~found.line->valid);
    l2_sum_.sectors += count;
    l2_sum_.hits += count - static_cast<unsigned>(std::popcount(missing));
    l2_sum_.bytes_read += count * sector;
    l2_sum_.bytes_written += count * sector;
    if (missing) {
      const auto fetched = static_cast<unsigned>(std::popcount(missing));
      dram_sum_.sectors += fetched;
      dram_sum_.bytes_read += fetched * sector;
      found.line->ready = cycles(through_dram(t.line, fetched, served) + figures_.dram - figures_.l2);
    }
    found.line->valid |= t.sectors;
    found.line->dirty |= t.sectors;
    served = std::max(served, static_cast<double>(found.line->ready));
  }
  // The unit at the L2 takes one atomic after another on the same address, whoever sends them.
  std::uint64_t reached = cycles(served + figures_.l2 / 2) + jitter();
  unsigned most = 1;
  for (std::uint32_t left = request.mask; left;) {
    const std::uint64_t at = request.address[std::countr_zero(left)];
    std::uint32_t same = 0;
    for (std::uint32_t b = left; b; b &= b - 1)
      if (request.address[std::countr_zero(b)] == at) same |= b & -b;
    left &= ~same;
    const auto ways = static_cast<unsigned>(std::popcount(same));
    most = std::max(most, ways);
    double& free = address_free_[at / 4];
    const double begins = std::max(static_cast<double>(reached), free);
    free = begins + figures_.global_atomic_throughput * ways;
    reached = cycles(free - figures_.global_atomic_throughput);
  }
  hold_back(unit, start, reached);
  return {reached, reached + cycles(figures_.l2 / 2 + figures_.global_atomic_further * (most - 1)), WarpState::memory};
}

ClockMemory::Times ClockMemory::global(const MemoryRequest& request, const std::uint64_t* address, bool store, std::uint64_t start,
                                       Unit& unit) {
  const ptx::Instruction& p = *request.inst->ptx;
  const unsigned bytes = bytes_a_lane(request);
  find_lines(request, address, bytes);
  unsigned sectors = 0;
  for (const Touched& t : touched_) sectors += static_cast<unsigned>(std::popcount(t.sectors));
  const bool cached = !store && (figures_.l1_caches_global || p.non_coherent) && p.order == ptx::Order::weak;
  // The L1 looks up a few lines a cycle, and hands out its data as shared memory does: they are one array.
  const auto lookups = (static_cast<unsigned>(touched_.size()) + lines_a_cycle - 1) / lines_a_cycle;
  // Broadcasts take as long as 128 different bytes (GB, strides 0 and 1).
  const std::uint64_t moved = std::max<std::uint64_t>(
      line_bytes, std::min<std::uint64_t>(sectors * sector, static_cast<unsigned>(std::popcount(request.mask)) * bytes));
  const unsigned passes = cached ? bank_passes(request, address, bytes) : 1;
  unit.free = start + std::max<std::uint64_t>({lookups, cycles(passes * figures_.pass_cycles),
                                               cycles(static_cast<double>(moved) / figures_.l1_bytes_per_cycle)});

  if (store) {
    std::uint64_t reached = start;
    for (const Touched& t : touched_) {
      unit.fill_free =
          std::max(unit.fill_free, static_cast<double>(start)) + std::popcount(t.sectors) * sector / fill_bytes_a_cycle;
      reached = std::max(reached, write_l2(t, cycles(unit.fill_free)));
    }
    hold_back(unit, start, reached);
    l1_sum_.bytes_written += sectors * sector;
    reached += jitter();
    return {reached, reached + 1, WarpState::memory};
  }

  if (cached && !unit.l1) unit.l1 = std::make_unique<SectorCache>(figures_.l1_bytes, l1_ways);
  const std::uint64_t hit = start + cycles(figures_.l1) + (unit.free - start - 1);
  std::uint64_t done = cached ? hit : start;
  bool beyond = false;
  for (const Touched& t : touched_) {
    std::uint8_t missing = t.sectors;
    SectorCache::Line* line = nullptr;
    if (cached) {
      const auto count = static_cast<unsigned>(std::popcount(t.sectors));
      line = unit.l1->find(t.line).line;
      missing &= static_cast<std::uint8_t>(~line->valid);
      l1_sum_.sectors += count;
      l1_sum_.bytes_read += count * sector;
      l1_sum_.hits += count - static_cast<unsigned>(std::popcount(missing));
      done = std::max(done, line->ready);
    }
    if (!missing) continue;
    beyond = true;
    unit.fill_free = std::max(unit.fill_free, static_cast<double>(start)) + std::popcount(missing) * sector / fill_bytes_a_cycle;
    const std::uint64_t arrives = read_l2(t.line, missing, cycles(unit.fill_free));
    done = std::max(done, arrives);
    if (line) {
      line->valid |= missing;
      line->ready = std::max(line->ready, arrives);
    }
  }
  if (beyond) done += jitter();
  // Memory is read where the value comes from: half of the way back.
  const double way = beyond || done > hit ? figures_.l2 : figures_.l1;
  return {done - std::min(done - start, cycles(way / 2)), done, WarpState::memory};
}

ClockMemory::Times ClockMemory::take(const MemoryRequest& request, bool joins, unsigned sm, std::uint64_t now) {
  if (!request.mask) return {now, now, WarpState::memory};
  const ptx::Instruction& p = *request.inst->ptx;
  const auto first = static_cast<std::size_t>(std::countr_zero(request.mask));
  const bool is_atomic = p.op == Opcode::atom || p.op == Opcode::red;
  const bool copies = p.op == Opcode::cp_async;  // global → shared, its global side decides
  const Space space = copies ? Space::global : resolve(p.space, request.address[first]).space;
  Unit& unit = units_[sm];
  const std::uint64_t start = std::max(now, unit.free);
  switch (space) {
    case Space::local:
      return {now, now + cycles(figures_.l1), WarpState::memory};
    case Space::constant:
      return constant(request, now, unit);
    case Space::shared:
      return shared(request, is_atomic, joins, start, unit);
    default:
      break;
  }
  if (is_atomic) return atomic(request, start, unit);
  return global(request, copies ? request.from : request.address, p.op == Opcode::st, start, unit);
}

void ClockMemory::report_to(ClockReport& report) const {
  report.l1 = l1_sum_;
  report.l2 = l2_sum_;
  report.dram = dram_sum_;
  report.shared_passes = shared_passes_;
  report.shared_requests = shared_requests_;
  report.constant_passes = constant_passes_;
  report.constant_requests = constant_requests_;
}

}  // namespace warpbook::gpu::vm
