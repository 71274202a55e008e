#include "app/commands/clock_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "app/commands/report_text.h"
#include "gpu/text.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;
using gpu::FindingKind;

constexpr std::size_t reasons_told = 4, lines_told = 5;

std::uint64_t sum(const gpu::WarpCycles& cycles) { return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0}); }

Json warp_cycles_json(const gpu::WarpCycles& cycles) {
  Json json = Json::object();
  for (std::size_t i = 0; i < gpu::warp_states; ++i) json[std::string(gpu::name_of(static_cast<gpu::WarpState>(i)))] = cycles[i];
  return json;
}

Json level_json(const gpu::MemoryLevel& level) {
  return {
      {"sectors", level.sectors}, {"hits", level.hits}, {"bytes_read", level.bytes_read}, {"bytes_written", level.bytes_written}};
}

bool looked_for(const gpu::LaunchReport& report, FindingKind kind) {
  return report.observed[kind] != gpu::Observation::not_observed;
}

bool looked_for_anything(const gpu::LaunchReport& report) {
  return std::any_of(report.observed.of.begin(), report.observed.of.end(),
                     [](gpu::Observation state) { return state != gpu::Observation::not_observed; });
}

/// States with any cycles, the longest first.
std::vector<std::pair<gpu::WarpState, std::uint64_t>> by_length(const gpu::WarpCycles& cycles) {
  std::vector<std::pair<gpu::WarpState, std::uint64_t>> states;
  for (std::size_t i = 0; i < gpu::warp_states; ++i) {
    if (cycles[i] > 0) states.emplace_back(static_cast<gpu::WarpState>(i), cycles[i]);
  }
  std::stable_sort(states.begin(), states.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return states;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} KB", value / 1e3);
  if (bytes < 10'000'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

std::string level_text(std::string_view name, const gpu::MemoryLevel& level) {
  return fmt::format("{} {:.0f} % of {} sectors", name, percent(level.hits, level.sectors), level.sectors);
}

std::string hottest_lines(const gpu::LaunchReport& report, std::string_view source) {
  std::vector<const gpu::LineCounts*> lines;
  std::uint64_t all = 0;
  for (const gpu::LineCounts& line : report.lines) {
    if (const std::uint64_t cycles = sum(line.warp_cycles); cycles > 0) {
      all += cycles;
      lines.push_back(&line);
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto* a, const auto* b) { return sum(a->warp_cycles) > sum(b->warp_cycles); });
  if (lines.size() > lines_told) lines.resize(lines_told);
  std::string text;
  for (const gpu::LineCounts* line : lines) {
    const auto states = by_length(line->warp_cycles);
    text += fmt::format("  {:>5.1f} %  line {:<4} {:<40}  {:.0f} % {}\n", percent(sum(line->warp_cycles), all), line->line,
                        trimmed(line_of(source, line->line)), percent(states.front().second, sum(line->warp_cycles)),
                        gpu::name_of(states.front().first));
  }
  return text.empty() ? text : "Where warps stood:\n" + text;
}

}  // namespace

Json clock_json(const gpu::ClockReport& clock) {
  Json json;
  json["profile"] = clock.profile;
  json["label"] = "model";
  json["cycles"] = clock.cycles;
  json["us"] = clock.us;
  json["multiprocessors"] = clock.multiprocessors;
  json["schedulers"] = clock.schedulers;
  json["blocks"] = clock.blocks;
  json["blocks_simulated"] = clock.blocks_simulated;
  json["sampled"] = clock.sampled();
  json["issued"] = clock.issued;
  json["issue_slots"] = clock.issue_slots;
  json["issue_use"] = clock.issue_use();
  json["resident_blocks"] = clock.resident_blocks;
  json["theoretical_occupancy"] = clock.theoretical_occupancy;
  json["occupancy"] = clock.occupancy;
  json["active_warp_cycles"] = clock.active_warp_cycles;
  json["warp_cycles"] = warp_cycles_json(clock.warp_cycles);
  json["l1"] = level_json(clock.l1);
  json["l2"] = level_json(clock.l2);
  json["dram"] = level_json(clock.dram);
  json["shared_requests"] = clock.shared_requests;
  json["shared_passes"] = clock.shared_passes;
  json["constant_requests"] = clock.constant_requests;
  json["constant_passes"] = clock.constant_passes;
  json["dram_gb_per_s"] = clock.dram_gb_per_s;
  json["dram_limit_gb_per_s"] = clock.dram_limit_gb_per_s;
  return json;
}

Json lines_json(const gpu::LaunchReport& report, std::string_view source) {
  const bool global = looked_for(report, FindingKind::coalescing), shared = looked_for(report, FindingKind::banks),
             branches = looked_for(report, FindingKind::divergence), counted = looked_for_anything(report);
  const auto seen = [](bool observed, std::uint64_t count) { return observed ? Json(count) : Json(); };
  Json lines = Json::array();
  for (const gpu::LineCounts& line : report.lines) {
    Json json;
    json["line"] = line.line;
    if (!source.empty()) json["text"] = trimmed(line_of(source, line.line));
    json["warp_instructions"] = seen(counted, line.warp_instructions);
    json["thread_instructions"] = seen(counted, line.thread_instructions);
    json["float64_instructions"] = seen(counted, line.float64_instructions);
    json["float32_operations"] = seen(counted, line.float32_operations);
    json["float64_operations"] = seen(counted, line.float64_operations);
    json["active_lanes"] =  // of 32, on average
        counted && line.warp_instructions > 0
            ? Json(static_cast<double>(line.thread_instructions) / static_cast<double>(line.warp_instructions))
            : Json();
    json["global_requests"] = seen(global, line.global_requests);
    json["sectors"] = seen(global, line.sectors);
    json["fewest_sectors"] = seen(global, line.fewest_sectors);
    json["shared_requests"] = seen(shared, line.shared_requests);
    json["shared_passes"] = seen(shared, line.shared_passes);
    json["branches"] = seen(branches, line.branches);
    json["split_branches"] = seen(branches, line.split_branches);
    json["atomic_requests"] = seen(counted, line.atomic_requests);
    json["atomic_lanes"] = seen(counted, line.atomic_lanes);
    json["atomic_passes"] = seen(counted, line.atomic_passes);
    json["warp_cycles"] = report.clock ? warp_cycles_json(line.warp_cycles) : Json();
    lines.push_back(std::move(json));
  }
  return lines;
}

std::string clock_text(const gpu::LaunchReport& report, std::string_view source) {
  if (!report.clock) return {};
  const gpu::ClockReport& clock = *report.clock;
  std::string text = fmt::format("By the clock model of the {}", clock.profile);
  if (clock.sampled()) text += fmt::format(", from {} of {} blocks", clock.blocks_simulated, clock.blocks);
  text +=
      fmt::format(": occupancy {:.0f} % of at most {:.0f} % (blocks resident on an SM: {}), {:.1f} % of the issue slots used.\n",
                  100 * clock.occupancy, 100 * clock.theoretical_occupancy, clock.resident_blocks, 100 * clock.issue_use());
  auto states = by_length(clock.warp_cycles);
  if (states.size() > reasons_told) states.resize(reasons_told);
  if (!states.empty()) text += "What warps did:\n";
  for (const auto& [state, cycles] : states) {
    text += fmt::format("  {:>5.1f} %  {:<12}  {}\n", percent(cycles, sum(clock.warp_cycles)), gpu::name_of(state),
                        gpu::explanation_of(state));
  }
  text += hottest_lines(report, source);
  if (clock.l1.sectors > 0 || clock.l2.sectors > 0 || clock.dram.sectors > 0) {
    text += fmt::format("Found in {}, in {}; {} read from memory and {} written to it", level_text("L1", clock.l1),
                        level_text("L2", clock.l2), bytes_text(clock.dram.bytes_read), bytes_text(clock.dram.bytes_written));
    if (clock.dram_limit_gb_per_s > 0)
      text += fmt::format(", {:.1f} of {:.0f} GB/s", clock.dram_gb_per_s, clock.dram_limit_gb_per_s);
    text += ".\n";
  }
  if (clock.shared_requests > 0) {
    text += fmt::format("Shared memory took {} passes for {} requests.\n", clock.shared_passes, clock.shared_requests);
  }
  if (clock.constant_requests > 0) {
    text += fmt::format("Constant memory took {} passes for {} requests.\n", clock.constant_passes, clock.constant_requests);
  }
  return text;
}

Json trace_events(const gpu::LaunchReport& report, std::string_view source) {
  const gpu::Timeline timeline = report.clock ? report.clock->timeline : gpu::Timeline{};
  Json events = Json::array();
  for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
    const gpu::WarpLane& lane = timeline.lanes[i];
    if (i == 0 || timeline.lanes[i - 1].sm != lane.sm) {
      events.push_back(
          {{"ph", "M"}, {"name", "process_name"}, {"pid", lane.sm}, {"args", {{"name", fmt::format("SM {}", lane.sm)}}}});
    }
    const std::string name = fmt::format("scheduler {}: block {}, warp {}", lane.scheduler, lane.block, lane.warp);
    events.push_back({{"ph", "M"}, {"name", "thread_name"}, {"pid", lane.sm}, {"tid", i}, {"args", {{"name", name}}}});
    for (const gpu::WarpLane::Span& span : lane.spans) {
      events.push_back({{"ph", "X"},
                        {"name", gpu::name_of(span.state)},
                        {"cat", "model"},
                        {"pid", lane.sm},
                        {"tid", i},
                        {"ts", span.begin},
                        {"dur", span.end - span.begin},
                        {"args", {{"line", span.line}, {"pc", span.pc}, {"text", trimmed(line_of(source, span.line))}}}});
    }
  }
  return {{"traceEvents", std::move(events)},
          {"otherData",
           {{"label", "model"},
            {"kernel", report.kernel},
            {"device", report.device},
            {"unit", "1 µs here is 1 cycle"},
            {"truncated", timeline.truncated}}}};
}

}  // namespace warpbook::app
