// divergence: branches that split a warp, so that it runs both ways one after the other with part of its lanes idle.
//
// A finding is a source line whose branches split at least two different warps of the launch, and where
//   - at least a quarter of the warps that came to them split, or
//   - warps come again and again, a loop, and on average at least a quarter of their lanes have left it and wait.
// So a bounds guard, which splits at most the last warp, is innocent, and so is a loop whose last round only one warp leaves in the
// middle.
#pragma once

#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Divergence : public Detector {
 public:
  static constexpr std::uint64_t one_in = 4;  // warps that split, or lanes that wait

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
    bool several_warps = false;
  };
  [[nodiscard]] bool waits_in_loop(const Tally& tally) const;

  std::vector<Tally> tallies_;  // by site number
};

}  // namespace warpbook::gpu::watch
