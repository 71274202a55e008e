// Asynchronous copies in the race detector against an oracle: random programs, and pipelines with one thing left out, judged by the
// whole graph of what happens before what. A copy is two nodes, where it begins and where it ends; what leads on from its end is
// only what has waited for it.
#include <gtest/gtest.h>

#include <bit>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

constexpr std::uint32_t copy_blocks = 2, copy_warps = 3, lanes_used = 2, copy_threads = copy_blocks * copy_warps * lanes_used;
constexpr std::size_t most_nodes = 2048;

/// Draws what happens before what as a graph, and compares all accesses that touch.
class Graph {
 public:
  using Node = std::uint32_t;
  using Set = std::bitset<most_nodes>;
  struct Touch {
    std::uint64_t place = 0;
    bool write = false, atomic = false;
  };

  Graph() : last_(copy_threads, no_node) {}

  Node step(std::uint32_t thread) { return last_[thread] = add({last_[thread]}); }
  void touch(std::uint32_t thread, const Touch& what) {
    const Node node = step(thread);
    compare(node, node, what);
  }
  /// A copy that goes on behind its beginning; where it ends.
  Node copy(std::uint32_t thread, const std::vector<Touch>& parts) {
    const Node begin = step(thread), end = add({begin});
    for (const Touch& part : parts) compare(begin, end, part);
    return end;
  }
  void join(std::uint32_t thread, const std::vector<Node>& others) {
    const Node node = step(thread);
    for (const Node other : others) order(other, node);
  }
  void meet(const std::vector<std::uint32_t>& group) {
    const Node node = add({});
    for (const std::uint32_t thread : group)
      if (last_[thread] != no_node) order(last_[thread], node);
    for (const std::uint32_t thread : group) order(node, step(thread));
  }
  [[nodiscard]] Node last(std::uint32_t thread) const { return last_[thread]; }
  [[nodiscard]] bool guilty() const { return guilty_; }
  [[nodiscard]] bool full() const { return before_.size() + 64 > most_nodes; }

 private:
  static constexpr Node no_node = ~0u;
  struct Access {
    Node begin, end;
    Touch what;
  };
  Node add(const std::vector<Node>& from) {
    const auto node = static_cast<Node>(before_.size());
    before_.emplace_back();
    for (const Node other : from)
      if (other != no_node) order(other, node);
    return node;
  }
  /// Edges lead to the newest nodes only, so what comes before a node is known when it gets them.
  void order(Node first, Node second) {
    before_[second] |= before_[first];
    before_[second].set(first);
  }
  void compare(Node begin, Node end, const Touch& what) {
    for (const Access& other : accesses_) {
      if (other.what.place != what.place || !(other.what.write || what.write) || (other.what.atomic && what.atomic)) continue;
      if (!before_[begin].test(other.end) && other.end != begin) guilty_ = true;
    }
    accesses_.push_back({begin, end, what});
  }
  std::vector<Set> before_;
  std::vector<Node> last_;
  std::vector<Access> accesses_;
  bool guilty_ = false;
};

/// A launch, told to the detector and to the oracle.
class Both {
 public:
  Both() : script(race, {.grid = {copy_blocks}, .block = {copy_warps * 32}}) {
    script.copies(11, ptx::Copy::arrives);
    script.copies(12, ptx::Copy::has_come);
  }
  static std::uint32_t thread(vm::WarpId warp, std::uint32_t lane) {
    return (warp.block * copy_warps + warp.warp) * lanes_used + lane;
  }
  template <class Act>
  static void each(std::uint32_t mask, const Act& act) {
    for (std::uint32_t lane = 0; lane < lanes_used; ++lane)
      if (mask >> lane & 1) act(lane);
  }
  static std::uint64_t shared_place(vm::WarpId warp, std::uint64_t word) { return 1'000'000 * (1 + warp.block) + word; }

