// Lesson 11: a warp executes one instruction at a time. If its lanes take different ways, it executes all of them one after the
// other, and inactive lanes wait.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/history.h"
#include "lessons/11_divergence/lanes.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& divergence();

namespace {

enum By : int { by_lane, by_warp, by_data, by_sorted_data };
enum Shape : int { one_if, nested, loop };
constexpr std::uint32_t threads = 1024;  // of a block: 32 warps, so that k has the same 32 values by lane and by warp
constexpr std::uint32_t ks = 32;
constexpr std::size_t few = 4096, many = std::size_t{1} << 18;  // elements; many for timing on a GPU
constexpr int repeats = 5;                                      // of a version on a GPU; the shortest time counts
constexpr unsigned seed = 1;

struct Settings {
  int by = by_lane, shape = one_if, steps = 0;
  std::size_t n = few;

  static Settings from(const Values& values) {
    return {.by = values.integer("by"), .shape = values.integer("shape"), .steps = values.integer("steps")};
  }
  [[nodiscard]] Settings dealt(int other) const { return {.by = other, .shape = shape, .steps = steps, .n = n}; }
  [[nodiscard]] Settings with_steps(int other) const { return {.by = by, .shape = shape, .steps = other, .n = n}; }
  /// The number that decides which way element i takes, as in the kernel.
  [[nodiscard]] std::uint32_t k(std::size_t i, float x) const {
    if (by == by_lane) return static_cast<std::uint32_t>(i % threads % ks);
    if (by == by_warp) return static_cast<std::uint32_t>(i % threads / ks);
    return static_cast<std::uint32_t>(x * float{ks});
  }
};

/// The kernel's macro. It is the same for both orders of the data.
int macro_by(int by) { return std::min<int>(by, by_data); }

std::vector<float> inputs(const Settings& settings) {
  std::mt19937_64 random(seed);
  std::vector<float> x(settings.n);
  for (float& value : x) value = static_cast<float>(static_cast<double>(random() >> 40) * 0x1p-24);  // below 1 as a float, too
  if (settings.by == by_sorted_data) std::sort(x.begin(), x.end());
  return x;
}

/// Computed in float64. Each step reduces the influence of the start, so rounding errors do not grow.
double expected(const Settings& settings, std::size_t i, float x) {
  struct Way {
    double factor, term;
  };
  constexpr std::array<Way, 4> ways{{{0.5, 1}, {0.25, 2}, {0.75, 3}, {0.125, 4}}};
  const std::uint32_t k = settings.k(i, x);
  int steps = settings.steps;
  std::size_t way = 0;
  if (settings.shape == one_if) way = k < 16 ? 0 : 1;
  if (settings.shape == nested) way = k / 8;
  if (settings.shape == loop) steps = settings.steps * static_cast<int>(k + 1) / static_cast<int>(ks);
  double v = x;
  for (int s = 0; s < steps; ++s) v = ways[way].factor * v + ways[way].term;
  return v;
}

void define(Host& host, const Settings& settings) {
  host.define("BY", fmt::format("{}", macro_by(settings.by)));
  host.define("SHAPE", fmt::format("{}", settings.shape));
  host.define("STEPS", fmt::format("{}", settings.steps));
}

/// The kernel's arrays on the device.
struct Buffers {
  gpu::Buffer x, y;
};

Result<Buffers> buffers_of(Host& host, std::span<const float> x) {
  auto in = host.to_device<float>("x", x);
  if (!in) return failure(in.error());
  auto out = host.zeros<float>("y", {x.size()});
  if (!out) return failure(out.error());
  return Buffers{.x = *in, .y = *out};
}

void release(Host& host, const Buffers& buffers) {
  host.release(buffers.x);
  host.release(buffers.y);
}

Result<gpu::LaunchReport> launch(Host& host, const Settings& settings, const Buffers& buffers, const LaunchOptions& options) {
  define(host, settings);
  const auto blocks = static_cast<std::uint32_t>((settings.n + threads - 1) / threads);
  return host.launch("branch", {blocks}, {threads}, {buffers.x, buffers.y, gpu::Scalar::of(static_cast<std::int32_t>(settings.n))},
                     options);
}

struct Ran {
  gpu::LaunchReport report;
  std::vector<float> x, y;
};

Result<Ran> launch_once(Host& host, const Settings& settings, const LaunchOptions& options) {
  Ran ran{.report = {}, .x = inputs(settings), .y = {}};
  auto made = buffers_of(host, ran.x);
  if (!made) return failure(made.error());
  auto report = launch(host, settings, *made, options);
  if (!report) return failure(report.error());
  ran.report = std::move(*report);
  if (ran.report.ok()) {
    auto result = host.copy_to_host<float>(made->y);
    if (!result) return failure(result.error());
    ran.y = std::move(*result);
  }
  release(host, *made);
  return ran;
}

std::int64_t count_wrong(const Settings& settings, const Ran& ran) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < ran.y.size(); ++i) {
    const double right = expected(settings, i, ran.x[i]);
    wrong += !(std::abs(ran.y[i] - right) <= 1e-5 * std::abs(right));
  }
  return wrong;
}

