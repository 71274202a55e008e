#include "lessons/clock_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warpbook::lessons {
namespace {

using gpu::WarpState;

constexpr std::size_t most_requests = 512;               // more than a slider can select
constexpr int registers_step = 8, most_registers = 248;  // allocation granularity, up to a thread's maximum
constexpr int shared_steps = 32;

std::string_view doing(WarpState state) {
  switch (state) {
    case WarpState::issued:
      return "issuing instructions";
    case WarpState::not_selected:
      return "ready, while another warp has its turn";
    case WarpState::arithmetic:
      return "waiting for arithmetic";
    case WarpState::unit_busy:
      return "waiting for a busy arithmetic unit";
    case WarpState::memory:
      return "waiting for global memory";
    case WarpState::shared:
      return "waiting for shared memory";
    case WarpState::memory_busy:
      return "waiting for a busy load/store unit";
    case WarpState::fence:
      return "waiting until their stores or copies have reached memory";
    case WarpState::barrier:
      return "waiting at a barrier";
    case WarpState::lanes:
      return "waiting for their own lanes";
  }
  return {};
}

/// A curve over one member of the request. Points that the occupancy calculator refuses are left out.
template <class Set>
OccupancyCurves::Curve curve_over(const gpu::DeviceInfo& device, const gpu::OccupancyRequest& launch, std::vector<int> at,
                                  int present, const Set& set) {
  OccupancyCurves::Curve curve{.present = present};
  at.push_back(present);
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  for (const int value : at) {
    if (value < 0) continue;
    gpu::OccupancyRequest request = launch;
    set(request, value);
    if (const auto occupancy = gpu::occupancy(device, request)) curve.points.push_back({value, *occupancy});
  }
  return curve;
}

std::vector<int> steps_to(int last, int step) {
  std::vector<int> values;
  for (int value = step; value <= last; value += step) values.push_back(value);
  return values;
}

}  // namespace

bool has_timeline(const gpu::LaunchReport& report) { return report.clock && !report.clock->timeline.lanes.empty(); }

SmTimeline::Run take_run(gpu::LaunchReport& report, std::string label) {
  gpu::Timeline timeline = std::exchange(report.clock->timeline, {});
  auto clock = std::make_shared<gpu::ClockReport>(*report.clock);
  clock->timeline = std::move(timeline);
  return {.label = std::move(label), .clock = std::move(clock)};
}

MainWait main_wait(const gpu::ClockReport& clock) {
  std::uint64_t all = 0;
  std::size_t longest = 0;
  for (std::size_t s = 0; s < gpu::warp_states; ++s) {
    all += clock.warp_cycles[s];
    if (clock.warp_cycles[s] > clock.warp_cycles[longest]) longest = s;
  }
  if (all == 0) return {};
  return {static_cast<WarpState>(longest), static_cast<double>(clock.warp_cycles[longest]) / static_cast<double>(all)};
}

std::string title_of(const MainWait& wait) {
  if (wait.share == 0) return "What every warp did, cycle by cycle";
  return fmt::format("Warps spend {:.0f} % of their time {}", 100 * wait.share, doing(wait.state));
}

OccupancyCurves occupancy_curves(const gpu::DeviceInfo& device, const gpu::LaunchReport& report,
                                 std::uint32_t dynamic_shared_bytes) {
  const std::size_t of_the_kernel = report.shared_bytes - std::min(dynamic_shared_bytes, report.shared_bytes);
  const gpu::OccupancyRequest launch{.threads_per_block = static_cast<int>(report.block.count()),
                                     .registers_per_thread = report.registers.value_or(32),
                                     .static_shared_bytes = of_the_kernel,
                                     .dynamic_shared_bytes = dynamic_shared_bytes};
  OccupancyCurves figure;
  const auto present = gpu::occupancy(device, launch);
  if (!present) return figure;
  figure.present = *present;
  if (report.clock) figure.achieved = report.clock->occupancy;

  auto threads = curve_over(device, launch, steps_to(device.max_threads_per_block, 32), launch.threads_per_block,
                            [](gpu::OccupancyRequest& request, int value) { request.threads_per_block = value; });
  threads.label = "threads a block";
  auto registers = curve_over(device, launch, steps_to(most_registers, registers_step), launch.registers_per_thread,
                              [](gpu::OccupancyRequest& request, int value) { request.registers_per_thread = value; });
  registers.label = report.registers ? "registers a thread" : "registers a thread (not known: 32 taken)";
  // A launch can change the dynamic part only. The curve is over the total, starting with the kernel's static part.
  const auto most_shared = static_cast<int>(device.shared_per_block_optin);
  auto shared = curve_over(device, launch, steps_to(most_shared, std::max(most_shared / shared_steps, 1)),
                           static_cast<int>(report.shared_bytes), [](gpu::OccupancyRequest& request, int value) {
                             const auto bytes = static_cast<std::size_t>(value);
                             request.dynamic_shared_bytes = bytes;
                             request.static_shared_bytes = 0;
                           });
  shared.label = "bytes of shared memory a block";
  figure.curves = {std::move(threads), std::move(registers), std::move(shared)};
  return figure;
}

