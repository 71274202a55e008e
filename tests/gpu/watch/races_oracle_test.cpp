// The race detector against an oracle: random small launches, judged by comparing all pairs of accesses under full vector clocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "tests/gpu/watch/script.h"
#include "tests/how_many.h"

namespace warpbook::gpu::watch {
namespace {

constexpr std::uint32_t blocks = 3, warps = 2, threads = blocks * warps * 32;

/// Remembers everything and compares everything.
class Oracle {
 public:
  Oracle() {
    for (std::uint32_t t = 0; t < threads; ++t) {
      clock_[t].fill(0);
      clock_[t][t] = 1;
    }
  }
  void access(std::uint32_t thread, std::uint64_t address, std::uint32_t bytes, bool write, bool atomic) {
    for (const Event& e : events_) {
      if (e.thread == thread || !(e.write || write) || (e.atomic && atomic)) continue;
      if (e.address + e.bytes <= address || address + bytes <= e.address) continue;
      if (e.time > clock_[thread][e.thread]) found_ = true;
    }
    events_.push_back({thread, address, bytes, clock_[thread][thread], write, atomic});
  }
  /// An atomic on one of the places that threads signal through: it releases what came before the thread's last fence.
  void signal(std::uint32_t thread, std::uint32_t place) {
    join(pending_[thread], released_[place]);
    join(released_[place], fenced_[thread]);
  }
  /// Acquires what the thread's atomics have seen.
  void fence(std::uint32_t thread) {
    join(clock_[thread], pending_[thread]);
    fenced_[thread] = clock_[thread];
    ++clock_[thread][thread];
  }
  void synchronise(const std::vector<std::uint32_t>& group) {
    std::array<std::uint32_t, threads> joined{};
    for (const std::uint32_t t : group)
      for (std::uint32_t u = 0; u < threads; ++u) joined[u] = std::max(joined[u], clock_[t][u]);
    for (const std::uint32_t t : group) {
      clock_[t] = joined;
      ++clock_[t][t];
    }
  }
  [[nodiscard]] bool found() const { return found_; }

