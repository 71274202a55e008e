// Lesson 09: the same work with blocks of every size. How many fit on a multiprocessor, and is that what decides?
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/occupancy.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& launch_configuration();

namespace {

constexpr std::uint32_t elements = 65'536;
constexpr int steps = 16;
constexpr std::uint64_t seed_of_values = 20'09;
constexpr std::array<std::uint32_t, 12> sizes{32, 33, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
constexpr std::uint32_t most_blocks = 16'384;  // in the sweep over blocks
constexpr int repeats = 5;                     // of a launch on a GPU; the shortest time counts

/// The limits of an A40 (Ampere tuning guide), which the page's question is about, whatever the device is. The lesson's test
/// compares the occupancies with those of the virtual GPU's A40 profile, for launches that reach each limit.
gpu::DeviceInfo a40() {
  gpu::DeviceInfo info;
  info.name = "A40";
  info.compute_capability = 86;
  info.multiprocessors = 84;
  info.warps_per_multiprocessor = 48;
  info.blocks_per_multiprocessor = 16;
  info.shared_per_multiprocessor = 100 * 1024;
  info.shared_per_block_optin = 99 * 1024;
  return info;
}

struct Shape {
  std::uint32_t threads = 1, items = 1, shared = 0;
  std::uint32_t asked_blocks = 0;  // 0: as many as the elements need

  static Shape from(const Values& values) {
    const auto of = [&](const char* id) { return static_cast<std::uint32_t>(values.integer(id)); };
    return {.threads = of("threads"), .items = of("items"), .shared = of("shared") * 1024, .asked_blocks = of("blocks")};
  }
  [[nodiscard]] std::uint32_t needed() const {
    const std::uint32_t each = threads * items;
    return (elements + each - 1) / each;
  }
  [[nodiscard]] std::uint32_t blocks() const { return asked_blocks > 0 ? asked_blocks : needed(); }
  friend bool operator==(const Shape& a, const Shape& b) {
    return a.threads == b.threads && a.items == b.items && a.shared == b.shared && a.blocks() == b.blocks();
  }
};

class Work {
 public:
  Work(Host& host, gpu::Buffer x, gpu::Buffer y) : host_(host), x_(std::move(x)), y_(std::move(y)) {}

  [[nodiscard]] Result<gpu::LaunchReport> launch(const Shape& shape, LaunchOptions options) {
    define(shape);
    options.dynamic_shared_bytes = shape.shared;
    options.schedule = gpu::Schedule::clock;
    auto report = host_.launch("work", {shape.blocks()}, {shape.threads},
                               {x_, y_, gpu::Scalar::of(static_cast<std::int32_t>(elements))}, options);
    if (report && report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
    return report;
  }
  void define(const Shape& shape) {
    host_.define("THREADS", fmt::format("{}", shape.threads));
    host_.define("ITEMS", fmt::format("{}", shape.items));
  }
  [[nodiscard]] Host& host() { return host_; }

 private:
  Host& host_;
  gpu::Buffer x_, y_;
};

/// The number of elements that differ from float64 by more than float32's rounding. Each step halves the error before it.
std::size_t wrong(const std::vector<float>& x, const std::vector<float>& y) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double v = x[i];
    for (int s = 0; s < steps; ++s) v = 0.5 * v + 1;
    count += !(std::abs(v - double{y[i]}) <= 1e-6);
  }
  return count;
}

LaunchSweep::Row row_of(const gpu::DeviceInfo& device, const gpu::LaunchReport& report, std::uint32_t value, std::uint32_t shared) {
  LaunchSweep::Row row{.value = value, .grid = report.grid, .block = report.block};
  row.us = report.ok() ? microseconds(report) : 0;
  const auto occupancy = gpu::occupancy(device, {.threads_per_block = static_cast<int>(report.block.count()),
                                                 .registers_per_thread = report.registers.value_or(32),
                                                 .dynamic_shared_bytes = shared});
  if (occupancy) row.occupancy = *occupancy;
  if (report.ok() && report.clock) row.held = report.clock->occupancy;
  return row;
}

/// A rule of thumb with its verdict on a launch. `most` is the highest occupancy in its part.
struct Rule {
  const char* label;
  bool (*allows)(const LaunchSweep::Row& row, double most, const gpu::DeviceInfo& device, std::uint32_t needed);
};
constexpr Rule multiple_of_32{"multiple of 32",
                              [](const auto& row, double, const auto&, std::uint32_t) { return row.value % 32 == 0; }};
constexpr Rule between_128_and_512{
    "128 to 512", [](const auto& row, double, const auto&, std::uint32_t) { return row.value >= 128 && row.value <= 512; }};
constexpr Rule highest_occupancy{
    "highest occupancy", [](const auto& row, double most, const auto&, std::uint32_t) { return row.occupancy.fraction == most; }};
constexpr Rule two_to_four{"2 to 4 a multiprocessor", [](const auto& row, double, const gpu::DeviceInfo& device, std::uint32_t) {
                             const auto sms = static_cast<std::uint32_t>(device.multiprocessors);
                             return row.value >= 2 * sms && row.value <= 4 * sms;
                           }};
constexpr Rule as_many_as_needed{"as many as needed",
                                 [](const auto& row, double, const auto&, std::uint32_t needed) { return row.value == needed; }};

/// One parameter varies: `set` puts each value into the chosen shape. A launch that does not run has a row without a time.
struct Plan {
  std::string label;
  std::vector<std::uint32_t> values;
  std::uint32_t chosen;
  std::uint32_t Shape::*member;
  std::vector<Rule> rules;
};

Result<LaunchSweep::Part> sweep(Work& work, const Shape& shape, const gpu::LaunchReport& report, Plan plan) {
  LaunchSweep::Part part{.label = std::move(plan.label)};
  const gpu::DeviceInfo& device = work.host().device();
  plan.values.push_back(plan.chosen);
  std::sort(plan.values.begin(), plan.values.end());
  plan.values.erase(std::unique(plan.values.begin(), plan.values.end()), plan.values.end());
  for (const std::uint32_t value : plan.values) {
    Shape other = shape;
    other.*plan.member = value;
    if (value == plan.chosen) part.chosen = part.rows.size();
    if (other == shape) {
      part.rows.push_back(row_of(device, report, value, shape.shared));
      continue;
    }
    std::optional<LaunchSweep::Row> row;
    for (int i = 0; i < (device.is_model ? 1 : repeats); ++i) {
      auto again = work.launch(other, {});
      if (!again && again.error().code != "compile_error") return failure(again.error());
      if (!again) break;
      const auto now = row_of(device, *again, value, shape.shared);
      if (!row || now.us < row->us) row = now;
      if (!again->ok()) break;
    }
    part.rows.push_back(row.value_or(LaunchSweep::Row{.value = value, .grid = {other.blocks()}, .block = {other.threads}}));
  }
  double most = 0;
  for (const auto& row : part.rows) most = row.us > 0 ? std::max(most, row.occupancy.fraction) : most;
  for (const Rule& rule : plan.rules) {
    part.rules.emplace_back(rule.label);
    for (auto& row : part.rows) row.allowed.push_back(rule.allows(row, most, device, shape.needed()));
  }
  return part;
}

/// From one block per multiprocessor to many more than the elements need, but not so many that the simulation takes long.
std::vector<std::uint32_t> grids(const gpu::DeviceInfo& device, const Shape& shape) {
  const auto sms = static_cast<std::uint32_t>(std::max(device.multiprocessors, 1));
  std::vector<std::uint32_t> values;
  for (const std::uint32_t each : {1U, 2U, 4U, 8U}) values.push_back(each * sms);
  for (const std::uint32_t times : {1U, 4U, 8U, 16U}) values.push_back(times * shape.needed());
  std::erase_if(values, [](std::uint32_t value) { return value > most_blocks; });
  return values;
}

Result<LaunchSweep> sweeps(Work& work, const Shape& shape, const gpu::LaunchReport& report) {
  const Host::Unrecorded unrecorded(work.host());
  LaunchSweep all{.model = work.host().device().is_model};
  for (Plan plan :
       {Plan{"threads a block",
             {sizes.begin(), sizes.end()},
             shape.threads,
             &Shape::threads,
             {multiple_of_32, between_128_and_512, highest_occupancy}},
        Plan{"blocks", grids(work.host().device(), shape), shape.blocks(), &Shape::asked_blocks, {two_to_four, as_many_as_needed}},
        Plan{"elements at a time", {1, 2, 4, 8, 16, 32}, shape.items, &Shape::items, {highest_occupancy}}}) {
    auto part = sweep(work, shape, report, std::move(plan));
    if (!part) return failure(part.error());
    all.parts.push_back(std::move(*part));
  }
  work.define(shape);
  return all;
}

/// A launch as a run of the timeline, with the warps of one multiprocessor, because the others do the same.
SmTimeline::Run one_multiprocessor(gpu::LaunchReport& report, std::string label) {
  auto& lanes = report.clock->timeline.lanes;
  const std::uint16_t first = lanes.front().sm;
  std::erase_if(lanes, [first](const gpu::WarpLane& lane) { return lane.sm != first; });
  return take_run(report, std::move(label));
}

std::string name_of(const Shape& shape) {
  const auto plural = [](std::uint32_t count) { return count == 1 ? "" : "s"; };
  return fmt::format("{} block{} of {}, {} element{} at a time", shape.blocks(), plural(shape.blocks()), shape.threads, shape.items,
                     plural(shape.items));
}

/// The launch to compare with: if a thread has several elements at a time, one at a time with as many blocks. Otherwise one warp
/// per scheduler, or many warps if the launch has no more than that.
Shape beside(const Shape& shape, const gpu::DeviceInfo& device) {
  if (shape.items > 1) return {.threads = shape.threads, .asked_blocks = shape.blocks()};
  const auto sms = static_cast<std::uint32_t>(std::max(device.multiprocessors, 1));
  const bool few = shape.blocks() * ((shape.threads + 31) / 32) <= 4 * sms;
  return few ? Shape{.threads = 256} : Shape{.threads = 128, .asked_blocks = sms};
}

/// The timeline of the launch, and below it that of another launch which shows the difference.
Result<SmTimeline> timelines(Work& work, const Shape& shape, gpu::LaunchReport& report) {
  const Host::Unrecorded unrecorded(work.host());
  SmTimeline timeline{.schedulers = true};
  if (!has_timeline(report)) return timeline;
  timeline.title = fmt::format("In {:.0f} % of their cycles the schedulers issue nothing", 100 * (1 - report.clock->issue_use()));
  timeline.runs.push_back(one_multiprocessor(report, name_of(shape)));
  const Shape other = beside(shape, work.host().device());
  auto again = work.launch(other, {.observe = {.timeline = true}});
  work.define(shape);
  if (!again && again.error().code != "compile_error") return failure(again.error());
  if (again && again->ok() && has_timeline(*again)) timeline.runs.push_back(one_multiprocessor(*again, name_of(other)));
  return timeline;
}

void add_numbers(Outcome& outcome, const Shape& shape, const OccupancyCurves& curves, const LaunchSweep& all,
                 const gpu::Occupancy& on_a40, std::size_t bad) {
  using Tone = Number::Tone;
  const auto& report = outcome.report;
  const double us = microseconds(report);
  double best = us;
  for (const LaunchSweep::Part& part : all.parts) {
    for (const LaunchSweep::Row& row : part.rows) best = row.us > 0 ? std::min(best, row.us) : best;
  }
  outcome.numbers = {
      {.name = "a40_occupancy",
       .label = to_say("An A40's places filled"),
       .value = 100 * on_a40.fraction,
       .tone = Tone::first,
       .unit = "%"},
      {.name = "occupancy", .label = to_say("This device's places filled"), .value = 100 * curves.present.fraction, .unit = "%"},
      {.name = "of_best",
       .label = all.model ? to_say("Share of the best speed (model)") : to_say("Share of the best speed"),
       .value = us > 0 ? 100 * best / us : 0,
       .unit = "%",
       .of_device = true},
      {.name = "wrong",
       .label = to_say("Wrong elements"),
       .value = double(bad),
       .tone = bad > 0 ? Tone::bad : Tone::second,
       .on_page = bad > 0},
      {.name = "us",
       .label = to_say("Time of the kernel"),
       .value = us,
       .decimals = 2,
       .unit = "µs",
       .on_page = false,
       .of_device = true},
      {.name = "blocks", .label = to_say("Blocks"), .value = double(shape.blocks()), .on_page = false}};
  if (report.registers)
    outcome.numbers.push_back(
        {.name = "registers", .label = to_say("Registers a thread"), .value = double(*report.registers), .on_page = false});
  if (report.clock) {
    outcome.numbers.push_back({.name = "held",
                               .label = to_say("Places held over the launch"),
                               .value = 100 * report.clock->occupancy,
                               .decimals = 1,
                               .unit = "%",
                               .on_page = false});
    outcome.numbers.push_back({.name = "idle",
                               .label = to_say("Cycles in which a scheduler issues nothing"),
                               .value = 100 * (1 - report.clock->issue_use()),
                               .decimals = 1,
                               .unit = "%",
                               .on_page = false});
  }
  constexpr std::array names{"fastest_threads", "fastest_blocks", "fastest_items"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LaunchSweep::Part& part = all.parts[i];
    const std::size_t fastest = part.fastest() < part.rows.size() ? part.fastest() : part.chosen;  // a dry run takes no time
    outcome.numbers.push_back({.name = names[i],
                               .label = to_say("Fastest: {what}", "what"_a = part.label),
                               .value = double(part.rows[fastest].value),
                               .on_page = false,
                               .of_device = true});
  }
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const Shape shape = Shape::from(values);
  define_macros(host, launch_configuration(), values);
  std::mt19937_64 random(seed_of_values);
  std::vector<float> x(elements);
  for (float& value : x) value = static_cast<float>(uniform(random));
  auto d_x = host.to_device<float>("x", x);
  if (!d_x) return failure(d_x.error());
  auto d_y = host.zeros<float>("y", {elements});
  if (!d_y) return failure(d_y.error());
  Work work(host, *d_x, *d_y);
  LaunchOptions options{.observe = gpu::Observe::all()};
  options.observe.timeline = true;
  auto report = work.launch(shape, options);
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  auto y = host.copy_to_host<float>(*d_y);
  if (!y) return failure(y.error());

  auto all = sweeps(work, shape, *report);
  if (!all) return failure(all.error());
  OccupancyCurves curves = occupancy_curves(host.device(), *report, shape.shared);
  const auto on_a40 = gpu::occupancy(a40(), {.threads_per_block = static_cast<int>(shape.threads),
                                             .registers_per_thread = report->registers.value_or(32),
                                             .dynamic_shared_bytes = shape.shared});
  if (!on_a40) return failure(on_a40.error());
  auto timeline = timelines(work, shape, *report);
  if (!timeline) return failure(timeline.error());

  Outcome outcome;
  outcome.report = std::move(*report);
  add_numbers(outcome, shape, curves, *all, *on_a40, wrong(x, *y));
  const std::string_view limit = on_a40->limiter == gpu::Limiter::blocks ? "its places for blocks" : gpu::name_of(on_a40->limiter);
  outcome.note = fmt::format("An A40 holds {} of its 48 warps, limited by {}.", on_a40->warps, limit);
  outcome.figures.push_back(std::move(curves));
  outcome.figures.push_back(std::move(*all));
  if (!timeline->runs.empty()) outcome.figures.push_back(std::move(*timeline));
  outcome.seconds = watch.seconds();
  return outcome;
}

/// A preset sets all controls, so that it is the same launch whatever was set before.
std::map<std::string, double> with(std::map<std::string, double> values) {
  values.merge(std::map<std::string, double>{{"blocks", 0}, {"items", 1}, {"shared", 0}, {"min_blocks", 0}});
  return values;
}

}  // namespace

