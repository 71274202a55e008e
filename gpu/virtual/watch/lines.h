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
    counts_.assign(context_.site_count() + 1, {});
    executions_.assign(context_.site_count() + 2, vm::Executions{});
  }
  void on_issue(const vm::Issue& issue) override {
    Count& count = counts_[context_.site_number(issue.site)];
    ++count.warps;
    count.threads += static_cast<unsigned>(std::popcount(issue.mask));
  }
  [[nodiscard]] vm::Executions* executions_of(const ptx::Function& function) {
    const std::uint32_t first = context_.site_number({&function, 0});
    return first ? &executions_[first] : nullptr;
  }
  void on_access(const vm::Access& access) override;
  void add_to(CountsByLine& lines) const override;

 private:
  struct Count {
    std::uint64_t warps = 0, threads = 0;
    std::uint64_t atomic_requests = 0, atomic_lanes = 0, atomic_passes = 0;
  };
  std::vector<Count> counts_;               // by site number
  std::vector<vm::Executions> executions_;  // by site number: how much oftener than the one before, besides what was told
};

}  // namespace warpbook::gpu::watch
