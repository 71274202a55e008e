// Lesson 16: what limits a kernel? Count its bytes and operations, compare them with the device's peaks, change one thing, and
// measure again.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/arithmetic.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& bottleneck();

namespace {

using Limit = Roofline::Limit;

enum Literals : int { with_f, without_f };
enum Layout : int { plain, structs };
enum Warps : int { many, few };
constexpr std::uint32_t threads_of_many = 256, threads_of_few = 32;  // of a block
constexpr std::size_t fields = 4;                                    // of a struct
constexpr int usual_steps = 16, many_steps = 128;
constexpr int repeats = 5;                // of a version on a GPU; the shortest time counts
constexpr std::size_t times_on_gpu = 64;  // factor for timing on a GPU: the values exceed its caches
constexpr double close = 0.5;             // a version that reaches this share of its lowest roof is limited by it

struct Settings {
  int literals = with_f, layout = plain, steps = usual_steps, warps = many;
  std::size_t n = 0;

  static Settings from(const Values& values) {
    return {.literals = values.integer("literals"),
            .layout = values.integer("layout"),
            .steps = values.integer("steps"),
            .warps = values.integer("warps"),
            .n = static_cast<std::size_t>(values.integer("n"))};
  }
  [[nodiscard]] gpu::Dim3 block() const { return {warps == many ? threads_of_many : threads_of_few}; }
  /// As many blocks as the device holds at once, or one warp per multiprocessor.
  [[nodiscard]] gpu::Dim3 grid(const gpu::DeviceInfo& device) const {
    const auto sms = static_cast<std::uint32_t>(std::max(device.multiprocessors, 1));
    const auto warps_of_one = static_cast<std::uint32_t>(std::max(device.warps_per_multiprocessor, 8));
    return {warps == many ? sms * (warps_of_one * 32 / threads_of_many) : sms};
  }
  [[nodiscard]] std::size_t threads(const gpu::DeviceInfo& device) const { return grid(device).x * std::size_t{block().x}; }
  [[nodiscard]] std::size_t values() const { return layout == structs ? fields * n : n; }
  [[nodiscard]] std::string label() const {
    return fmt::format("{} step{}, {}{}{}", steps, steps == 1 ? "" : "s", literals == with_f ? "0.5f" : "0.5",
                       layout == structs ? ", structs" : "", warps == few ? ", few warps" : "");
  }
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// The three versions of the page's questions, and one that moves unnecessary bytes.
struct Known {
  const char* letter;
  Settings settings;
};
std::array<Known, 4> known_versions(std::size_t n) {
  return {{{"A", {.n = n}},
           {"B", {.steps = many_steps, .n = n}},
           {"C", {.literals = without_f, .n = n}},
           {"D", {.layout = structs, .n = n}}}};
}

/// Scattered between 0 and 1, and exact in float32: 24 bits.
float value_at(std::size_t k) { return static_cast<float>(static_cast<std::uint32_t>(k) * 2654435761U >> 8) * 0x1p-24F; }

/// Each step halves the distance from 2.
double curve(const Settings& settings, std::size_t i) {
  const double v = value_at(settings.layout == structs ? fields * i : i);
  return 2 - std::ldexp(2 - v, -settings.steps);
}

std::int64_t count_wrong(const Settings& settings, const std::vector<float>& sums) {
  std::int64_t wrong = 0;
  for (std::size_t me = 0; me < sums.size(); ++me) {
    double right = 0;
    for (std::size_t i = me; i < settings.n; i += sums.size()) right += curve(settings, i);
    wrong += !(std::abs(sums[me] - right) <= 1e-4 * right);
  }
  return wrong;
}

void define(Host& host, const Settings& settings) {
  host.define("STEPS", fmt::format("{}", settings.steps));
  host.define("STRUCTS", fmt::format("{}", settings.layout));
  host.define("DOUBLE", fmt::format("{}", settings.literals));
}

struct Buffers {
  gpu::Buffer x, y;
};

Result<Buffers> arrays_of(Host& host, const Settings& settings) {
  std::vector<float> values(settings.values());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = value_at(k);
  auto x = host.to_device<float>("x", values);
  if (!x) return failure(x.error());
  auto y = host.zeros<float>("y", {settings.threads(host.device())});
  if (!y) return failure(y.error());
  return Buffers{.x = *x, .y = *y};
}

Result<gpu::LaunchReport> launch(Host& host, const Settings& settings, const Buffers& arrays, const gpu::Observe& observe) {
  define(host, settings);
  auto report = host.launch("curve", settings.grid(host.device()), settings.block(),
                            {arrays.x, arrays.y, gpu::Scalar::of(static_cast<std::int32_t>(settings.n))},
                            {.observe = observe, .schedule = gpu::Schedule::clock});
  if (report && report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  return report;
}

/// The time of a launch on a GPU. x is not in its cache.
Result<double> measured(Host& host, const Settings& settings, const Buffers& arrays) {
  std::size_t cache = 0;
  for (const gpu::Attribute& attribute : host.device().attributes) {
    if (attribute.name == "l2CacheSize") cache = static_cast<std::size_t>(attribute.value);
  }
  auto other = host.zeros<float>("other", {std::max<std::size_t>(2 * cache / sizeof(float), 1)});
  if (!other) return failure(other.error());
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    if (auto filled = host.refill(*other, gpu::Scalar::of(0.0F)); !filled) return failure(filled.error());
    auto report = launch(host, settings, arrays, {});
    if (!report) return failure(report.error());
    if (!report->ok()) return 0.0;
    best = repeat == 0 ? microseconds(*report) : std::min(best, microseconds(*report));
  }
  host.release(*other);
  return best;
}

/// A version's cost: counted in its launch, or, without counts, calculated from the arrays and the steps.
struct Costs {
  double bytes = 0, float32 = 0, float64 = 0;  // float32 and float64: numbers of operations
  bool counted = false;
};

Costs costs_of(const gpu::LaunchReport& report, const Settings& settings, const gpu::DeviceInfo& device) {
  constexpr double sector = 32;
  Costs costs{.counted = report.observed[gpu::FindingKind::coalescing] != gpu::Observation::not_observed};
  if (costs.counted) {
    for (const gpu::LineCounts& line : report.lines) {
      costs.bytes += sector * static_cast<double>(line.sectors);
      costs.float32 += static_cast<double>(line.float32_operations);
      costs.float64 += static_cast<double>(line.float64_operations);
    }
    return costs;
  }
  const auto n = static_cast<double>(settings.n);
  costs.bytes = sizeof(float) * (static_cast<double>(settings.values()) + static_cast<double>(settings.threads(device)));
  (settings.literals == with_f ? costs.float32 : costs.float64) = 2 * settings.steps * n;
  costs.float32 += n;  // for the sum
  return costs;
}

/// The lowest roof for these costs: the resource that alone would need the longest time.
Roofline::Version under_the_roofs(const Costs& costs, double us, const Roofline& roofs) {
  Roofline::Version version{.us = us, .bytes = costs.bytes, .operations = costs.float32 + costs.float64};
  version.float64 = costs.float64 > costs.float32;
  double longest = 0;  // µs
  for (const auto& [limit, work, rate] : {std::tuple{Limit::memory, costs.bytes, roofs.memory_gb_per_s},
                                          std::tuple{Limit::float32, costs.float32, roofs.float32_gflop_per_s},
                                          std::tuple{Limit::float64, costs.float64, roofs.float64_gflop_per_s}}) {
    const double needed = rate > 0 ? work / (rate * 1e3) : 0;
    if (needed <= longest) continue;
    longest = needed;
    version.lowest = limit;
  }
  version.share = us > 0 ? longest / us : 0;
  version.limit = version.share >= close ? version.lowest : Limit::none;
  return version;
}

/// A timed version. us is 0 if an edited kernel does not compile or run this way.
Result<Roofline::Version> try_version(Host& host, const Settings& settings, const Roofline& roofs) {
  auto arrays = arrays_of(host, settings);
  if (!arrays) return failure(arrays.error());
  auto report = launch(host, settings, *arrays, {.coalescing = true});
  if (!report && report.error().code != "compile_error") return failure(report.error());
  Roofline::Version version;
  if (report && report->ok()) {
    auto us = host.device().is_model ? Result<double>(microseconds(*report)) : measured(host, settings, *arrays);
    if (!us) return failure(us.error());
    version = under_the_roofs(costs_of(*report, settings, host.device()), *us, roofs);
    if (report->clock) version.waits = report->clock->warp_cycles;
  }
  host.release(arrays->x);
  host.release(arrays->y);
  return version;
}

std::string limit_words(Limit limit) {
  if (limit == Limit::memory) return "the memory";
  return limit == Limit::float32 ? "arithmetic in float32" : "arithmetic in float64";
}

std::string title_of(const Roofline::Version& chosen) {
  if (chosen.limit == Limit::none) return "This run comes close to none of its roofs";
  return fmt::format("This run is limited by {}", limit_words(chosen.limit));
}

std::string say(const Roofline& roofline, std::int64_t wrong) {
  const Roofline::Version& chosen = roofline.versions[roofline.chosen];
  std::string said;
  if (chosen.lowest != Limit::none)
    said = fmt::format("The lowest roof above this run is that of {}, and the run reaches {:.0f} % of it.",
                       limit_words(chosen.lowest), 100 * chosen.share);
  gpu::ClockReport clock;
  clock.warp_cycles = chosen.waits;
  if (const MainWait wait = main_wait(clock); wait.share > 0) said += fmt::format(" {}.", title_of(wait));
  if (!roofline.counted) said += " Bytes and operations are worked out from the arrays and the steps.";
  if (!roofline.model) said += fmt::format(" The times are those of {} times as many values.", times_on_gpu);
  if (wrong > 0) said += fmt::format(" {} of the sums are wrong.", wrong);
  return said;
}

/// The versions of the page's questions, with the page's launch among them or after them.
Result<Roofline> compare(Host& host, const Settings& chosen, const gpu::LaunchReport& report) {
  const Host::Unrecorded unrecorded(host);
  const gpu::DeviceInfo& device = host.device();
  const gpu::ArithmeticPeak peak = gpu::arithmetic_peak(device);
  Roofline roofline{.memory_gb_per_s = device.memory_gb_per_s,
                    .float32_gflop_per_s = peak.float32 / 1e9,
                    .float64_gflop_per_s = peak.float64 / 1e9,
                    .model = device.is_model};
  Settings timed = chosen;
  if (!device.is_model) timed.n *= times_on_gpu;
  const bool takes_time = microseconds(report) > 0;  // a dry run takes none
  const auto time_of = [&](const Settings& settings) -> Result<Roofline::Version> {
    return takes_time ? try_version(host, settings, roofline) : Roofline::Version{};
  };
  const Costs costs = costs_of(report, chosen, device);
  roofline.counted = costs.counted;
  Result<Roofline::Version> mine =
      device.is_model ? Result<Roofline::Version>(under_the_roofs(costs, microseconds(report), roofline)) : time_of(timed);
  if (!mine) return failure(mine.error());
  if (report.clock) mine->waits = report.clock->warp_cycles;
  mine->label = chosen.label();
  const auto versions = known_versions(timed.n);
  roofline.chosen = versions.size();
  for (const Known& known : versions) {
    const bool same = known.settings == timed;
    auto version = same ? mine : time_of(known.settings);
    if (!version) return failure(version.error());
    if (same) roofline.chosen = roofline.versions.size();
    version->letter = known.letter;
    version->label = known.settings.label();
    roofline.versions.push_back(std::move(*version));
  }
  if (roofline.chosen == versions.size()) roofline.versions.push_back(std::move(*mine));
  roofline.title = title_of(roofline.versions[roofline.chosen]);
  define(host, chosen);
  return roofline;
}

/// Which of A, B and C are limited by memory: the sum of 1, 2 and 4.
double limited_by_memory(const Roofline& roofline) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += roofline.versions[i].limit == Limit::memory ? double(1U << i) : 0;
  return sum;
}

std::vector<Number> numbers_of(const Roofline& roofline, double sum, std::int64_t wrong) {
  using Tone = Number::Tone;
  const Roofline::Version& chosen = roofline.versions[roofline.chosen];
  const bool is_model = roofline.model;
  std::vector<Number> numbers{
      {.name = "memory_bound",
       .label = to_say("Limited by memory: 1 A, 2 B, 4 C"),
       .value = limited_by_memory(roofline),
       .on_page = false,
       .of_device = true},
      {.name = "us",
       .label = is_model ? to_say("Time (model)") : to_say("Time"),
       .value = chosen.us,
       .tone = Tone::first,
       .decimals = 1,
       .unit = "µs",
       .of_device = true},
      {.name = "of_roof",
       .label = is_model ? to_say("Of its lowest roof (model)") : to_say("Of its lowest roof"),
       .value = 100 * chosen.share,
       .unit = "%",
       .of_device = true},
      {.name = "intensity", .label = to_say("Operations a byte"), .value = chosen.intensity(), .decimals = 2, .of_device = true},
      {.name = "gflop_per_s",
       .label = is_model ? to_say("Rate (model)") : to_say("Rate"),
       .value = chosen.gflop_per_s(),
       .unit = "GFLOP/s",
       .on_page = false,
       .of_device = true},
      {.name = "bytes", .label = to_say("Bytes moved"), .value = chosen.bytes, .unit = "B", .on_page = false, .of_device = true},
      {.name = "operations", .label = to_say("Operations"), .value = chosen.operations, .on_page = false, .of_device = true},
      {.name = "limit",
       .label = to_say("Limit: 0 none, 1 memory, 2 float32, 3 float64"),
       .value = double(chosen.limit),
       .on_page = false,
       .of_device = true},
      {.name = "sum", .label = to_say("Sum of all values"), .value = sum, .decimals = 3, .on_page = false},
      {.name = "wrong",
       .label = to_say("Wrong sums"),
       .value = double(wrong),
       .tone = wrong > 0 ? Tone::bad : Tone::second,
       .on_page = wrong > 0}};
  add_times(numbers, roofline);
  return numbers;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  auto arrays = arrays_of(host, settings);
  if (!arrays) return failure(arrays.error());
  auto report = launch(host, settings, *arrays, gpu::Observe::all());
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  auto sums = host.copy_to_host<float>(arrays->y);
  if (!sums) return failure(sums.error());
  auto roofline = compare(host, settings, *report);
  if (!roofline) return failure(roofline.error());

  const std::int64_t wrong = count_wrong(settings, *sums);
  Outcome outcome;
  outcome.numbers = numbers_of(*roofline, std::accumulate(sums->begin(), sums->end(), 0.0), wrong);
  outcome.note = say(*roofline, wrong);
  outcome.figures.emplace_back(std::move(*roofline));
  outcome.report = std::move(*report);
  outcome.seconds = watch.seconds();
  return outcome;
}

std::map<std::string, double> preset(Literals literals, Layout layout, int steps = usual_steps, Warps warps = many) {
  return {{"literals", literals}, {"layout", layout}, {"steps", steps}, {"warps", warps}};
}

}  // namespace