double microseconds(const gpu::LaunchReport& report) { return report.model_us.value_or(report.run_ms * 1e3); }

/// The launch's time in µs. 0: an edited kernel does not compile or run this way.
Result<double> time_of(Host& host, const Settings& settings, const Buffers& buffers) {
  double best = 0;
  const int times = host.device().is_model ? 1 : repeats;
  for (int repeat = 0; repeat < times; ++repeat) {
    auto report = launch(host, settings, buffers, {.schedule = gpu::Schedule::clock});
    if (!report && report.error().code != "compile_error") return failure(report.error());
    if (!report) return 0.0;
    if (report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
    if (!report->ok()) return 0.0;
    const double us = microseconds(*report);
    best = repeat == 0 ? us : std::min(best, us);
  }
  return best;
}

struct Compared {
  std::size_t n = few;
  std::array<double, 4> us{};                   // by By, with equally many steps
  double lane_short_us = 0, warp_short_us = 0;  // of a single step
};

/// The same steps for the same numbers k, distributed to the threads in four ways.
Result<Compared> compare(Host& host, const Settings& chosen, double chosen_us) {
  const Host::Unrecorded unrecorded(host);
  const bool is_model = host.device().is_model;
  Settings timed = chosen;
  timed.n = is_model ? few : many;
  Compared compared{.n = timed.n};
  auto unsorted = buffers_of(host, inputs(timed.dealt(by_data)));
  if (!unsorted) return failure(unsorted.error());
  auto sorted = buffers_of(host, inputs(timed.dealt(by_sorted_data)));
  if (!sorted) return failure(sorted.error());
  for (std::size_t by = 0; by < compared.us.size(); ++by) {
    const bool known = is_model && by == static_cast<std::size_t>(chosen.by);
    auto us = known ? Result<double>(chosen_us)
                    : time_of(host, timed.dealt(static_cast<int>(by)), by == by_sorted_data ? *sorted : *unsorted);
    if (!us) return failure(us.error());
    compared.us[by] = *us;
  }
  for (const auto& [by, us] : {std::pair{by_lane, &compared.lane_short_us}, std::pair{by_warp, &compared.warp_short_us}}) {
    auto time = chosen.steps == 1 ? Result<double>(compared.us[static_cast<std::size_t>(by)])
                                  : time_of(host, timed.dealt(by).with_steps(1), *unsorted);
    if (!time) return failure(time.error());
    *us = *time;
  }
  release(host, *unsorted);
  release(host, *sorted);
  define(host, chosen);
  return compared;
}

Ladder ladder_of(const Settings& chosen, const Compared& compared, bool is_model) {
  constexpr std::array labels{"By lane", "By warp", "By data", "Sorted data"};
  Ladder ladder{.chosen = static_cast<std::size_t>(chosen.by), .values = compared.n, .model = is_model};
  ladder.title = is_model ? "The same steps, with k chosen in four ways (model)" : "The same steps, with k chosen in four ways";
  for (std::size_t by = 0; by < labels.size(); ++by) {
    Ladder::Rung rung{.label = labels[by], .us = compared.us[by]};
    if (rung.us > 0) rung.gb_per_s = 8.0 * static_cast<double>(compared.n) / (rung.us * 1e3);  // read once, written once
    ladder.rungs.push_back(std::move(rung));
  }
  return ladder;
}

struct Counts {
  std::uint64_t warp = 0, thread = 0;     // numbers of instructions
  std::uint64_t branches = 0, split = 0;  // warps that executed a branch; warps whose lanes took both ways
  std::uint32_t branch_lines = 0;         // lines of the kernel for which the compiler made a branch
};

Counts counts_of(const gpu::LaunchReport& report) {
  Counts counts;
  for (const gpu::LineCounts& line : report.lines) {
    counts.warp += line.warp_instructions;
    counts.thread += line.thread_instructions;
    counts.branches += line.branches;
    counts.split += line.split_branches;
    counts.branch_lines += line.branches > 0;
  }
  return counts;
}

std::string say_of_branches(const Settings& settings, const Counts& counts) {
  if (counts.warp == 0) return {};
  const auto times = [](std::uint64_t count) { return count == 1 ? std::string("once") : fmt::format("{} times", count); };
  if (counts.split > 0)
    return fmt::format("Warps came to a branch {}, and were split {}.", times(counts.branches), times(counts.split));
  if (settings.shape == one_if && counts.branch_lines <= 1)
    return "No warp was split: the compiler made a branch only of the guard, and none of the if with the two ways.";
  return fmt::format("Warps came to a branch {}, and none was split.", times(counts.branches));
}

/// An edited condition may send elements another way than the lesson expects, which may be what the learner wants to try.
std::string say(const Settings& settings, const Counts& counts, std::int64_t wrong) {
  std::string said = say_of_branches(settings, counts);
  if (wrong > 0) said += fmt::format("{}{} elements of the result are wrong.", said.empty() ? "" : " ", wrong);
  return said;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  LaunchOptions options{.observe = gpu::Observe::all(), .schedule = gpu::Schedule::clock};
  options.observe.history = gpu::Observe::history_bytes;
  auto ran = launch_once(host, settings, options);
  if (!ran) return failure(ran.error());
  if (!ran->report.ok()) return without_results(std::move(ran->report));
  auto compared = compare(host, settings, microseconds(ran->report));
  if (!compared) return failure(compared.error());

  const bool is_model = host.device().is_model;
  const double us = compared->us[static_cast<std::size_t>(settings.by)];
  const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
  const double times = ratio(us, compared->us[by_warp]);
  const std::int64_t wrong = count_wrong(settings, *ran);
  const bool counted = ran->report.observed[gpu::FindingKind::divergence] != gpu::Observation::not_observed;
  const Counts counts = counted ? counts_of(ran->report) : Counts{};
  Outcome outcome;
  using Tone = Number::Tone;
  outcome.numbers = {{.name = "times",
                      .label = to_say("Times as long as by warp"),
                      .value = times,
                      .tone = times > 1.25 ? Tone::bad : Tone::first,
                      .decimals = 2,
                      .of_device = true},
                     {.name = "times_short",
                      .label = to_say("One step: by lane / by warp"),
                      .value = ratio(compared->lane_short_us, compared->warp_short_us),
                      .decimals = 2,
                      .on_page = false,
                      .of_device = true}};
  if (counted) {
    outcome.numbers.push_back({.name = "lanes_on",
                               .label = to_say("Lanes at work, of 32"),
                               .value = ratio(static_cast<double>(counts.thread), static_cast<double>(counts.warp)),
                               .decimals = 1});
    outcome.numbers.push_back({.name = "instructions", .label = to_say("Warp instructions"), .value = double(counts.warp)});
    outcome.numbers.push_back({.name = "split", .label = to_say("Splits"), .value = double(counts.split), .on_page = false});
    outcome.numbers.push_back(
        {.name = "branches", .label = to_say("Branches"), .value = double(counts.branches), .on_page = false});
    outcome.numbers.push_back(
        {.name = "branch_lines", .label = to_say("Lines that branch"), .value = double(counts.branch_lines), .on_page = false});
  }
  outcome.numbers.push_back({.name = "us",
                             .label = is_model ? to_say("Time (model)") : to_say("Time"),
                             .value = us,
                             .tone = Tone::measured,
                             .decimals = 1,
                             .unit = "µs",
                             .of_device = true});
  outcome.numbers.push_back({.name = "wrong",
                             .label = to_say("Wrong elements"),
                             .value = double(wrong),
                             .tone = wrong > 0 ? Tone::bad : Tone::second,
                             .on_page = wrong > 0});
  outcome.numbers.push_back({.name = "sum",
                             .label = to_say("Sum of the results"),
                             .value = std::accumulate(ran->y.begin(), ran->y.end(), 0.0),
                             .decimals = 3,
                             .on_page = false});
  outcome.note = say(settings, counts, wrong);
  if (ran->report.history) outcome.figures.emplace_back(lanes_of(*ran->report.history, ran->report.grid, ran->report.block));
  outcome.figures.emplace_back(ladder_of(settings, *compared, is_model));
  ran->report.history.reset();  // it is large, and the figures contain what is needed
  outcome.report = std::move(ran->report);
  outcome.seconds = watch.seconds();
  return outcome;
}

Macros more_macros(const Values& values) { return {{"BY", fmt::format("{}", macro_by(values.integer("by")))}}; }

std::map<std::string, double> preset(By by, Shape shape, int steps) { return {{"by", by}, {"shape", shape}, {"steps", steps}}; }

}  // namespace