  void load(vm::WarpId warp, std::uint32_t mask, const std::function<std::uint64_t(unsigned)>& at, bool shared) {
    plain(warp, mask, at, shared, false);
  }
  void store(vm::WarpId warp, std::uint32_t mask, const std::function<std::uint64_t(unsigned)>& at, bool shared) {
    plain(warp, mask, at, shared, true);
  }
  void count(vm::WarpId warp, std::uint32_t mask, std::uint64_t word) {
    script.atomic(3, warp, mask, watch::word(word), shared_access());
    each(mask, [&](std::uint32_t lane) { graph.touch(thread(warp, lane), {shared_place(warp, word), true, true}); });
  }
  /// cp.async
  void copy(vm::WarpId warp, std::uint32_t mask, const std::function<std::uint64_t(unsigned)>& from,
            const std::function<std::uint64_t(unsigned)>& to) {
    script.copy(
        4, ptx::Copy::group, warp, mask, [&](unsigned lane) { return Script::buffer_base + 4 * from(lane); }, ptx::Space::global,
        [&](unsigned lane) { return 4 * to(lane); }, ptx::Space::shared);
    each(mask, [&](std::uint32_t lane) {
      Groups& groups = of(thread(warp, lane), false);
      groups.open.push_back(
          {graph.copy(thread(warp, lane), {{from(lane), false, false}, {shared_place(warp, to(lane)), true, false}})});
    });
  }
  /// cp.async.bulk of a word from shared to global memory. Its source has been read when one can wait for that.
  void copy_out(vm::WarpId warp, std::uint32_t mask, const std::function<std::uint64_t(unsigned)>& from,
                const std::function<std::uint64_t(unsigned)>& to) {
    script.copy(
        5, ptx::Copy::bulk_group, warp, mask, [&](unsigned lane) { return 4 * from(lane); }, ptx::Space::shared,
        [&](unsigned lane) { return Script::buffer_base + 4 * to(lane); }, ptx::Space::global);
    each(mask, [&](std::uint32_t lane) {
      const std::uint32_t t = thread(warp, lane);
      const Graph::Node read = graph.copy(t, {{shared_place(warp, from(lane)), false, false}});
      of(t, true).open.push_back({graph.copy(t, {{to(lane), true, false}}), read});
    });
  }
  void commit(vm::WarpId warp, std::uint32_t mask, bool bulk = false) {
    script.commit(warp, mask, bulk ? ptx::Copy::bulk_group : ptx::Copy::group);
    each(mask, [&](std::uint32_t lane) {
      Groups& groups = of(thread(warp, lane), bulk);
      groups.committed.push_back(std::exchange(groups.open, {}));
    });
  }
  void wait(vm::WarpId warp, std::uint32_t mask, std::uint32_t leaves, bool bulk = false, bool sources_only = false) {
    script.wait(warp, mask, leaves, bulk ? ptx::Copy::bulk_group : ptx::Copy::group, sources_only);
    each(mask, [&](std::uint32_t lane) {
      const Groups& groups = of(thread(warp, lane), bulk);
      std::vector<Graph::Node> over;
      for (std::size_t g = 0; g + leaves < groups.committed.size(); ++g)
        for (const Groups::Copy& copy : groups.committed[g]) over.push_back(sources_only ? copy.read : copy.end);
      graph.join(thread(warp, lane), over);
    });
  }
  /// cp.async.mbarrier.arrive
  void arrive_copies(vm::WarpId warp, std::uint32_t mask, std::uint32_t mbarrier) {
    signal(11, warp, mask, mbarrier);
    each(mask, [&](std::uint32_t lane) {
      const std::uint32_t t = thread(warp, lane);
      std::vector<Graph::Node>& told = told_[{warp.block, mbarrier}];
      const Groups& groups = of(t, false);
      for (const auto& group : groups.committed)
        for (const Groups::Copy& copy : group) told.push_back(copy.end);
      for (const Groups::Copy& copy : groups.open) told.push_back(copy.end);
      told.push_back(graph.step(t));
    });
  }
  /// cp.async.bulk that an mbarrier counts: one lane, one word.
  void copy_counted(vm::WarpId warp, std::uint32_t lane, std::uint64_t from, std::uint64_t to, std::uint32_t mbarrier) {
    script.copy(6, ptx::Copy::counted, warp, one_lane(lane), element(from), ptx::Space::global, word(to), ptx::Space::shared);
    signal(12, warp, one_lane(lane), mbarrier);
    const std::uint32_t t = thread(warp, lane);
    std::vector<Graph::Node>& told = told_[{warp.block, mbarrier}];
    told.push_back(graph.copy(t, {{from, false, false}, {shared_place(warp, to), true, false}}));
    told.push_back(graph.step(t));
  }
  void arrive(vm::WarpId warp, std::uint32_t mask, std::uint32_t mbarrier) {
    signal(13, warp, mask, mbarrier);
    each(mask, [&](std::uint32_t lane) { told_[{warp.block, mbarrier}].push_back(graph.step(thread(warp, lane))); });
  }
  void wait_at(vm::WarpId warp, std::uint32_t mask, std::uint32_t mbarrier) {
    vm::Access what = shared_access();
    what.bytes = 8;
    what.order = ptx::Order::acquire;
    what.scope = ptx::Scope::cta;
    what.barrier_object = vm::Access::BarrierObject::wait;
    what.ended_phase = mask;
    script.atomic(14, warp, mask, word(900 + 2 * mbarrier), what);
    each(mask, [&](std::uint32_t lane) { graph.join(thread(warp, lane), told_[{warp.block, mbarrier}]); });
  }
  void barrier(std::uint32_t block) {
    script.barrier(block);
    meet(block, {0, 1, 2});
  }
  void named_barrier(std::uint32_t block, const std::vector<std::uint32_t>& of_warps) {
    script.named_barrier(block, of_warps);
    meet(block, of_warps);
  }
  void syncwarp(vm::WarpId warp) {
    script.syncwarp(warp);
    meet(warp.block, {warp.warp});
  }

