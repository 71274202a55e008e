#include "lessons/06_diffusion/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lessons/clock_figures.h"
#include "lessons/experiment.h"

namespace warpbook::lessons::heat {
namespace {

constexpr float stable = 0.25F;  // with a larger coefficient, the checkerboard mode grows
constexpr double blow_up = 10;   // times the largest value ever put into the field

/// Tiles on a side of the part whose requests are all recorded: it must have inner tiles and be small enough to record.
constexpr std::uint32_t tiles_inside(std::uint32_t tile) { return tile <= 16 ? 6 : 3; }

std::string say(const Measured& m) {
  const Field& figure = m.figure;
  if (m.live) return {};  // the view shows it and offers a restart
  if (figure.blown_up) {
    return m.settings.coefficient > stable
               ? fmt::format("Blown up: with {} the finest checkerboard grows {:.3g} times in a step. Run again with at most 0.25.",
                             m.settings.coefficient, 8.0 * static_cast<double>(m.settings.coefficient) - 1)
               : std::string("The values are far too large. Run again with the barrier on and a coefficient of at most 0.25.");
  }
  if (m.first_step && m.first_step->cells > 0) {
    return fmt::format(
        "After one step {} cells differ from the reference: by up to {:.2g} along the edges of tiles, {:.2g} inside them.",
        m.first_step->cells, m.first_step->along_tile_edges, m.first_step->inside_tiles);
  }
  return {};
}

}  // namespace

Result<Inside> look_inside(Host& host, const Settings& settings, std::span<const float> field) {
  if (!host.device().is_model) return Inside{};
  const Host::Unrecorded unrecorded(host);
  const std::uint32_t side = std::min(settings.side, settings.fast ? 2 * strips_wide : tiles_inside(settings.tile) * settings.tile);
  const std::size_t from = (settings.side - side) / 2;
  std::vector<float> piece(std::size_t{side} * side);
  for (std::size_t y = 0; y < side; ++y) std::copy_n(&field[(from + y) * settings.side + from], side, &piece[y * side]);
  Stepper stepper(host, settings);
  if (auto done = stepper.upload(piece, side); !done) return failure(done.error());
  const auto arrays = stepper.arrays();
  // Only counted, because what makes a step slow is the topic of another lesson.
  LaunchOptions options{.schedule = gpu::Schedule::clock};
  options.observe = {.coalescing = true, .banks = true, .divergence = true, .trace_shared = true, .timeline = true};
  for (const gpu::Buffer& array : arrays) options.observe.trace.push_back(array.id);
  auto report = stepper.step(options);
  stepper.release();
  if (!report) return failure(report.error());
  if (!report->ok()) return Inside{};  // the report of the observed step says why
  const gpu::Dim3 grid = settings.shape(side).grid;
  const std::uint32_t middle = grid.y / 2 * grid.x + grid.x / 2;
  Inside inside{.map = memory_map(*report, arrays, [&](const gpu::AccessRecord& record) { return record.block == middle; }),
                .timeline = SmTimeline{},
                .occupancy = occupancy_curves(host.device(), *report, 0),
                .lines = std::move(report->lines)};
  if (has_timeline(*report)) {
    inside.timeline->title = title_of(main_wait(*report->clock));
    inside.timeline->runs.push_back(take_run(*report, fmt::format("one step of {0} × {0} cells", side)));
  }
  return inside;
}

void measure_field(Measured& m, FieldData heat) {
  const Summary summary = summarise(*heat);
  m.figure.sums.push_back(summary.sum);
  m.finite = summary.finite;
  m.figure.blown_up = !summary.finite || std::max(-summary.least, summary.most) > blow_up * m.ceiling;
  m.figure.heat = std::move(heat);
}

void measure_laplacian(Measured& m, FieldData laplacian, bool fully) {
  if (fully) {
    m.figure.laplacian_checkerboard = checkerboard_share(*laplacian, m.figure.side);
    m.figure.laplacian_limit = laplacian_limit(*laplacian, m.figure.side);
  }
  m.figure.laplacian = std::move(laplacian);
}

double memory_limit_ms(const Host& host, std::uint32_t side) {
  // Every cell is read once and written once, and its Laplacian is written: three arrays of 4 bytes per cell, divided by the peak
  // bandwidth. The halo cells that tiles read again come from the cache.
  const double bandwidth = host.device().memory_gb_per_s;
  return bandwidth > 0 ? 12.0 * side * side / (bandwidth * 1e6) : 0;
}

Measured begin(const Host& host, const Settings& settings, const FieldData& start) {
  Measured m{.settings = settings};
  const Summary summary = summarise(*start);
  m.sum_before = summary.sum;
  m.ceiling = summary.most;
  m.figure.side = settings.side;
  m.figure.tile = settings.tile;
  m.figure.coefficient = static_cast<double>(settings.coefficient);
  m.figure.coefficient_control = "coefficient";
  m.figure.heat = start;
  m.figure.laplacian = std::make_shared<const std::vector<float>>(start->size());
  m.figure.sums = {summary.sum};
  m.figure.low = 0;
  m.figure.high = summary.most;
  m.figure.limit_ms = memory_limit_ms(host, settings.side);
  return m;
}

static void add_live_numbers(const Field& figure, std::vector<Number>& numbers) {
  numbers.push_back(
      {.name = "steps_a_frame", .label = to_say("Steps a frame"), .value = double(figure.steps_a_frame), .on_page = false});
  numbers.push_back({.name = "steps_made_per_second",
                     .label = to_say("Steps made a second"),
                     .value = figure.steps_a_second,
                     .decimals = 1,
                     .on_page = false,
                     .of_device = true});
}

static void add_numbers_of(const Differences& first_step, std::vector<Number>& numbers) {
  using Tone = Number::Tone;
  const double largest = std::max(first_step.along_tile_edges, first_step.inside_tiles);
  numbers.push_back({.name = "wrong_cells",
                     .label = to_say("Wrong after one step"),
                     .value = double(first_step.cells),
                     .tone = first_step.cells > 0 ? Tone::bad : Tone::second,
                     .on_page = first_step.cells > 0});
  numbers.push_back(
      {.name = "max_error", .label = to_say("Largest error after one step"), .value = largest, .decimals = 7, .on_page = false});
  numbers.push_back({.name = "error_along_tile_edges",
                     .label = to_say("… along tile edges"),
                     .value = first_step.along_tile_edges,
                     .decimals = 7,
                     .on_page = false});
  numbers.push_back({.name = "error_inside_tiles",
                     .label = to_say("… inside tiles"),
                     .value = first_step.inside_tiles,
                     .decimals = 7,
                     .on_page = false});
}

Outcome describe(const Measured& m) {
  const Field& figure = m.figure;
  const double sum = figure.sums.back();
  const double lost = m.sum_before + figure.drawn - sum;
  const auto races = std::count_if(m.report.findings.begin(), m.report.findings.end(),
                                   [](const gpu::Finding& f) { return f.kind == gpu::FindingKind::race; });
  Outcome outcome;
  using Tone = Number::Tone;
  outcome.numbers = {
      {.name = "steps_per_second",
       .label = to_say("Steps a second"),
       .value = figure.step_ms > 0 ? 1e3 / figure.step_ms : 0,
       .tone = Tone::first,
       .decimals = figure.step_ms > 10 ? 1 : 0,
       .on_page = false,  // the view shows it beside the memory limit
       .of_device = true},
      {.name = "side", .label = to_say("Cells a side"), .value = double(figure.side), .on_page = false},
      {.name = "steps", .label = to_say("Steps"), .value = double(figure.step), .on_page = false},
      {.name = "step_ms",
       .label = to_say("A step"),
       .value = figure.step_ms,
       .decimals = 3,
       .unit = "ms",
       .on_page = false,
       .of_device = true},
      {.name = "limit_ms",
       .label = to_say("Memory limit"),
       .value = figure.limit_ms,
       .decimals = 3,
       .unit = "ms",
       .on_page = false,
       .of_device = true},
      {.name = "course_ms",
       .label = to_say("Numba on an A40"),
       .value = figure.course_ms,
       .decimals = 3,
       .unit = "ms",
       .on_page = false,
       .of_device = true},
      {.name = "sum_before", .label = to_say("Sum at the start"), .value = m.sum_before, .decimals = 1, .on_page = false},
      {.name = "sum_after", .label = to_say("Sum of the field"), .value = sum, .decimals = 1, .on_page = false},
      {.name = "sum_lost", .label = to_say("Lost from the sum"), .value = lost, .decimals = 1, .on_page = false},
      {.name = "lost_share",
       .label = to_say("Lost, of the sum at the start"),
       .value = m.sum_before != 0 ? 100 * std::abs(lost) / m.sum_before : 0,
       .decimals = 4,
       .unit = "%",
       .on_page = false},
      {.name = "drawn", .label = to_say("Heat drawn"), .value = figure.drawn, .decimals = 1, .on_page = false},
      {.name = "checkerboard",
       .label = to_say("Checkerboard's share of the Laplacian"),
       .value = figure.laplacian_checkerboard,
       .decimals = 4,
       .on_page = false},
      {.name = "blown_up", .label = to_say("Blown up"), .value = figure.blown_up ? 1.0 : 0.0, .on_page = false}};
  if (m.live) add_live_numbers(figure, outcome.numbers);
  if (m.report.observed[gpu::FindingKind::race] != gpu::Observation::not_observed) {
    outcome.numbers.push_back({.name = "races", .label = to_say("Races found"), .value = double(races), .on_page = false});
  }
  if (m.first_step) add_numbers_of(*m.first_step, outcome.numbers);
  outcome.note = say(m);
  outcome.figures.push_back(figure);
  if (m.inside.map) outcome.figures.push_back(*m.inside.map);
  if (m.inside.timeline) outcome.figures.push_back(*m.inside.timeline);
  if (m.inside.occupancy) outcome.figures.push_back(*m.inside.occupancy);
  outcome.report = m.report;
  return outcome;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace warpbook::lessons::heat