 private:
  struct Event {
    std::uint32_t thread;
    std::uint64_t address;
    std::uint32_t bytes, time;
    bool write, atomic;
  };
  using Clock = std::array<std::uint32_t, threads>;
  static void join(Clock& into, const Clock& from) {
    for (std::uint32_t u = 0; u < threads; ++u) into[u] = std::max(into[u], from[u]);
  }
  std::array<Clock, threads> clock_{}, pending_{}, fenced_{};
  std::array<Clock, 4> released_{};  // by place
  std::vector<Event> events_;
  bool found_ = false;
};

struct Verdict {
  std::uint64_t guilty = 0, innocent = 0, missed = 0, wrong = 0;
};

struct Launches {
  unsigned seed = 1;
  std::uint64_t count = warpbook::test::how_many("WARPBOOK_RANDOM_LAUNCHES", 1000);
  bool masks = false;  // __syncwarp with part of a warp too. Two remembered readers are not enough to catch everything there.
  bool shared = false;
  bool counters = false;  // most accesses are atomics on a few words, the others a lane's alone
  std::size_t bytes = Limits{}.max_race_bytes;
};

Verdict compare(const Launches& launches) {
  const auto [seed, count, masks, shared, counters, bytes_at_most] = launches;
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Verdict verdict;
  for (std::uint64_t i = 0; i < count; ++i) {
    Script script(race, {.grid = {blocks}, .block = {warps * 32}, .limits = {.max_race_bytes = bytes_at_most}});
    Oracle oracle;
    const std::uint32_t events = 4 + below(20);
    const std::uint32_t words = counters ? 1 + below(3) : 1u << (4 + below(6));  // the fewer words, the more meetings
    const std::uint32_t synchronise_every = 2 + below(counters ? 12 : 3);
    for (std::uint32_t e = 0; e < events; ++e) {
      const vm::WarpId warp{below(blocks), below(warps)};
      const std::uint32_t first = (warp.block * warps + warp.warp) * 32;
      if (e % synchronise_every == synchronise_every - 1) {
        std::vector<std::uint32_t> group;
        if (below(2)) {
          for (std::uint32_t t = 0; t < warps * 32; ++t) group.push_back(warp.block * warps * 32 + t);
          script.barrier(warp.block);
        } else {
          std::uint32_t mask = all_lanes;
          if (masks && below(2)) mask = static_cast<std::uint32_t>(random()) | 1;
          for (std::uint32_t l = 0; l < 32; ++l)
            if (mask >> l & 1) group.push_back(first + l);
          script.syncwarp(warp, mask);
        }
        oracle.synchronise(group);
        continue;
      }
      const bool counts = counters && below(8) > 0;
      const std::uint32_t bytes = !counters && below(4) == 0 ? 1u << below(5) : 4;
      const std::uint32_t places = std::max(words * 4 / bytes, 1u);
      const std::uint32_t start = below(places), stride = below(3), pattern = counters && !counts ? 4 : below(5);
      const std::uint32_t mask = pattern == 4   ? one_lane(below(32))
                                 : pattern == 2 ? 0xffu << 8 * below(4)  // one of the rows in which the vm tells addresses
                                 : pattern == 3 ? static_cast<std::uint32_t>(random()) | 1
                                                : all_lanes;
      const bool own = !counters && below(2) == 0;  // each thread its own place: what innocent kernels do
      const std::uint64_t base = shared ? 0 : Script::buffer_base;
      const auto place = [&](unsigned lane) -> std::uint64_t {
        if (own) return base + std::uint64_t{bytes} * ((shared ? warp.warp * 32 : first) + lane);
        return base + std::uint64_t{bytes} * ((start + stride * lane) % places);
      };
      const std::uint32_t kind = counts ? 5 : below(6);
      const bool write = kind >= 3, atomic = kind == 5 && bytes >= 4 && bytes <= 8;
      vm::Access access;
      access.bytes = bytes;
      if (shared) access.space = ptx::Space::shared;
      if (atomic)
        script.atomic(e, warp, mask, place, access);
      else if (write)
        script.store(e, warp, mask, place, access);
      else
        script.load(e, warp, mask, place, access);
      for (unsigned lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1)  // a block's shared memory is its own
          oracle.access(first + lane, place(lane) + (shared ? std::uint64_t{warp.block} << 32 : 0), bytes, write, atomic);
    }
    const bool found = !script.report().findings.empty();
    ++(oracle.found() ? verdict.guilty : verdict.innocent);
    if (oracle.found() && !found) ++verdict.missed;
    if (!oracle.found() && found) ++verdict.wrong;
  }
  return verdict;
}

void expect_agreement(const Launches& launches) {
  const Verdict verdict = compare(launches);
  EXPECT_GT(verdict.guilty, launches.count / 10);
  EXPECT_GT(verdict.innocent, launches.count / 10);
  EXPECT_EQ(verdict.missed, 0);
  EXPECT_EQ(verdict.wrong, 0);
}

TEST(RacesOracle, AgreesOnRandomLaunches) { expect_agreement({.seed = 1}); }

TEST(RacesOracle, AgreesOnSharedMemory) { expect_agreement({.seed = 3, .shared = true}); }

TEST(RacesOracle, AgreesOnCounters) {
  expect_agreement({.seed = 4, .counters = true});
  expect_agreement({.seed = 5, .shared = true, .counters = true});
}

/// Warps read and write two places, each with a lane or neighbouring ones: every lane that races with the last write, or whose
/// write races with a read since then, counts once. `counted` by the detector, `racing` by the oracle, which compares them all.
struct Count {
  std::uint64_t counted = 0, racing = 0;
};

Count count_broadcasts(std::mt19937& random, bool shared) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Script script({.race = true, .trace = {}}, {.grid = {blocks}, .block = {warps * 32}});
  struct Event {
    std::uint32_t thread, time;
  };
  struct Touched {
    std::vector<Event> write, reads;
  };
  std::array<std::array<Touched, 2>, blocks> shared_places;
  std::array<Touched, 2>& global_places = shared_places[0];
  std::array<std::uint32_t, blocks> barriers{};  // so far
  Count count;
  const std::uint32_t lines = 1 + below(4), values = 1 + below(2);
  vm::Access access;
  access.bytes = 1u << below(4);
  if (shared) access.space = ptx::Space::shared;
  const std::uint64_t base = shared ? 0 : Script::buffer_base;
  if (below(2)) {  // a byte nearby, so that all goes by the byte
    vm::Access byte = access;
    byte.bytes = 1;
    script.store(
        30, {0, 0}, one_lane(0), [&](unsigned) { return base + 24; }, byte);
  }
  for (int k = 0; k < 60; ++k) {
    const vm::WarpId warp{below(blocks), below(warps)};
    if (below(6) == 0) {
      script.barrier(warp.block);
      ++barriers[warp.block];
      continue;
    }
    const std::uint32_t which = below(4) == 0, first = below(2) ? 0 : below(31), n = first ? 1 + below(32 - first) : 32;
    const std::uint32_t mask = (n == 32 ? all_lanes : (1u << n) - 1) << first;
    const bool write = below(2);
    script.values.fill(below(values));
    if (below(4) == 0) script.values[below(32)] = below(values);
    const auto place = [&](unsigned) { return base + std::uint64_t{which} * access.bytes; };
    const std::uint32_t line = (write ? 10 : 20) + below(lines);
    write ? script.store(line, warp, mask, place, access) : script.load(line, warp, mask, place, access);

    Touched& touched = (shared ? shared_places[warp.block] : global_places)[which];
    for (std::uint32_t lane = first; lane < first + n; ++lane) {
      const Event me{(warp.block * warps + warp.warp) * 32 + lane, barriers[warp.block]};
      const auto races = [&](const Event& e) {
        const bool same_block = e.thread / (warps * 32) == warp.block;
        return e.thread != me.thread && !(same_block && e.time < me.time);
      };
      if (std::ranges::any_of(touched.write, races) || (write && std::ranges::any_of(touched.reads, races))) ++count.racing;
      if (write) touched = {{me}, {}};
      if (!write) touched.reads.push_back(me);
    }
  }
  for (const Finding& finding : script.report().findings) count.counted += finding.threads;
  return count;
}

TEST(RacesOracle, CountsTheLanesOfBroadcasts) {
  std::mt19937 random(6);
  std::uint64_t racing = 0;
  const std::uint64_t launches = warpbook::test::how_many("WARPBOOK_RANDOM_LAUNCHES", 1000);
  for (std::uint64_t launch = 0; launch < launches; ++launch) {
    const Count count = count_broadcasts(random, launch % 2);
    ASSERT_EQ(count.counted, count.racing) << "launch " << launch;
    racing += count.racing;
  }
  EXPECT_GT(racing, 25 * launches);
}

TEST(RacesOracle, NeverAccusesWithoutRoomToRemember) {
  const Launches launches{.seed = 7, .bytes = 1};
  const Verdict verdict = compare(launches);
  EXPECT_GT(verdict.innocent, launches.count / 10);
  EXPECT_EQ(verdict.wrong, 0);
}

/// A few lanes of three blocks take locks, and sometimes forget a part of that. Many launches' worth in one: blocks and a line
/// each.
Verdict compare_signals(unsigned seed, bool simplified) {
  constexpr std::uint32_t launches = 20, locks = 4, words = 8;
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Verdict verdict;
  for (int i = 0; i < 100; ++i) {
    Script script(race, {.grid = {(launches + 1) * blocks},
                         .block = {warps * 32},
                         .limits = {.max_race_bytes = simplified ? std::size_t{8} << 20 : Limits{}.max_race_bytes}});
    const vm::WarpId signaller{launches * blocks, 0};
    for (std::uint32_t k = 0; simplified && k < 8; ++k)  // each lane at the places of its neighbours, too
      for (std::uint32_t place = 2048; place < 4064; place += 32) {
        script.fence(signaller);
        script.atomic(99, signaller, all_lanes, elements_from(place + k));
      }
    std::array<bool, launches> guilty{};
    for (std::uint32_t launch = 0; launch < launches; ++launch) {
      Oracle oracle;
      const std::uint32_t first = launch * (words + locks), forgets = below(2) ? 8 : ~0u;  // one part in so many
      for (std::uint32_t sections = 2 + below(10); sections > 0; --sections) {
        const std::uint32_t block = below(blocks), lane = below(2), thread = block * warps * 32 + lane, lock = below(locks);
        const vm::WarpId warp{launch * blocks + block, 0};
        const auto fence = [&] {
          if (below(forgets) == 0) return;
          script.fence(warp, one_lane(lane));
          oracle.fence(thread);
        };
        const auto signal = [&] {
          if (below(forgets) == 0) return;
          script.atomic(launch, warp, one_lane(lane), element(first + words + lock));
          oracle.signal(thread, lock);
        };
        signal();
        fence();
        for (std::uint32_t touched = below(4); touched > 0; --touched) {
          const std::uint32_t word = lock + locks * below(words / locks);
          const auto at = element(first + word);
          const bool write = below(2);
          write ? script.store(launch, warp, one_lane(lane), at) : script.load(launch, warp, one_lane(lane), at);
          oracle.access(thread, word, 1, write, false);
        }
        fence();
        signal();
      }
      guilty[launch] = oracle.found();
    }
    std::array<bool, launches> found{};
    const LaunchReport report = script.report();
    EXPECT_EQ(report.remarks.size(), simplified ? 1u : 0u);
    for (const Finding& finding : report.findings) found[finding.at.line] = true;
    for (std::uint32_t launch = 0; launch < launches; ++launch) {
      ++(guilty[launch] ? verdict.guilty : verdict.innocent);
      if (guilty[launch] && !found[launch]) ++verdict.missed;
      if (!guilty[launch] && found[launch]) ++verdict.wrong;
    }
  }
  return verdict;
}

TEST(RacesOracle, SignalsAcquireWhatWasReleased) {
  const Verdict verdict = compare_signals(8, false);
  EXPECT_GT(verdict.guilty, 200);
  EXPECT_GT(verdict.innocent, 500);
  EXPECT_EQ(verdict.wrong, 0);
  EXPECT_LE(verdict.missed * 200, verdict.guilty);
}

/// Where too much is signalled to remember who released what, some races go unseen.
TEST(RacesOracle, NeverAccusesWhenOrderIsSimplified) {
  const Verdict verdict = compare_signals(9, true);
  EXPECT_GT(verdict.innocent, 500);
  EXPECT_EQ(verdict.wrong, 0);
  EXPECT_LE(verdict.missed * 2, verdict.guilty);
}

TEST(RacesOracle, NeverAccusesUnderPartialMasks) {
  const Launches launches{.seed = 2, .masks = true};
  const Verdict verdict = compare(launches);
  EXPECT_GT(verdict.innocent, launches.count / 10);
  EXPECT_EQ(verdict.wrong, 0);
  EXPECT_LE(verdict.missed * 200, verdict.guilty);
}

}  // namespace
}  // namespace warpbook::gpu::watch