  Script script;
  Graph graph;

 private:
  struct Groups {
    struct Copy {
      Graph::Node end = 0, read = 0;
    };
    std::vector<Copy> open;
    std::vector<std::vector<Copy>> committed;
  };
  Groups& of(std::uint32_t thread, bool bulk) { return (bulk ? bulk_ : groups_)[thread]; }
  void plain(vm::WarpId warp, std::uint32_t mask, const std::function<std::uint64_t(unsigned)>& at, bool shared, bool write) {
    const auto address = [&](unsigned lane) { return (shared ? 0 : Script::buffer_base) + 4 * at(lane); };
    const vm::Access what = shared ? shared_access() : vm::Access{};
    write ? script.store(1, warp, mask, address, what) : script.load(2, warp, mask, address, what);
    each(mask, [&](std::uint32_t lane) {
      graph.touch(thread(warp, lane), {shared ? shared_place(warp, at(lane)) : at(lane), write, false});
    });
  }
  void signal(std::uint32_t line, vm::WarpId warp, std::uint32_t mask, std::uint32_t mbarrier) {
    vm::Access what = shared_access();
    what.bytes = 8;
    what.order = ptx::Order::release;
    what.scope = ptx::Scope::cta;
    what.barrier_object = vm::Access::BarrierObject::arrival;
    what.ended_phase = mask;  // each arrival is all that its phase expects
    script.atomic(line, warp, mask, word(900 + 2 * mbarrier), what);
  }
  void meet(std::uint32_t block, const std::vector<std::uint32_t>& of_warps) {
    std::vector<std::uint32_t> group;
    for (const std::uint32_t warp : of_warps)
      for (std::uint32_t lane = 0; lane < lanes_used; ++lane) group.push_back(thread({block, warp}, lane));
    graph.meet(group);
  }
  std::map<std::uint32_t, Groups> groups_, bulk_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Graph::Node>> told_;
};

