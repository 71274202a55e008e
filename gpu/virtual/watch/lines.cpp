#include "gpu/virtual/watch/lines.h"

#include <map>

namespace warpbook::gpu::watch {

void Lines::move_to(LaunchReport& report) {
  std::map<std::uint32_t, LineCounts> lines;
  for (std::uint32_t number = 1; number < counts_.size(); ++number) {
    const Count& count = counts_[number];
    const std::uint32_t line = count.warps ? line_of(scene_.site(number)) : 0;
    if (line == 0) continue;
    LineCounts& sum = lines[line];
    sum.line = line;
    sum.warp_instructions += count.warps;
    sum.thread_instructions += count.threads;
  }
  report.lines.clear();
  for (const auto& [line, sum] : lines) report.lines.push_back(sum);
}

}  // namespace warpbook::gpu::watch