const Lesson& launch_configuration() {
  static const Lesson lesson{
      .id = "09_launch_configuration",
      .number = "09",
      .title = "Choosing a launch configuration",
      .rail_title = "Choosing a launch",
      .kernel_file = "work.cu",
      .kernel = "work",
      .controls = {{.id = "threads",
                    .label = to_say("Threads"),
                    .initial = 1024,
                    .least = 1,
                    .most = 1024,
                    .logarithmic = true,
                    .define = "THREADS",
                    .help = to_say("Threads per block.")},
                   {.id = "blocks",
                    .label = to_say("Blocks"),
                    .initial = 0,
                    .least = 0,
                    .most = 16384,
                    .help = to_say("Blocks per grid. 0: as many as the elements need.")},
                   {.id = "items",
                    .label = to_say("Elements at a time"),
                    .initial = 1,
                    .least = 1,
                    .most = 32,
                    .logarithmic = true,
                    .define = "ITEMS",
                    .help = to_say("Independent elements that a thread works on at the same time.")},
                   {.id = "shared",
                    .label = to_say("Shared memory, KiB"),
                    .initial = 0,
                    .least = 0,
                    .most = 48,
                    .help = to_say("Reserved for each block. The kernel does not use it."),
                    .later = true},
                   {.id = "min_blocks",
                    .label = to_say("Launch bounds"),
                    .initial = 0,
                    .least = 0,
                    .most = 4,
                    .define = "MIN_BLOCKS",
                    .help =
                        to_say("So many blocks must fit on a multiprocessor, so the compiler gives each thread fewer registers. "
                               "0: no bounds."),
                    .later = true}},
      .presets = {{to_say("1024 threads"), with({{"threads", 1024}})},
                  {to_say("One warp a block"), with({{"threads", 32}})},
                  {to_say("… eight at a time"), with({{"threads", 32}, {"items", 8}}), "launch_sweep"},
                  {to_say("4,096 blocks"), with({{"threads", 128}, {"blocks", 4096}}), "launch_sweep"},
                  {to_say("Few warps"), with({{"threads", 32}, {"blocks", 40}}), "sm_timeline"},
                  {to_say("Few warps, eight at a time"), with({{"threads", 32}, {"blocks", 40}, {"items", 8}}), "sm_timeline"},
                  {to_say("48 KiB a block"), with({{"threads", 128}, {"shared", 48}})},
                  {to_say("Launch bounds"), with({{"threads", 256}, {"items", 32}, {"min_blocks", 4}})}},
      .views = {"occupancy", "launch_sweep", "sm_timeline"},
      .guesses = {"a40_occupancy", "fastest_threads"},
      .more_macros =
          [](const Values&) {
            return Macros{{"STEPS", fmt::format("{}", steps)}};
          },
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
