#include "app/session/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/text/numbers.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using gpu::LineCounts;
using gpu::WarpState;

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::uint64_t waited(const LineCounts& line) {
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < gpu::warp_states; ++s) {
    if (s != static_cast<std::size_t>(WarpState::issued)) sum += line.warp_cycles[s];
  }
  return sum;
}

std::uint64_t shared_requests(const LineCounts& line) { return line.shared_requests + line.atomic_requests; }
std::uint64_t shared_passes(const LineCounts& line) { return line.shared_passes + line.atomic_passes; }

/// "987", "12.3k", "4.1M": a count in a narrow column.
std::string brief(std::uint64_t count) {
  const auto value = static_cast<double>(count);
  if (count < 10'000) return fmt::format("{}", count);
  for (const auto& [size, letter] : {std::pair{1e9, 'G'}, std::pair{1e6, 'M'}, std::pair{1e3, 'k'}}) {
    if (value >= size) return fmt::format("{:.{}f}{}", value / size, value / size < 100 ? 1 : 0, letter);
  }
  return {};
}

std::string share_text(double share) {
  if (!std::isfinite(share)) return "–";
  if (share > 0 && share < 0.005) return "<1 %";
  return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

std::vector<HeatCell> heat_of(const gpu::LaunchReport& report, HeatColumn column) {
  std::vector<HeatCell> cells;
  if (column == HeatColumn::off) return cells;
  std::uint64_t most = 0, waiting = 0;
  for (const LineCounts& line : report.lines) {
    most = std::max(most, line.warp_instructions);
    waiting += waited(line);
  }
  const auto add = [&](const LineCounts& line, std::string text, double heat) {
    cells.push_back({line.line, std::move(text), static_cast<float>(std::clamp(heat, 0.0, 1.0))});
  };
  for (const LineCounts& line : report.lines) {
    if (line.line == 0) continue;
    switch (column) {
      case HeatColumn::off:
        break;
      case HeatColumn::executions:
        if (line.warp_instructions > 0) add(line, brief(line.warp_instructions), ratio(line.warp_instructions, most));
        break;
      case HeatColumn::lanes:
        if (line.warp_instructions > 0) {
          const double lanes = ratio(line.thread_instructions, line.warp_instructions);
          add(line, short_number(lanes, 3), 1 - lanes / 32);
        }
        break;
      case HeatColumn::sectors:
        // 4 sectors hold what 32 lanes want of 4 bytes each; 32 is a sector a lane.
        if (line.global_requests > 0) {
          const double sectors = ratio(line.sectors, line.global_requests),
                       fewest = ratio(line.fewest_sectors, line.global_requests);
          add(line, short_number(sectors, 3), (sectors - fewest) / std::max(32 - fewest, 1.0));
        }
        break;
      case HeatColumn::conflicts:
        if (shared_requests(line) > 0) {
          const double passes = ratio(shared_passes(line), shared_requests(line));
          add(line, short_number(passes, 3), (passes - 1) / 31);
        }
        break;
      case HeatColumn::stalls:
        if (waited(line) > 0) add(line, share_text(ratio(waited(line), waiting)), ratio(waited(line), waiting));
        break;
    }
  }
  return cells;
}

std::vector<HeatFact> facts_of(const gpu::LaunchReport& report, std::uint32_t number) {
  const auto found =
      std::find_if(report.lines.begin(), report.lines.end(), [&](const LineCounts& line) { return line.line == number; });
  if (found == report.lines.end()) return {};
  const LineCounts& line = *found;
  const auto count = [](std::uint64_t value) { return grouped(static_cast<long long>(value)); };
  std::vector<HeatFact> facts;
  if (line.warp_instructions > 0) {
    facts.push_back({say("warp-instructions"), count(line.warp_instructions)});
    facts.push_back({say("active lanes"),
                     say("{lanes} of 32", "lanes"_a = short_number(ratio(line.thread_instructions, line.warp_instructions), 3))});
  }
  if (line.branches > 0)
    facts.push_back({say("warps that split at a branch"),
                     say("{some} of {all}", "some"_a = count(line.split_branches), "all"_a = count(line.branches))});
  if (line.global_requests > 0) {
    facts.push_back({say("requests to global memory"), count(line.global_requests)});
    facts.push_back({say("sectors a request"),
                     say("{sectors}, {fewest} would do", "sectors"_a = short_number(ratio(line.sectors, line.global_requests), 3),
                         "fewest"_a = short_number(ratio(line.fewest_sectors, line.global_requests), 3))});
  }
  if (line.shared_requests > 0) {
    facts.push_back({say("requests to shared memory"), count(line.shared_requests)});
    facts.push_back({say("passes a request"), short_number(ratio(line.shared_passes, line.shared_requests), 3)});
  }
  if (line.atomic_requests > 0) {
    facts.push_back({say("atomic requests"), count(line.atomic_requests)});
    facts.push_back({say("passes an atomic"), short_number(ratio(line.atomic_passes, line.atomic_requests), 3)});
  }
  if (const std::uint64_t waiting = waited(line); waiting > 0) {
    std::uint64_t all = 0;
    for (const LineCounts& other : report.lines) all += waited(other);
    facts.push_back({say("of all waiting (model)"), share_text(ratio(waiting, all))});
    std::size_t longest = 1;
    for (std::size_t s = 1; s < gpu::warp_states; ++s) {
      if (line.warp_cycles[s] > line.warp_cycles[longest]) longest = s;
    }
    facts.push_back(
        {std::string(gpu::explanation_of(static_cast<WarpState>(longest))), share_text(ratio(line.warp_cycles[longest], waiting))});
  }
  const auto findings = std::count_if(report.findings.begin(), report.findings.end(),
                                      [&](const gpu::Finding& finding) { return finding.at.line == number; });
  if (findings > 0) facts.push_back({"findings", count(static_cast<std::uint64_t>(findings))});
  return facts;
}

}  // namespace warpbook::app