const Lesson& bottleneck() {
  static const Lesson lesson{
      .id = "16_bottleneck",
      .number = "16",
      .title = "What limits a kernel",
      .rail_title = "What limits a kernel",
      .kernel_file = "roof.cu",
      .kernel = "curve",
      .controls = {{.id = "literals",
                    .label = to_say("Constants"),
                    .kind = Control::Kind::choice,
                    .initial = without_f,
                    .most = without_f,
                    .options = {{"f", to_say("0.5f")}, {"plain", to_say("0.5")}},
                    .define = "DOUBLE",
                    .help =
                        to_say("0.5f is a float32 number. 0.5 is a float64 number (double), and so is what is computed with it."),
                    .of_question = false},
                   {.id = "layout",
                    .label = to_say("Values in"),
                    .kind = Control::Kind::choice,
                    .initial = structs,
                    .most = structs,
                    .options = {{"array", to_say("An array")}, {"structs", to_say("Structs of 4")}},
                    .define = "STRUCTS",
                    .help = to_say("Side by side in an array, or as the first of the four numbers of a struct."),
                    .of_question = false},
                   {.id = "steps",
                    .label = to_say("Steps"),
                    .initial = usual_steps,
                    .least = 1,
                    .most = 256,
                    .logarithmic = true,
                    .define = "STEPS",
                    .help = to_say("For each value. A step is one multiplication and one addition."),
                    .of_question = false},
                   {.id = "warps",
                    .label = to_say("Warps"),
                    .kind = Control::Kind::choice,
                    .initial = many,
                    .most = few,
                    .options = {{"many", to_say("As many as fit")}, {"few", to_say("One a multiprocessor")}},
                    .help = to_say("How many warps share the values."),
                    .of_question = false},
                   {.id = "n",
                    .label = to_say("Values"),
                    .initial = 1 << 18,
                    .least = 4096,
                    .most = 1 << 20,
                    .logarithmic = true,
                    .help = to_say("On an NVIDIA GPU the times are those of 64 times as many."),
                    .later = true}},
      .presets = {{to_say("As found"), preset(without_f, structs)},
                  {to_say("An array"), preset(without_f, plain)},
                  {to_say("0.5f"), preset(with_f, structs)},
                  {to_say("0.5f and an array"), preset(with_f, plain)},
                  {to_say("Half the steps"), preset(with_f, plain, usual_steps / 2)},
                  {to_say("128 steps"), preset(with_f, plain, many_steps)},
                  {to_say("Few warps"), preset(with_f, plain, usual_steps, few)}},
      .views = {"roofline"},
      .guesses = {"memory_bound"},
      .markings = {},
      .more_macros = {},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
