#include "lessons/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lessons/experiment.h"

namespace warpbook::lessons {
namespace {

constexpr std::array<std::string_view, limit_count> names{"sectors",      "sectors_of_start",     "bank_conflicts", "atomics",
                                                          "instructions", "float64_instructions", "time",           "occupancy"};

using Count = std::uint64_t (*)(const gpu::LineCounts&);

std::uint64_t sectors(const gpu::LineCounts& line) { return line.sectors; }
std::uint64_t fewest(const gpu::LineCounts& line) { return line.fewest_sectors; }
std::uint64_t too_many(const gpu::LineCounts& line) { return line.sectors - std::min(line.sectors, line.fewest_sectors); }
std::uint64_t conflicts(const gpu::LineCounts& line) {
  return line.shared_passes - std::min(line.shared_passes, line.shared_requests);
}
std::uint64_t atomics(const gpu::LineCounts& line) { return line.atomic_lanes; }
std::uint64_t instructions(const gpu::LineCounts& line) { return line.warp_instructions; }
std::uint64_t float64(const gpu::LineCounts& line) { return line.float64_instructions; }

/// Cycles in which warps were at the line and could not issue.
std::uint64_t waited(const gpu::LineCounts& line) {
  const auto& cycles = line.warp_cycles;
  return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}) - cycles[static_cast<std::size_t>(gpu::WarpState::issued)];
}

double sum(const gpu::LaunchReport& report, Count count) {
  std::uint64_t all = 0;
  for (const gpu::LineCounts& line : report.lines) all += count(line);
  return static_cast<double>(all);
}

/// The line with the highest count. 0: none.
std::uint32_t line_of_most(const gpu::LaunchReport& report, Count count) {
  std::uint32_t at = 0;
  std::uint64_t most = 0;
  for (const gpu::LineCounts& line : report.lines) {
    if (count(line) <= most) continue;
    most = count(line);
    at = line.line;
  }
  return at;
}

/// The amount that a limit is about, and its maximum.
struct Amount {
  double is = 0, may = 0;
  std::uint32_t line = 0;
  std::string message;
};

std::string times(double factor) { return fmt::format("{:.2f}", factor); }

Amount of_sectors(const gpu::LaunchReport& mine, double limit) {
  const double moved = sum(mine, sectors), least = sum(mine, fewest);
  Amount amount{.is = moved, .may = limit * least, .line = line_of_most(mine, too_many)};
  amount.message = fmt::format(
      "The result is right, but the kernel moves {:.0f} sectors of global memory, {} times the fewest that could hold what its "
      "threads ask for ({:.0f}). The exercise allows {} times. Most of those that are too many belong to line {}.",
      moved, times(least > 0 ? moved / least : 0), least, times(limit), amount.line);
  return amount;
}

Amount of_sectors_of_start(const gpu::LaunchReport& mine, const gpu::LaunchReport& start, double limit) {
  const double moved = sum(mine, sectors), before = sum(start, sectors);
  Amount amount{.is = moved, .may = limit * before, .line = line_of_most(mine, sectors)};
  amount.message = fmt::format(
      "The result is right, but the kernel moves {:.0f} sectors of global memory, {} times as many as the kernel that you began "
      "with ({:.0f}). The exercise allows {} times. Line {} moves the most.",
      moved, times(before > 0 ? moved / before : 0), before, times(limit), amount.line);
  return amount;
}

Amount of_conflicts(const gpu::LaunchReport& mine, double limit) {
  Amount amount{.is = sum(mine, conflicts), .may = limit, .line = line_of_most(mine, conflicts)};
  amount.message = fmt::format(
      "The result is right, but shared memory needs {:.0f} passes more than one for each request, and the exercise allows {:.0f}. "
      "Most of them belong to line {}.",
      amount.is, limit, amount.line);
  return amount;
}

Amount of_atomics(const gpu::LaunchReport& mine, const gpu::LaunchReport& right, double limit) {
  Amount amount{.is = sum(mine, atomics), .may = limit * sum(right, atomics), .line = line_of_most(mine, atomics)};
  amount.message = fmt::format(
      "The result is right, but the threads do {:.0f} atomic operations, and the exercise allows {:.0f}. Most of them are in line "
      "{}.",
      amount.is, amount.may, amount.line);
  return amount;
}

Amount of_instructions(const gpu::LaunchReport& mine, const gpu::LaunchReport& right, double limit) {
  Amount amount{.is = sum(mine, instructions), .may = limit * sum(right, instructions), .line = line_of_most(mine, instructions)};
  amount.message = fmt::format(
      "The result is right, but the warps execute {:.0f} instructions, and the exercise allows {:.0f}. Line {} executes the most.",
      amount.is, amount.may, amount.line);
  return amount;
}

