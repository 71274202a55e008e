// The clock schedule's memory system: when a request reaches memory and when its value is back.
//
//     ClockMemory memory(figures, random);
//     if (memory.accepts_at(sm) <= now) ClockMemory::Times times = memory.take(request, cost.joins, sm, now);
//
// Each multiprocessor has a load/store unit and an L1; all share one L2; behind it is memory in channels, each with a share of the
// bandwidth. Caches are set-associative, with lines of four 32-byte sectors and least-recently-used replacement; the L1 writes
// through and keeps loads only, the L2 writes back. Requests are served in the order in which they are issued: where they queue
// for a unit or a channel, the wait is in their times. All of it is a model.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/clock_report.h"
#include "gpu/virtual/vm/clock/clock.h"
#include "gpu/virtual/vm/lanes/access.h"

namespace warpbook::gpu::vm {

/// Steele, Lea and Flood's SplitMix64: small, and the same on every machine.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  std::uint64_t below(std::uint64_t limit) { return limit ? next() % limit : 0; }
};

/// Lines of four sectors, by address.
class SectorCache {
 public:
  struct Line {
    std::uint64_t tag = 0;    // line number + 1; 0: empty
    std::uint64_t ready = 0;  // when the last of its sectors arrives
    std::uint32_t used = 0;
    std::uint8_t valid = 0, dirty = 0;  // a bit a sector
  };
  struct Found {
    Line* line = nullptr;
    std::uint8_t evicted_dirty = 0;    // sectors of the line that had to make room …
    std::uint64_t evicted_number = 0;  // … and which it was
  };
  SectorCache(std::size_t bytes, unsigned ways);
  /// The line; its sectors may still be invalid. A line that was not in the cache replaces the least recently used one of its set.
  Found find(std::uint64_t number);

 private:
  struct Free {
    void operator()(Line* lines) const { std::free(lines); }
  };
  std::unique_ptr<Line[], Free> lines_;  // from calloc: the host gives pages only to sets that are used
  std::uint64_t sets_ = 1;
  unsigned ways_ = 1;
  std::uint32_t clock_ = 0;
};

class ClockMemory {
 public:
  struct Times {
    std::uint64_t reached = 0, done = 0;  // memory is read or changed; the value is in the register
    WarpState waits = WarpState::memory;  // how a warp that needs the value waits
  };
  ClockMemory(const ClockFigures& figures, Random& random);

  /// The first cycle at which the multiprocessor's load/store unit takes a further request.
  [[nodiscard]] std::uint64_t accepts_at(unsigned sm) const;
  /// joins: Cost::joins.
  Times take(const MemoryRequest& request, bool joins, unsigned sm, std::uint64_t now);
  void report_to(ClockReport& report) const;

 private:
  struct Touched {
    std::uint64_t line;
    std::uint8_t sectors;
    std::uint8_t bytes[4];  // of each sector, at most 32
  };
  struct Unit {
    std::uint64_t free = 0;           // of requests
    std::uint64_t constant_free = 0;  // the cache of constants
    double fill_free = 0;             // its port to the L2
    std::unique_ptr<SectorCache> l1;
  };

  Times shared(const MemoryRequest& request, bool atomic, bool joins, std::uint64_t start, Unit& unit);
  Times constant(const MemoryRequest& request, std::uint64_t now, Unit& unit);
  Times atomic(const MemoryRequest& request, std::uint64_t start, Unit& unit);
  Times global(const MemoryRequest& request, const std::uint64_t* address, bool store, std::uint64_t start, Unit& unit);
  void find_lines(const MemoryRequest& request, const std::uint64_t* address, unsigned bytes);
  /// From the L2 or from behind it: when the sectors of one line arrive at the multiprocessor.
  std::uint64_t read_l2(std::uint64_t line, std::uint8_t sectors, std::uint64_t start);
  std::uint64_t write_l2(const Touched& touched, std::uint64_t start);
  double through_l2(unsigned sectors, std::uint64_t start);
  double through_dram(std::uint64_t line, unsigned sectors, double start);
  void evict(const SectorCache::Found& found, double start);
  /// Nobody waits for a store, but when memory cannot take them any more they back up to where they came from.
  static void hold_back(Unit& unit, std::uint64_t start, std::uint64_t reached);
  std::uint64_t jitter();
  [[nodiscard]] bool held(std::uint64_t line) const;
  [[nodiscard]] std::uint64_t place(std::uint64_t address);

  const ClockFigures& figures_;
  Random& random_;
  std::vector<Unit> units_;
  SectorCache l2_;
  double l2_free_ = 0;
  std::vector<double> channel_free_;
  std::unordered_map<std::uint64_t, double> address_free_;  // when the atomics unit is, by 4-byte word
  std::vector<Touched> touched_;
  ClockFigures::Placed near_;  // of the last address
  MemoryLevel l1_sum_, l2_sum_, dram_sum_;
  std::uint64_t shared_passes_ = 0, shared_requests_ = 0;
  std::uint64_t constant_passes_ = 0, constant_requests_ = 0;
};

}  // namespace warpbook::gpu::vm
