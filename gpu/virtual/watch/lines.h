// Lines: how many instructions each source line cost, and how often its atomics had to wait for each other.
#pragma once

#include <bit>
#include <vector>

#include "gpu/virtual/watch/detector.h"

namespace warpbook::gpu::watch {

/// The most lanes that want one place: how often an atomic is done one lane after another. All on one counter: 32.
[[nodiscard]] unsigned lanes_on_one_address(const std::uint64_t* address, std::uint32_t mask);

class Lines final : public Detector {
 public:
  using Detector::Detector;
  void on_launch(const vm::LaunchInfo&) override {
    counts_.assign(scene_.site_count() + 1, {});
    steps_.assign(scene_.site_count() + 2, Step{});
  }
  void on_issue(const vm::Issue& issue) override {
    Count& count = counts_[scene_.site_number(issue.site)];
    ++count.warps;
    count.threads += static_cast<unsigned>(std::popcount(issue.mask));
  }
  void on_stretch(const vm::Stretch& stretch) override {
    const std::uint32_t first = scene_.site_number(stretch.site);
    const Step step = {1, stretch.lanes};
    steps_[first] += step;
    steps_[first + stretch.count] -= step;
  }
  void on_access(const vm::Access& access) override;
  void add_to(CountsByLine& lines) const override;

 private:
  struct Count {
    std::uint64_t warps = 0, threads = 0;
    std::uint64_t atomic_requests = 0, atomic_lanes = 0, atomic_passes = 0;
  };
  // Warps and threads, always as one: a host forwards what it has just stored only to a load of no more than that.
  using Step [[gnu::vector_size(16)]] = std::uint64_t;
  std::vector<Count> counts_;  // by site number
  std::vector<Step> steps_;    // of stretches, by site number: what this instruction was executed more often than the one before
};

}  // namespace warpbook::gpu::watch