struct Verdicts {
  int guilty = 0, innocent = 0, missed = 0, wrong = 0;
  void add(Both& both, const std::string& what) {
    const LaunchReport report = both.script.report();
    const bool guilty = both.graph.guilty(), found = !report.findings.empty();
    ++(guilty ? this->guilty : innocent);
    if (guilty && !found) ++missed;
    if (!guilty && found) ++wrong;
    if (!guilty && found && wrong == 1)
      ADD_FAILURE() << "a false alarm: " << what << ": " << in_english(report.findings[0].message);
  }
};

/// Anything in any order, on a few places.
void do_anything(Both& both, std::mt19937& random, bool mbarriers) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t events = 4 + below(24), places = 2u << below(4), sync_often = 1 + below(3);
  for (std::uint32_t e = 0; e < events && !both.graph.full(); ++e) {
    const vm::WarpId warp{below(4) == 0, below(copy_warps)};
    const std::uint32_t mask = 1 + below(3), first = below(places), own = below(3);
    const auto at = [&](unsigned lane) -> std::uint64_t {
      return own ? 256 + 2 * (warp.block * copy_warps + warp.warp) + lane : (first + lane) % places;
    };
    const auto other = [&](unsigned lane) -> std::uint64_t { return at(lane) + 512; };
    const auto lane_of = [&] { return static_cast<std::uint32_t>(std::countr_zero(mask)); };
    const std::uint32_t what = below(mbarriers ? 16 : 12);
    if (below(3) < sync_often && below(2)) {
      const std::uint32_t which = below(4);
      if (which < 2)
        both.barrier(warp.block);
      else if (which == 2)
        both.syncwarp(warp);
      else
        both.named_barrier(warp.block, {warp.warp, (warp.warp + 1) % copy_warps});
    }
    if (what < 3) both.load(warp, mask, at, below(2));
    if (what == 3) both.store(warp, mask, at, below(2));
    if (what == 4) both.count(warp, mask, first);
    if (what == 5 || what == 6) both.copy(warp, mask, other, at);
    if (what == 7 && below(2)) both.copy_out(warp, mask, at, other);
    if (what == 8) both.commit(warp, mask, below(3) == 0);
    if (what >= 9 && what < 11) both.wait(warp, mask, below(3) ? 0 : below(3));
    if (what == 11) both.wait(warp, mask, below(2), true, below(2));
    if (what == 12) both.arrive_copies(warp, mask, below(2));
    if (what == 13) both.copy_counted(warp, lane_of(), other(lane_of()), at(lane_of()), below(2));
    if (what == 14) both.arrive(warp, mask, below(2));
    if (what == 15) both.wait_at(warp, mask, below(2));
  }
}

TEST(RacesCopiesOracle, AgreesOnRandomPrograms) {
  std::mt19937 random(11);
  Verdicts verdicts;
  for (int launch = 0; launch < 6000; ++launch) {
    Both both;
    do_anything(both, random, false);
    verdicts.add(both, "launch " + std::to_string(launch));
  }
  EXPECT_GT(verdicts.guilty, 500);
  EXPECT_GT(verdicts.innocent, 500);
  EXPECT_EQ(verdicts.wrong, 0);
  EXPECT_LE(verdicts.missed * 200, verdicts.guilty);  // named barriers: a third reader may be forgotten
}

TEST(RacesCopiesOracle, AgreesOnRandomProgramsWithMbarriers) {
  std::mt19937 random(12);
  Verdicts verdicts;
  for (int launch = 0; launch < 6000; ++launch) {
    Both both;
    do_anything(both, random, true);
    verdicts.add(both, "launch " + std::to_string(launch));
  }
  EXPECT_GT(verdicts.guilty, 500);
  EXPECT_GT(verdicts.innocent, 500);
  EXPECT_EQ(verdicts.wrong, 0);
  EXPECT_LE(verdicts.missed * 1000, verdicts.guilty);
}

