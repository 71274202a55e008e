// Outcome: makes lesson 06's outcome from its field, after a run and after each picture of the live experiment.
//
//     heat::Measured m = heat::begin(host, settings, start);
//     …                                                  // steps
//     heat::measure_field(m, heat_of_the_device);
//     heat::measure_laplacian(m, laplacian_of_the_device, true);
//     Outcome outcome = heat::describe(m);
//
// Fields are square and row-major. Errors are the host's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lessons/06_diffusion/field.h"
#include "lessons/06_diffusion/steps.h"
#include "lessons/figures.h"
#include "lessons/host.h"
#include "lessons/lesson.h"

namespace warpbook::lessons::heat {

/// A few blocks with the clock schedule, with all warps and requests recorded, for the detailed views.
struct Inside {
  std::optional<MemoryMap> map;
  std::optional<SmTimeline> timeline;
  std::optional<OccupancyCurves> occupancy;
  std::vector<gpu::LineCounts> lines;
};

[[nodiscard]] Result<Inside> look_inside(Host& host, const Settings& settings, std::span<const float> field);

/// The measurements for a run or a frame.
struct Measured {
  Settings settings;
  Field figure;
  gpu::LaunchReport report;
  double sum_before = 0;
  double ceiling = 0;  // largest value ever put into the field; a stable step never exceeds it
  bool finite = true;
  Inside inside;
  std::optional<heat::Differences> first_step;  // compared with the reference
  bool live = false;
};

using FieldData = std::shared_ptr<const std::vector<float>>;

/// Before the first step: measures the initial field.
[[nodiscard]] Measured begin(const Host& host, const Settings& settings, const FieldData& start);
/// The lower bound of a step's time in ms by the device's memory bandwidth. 0: unknown.
[[nodiscard]] double memory_limit_ms(const Host& host, std::uint32_t side);
void measure_field(Measured& m, FieldData heat);
/// `fully`: includes the measurements that take longer.
void measure_laplacian(Measured& m, FieldData laplacian, bool fully);
[[nodiscard]] Outcome describe(const Measured& m);
[[nodiscard]] double median(std::vector<double> values);

/// The live experiment (live.cpp).
[[nodiscard]] Result<std::unique_ptr<Live>> go_live(Host& host, const Values& values);

}  // namespace warpbook::lessons::heat

namespace warpbook::lessons {
const Lesson& diffusion();
}