MemoryMap memory_map(const gpu::LaunchReport& report, std::span<const gpu::Buffer> arrays, const Wanted& wanted) {
  MemoryMap figure{.block = report.block};
  figure.arrays.push_back({.name = "shared memory"});
  for (const gpu::Buffer& buffer : arrays) {
    figure.arrays.push_back({.buffer = buffer.id,
                             .name = buffer.array.name,
                             .element_bytes = static_cast<std::uint32_t>(gpu::size_of(buffer.array.type)),
                             .shape = buffer.array.shape});
  }
  std::vector<gpu::AccessRecord> requests;
  for (const gpu::AccessRecord& record : report.trace) {
    const bool known =
        record.shared || std::any_of(arrays.begin(), arrays.end(), [&](const auto& b) { return b.id == record.buffer; });
    if (known && record.mask != 0 && wanted(record)) requests.push_back(record);
  }
  std::stable_sort(requests.begin(), requests.end(), [](const auto& l, const auto& r) { return l.issued < r.issued; });
  if (requests.size() > most_requests) requests.resize(most_requests);
  figure.requests = std::make_shared<const std::vector<gpu::AccessRecord>>(std::move(requests));
  return figure;
}

void add_times(std::vector<Number>& numbers, const Roofline& roofline) {
  for (const Roofline::Version& version : roofline.versions) {
    if (version.letter.empty()) continue;
    numbers.push_back({.name = "us_of_" + version.letter,
                       .label = to_say("Time of {version}", "version"_a = version.letter),
                       .value = version.us,
                       .decimals = 1,
                       .unit = "µs",
                       .on_page = false,
                       .of_device = true});
  }
}

std::vector<Number> launch_numbers(std::uint64_t threads, std::uint64_t changed, const gpu::LaunchReport& report) {
  std::vector<Number> numbers = {
      {.name = "threads", .label = to_say("Threads"), .value = static_cast<double>(threads)},
      {.name = "changed", .label = to_say("Elements changed"), .value = static_cast<double>(changed), .tone = Number::Tone::first}};
  if (report.cycles)
    numbers.push_back(
        {.name = "cycles", .label = to_say("Cycles (model)"), .value = static_cast<double>(*report.cycles), .of_device = true});
  else
    numbers.push_back(
        {.name = "ms", .label = to_say("Time"), .value = report.run_ms, .decimals = 2, .unit = "ms", .of_device = true});
  return numbers;
}

void add_launch_figures(Outcome& outcome, const gpu::DeviceInfo& device, gpu::LaunchReport& report,
                        std::span<const gpu::Buffer> buffers, std::uint32_t dynamic_shared_bytes) {
  if (!report.trace.empty())
    outcome.figures.emplace_back(memory_map(report, buffers, [](const gpu::AccessRecord&) { return true; }));
  if (has_timeline(report)) {
    SmTimeline timeline{.title = title_of(main_wait(*report.clock))};
    timeline.runs.push_back(take_run(report, report.kernel));
    outcome.figures.emplace_back(std::move(timeline));
  }
  if (auto curves = occupancy_curves(device, report, dynamic_shared_bytes); !curves.curves.empty())
    outcome.figures.emplace_back(std::move(curves));
}

}  // namespace warpbook::lessons
