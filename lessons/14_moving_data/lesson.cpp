// Lesson 14: the cost of copies: pageable and pinned memory, data that stays on the device, chunks in streams. For how many values
// is a GPU worth it?
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "lessons/14_moving_data/program.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& moving_data();

namespace {

using moving::Plan;
using moving::Times;

constexpr double tolerance = 1e-5;  // relative to the value
// The chart's sizes are powers of two. Beyond the largest one that is run, the times are extrapolated by a straight line: copies
// and kernels of many values take time in proportion. A kernel whose data was in the cache so far takes at least the time that the
// memory's bandwidth needs.
constexpr unsigned first_power = 8, last_power = 26, last_run = 17;
constexpr double most_steps_run = 1 << 23;  // of all values in all launches of one size; the virtual GPU does this in a moment
// The CPU is measured up to this time, on at most 16 MiB.
constexpr double most_cpu_us = 20'000;
constexpr unsigned last_measured = 22;

Plan plan_of(const Values& values) {
  return {.n = static_cast<std::uint32_t>(values.integer("n")),
          .launches = static_cast<std::uint32_t>(values.integer("launches")),
          .chunks = static_cast<std::uint32_t>(values.integer("chunks")),
          .streams = static_cast<std::uint32_t>(values.integer("streams")),
          .pinned = values.integer("memory") == 1,
          .kept = values.on("kept"),
          .by_kind = values.integer("order") == 1};
}

/// 0, 1, 2 …, which a host program writes in one line; all are exact in float32.
std::vector<float> count_up(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

/// The value of x after `steps` steps. Each step moves it three quarters of the way to 1.
double relaxed(double x, double steps) { return 1 + (x - 1) * std::pow(0.75, steps); }

std::int64_t count_wrong(std::span<const float> before, std::span<const float> after, double steps) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double right = relaxed(before[i], steps);
    wrong += !(std::abs(double{after[i]} - right) <= tolerance * std::max(1.0, std::abs(right)));  // also true for NaN
  }
  return wrong + static_cast<std::int64_t>(before.size() - after.size());
}

/// The time of one core in µs, for `launches` passes over the array, the shortest of three. It works on sixteen independent values
/// at a time, so that the core's vector instructions are used. n is a multiple of 16.
double time_cpu(std::vector<float>& x, std::size_t n, std::uint32_t launches, int steps) {
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Stopwatch watch;
    for (std::uint32_t launch = 0; launch < launches; ++launch) {
      for (std::size_t i = 0; i < n; i += 16) {
        std::array<float, 16> v;
        std::copy_n(x.data() + i, v.size(), v.data());
        for (int s = 0; s < steps; ++s)
          for (float& each : v) each = 0.75f * each + 0.25f;
        std::copy_n(v.data(), v.size(), x.data() + i);
      }
    }
    best = std::min(best, watch.seconds() * 1e6);
    volatile const float used = x[n / 2];  // prevents the compiler from removing the computation
    (void)used;
  }
  return best;
}

/// The chart's points with the CPU's times. What would take too long is extrapolated from the last measured one.
std::vector<BreakEven::Point> measure_cpu(std::uint32_t launches, int steps) {
  std::vector<BreakEven::Point> points;
  std::vector<float> x = count_up(std::size_t{1} << 12);
  double spent = 0;
  for (unsigned power = first_power; power <= last_power; ++power) {
    const std::size_t n = std::size_t{1} << power;
    BreakEven::Point point{.n = static_cast<double>(n)};
    // Twice as many values take twice as long, three times.
    const double expected = points.empty() ? 0 : 6 * points.back().cpu_us;
    point.cpu_measured = power <= last_measured && (points.empty() || points.back().cpu_measured) && spent + expected < most_cpu_us;
    if (point.cpu_measured) {
      while (x.size() < n) x.insert(x.end(), x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size()));
      point.cpu_us = time_cpu(x, n, launches, steps);
      spent += 3 * point.cpu_us;
    } else {
      point.cpu_us = 2 * points.back().cpu_us;
    }
    points.push_back(point);
  }
  return points;
}

/// A core's time for n values, interpolated between the neighbouring points.
double cpu_us_at(const std::vector<BreakEven::Point>& points, double n) {
  std::size_t i = 1;
  while (i + 1 < points.size() && points[i].n < n) ++i;
  const auto &low = points[i - 1], &high = points[i];
  return low.cpu_us + (high.cpu_us - low.cpu_us) * (n - low.n) / (high.n - low.n);
}

double kernels_alone(const Host& host, const Times& times, const Plan& plan) {
  return times.kernel + plan.launches * plan.chunks * host.device().launch_overhead_us;
}

