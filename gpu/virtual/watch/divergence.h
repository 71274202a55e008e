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

  using Detector::Detector;
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_branch(const vm::Branch& branch) override;
  void finish() override;
  void add_to(CountsByLine& lines) const override;

 private:
  struct Tally {
    std::uint64_t came = 0, split = 0;       // warps
    std::uint64_t lanes = 0, all_lanes = 0;  // that came; of the same warps, those that have threads
    vm::WarpId first_split;
    std::uint32_t first_mask = 0, first_taken = 0;
    bool several_warps = false, beyond_guard = false;
    bool at_grids_end = true;  // each warp that split did so as a bounds guard in a block at the grid's end
  };
  [[nodiscard]] bool splits_like_guard(const vm::Branch& branch) const;
  [[nodiscard]] bool leaves_at_grids_end(const vm::Branch& branch, const Tally& before) const;
  [[nodiscard]] bool waits_in_loop(const Tally& tally) const;

  std::vector<Tally> tallies_;  // by site number
  Dim3 grid_, block_;
};

}  // namespace warpbook::gpu::watch
