#include "lessons/11_divergence/lanes.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>

namespace warpbook::lessons {
namespace {

using gpu::HistoryStep;
using Stretch = LaneTimeline::Stretch;

constexpr std::size_t most_by_line = 24;  // more cannot be labelled

std::vector<Stretch> stretches(const gpu::History& history, std::span<const std::uint32_t> steps, bool by_line) {
  std::vector<Stretch> joined;
  std::map<std::uint32_t, std::uint32_t> lines;  // of the last range: line to instructions
  const auto end_stretch = [&] {
    if (joined.empty()) return;
    const auto most =
        std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == lines.end()) return;  // the compiler gave no lines
    joined.back().line = most->first;
    joined.back().first_line = lines.begin()->first;
    joined.back().last_line = lines.rbegin()->first;
  };
  std::uint32_t line = 0;
  for (const std::uint32_t index : steps) {
    const HistoryStep& step = history.steps()[index];
    if (step.mask == 0) continue;
    if (joined.empty() || joined.back().mask != step.mask || (by_line && line != step.line)) {
      end_stretch();
      lines.clear();
      joined.push_back({.mask = step.mask});
    }
    line = step.line;
    ++joined.back().instructions;
    if (step.line > 0) ++lines[step.line];
  }
  end_stretch();
  return joined;
}

}  // namespace

LaneTimeline::Warp lanes_of(const gpu::History& history, gpu::WarpRef warp) {
  LaneTimeline::Warp made{.block = warp.block, .warp = warp.warp};
  const auto steps = history.steps_of(warp);
  made.stretches = stretches(history, steps, true);
  if (made.stretches.size() > most_by_line) made.stretches = stretches(history, steps, false);
  for (const Stretch& stretch : made.stretches) {
    made.instructions += stretch.instructions;
    made.lane_instructions += std::uint64_t{stretch.instructions} * static_cast<std::uint64_t>(std::popcount(stretch.mask));
  }
  return made;
}

LaneTimeline lanes_of(const gpu::History& history, gpu::Dim3 grid, gpu::Dim3 block) {
  const std::uint64_t a_block = (std::uint64_t{block.x} * block.y * block.z + 31) / 32;
  LaneTimeline figure{.launched = std::uint64_t{grid.x} * grid.y * grid.z * a_block};
  const auto length = [&](gpu::WarpRef warp) { return history.steps_of(warp).size(); };
  const gpu::WarpRef *longest = nullptr, *shortest = nullptr;
  for (const gpu::WarpRef& warp : history.warps()) {
    const auto steps = history.steps_of(warp);
    if (history.dropped() > 0 && history.steps()[steps.front()].pc != 0) continue;
    if (longest == nullptr || length(warp) > length(*longest)) longest = &warp;
    if (shortest == nullptr || length(warp) <= length(*shortest)) shortest = &warp;
  }
  if (longest == nullptr) return figure;
  figure.warps.push_back(lanes_of(history, *longest));
  if (*shortest != *longest) figure.warps.push_back(lanes_of(history, *shortest));
  return figure;
}

}  // namespace warpbook::lessons