/// Extrapolates by the straight line through the last two points that were run.
void continue_line(const Host& host, const Plan& plan, std::span<BreakEven::Point> points, std::size_t executed) {
  if (executed < 2) return;
  const BreakEven::Point &before = points[executed - 2], &last = points[executed - 1];
  const double bytes_per_us = host.device().memory_gb_per_s * 1e3;
  const bool side_by_side = plan.pinned && std::min(plan.streams, plan.chunks) > 1;
  for (BreakEven::Point& point : points.subspan(executed)) {
    const double times = (point.n - last.n) / (last.n - before.n);
    const double line = last.kernel_us + times * std::max(0.0, last.kernel_us - before.kernel_us);
    const double moved_us = bytes_per_us > 0 ? 2 * sizeof(float) * point.n / bytes_per_us : 0;  // read once and written once
    const double least = plan.launches * (moved_us + plan.chunks * host.device().launch_overhead_us);
    point.kernel_us = std::max(line, least);
    // If kernels run concurrently with copies, only the last chunk's kernel makes the program longer.
    const double longer = (point.kernel_us - line) / (side_by_side ? plan.chunks : 1);
    point.gpu_us = last.gpu_us + times * std::max(0.0, last.gpu_us - before.gpu_us) + longer;
  }
}

/// Adds the GPU's times: runs the same program for each size up to last_run. False: a launch failed.
Result<bool> time_gpu(Host& host, const Plan& whole, int steps, std::span<const float> values,
                      std::vector<BreakEven::Point>& points, gpu::Job* job) {
  std::size_t executed = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    BreakEven::Point& point = points[i];
    point.executed = first_power + i <= last_run && (i < 2 || point.n * steps * whole.launches <= most_steps_run);
    if (!point.executed) continue;
    executed = i + 1;
    // A separate host program with its own clock on the same device.
    Host other(
        host.bare_device(),
        {.kernel_file = moving_data().kernel_file, .kernel_text = host.kernel_text(), .defines = host.defines(), .job = job});
    Plan plan = whole;
    plan.n = static_cast<std::uint32_t>(point.n);
    auto moved = moving::move_data(other, plan, values.first(plan.n), {});
    if (!moved) return failure(moved.error());
    if (moved->report.status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
    if (!moved->report.ok()) return false;
    point.gpu_us = moved->times.total;
    point.kernel_us = kernels_alone(host, moved->times, plan);
  }
  continue_line(host, whole, points, executed);
  return true;
}

