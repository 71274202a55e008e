// Lesson 09: the same work by blocks of every size. What fits on a multiprocessor, and whether that is what decides.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gpu/occupancy.h"
#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/inside.h"

namespace warpbook::lessons {

const Lesson& launch_configuration();

namespace {

constexpr std::size_t elements = 65'536;
constexpr int steps = 16;
constexpr std::uint64_t seed_of_values = 20'09;
constexpr std::array<std::uint32_t, 10> sizes{32, 48, 64, 96, 128, 192, 256, 512, 768, 1024};

/// The limits of an A40 (Ampere tuning guide), which the page asks about whatever the device is: gpu/virtual/profiles.cpp has the
/// same figures, and the test compares them.
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
  std::uint32_t threads = 1, blocks = 1, items = 1, shared = 0;

  static Shape from(const Values& values) {
    const auto of = [&](const char* id) { return static_cast<std::uint32_t>(values.integer(id)); };
    return Shape{.items = of("items"), .shared = of("shared") * 1024}.with(of("threads"), of("blocks"));
  }
  /// 0 blocks: as many as the elements need.
  [[nodiscard]] Shape with(std::uint32_t t, std::uint32_t b) const {
    Shape shape = *this;
    shape.threads = t;
    const auto each = t * items;
    shape.blocks = b > 0 ? b : (static_cast<std::uint32_t>(elements) + each - 1) / each;
    return shape;
  }
};

struct Arrays {
  gpu::Buffer x, y;
};

Result<gpu::LaunchReport> launch(Host& host, const Arrays& arrays, const Shape& shape, bool watched, bool timeline) {
  host.define("THREADS", fmt::format("{}", shape.threads));
  LaunchOptions options{.dynamic_shared_bytes = shape.shared, .schedule = gpu::Schedule::clock};
  if (watched) options.observe = gpu::Observe::all();
  options.observe.timeline = timeline;
  return host.launch("work", {shape.blocks}, {shape.threads},
                     {arrays.x, arrays.y, gpu::Scalar::of(static_cast<std::int32_t>(elements))}, options);
}

double microseconds(const gpu::LaunchReport& report) { return report.model_us.value_or(report.run_ms * 1e3); }

/// Elements that differ from the same arithmetic in float64 by more than float32's rounding: each step halves what was before.
std::size_t wrong(const std::vector<float>& x, const std::vector<float>& y) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double v = x[i];
    for (int s = 0; s < steps; ++s) v = 0.5 * v + 1;
    count += !(std::abs(v - double{y[i]}) <= 1e-6);
  }
  return count;
}

