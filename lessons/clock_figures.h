// Clock figures: what several lessons show of a launch with the clock schedule: its timeline, its occupancy, its memory requests.
//
//     options.observe.timeline = true;
//     auto report = host.launch(…, options);
//     outcome.figures.push_back(SmTimeline{.runs = {take_run(*report, "as it is")}, .title = …});
//     outcome.figures.push_back(occupancy_curves(host.device(), *report, options.dynamic_shared_bytes));
//     outcome.figures.push_back(memory_map(*report, arrays, [](const auto& record) { return record.block == 5; }));
//
// The caller leaves out what the device did not record; see has_timeline().
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "lessons/figures.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

/// Whether the launch was timed by the model and its warps were recorded.
[[nodiscard]] bool has_timeline(const gpu::LaunchReport& report);

/// The launch as a run of an SmTimeline. The spans are moved into the figure; the rest stays in the report.
[[nodiscard]] SmTimeline::Run take_run(gpu::LaunchReport& report, std::string label);

/// What the warps waited for most.
struct MainWait {
  gpu::WarpState state = gpu::WarpState::issued;
  double share = 0;  // of all cycles of resident warps; 0: not observed
};
[[nodiscard]] MainWait main_wait(const gpu::ClockReport& clock);
/// The title of a timeline: "Warps spend 83 % of their time waiting for global memory".
[[nodiscard]] std::string title_of(const MainWait& wait);

/// Occupancy as a function of block size, registers and shared memory, where one varies and the others are the launch's. The curves
/// are empty if the device's compute capability is unknown.
[[nodiscard]] OccupancyCurves occupancy_curves(const gpu::DeviceInfo& device, const gpu::LaunchReport& report,
                                               std::uint32_t dynamic_shared_bytes);

/// The requests for which `wanted` returns true, in the order of issue, at most a few hundred.
using Wanted = std::function<bool(const gpu::AccessRecord&)>;
[[nodiscard]] MemoryMap memory_map(const gpu::LaunchReport& report, std::span<const gpu::Buffer> arrays, const Wanted& wanted);

/// Adds the time of each version that has a letter as a number "us_of_B".
void add_times(std::vector<Number>& numbers, const Roofline& roofline);

/// What a page for any kernel counts of a launch; `changed`: elements that have another value than before.
[[nodiscard]] std::vector<Number> launch_numbers(std::uint64_t threads, std::uint64_t changed, const gpu::LaunchReport& report);
/// What a page for any kernel shows of a launch, as far as the device recorded it: all memory requests, the timeline, the
/// occupancy.
void add_launch_figures(Outcome& outcome, const gpu::DeviceInfo& device, gpu::LaunchReport& report,
                        std::span<const gpu::Buffer> buffers, std::uint32_t dynamic_shared_bytes);

}  // namespace warpbook::lessons
