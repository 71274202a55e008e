#include "gpu/virtual/watch/divergence.h"

#include <fmt/format.h>

#include <bit>
#include <map>

namespace warpbook::gpu::watch {

void Divergence::on_launch(const vm::LaunchInfo&) { tallies_.assign(scene_.site_count() + 1, {}); }

void Divergence::on_branch(const vm::Branch& branch) {
  Tally& tally = tallies_[scene_.site_number(branch.site)];
  ++tally.came;
  tally.lanes += static_cast<std::uint64_t>(std::popcount(branch.mask));
  tally.all_lanes += static_cast<std::uint64_t>(std::popcount(scene_.lanes_of(branch.warp.warp)));
  if (branch.taken == 0 || branch.taken == branch.mask) return;
  if (tally.split == 0) {
    tally.first_split = branch.warp;
    tally.first_mask = branch.mask;
    tally.first_taken = branch.taken;
  } else if (branch.warp.block != tally.first_split.block || branch.warp.warp != tally.first_split.warp) {
    tally.several_warps = true;
  }
  ++tally.split;
}

void Divergence::add_to(CountsByLine& lines) const {
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    if (tally.came == 0) continue;
    LineCounts& line = lines[line_of(scene_.site(number))];
    line.branches += tally.came;
    line.split_branches += tally.split;
  }
}

bool Divergence::waits_in_loop(const Tally& tally) const {
  const std::uint64_t warps = scene_.grid().count() * scene_.warps_per_block();
  return tally.came >= 2 * warps && (tally.all_lanes - tally.lanes) * one_in >= tally.all_lanes;
}

void Divergence::finish() {
  struct Line {
    Tally sum;
    vm::Site site;
  };
  std::map<std::uint32_t, Line> lines;
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    if (tally.came == 0) continue;
    const vm::Site site = scene_.site(number);
    Line& line = lines[Scene::line_key(site)];
    if (tally.split && (line.sum.split == 0)) {
      line.site = site;
      line.sum.first_split = tally.first_split;
      line.sum.first_mask = tally.first_mask;
      line.sum.first_taken = tally.first_taken;
    } else if (tally.split &&
               (tally.first_split.block != line.sum.first_split.block || tally.first_split.warp != line.sum.first_split.warp)) {
      line.sum.several_warps = true;
    }
    line.sum.several_warps |= tally.several_warps;
    line.sum.came += tally.came;
    line.sum.split += tally.split;
    line.sum.lanes += tally.lanes;
    line.sum.all_lanes += tally.all_lanes;
  }
  for (const auto& [key_line, line] : lines) {
    const Tally& sum = line.sum;
    const bool often = sum.split * one_in >= sum.came;
    if (!sum.several_warps || (!often && !waits_in_loop(sum))) continue;
    const FindingKey key{.kind = FindingKind::divergence, .line = key_line, .other_line = 0, .space = {}, .buffer = {}};
    findings_.note(key, sum.split, [&] {
      const auto lane = static_cast<unsigned>(std::countr_zero(sum.first_taken));
      Finding finding{
          .space = {}, .message = {}, .at = scene_.place(line.site, sum.first_split, lane), .buffer = {}, .index = {}, .other = {}};
      if (!often) {
        finding.message = fmt::format(
            "Lanes leave the loop{} at different times, and those that have left wait for the last one of their warp: on average "
            "{:.1f} "
            "of {:.0f} lanes come to this branch. Give neighbouring threads work of the same length.",
            at_line(finding.at), static_cast<double>(sum.lanes) / static_cast<double>(sum.came),
            static_cast<double>(sum.all_lanes) / static_cast<double>(sum.came));
        return finding;
      }
      const int one_way = std::popcount(sum.first_taken), all = std::popcount(sum.first_mask);
      finding.message = fmt::format(
          "The branch{} splits {} of the {} warps that come to it ({:.0f} %); in the first, {} lanes go one way and {} the other, "
          "one after the other. Let whole warps take the same way: branch on something that is equal for 32 neighbouring threads.",
          at_line(finding.at), sum.split, sum.came, 100.0 * static_cast<double>(sum.split) / static_cast<double>(sum.came), one_way,
          all - one_way);
      return finding;
    });
  }
}

}  // namespace warpbook::gpu::watch
