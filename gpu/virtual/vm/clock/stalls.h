// What every resident warp did with every cycle, kept by stretches: sums over the launch, sums by instruction, and the timeline.
//
//     WarpAccount account = stalls.begin(warp, sm, scheduler, now);
//     stalls.until(account, ready, WarpState::memory, table, index);   // … from where it was accounted for to `ready`
//     stalls.end(account);
//
// A stretch is charged to the instruction that was issued or waits. Stretches of a warp follow one another without gaps, so the
// sum over states is the sum of the warps' lifetimes.
#pragma once

#include <cstdint>

#include "gpu/clock_report.h"
#include "gpu/virtual/vm/clock/cost.h"

namespace warpbook::gpu::vm {

struct WarpAccount {
  std::uint64_t began = 0, accounted = 0;  // cycles: it is here since, and what it did is known until
  std::uint32_t lane = no_lane;            // in the timeline
  static constexpr std::uint32_t no_lane = 0xffffffffu;
};

class ClockStalls {
 public:
  explicit ClockStalls(bool timeline) : timeline_(timeline) {}

  WarpAccount begin(std::uint32_t block, std::uint32_t warp, std::uint32_t sm, std::uint32_t scheduler, std::uint64_t cycle);
  void until(WarpAccount& account, std::uint64_t cycle, WarpState state, CostTable& table, std::size_t index);
  void end(const WarpAccount& account) { active_ += account.accounted - account.began; }
  void report_to(ClockReport& report, std::uint64_t end);

 private:
  // What a view can still draw and a window still hold: 16 MB.
  static constexpr std::size_t most_lanes = 4096, most_spans = std::size_t{1} << 19;

  bool timeline_;
  WarpCycles sums_{};
  std::uint64_t active_ = 0;
  Timeline kept_;
  std::size_t spans_ = 0;
};

}  // namespace warpbook::gpu::vm
