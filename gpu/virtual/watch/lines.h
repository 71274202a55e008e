// Lines: how many instructions each source line cost.
#pragma once

#include <bit>
#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

class Lines : public Detector {
 public:
  using Detector::Detector;
  void on_launch(const vm::LaunchInfo&) override { counts_.assign(scene_.site_count() + 1, {}); }
  void on_issue(const vm::Issue& issue) override {
    Count& count = counts_[scene_.site_number(issue.site)];
    ++count.warps;
    count.threads += static_cast<unsigned>(std::popcount(issue.mask));
  }
  /// In the order of lines; instructions without one are left out.
  void move_to(LaunchReport& report);

 private:
  struct Count {
    std::uint64_t warps = 0, threads = 0;
  };
  std::vector<Count> counts_;  // by site number
};

}  // namespace warpbook::gpu::watch