Amount of_float64(const gpu::LaunchReport& mine, double limit) {
  Amount amount{.is = sum(mine, float64), .may = limit, .line = line_of_most(mine, float64)};
  amount.message = fmt::format(
      "The result is right, but the warps execute {:.0f} instructions in double precision (float64), and the exercise allows "
      "{:.0f}. Most of them are in line {}.",
      amount.is, limit, amount.line);
  return amount;
}

Amount of_time(const gpu::LaunchReport& mine, const gpu::LaunchReport& right, double limit) {
  const double us = microseconds(mine), best = microseconds(right);
  Amount amount{.is = us, .may = limit * best, .line = line_of_most(mine, waited)};
  amount.message = fmt::format(
      "The result is right, but by the model of the {} the kernel takes {:.2f} µs. The exercise allows {:.2f} µs, {} times what "
      "the solution takes. Warps wait longest in line {}.",
      mine.clock ? mine.clock->profile : mine.device, us, amount.may, times(limit), amount.line);
  return amount;
}

Amount of_occupancy(const gpu::LaunchReport& mine, double limit) {
  const double share = mine.clock ? mine.clock->theoretical_occupancy : 0;
  // A smaller occupancy is worse: with negative signs, exceeding the maximum means falling below the limit.
  Amount amount{.is = -share, .may = -limit};
  amount.message = fmt::format(
      "The result is right, but at most {:.0f} % of the places for warps of a {} can be filled, and the exercise asks for {:.0f} "
      "%. A block has {} threads{}, and {} bytes of shared memory.",
      100 * share, mine.clock ? mine.clock->profile : mine.device, 100 * limit, mine.block.count(),
      mine.registers ? fmt::format(", with {} registers each", *mine.registers) : std::string(), mine.shared_bytes);
  return amount;
}

bool saw(const Spent& spent, gpu::FindingKind kind) {
  return spent.counted != nullptr && spent.counted->observed[kind] != gpu::Observation::not_observed;
}

/// Empty if it was not observed.
std::optional<Amount> amount_of(Limit which, double limit, const SpentBy& spent) {
  const auto& [mine, right, start] = spent;
  const bool counted = mine.counted != nullptr && !mine.counted->lines.empty(), both = counted && right.counted != nullptr;
  const bool timed = mine.timed != nullptr && mine.timed->clock.has_value();
  switch (which) {
    case Limit::sectors:
      if (saw(mine, gpu::FindingKind::coalescing)) return of_sectors(*mine.counted, limit);
      break;
    case Limit::sectors_of_start:
      if (saw(mine, gpu::FindingKind::coalescing) && saw(start, gpu::FindingKind::coalescing))
        return of_sectors_of_start(*mine.counted, *start.counted, limit);
      break;
    case Limit::bank_conflicts:
      if (saw(mine, gpu::FindingKind::banks)) return of_conflicts(*mine.counted, limit);
      break;
    case Limit::atomics:
      if (both) return of_atomics(*mine.counted, *right.counted, limit);
      break;
    case Limit::instructions:
      if (both) return of_instructions(*mine.counted, *right.counted, limit);
      break;
    case Limit::float64_instructions:
      if (counted) return of_float64(*mine.counted, limit);
      break;
    case Limit::time:
      if (timed && right.timed != nullptr) return of_time(*mine.timed, *right.timed, limit);
      break;
    case Limit::occupancy:
      if (timed) return of_occupancy(*mine.timed, limit);
      break;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Limit limit) { return names[static_cast<std::size_t>(limit)]; }

std::optional<Limit> limit_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Limit>(found - names.begin());
}

bool Limits::any() const {
  return std::any_of(of.begin(), of.end(), [](const auto& limit) { return limit.has_value(); });
}

bool Limits::counted() const {
  return std::any_of(of.begin(), of.begin() + static_cast<int>(Limit::time), [](const auto& limit) { return limit.has_value(); });
}

std::optional<Checks::Over> first_over(const Limits& limits, const SpentBy& spent) {
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < limit_count; ++i) {
    const auto which = static_cast<Limit>(i);
    if (!limits[which]) continue;
    auto amount = amount_of(which, *limits[which], spent);
    if (!amount || amount->is <= amount->may + rounding) continue;
    return Checks::Over{.limit = std::string(name_of(which)),
                        .amount = std::abs(amount->is),
                        .allowed = std::abs(amount->may),
                        .line = amount->line,
                        .message = std::move(amount->message)};
  }
  return std::nullopt;
}

}  // namespace warpbook::lessons