/// A pipeline of several stages over the tiles of a block, right or with one thing left out or changed.
struct Pipeline {
  enum class Without { nothing, commit, wait, exact_wait, barrier_behind_wait, barrier_before_refill, order };
  std::uint32_t stages = 2, tiles = 4;
  Without without = Without::nothing;
  std::uint32_t of_tile = 0;  // where it is left out
};

void run_pipeline(Both& both, const Pipeline& pipeline) {
  using Without = Pipeline::Without;
  const std::uint32_t all = (1u << lanes_used) - 1;
  const auto leaves_out = [&](Without what, std::uint32_t tile) { return pipeline.without == what && pipeline.of_tile == tile; };
  const auto stage_word = [&](std::uint32_t tile, std::uint32_t warp, unsigned lane) -> std::uint64_t {
    return (tile % pipeline.stages) * copy_warps * lanes_used + warp * lanes_used + lane;
  };
  const auto begin = [&](std::uint32_t tile) {
    for (std::uint32_t w = 0; w < copy_warps; ++w) {
      const vm::WarpId warp{0, w};
      if (tile < pipeline.tiles)
        both.copy(
            warp, all, [&](unsigned lane) { return tile * copy_warps * lanes_used + w * lanes_used + lane; },
            [&](unsigned lane) { return stage_word(tile, w, lane); });
      if (!leaves_out(Without::commit, tile)) both.commit(warp, all);
    }
  };
  for (std::uint32_t tile = 0; tile + 1 < pipeline.stages; ++tile) begin(tile);
  for (std::uint32_t tile = 0; tile < pipeline.tiles; ++tile) {
    if (leaves_out(Without::order, tile)) both.barrier(0);  // before the wait instead of behind it
    for (std::uint32_t w = 0; w < copy_warps; ++w)
      if (!leaves_out(Without::wait, tile)) both.wait({0, w}, all, pipeline.stages - 2 + leaves_out(Without::exact_wait, tile));
    if (!leaves_out(Without::barrier_behind_wait, tile) && !leaves_out(Without::order, tile)) both.barrier(0);
    for (std::uint32_t w = 0; w < copy_warps; ++w)
      both.load(
          {0, w}, all, [&](unsigned lane) { return stage_word(tile, (w + 1) % copy_warps, lane); }, true);
    if (!leaves_out(Without::barrier_before_refill, tile)) both.barrier(0);
    begin(tile + pipeline.stages - 1);
  }
}

TEST(RacesCopiesOracle, AgreesOnPipelines) {
  using Without = Pipeline::Without;
  Verdicts verdicts;
  for (std::uint32_t stages = 2; stages <= 4; ++stages)
    for (std::uint32_t tiles = 1; tiles <= 7; ++tiles)
      for (const Without without : {Without::nothing, Without::commit, Without::wait, Without::exact_wait,
                                    Without::barrier_behind_wait, Without::barrier_before_refill, Without::order})
        for (std::uint32_t of_tile = 0; of_tile < tiles; ++of_tile) {
          Both both;
          run_pipeline(both, {stages, tiles, without, of_tile});
          if (without == Without::nothing || without == Without::exact_wait) {
            EXPECT_EQ(both.graph.guilty(), without == Without::exact_wait);
          }
          verdicts.add(both, "stages " + std::to_string(stages) + " tiles " + std::to_string(tiles) + " without " +
                                 std::to_string(static_cast<int>(without)) + " of tile " + std::to_string(of_tile));
        }
  EXPECT_GT(verdicts.guilty, 200);
  EXPECT_GT(verdicts.innocent, 100);
  EXPECT_EQ(verdicts.wrong, 0);
  EXPECT_EQ(verdicts.missed, 0);
}

}  // namespace
}  // namespace warpbook::gpu::watch
