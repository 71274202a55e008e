// divergence: branches that split a warp, so that it runs both ways one after the other with part of its lanes idle.
//
// A finding is a source line where at least a quarter of the warps that came to its branches split, and at least two different
// warps of the launch did. So a bounds guard, which splits at most the last warp, is innocent, and so is a loop whose last round
// only one warp leaves in the middle.
#pragma once

#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Divergence : public Detector {
 public:
  static constexpr std::uint64_t one_in = 4;

  using Detector::Detector;
  void on_launch(const vm::LaunchInfo& launch) override;
  void on_branch(const vm::Branch& branch) override;
  void finish() override;
  void add_to(CountsByLine& lines) const override;

 private:
  struct Tally {
    std::uint64_t came = 0, split = 0, lanes = 0, taken = 0;
    vm::WarpId first_split;
    std::uint32_t first_mask = 0, first_taken = 0;
    bool several_warps = false;
  };
  std::vector<Tally> tallies_;  // by site number
};

}  // namespace warpbook::gpu::watch