/// The same work for every block size; a size that does not run has no bar.
Result<Ladder> sweep(Host& host, const Arrays& arrays, const Shape& chosen, double chosen_us, int blocks) {
  const Host::Aside aside(host);
  Ladder ladder{.limit_gb_per_s = host.device().memory_gb_per_s, .values = elements, .model = host.device().is_model};
  std::vector<std::uint32_t> all(sizes.begin(), sizes.end());
  if (std::find(all.begin(), all.end(), chosen.threads) == all.end()) all.push_back(chosen.threads);
  std::sort(all.begin(), all.end());
  for (const std::uint32_t threads : all) {
    Ladder::Rung rung{.label = fmt::format("{} threads", threads)};
    if (threads == chosen.threads) {
      ladder.chosen = ladder.rungs.size();
      rung.us = chosen_us;
    } else {
      auto report = launch(host, arrays, chosen.with(threads, static_cast<std::uint32_t>(blocks)), false, false);
      if (!report && report.error().code != "compile_error") return failure(report.error());
      if (report && report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
      if (report && report->ok()) rung.us = microseconds(*report);
    }
    if (rung.us > 0) rung.gb_per_s = 4.0 * elements / (rung.us * 1e3);
    ladder.rungs.push_back(std::move(rung));
  }
  host.define("THREADS", fmt::format("{}", chosen.threads));
  return ladder;
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
  const Arrays arrays{*d_x, *d_y};
  auto report = launch(host, arrays, shape, true, true);
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  auto y = host.copy_to_host<float>(*d_y);
  if (!y) return failure(y.error());

  const double us = microseconds(*report);
  auto ladder = sweep(host, arrays, shape, us, values.integer("blocks"));
  if (!ladder) return failure(ladder.error());
  double best = us;
  for (const auto& rung : ladder->rungs) best = rung.us > 0 ? std::min(best, rung.us) : best;
  OccupancyCurves curves = occupancy_curves(host.device(), *report, shape.shared);
  const auto on_a40 = gpu::occupancy(a40(), {.threads_per_block = static_cast<int>(shape.threads),
                                             .registers_per_thread = report->registers.value_or(32),
                                             .dynamic_shared_bytes = shape.shared});
  if (!on_a40) return failure(on_a40.error());

  Outcome outcome;
  using Tone = Number::Tone;
  const std::size_t bad = wrong(x, *y);
  outcome.numbers = {
      {.name = "a40_occupancy", .label = "Of an A40's places filled", .value = 100 * on_a40->fraction, .tone = Tone::first,
       .decimals = 0, .unit = "%"},
      {.name = "occupancy", .label = "Of this device's", .value = 100 * curves.present.fraction, .decimals = 0, .unit = "%"},
      {.name = "of_best", .label = "Speed, of the best size's", .value = 100 * best / us, .decimals = 0, .unit = "%"},
      {.name = "wrong", .label = "Wrong elements", .value = double(bad), .tone = bad > 0 ? Tone::bad : Tone::second,
       .on_page = bad > 0},
      {.name = "us", .label = "Time of the kernel", .value = us, .decimals = 2, .unit = "µs", .on_page = false},
      {.name = "blocks", .label = "Blocks", .value = double(shape.blocks), .on_page = false},
      {.name = "registers", .label = "Registers a thread", .value = double(report->registers.value_or(0)), .on_page = false}};
  outcome.note = fmt::format("An A40 holds {} of its 48 warps, limited by {}.", on_a40->warps, gpu::name_of(on_a40->limiter));
  outcome.figures.push_back(std::move(curves));
  outcome.figures.push_back(std::move(*ladder));
  if (has_timeline(*report)) {
    SmTimeline timeline{.title = title_of(main_wait(*report->clock))};
    timeline.runs.push_back(take_run(*report, fmt::format("{} blocks of {}", shape.blocks, shape.threads)));
    const Host::Aside aside(host);
    const Shape few = shape.with(32, static_cast<std::uint32_t>(std::max(1, host.device().multiprocessors)));
    auto beside = launch(host, arrays, few, false, true);
    if (!beside && beside.error().code != "compile_error") return failure(beside.error());
    if (beside && beside->ok() && has_timeline(*beside)) timeline.runs.push_back(take_run(*beside, "one warp a multiprocessor"));
    outcome.figures.push_back(std::move(timeline));
  }
  outcome.report = std::move(*report);
  outcome.seconds = watch.seconds();
  return outcome;
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
      .controls = {{.id = "threads", .label = "Threads", .initial = 1024, .least = 1, .most = 1024, .logarithmic = true,
                    .define = "THREADS", .help = "Threads per block."},
                   {.id = "blocks", .label = "Blocks", .initial = 0, .least = 0, .most = 4096,
                    .help = "Blocks per grid. 0: as many as the elements need."},
                   {.id = "items", .label = "Elements at a time", .initial = 1, .least = 1, .most = 16, .logarithmic = true,
                    .define = "ITEMS", .help = "Independent elements that a thread works on at the same time."},
                   {.id = "shared", .label = "Shared memory, KiB", .initial = 0, .least = 0, .most = 48,
                    .help = "Reserved for each block. The kernel does not use it.", .later = true},
                   {.id = "min_blocks", .label = "Launch bounds", .initial = 0, .least = 0, .most = 2, .define = "MIN_BLOCKS",
                    .help = "Blocks for which the compiler must leave registers. 0: no promise.", .later = true}},
      .presets = {{"1024 threads", {{"threads", 1024}, {"blocks", 0}, {"items", 1}}},
                  {"256 threads", {{"threads", 256}, {"blocks", 0}, {"items", 1}}},
                  {"One warp a block", {{"threads", 32}, {"blocks", 0}, {"items", 1}}},
                  {"48 threads", {{"threads", 48}, {"blocks", 0}, {"items", 1}}, "ladder"},
                  {"Few warps", {{"threads", 32}, {"blocks", 40}, {"items", 1}}, "sm_timeline"},
                  {"… eight at a time", {{"threads", 32}, {"blocks", 40}, {"items", 8}}, "sm_timeline"}},
      .views = {"occupancy", "ladder", "sm_timeline"},
      .guesses = {"a40_occupancy", "of_best"},
      .more_macros = [](const Values&) { return Macros{{"STEPS", fmt::format("{}", steps)}}; },
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
