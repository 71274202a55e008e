// Inside: what several lessons show of a watched clock launch: its timeline, its occupancy, its requests to memory.
//
//     options.observe.timeline = true;
//     auto report = host.launch(…, options);
//     outcome.figures.push_back(SmTimeline{.runs = {take_run(*report, "as it is")}, .title = …});
//     outcome.figures.push_back(occupancy_curves(host.device(), *report, options.dynamic_shared_bytes));
//     outcome.figures.push_back(memory_map(*report, arrays, [](const auto& record) { return record.block == 5; }));
//
// Who calls leaves out what a device has no record of: has_timeline() says so.
#pragma once

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

/// The launch as a run of an SmTimeline. The spans move into the figure; the report keeps everything else.
[[nodiscard]] SmTimeline::Run take_run(gpu::LaunchReport& report, std::string label);

/// What most of the warps' cycles went to.
struct MainWait {
  gpu::WarpState state = gpu::WarpState::issued;
  double share = 0;  // of all cycles of resident warps; 0: not observed
};
[[nodiscard]] MainWait main_wait(const gpu::ClockReport& clock);
/// As a timeline's title: "Warps spend 83 % of their time waiting for global memory".
[[nodiscard]] std::string title_of(const MainWait& wait);

/// Occupancy over block size, registers and shared memory, one changed and the others as in this launch. Empty curves where the
/// calculator knows no such device.
[[nodiscard]] OccupancyCurves occupancy_curves(const gpu::DeviceInfo& device, const gpu::LaunchReport& report,
                                               std::uint32_t dynamic_shared_bytes);

/// The requests that `wanted` picks, in the order in which they were issued; at most a few hundred.
using Wanted = std::function<bool(const gpu::AccessRecord&)>;
[[nodiscard]] MemoryMap memory_map(const gpu::LaunchReport& report, std::span<const gpu::Buffer> arrays, const Wanted& wanted);

/// Of each version that has a letter, its time as a number "us_of_B".
void add_times(std::vector<Number>& numbers, const Roofline& roofline);

}  // namespace warpbook::lessons
