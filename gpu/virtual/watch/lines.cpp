#include "gpu/virtual/watch/lines.h"

#include <algorithm>
#include <array>

#include "gpu/virtual/watch/vectorised.h"

namespace warpbook::gpu::watch {

WARPBOOK_VECTORISED unsigned lanes_on_one_address(const std::uint64_t* address, std::uint32_t mask) {
  std::array<std::uint64_t, 32> same{};  // lanes that want what this lane wants
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint64_t one = address[std::countr_zero(rest)];
    for (unsigned lane = 0; lane < 32; ++lane) same[lane] += address[lane] == one;
  }
  std::uint64_t most = 0;
  for (unsigned lane = 0; lane < 32; ++lane) most = std::max(most, (mask >> lane & 1) ? same[lane] : 0);
  return static_cast<unsigned>(most);
}

void Lines::on_access(const vm::Access& access) {
  if (access.kind != vm::Access::Kind::atomic || access.mask == 0) return;
  Count& count = counts_[scene_.site_number(access.site)];
  ++count.atomic_requests;
  count.atomic_lanes += static_cast<unsigned>(std::popcount(access.mask));
  count.atomic_passes += lanes_on_one_address(access.address, access.mask);
}

void Lines::add_to(CountsByLine& lines) const {
  std::uint64_t warps = 0, threads = 0;  // by the stretch
  for (std::uint32_t number = 1; number < counts_.size(); ++number) {
    Count count = counts_[number];
    count.warps += warps += steps_[number][0];
    count.threads += threads += steps_[number][1];
    if (count.warps == 0 && count.atomic_requests == 0) continue;
    LineCounts& line = lines[line_of(scene_.site(number))];
    line.warp_instructions += count.warps;
    line.thread_instructions += count.threads;
    line.atomic_requests += count.atomic_requests;
    line.atomic_lanes += count.atomic_lanes;
    line.atomic_passes += count.atomic_passes;
  }
}

}  // namespace warpbook::gpu::watch
