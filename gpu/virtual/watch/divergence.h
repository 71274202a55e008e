// divergence: branches, and calls through pointers, that split a warp, so that it runs both ways one after the other with part of
// its lanes idle.
//
// A finding is a source line where
//   - at least a quarter of the warps that came to its branches split, or
//   - warps come again and again, a loop, and on average at least a quarter of their lanes have left it and wait;
// and where this is more than a bounds guard that the last warp meets:
//   - at least two different warps split, or
//   - one warp splits into other parts than a guard's, which are a range of threadIdx and the rest, or into large ones that both
//     have work (small ones treat an edge), or
//   - one warp splits again and again in such a loop.
// Innocent as well is a bounds guard of an image or a volume, which splits the warps of many blocks: in a block at the grid's end
// the threads with the low indices go on, and the others leave the kernel at once. They keep nobody waiting.
// Innocent, too, is a branch of which only one way has work, without a loop, call or barrier, where
//   - each time a single lane goes it, and it is no long one: one thread stores a block's result, as it must, or
//   - each warp comes once, those that go it are a range of threadIdx, and it is short: some words are fetched or stored.
// Branches of the toolkit's headers are left out: nobody can mend them.
// So a bounds guard is innocent, and so is a loop whose last round only one warp leaves in the middle.
#pragma once

#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Divergence : public Detector {
 public:
  static constexpr std::uint64_t one_in = 4;  // warps that split, or lanes that wait

  static constexpr int edge_lanes = 4;
  static constexpr std::uint32_t most_for_one_lane = 32, most_for_words = 16;  // instructions

  using Detector::Detector;
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_branch(const vm::Branch& branch) override;
  void finish() override;
  void add_to(CountsByLine& lines) const override;

 private:
  /// Which way of a branch has work before the two meet.
  enum class Way : std::uint8_t { both, taken, not_taken };

  struct Tally {
    std::uint64_t came = 0, split = 0;       // warps
    std::uint64_t lanes = 0, all_lanes = 0;  // that came; of the same warps, those that have threads
    vm::WarpId first_split;
    std::uint32_t first_mask = 0, first_taken = 0;
    bool several_warps = false, beyond_guard = false;
    bool at_grids_end = true;  // each warp that split did so as a bounds guard in a block at the grid's end
    Way way = Way::both;
    std::uint32_t instructions = ~0u;  // … of the only one that has; many where it has a loop, a call or a barrier
    bool one_lane = true;              // each time a single lane went it
    bool few_words = true;             // it is short, each warp came once, and those that went it are a range of threadIdx
  };
  static void look_for_one_way(const vm::Site& site, Tally& tally);
  void note_work(const vm::Branch& branch, Tally& tally) const;
  [[nodiscard]] bool is_range(const vm::Branch& branch, std::uint32_t lanes) const;  // the least to the greatest threadIdx of these
  [[nodiscard]] bool splits_like_guard(const vm::Branch& branch) const;
  [[nodiscard]] bool leaves_at_grids_end(const vm::Branch& branch, const Tally& before) const;
  [[nodiscard]] bool waits_in_loop(const Tally& tally) const;
  [[nodiscard]] static Paragraph waits_for_last(const Place& at, const Tally& sum);
  [[nodiscard]] static Paragraph splits(const Place& at, const Tally& sum, bool calls);

  std::vector<Tally> tallies_;  // by site number
  Dim3 grid_, block_;
};

}  // namespace warpbook::gpu::watch