std::string in_words(double n) {
  std::string digits = fmt::format("{:.0f}", n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

BreakEven compare(std::vector<BreakEven::Point> points, const Plan& plan, bool model) {
  BreakEven chart{.points = std::move(points), .chosen = double(plan.n), .model = model};
  chart.from = chart.points.size();
  while (chart.from > 0 && chart.points[chart.from - 1].gpu_us < chart.points[chart.from - 1].cpu_us) --chart.from;
  if (chart.from == chart.points.size()) {
    chart.title = fmt::format("With its copies, the GPU is not faster, up to {} values", in_words(chart.points.back().n));
  } else if (chart.from == 0) {
    chart.title = fmt::format("With its copies, the GPU is faster for {} values already", in_words(chart.points.front().n));
  } else {
    chart.title = fmt::format("With its copies, the GPU is faster from {} values on", in_words(chart.points[chart.from].n));
  }
  return chart;
}

/// The host and each engine of the device over the program's time.
HostTimeline draw_up(const std::vector<HostCall>& all, const Host& host, const moving::Moved& moved) {
  using Kind = HostTimeline::Span::Kind;
  const std::span calls = std::span(all).subspan(moved.first_call);
  const double zero = calls.front().begin;
  const int engines = host.device().copy_engines;
  std::vector<HostTimeline::Lane> lanes{{"Host", {}}};
  if (engines > 1) {
    lanes.insert(lanes.end(), {{"Copies in", {}}, {"Kernels", {}}, {"Copies out", {}}});
  } else if (engines == 1) {
    lanes.insert(lanes.end(), {{"Copies", {}}, {"Kernels", {}}});
  } else {
    lanes.push_back({"Device", {}});
  }
  const std::size_t in_lane = 1, kernel_lane = std::min<std::size_t>(2, lanes.size() - 1), out_lane = engines > 1 ? 3 : 1;
  for (const HostCall& call : calls) {
    const bool in = call.kind == HostCall::Kind::copy_to_device, out = call.kind == HostCall::Kind::copy_to_host;
    const bool launch = call.kind == HostCall::Kind::launch;
    if (!in && !out && !launch && call.kind != HostCall::Kind::synchronize) continue;
    const std::string what = (in ? "in " : out ? "out " : "") + call.what;
    auto& spans = lanes[0].spans;
    if (launch || ((in || out) && call.pinned)) {
      spans.push_back({call.begin - zero, call.end - zero, what, Kind::call});
    } else {
      const double waits_until = in || out ? call.device_begin : call.end;
      if (waits_until > call.wait_begin) spans.push_back({call.wait_begin - zero, waits_until - zero, "waits", Kind::wait});
      if (in || out) spans.push_back({call.device_begin - zero, call.end - zero, what, Kind::copy});
    }
    if (!in && !out && !launch) continue;
    lanes[launch ? kernel_lane
          : in   ? in_lane
                 : out_lane]
        .spans.push_back({call.device_begin - zero, call.device_end - zero, what, launch ? Kind::kernel : Kind::copy});
  }
  HostTimeline timeline{.lanes = std::move(lanes), .end = moved.times.total, .measured = !host.device().is_model};
  const Times& times = moved.times;
  const double together = 100 * times.together / times.total, copying = 100 * times.copying / times.total;
  timeline.title = together < 1 ? fmt::format("One engine works at a time; copies take {:.0f} % of the time", copying)
                                : fmt::format("For {:.0f} % of the time, two engines or more work at once", together);
  return timeline;
}

std::string say(const BreakEven& chart, std::int64_t wrong, const Plan& plan, const Times& times, double cpu_us) {
  if (wrong > 0) return fmt::format("{} values of the result are wrong.", wrong);
  if (chart.from == chart.points.size()) {
    const std::string never =
        fmt::format("There is no number of values, up to {}, from which on the GPU is faster.", in_words(chart.points.back().n));
    return times.copying > cpu_us ? never + " Its copies alone take longer than one core of the CPU needs for everything." : never;
  }
  const double ratio = times.total / cpu_us;
  constexpr const char *device = "the GPU with its copies", *core = "one core of the CPU";
  return fmt::format("For {} values, {} takes {:.1f} times as long as {}.", in_words(plan.n), ratio > 1 ? device : core,
                     ratio > 1 ? ratio : 1 / ratio, ratio > 1 ? core : device);
}

void add_numbers(Outcome& outcome, const Times& times, const BreakEven& chart, double cpu_us, bool cpu_measured,
                 std::int64_t wrong) {
  using Tone = Number::Tone;
  const auto time = [&](const char* name, const ToSay& label, double us, Tone tone) {
    outcome.numbers.push_back(
        {.name = name, .label = label, .value = us, .tone = tone, .decimals = 1, .unit = "µs", .of_device = true});
  };
  time("total_us", chart.model ? to_say("Program (model)") : to_say("Program"), times.total, Tone::first);
  time("in_us", chart.model ? to_say("Copies in (model)") : to_say("Copies in"), times.in, Tone::second);
  time("kernel_us", chart.model ? to_say("Kernels (model)") : to_say("Kernels"), times.kernel, Tone::second);
  time("out_us", chart.model ? to_say("Copies out (model)") : to_say("Copies out"), times.out, Tone::second);
  time("cpu_us", cpu_measured ? to_say("CPU core, measured") : to_say("CPU core, estimated"), cpu_us, Tone::measured);
  const bool wins = chart.from < chart.points.size();
  outcome.numbers.push_back({.name = "break_even",
                             .label = wins ? to_say("GPU faster from") : to_say("GPU faster from (0: never)"),
                             .value = wins ? chart.points[chart.from].n : 0,
                             .on_page = wins,
                             .of_device = true});
  outcome.numbers.push_back({.name = "copy_share",
                             .label = to_say("Copies, of the time"),
                             .value = 100 * times.copying / times.total,
                             .unit = "%",
                             .on_page = false,
                             .of_device = true});
  outcome.numbers.push_back({.name = "together",
                             .label = to_say("Engines side by side, of the time"),
                             .value = 100 * times.together / times.total,
                             .unit = "%",
                             .on_page = false,
                             .of_device = true});
  outcome.numbers.push_back({.name = "wrong",
                             .label = to_say("Wrong values"),
                             .value = double(wrong),
                             .tone = wrong > 0 ? Tone::bad : Tone::second,
                             .on_page = wrong > 0});
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job* job) {
  const Stopwatch watch;
  define_macros(host, moving_data(), values);
  const Plan plan = plan_of(values);
  const int steps = values.integer("steps");
  const std::vector<float> before = count_up(std::max<std::size_t>(plan.n, std::size_t{1} << last_run));
  const std::span<const float> mine = std::span(before).first(plan.n);
  auto moved = moving::move_data(host, plan, mine, gpu::Observe::all());
  if (!moved) return failure(moved.error());
  if (!moved->report.ok()) return without_results(std::move(moved->report));

  auto points = measure_cpu(plan.launches, steps);
  auto timed = time_gpu(host, plan, steps, before, points, job);
  if (!timed) return failure(timed.error());
  const BreakEven chart = *timed ? compare(std::move(points), plan, host.device().is_model) : BreakEven{};
  const double cpu_us = *timed ? cpu_us_at(chart.points, plan.n) : 0;
  const bool measured = std::any_of(chart.points.begin(), chart.points.end(),
                                    [&](const auto& point) { return point.cpu_measured && point.n >= plan.n; });
  const std::int64_t wrong = count_wrong(mine, moved->values, double(steps) * plan.launches);

  Outcome outcome;
  add_numbers(outcome, moved->times, chart, cpu_us, measured, wrong);
  outcome.note = *timed ? say(chart, wrong, plan, moved->times, cpu_us) : "";
  outcome.figures.push_back(draw_up(host.calls(), host, *moved));
  outcome.figures.push_back(chart);
  outcome.report = std::move(moved->report);
  outcome.seconds = watch.seconds();
  return outcome;
}

std::map<std::string, double> preset(int steps, int pinned, int launches, int kept, int chunks, int streams, int order = 0) {
  return {{"n", 65'536},  {"steps", steps},   {"memory", pinned},   {"launches", launches},
          {"kept", kept}, {"chunks", chunks}, {"streams", streams}, {"order", order}};
}

std::vector<Control> controls() {
  return {
      {.id = "n",
       .label = to_say("Values"),
       .initial = 65'536,
       .least = 256,
       .most = 262'144,
       .logarithmic = true,
       .help = to_say("float32 values that are copied in, computed and copied out. The chart goes on to 67,108,864.")},
      {.id = "steps",
       .label = to_say("Steps for each value"),
       .initial = 1,
       .least = 1,
       .most = 64,
       .logarithmic = true,
       .define = "STEPS",
       .help = to_say("How much the kernel computes for each value that it is given: a multiplication and an addition a step.")},
      {.id = "memory",
       .label = to_say("Host memory"),
       .kind = Control::Kind::choice,
       .initial = 0,
       .most = 1,
       .options = {{"pageable", to_say("Pageable")}, {"pinned", to_say("Pinned")}},
       .help = to_say("Pageable: what malloc, std::vector and NumPy give. Pinned: what cudaMallocHost gives.")},
      {.id = "launches",
       .label = to_say("Launches"),
       .initial = 1,
       .least = 1,
       .most = 4,
       .help = to_say("How often the kernel goes over the array, each time on what the last time has left.")},
      {.id = "kept",
       .label = to_say("Keep the array on the device"),
       .kind = Control::Kind::toggle,
       .initial = 0,
       .help = to_say("Off: it is copied in before every launch and out after it. On: in before the first, out after the last.")},
      {.id = "chunks",
       .label = to_say("Chunks"),
       .initial = 1,
       .least = 1,
       .most = 8,
       .help = to_say("1: the whole array at once. More: each chunk is copied in, computed and copied out by calls of its own.")},
      {.id = "streams",
       .label = to_say("Streams"),
       .initial = 1,
       .least = 1,
       .most = 4,
       .help = to_say("Chunk k goes through stream k % streams. With one chunk there is nothing to divide.")},
      {.id = "order",
       .label = to_say("Order of the calls"),
       .kind = Control::Kind::choice,
       .initial = 0,
       .most = 1,
       .options = {{"chunks", to_say("Chunk by chunk")}, {"kinds", to_say("All copies in first")}},
       .help = to_say("All copies in first: then all kernels, then all copies out."),
       .later = true}};
}

}  // namespace

const Lesson& moving_data() {
  static const Lesson lesson{.id = "14_moving_data",
                             .number = "14",
                             .title = "Moving data",
                             .rail_title = "Moving data",
                             .kernel_file = "relax.cu",
                             .kernel = "relax",
                             .controls = controls(),
                             .presets = {{to_say("One step"), preset(1, 0, 1, 0, 1, 1), "break_even"},
                                         {to_say("64 steps"), preset(64, 0, 1, 0, 1, 1), "break_even"},
                                         {to_say("Pinned"), preset(1, 1, 1, 0, 1, 1), "host_timeline"},
                                         {to_say("Four launches"), preset(1, 1, 4, 0, 1, 1), "host_timeline"},
                                         {to_say("… kept on the device"), preset(1, 1, 4, 1, 1, 1), "host_timeline"},
                                         {to_say("Four chunks, four streams"), preset(64, 1, 1, 0, 4, 4), "host_timeline"},
                                         {to_say("… from pageable memory"), preset(64, 0, 1, 0, 4, 4), "host_timeline"},
                                         {to_say("All copies in first"), preset(64, 1, 1, 0, 4, 4, 1), "host_timeline"}},
                             .views = {"host_timeline", "break_even"},
                             .guesses = {"break_even", "copy_share"},
                             .markings = {},
                             .more_macros = {},
                             .run = run,
                             .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
