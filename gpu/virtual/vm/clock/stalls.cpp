#include "gpu/virtual/vm/clock/stalls.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpbook::gpu::vm {

WarpAccount ClockStalls::begin(std::uint32_t block, std::uint32_t warp, std::uint32_t sm, std::uint32_t scheduler,
                               std::uint64_t cycle) {
  WarpAccount account{cycle, cycle, WarpAccount::no_lane};
  if (!timeline_) return account;
  if (kept_.lanes.size() < most_lanes) {
    account.lane = static_cast<std::uint32_t>(kept_.lanes.size());
    kept_.lanes.push_back({static_cast<std::uint16_t>(sm), static_cast<std::uint16_t>(scheduler), block, warp, {}});
  } else {
    kept_.truncated = true;
  }
  return account;
}

void ClockStalls::until(WarpAccount& account, std::uint64_t cycle, WarpState state, CostTable& table, std::size_t index) {
  if (cycle <= account.accounted) return;
  const std::uint64_t from = std::exchange(account.accounted, cycle);
  sums_[static_cast<std::size_t>(state)] += cycle - from;
  table.cycles[index][static_cast<std::size_t>(state)] += cycle - from;
  if (account.lane == WarpAccount::no_lane) return;
  auto& spans = kept_.lanes[account.lane].spans;
  const Inst& inst = table.code->insts[index];
  if (!spans.empty() && spans.back().state == state && spans.back().pc == inst.pc && spans.back().end == from) {
    spans.back().end = cycle;
  } else if (spans_ < most_spans) {
    ++spans_;
    spans.push_back({from, cycle, state, inst.ptx ? inst.ptx->line : 0, inst.pc});
  } else {
    kept_.truncated = true;
  }
}

void ClockStalls::report_to(ClockReport& report, std::uint64_t end) {
  report.warp_cycles = sums_;
  report.active_warp_cycles = active_;
  if (!timeline_) return;
  std::erase_if(kept_.lanes, [](const WarpLane& lane) { return lane.spans.empty(); });
  std::stable_sort(kept_.lanes.begin(), kept_.lanes.end(), [](const WarpLane& a, const WarpLane& b) {
    return std::tuple(a.sm, a.scheduler, a.spans.front().begin) < std::tuple(b.sm, b.scheduler, b.spans.front().begin);
  });
  kept_.end = end;
  report.timeline = std::move(kept_);
}

}  // namespace warpbook::gpu::vm