const Lesson& divergence() {
  static const Lesson lesson{
      .id = "11_divergence",
      .number = "11",
      .title = "Divergence",
      .rail_title = "Divergence",
      .kernel_file = "branch.cu",
      .kernel = "branch",
      .controls = {{.id = "by",
                    .label = to_say("k by"),
                    .kind = Control::Kind::choice,
                    .initial = by_lane,
                    .most = by_sorted_data,
                    .options = {{"lane", to_say("Lane")},
                                {"warp", to_say("Warp")},
                                {"data", to_say("Data")},
                                {"sorted", to_say("Sorted data")}},
                    .help = to_say(
                        "k goes from 0 to 31 and decides which way a thread goes. It is the number of the lane or of the warp, "
                        "or it is computed from the thread's value. Sorted data: the same values, in order.")},
                   {.id = "shape",
                    .label = to_say("Shape"),
                    .kind = Control::Kind::choice,
                    .initial = one_if,
                    .most = loop,
                    .options = {{"if", to_say("One if")}, {"nested", to_say("An if in an if")}, {"loop", to_say("A loop")}},
                    .define = "SHAPE",
                    .help = to_say("One if: two ways. An if in an if: four ways. A loop: the larger k, the more steps.")},
                   {.id = "steps",
                    .label = to_say("Steps of a way"),
                    .initial = 200,
                    .least = 1,
                    .most = 256,
                    .logarithmic = true,
                    .define = "STEPS",
                    .help = to_say("A step is one multiplication and one addition. Of a loop: the steps of the longest one.")}},
      .presets = {{to_say("By lane, 200 steps"), preset(by_lane, one_if, 200)},
                  {to_say("By warp"), preset(by_warp, one_if, 200)},
                  {to_say("One step"), preset(by_lane, one_if, 1)},
                  {to_say("By data"), preset(by_data, one_if, 200)},
                  {to_say("Sorted"), preset(by_sorted_data, one_if, 200)},
                  {to_say("Nested"), preset(by_lane, nested, 200)},
                  {to_say("Loops"), preset(by_lane, loop, 200)},
                  {to_say("Loops by data"), preset(by_data, loop, 200)}},
      .views = {"lane_timeline", "ladder"},
      .guesses = {"times", "times_short"},
      .markings = {},
      .more_macros = more_macros,
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
