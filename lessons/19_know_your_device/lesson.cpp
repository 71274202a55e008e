// Lesson 19: what a device reports about itself, what follows from it for a launch, and the one number that no call returns, but
// that a kernel can measure.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/attributes.h"
#include "lessons/19_know_your_device/device_facts.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& know_your_device();

namespace {

enum Type : int { in_float32, in_float64 };
constexpr int chains = 4;        // independent multiply-adds in a step
constexpr int on_gpu = 1024;     // factor for steps when a GPU is timed, so that the time is long enough to measure
constexpr int repeats = 5;       // of a launch on a GPU; the shortest time counts
constexpr int usual_steps = 64;  // two iterations of the unrolled loop
constexpr int all_warps = 16;    // of a block on a multiprocessor: enough for every device

/// The page's question: four properties of a multiprocessor, with the names that CUDA calls would have for them.
constexpr std::array<std::string_view, 4> asked{"maxThreadsPerMultiProcessor", "regsPerMultiprocessor", "coresPerMultiprocessor",
                                                "sharedMemPerMultiprocessor"};

/// The first of them that no call returns, from 1.
double not_told() {
  const auto table = gpu::attribute_table();
  const auto told = [&](std::string_view name) {
    return std::any_of(table.begin(), table.end(), [&](const gpu::AttributeRow& row) { return row.name == name; });
  };
  return 1 + static_cast<double>(std::find_if_not(asked.begin(), asked.end(), told) - asked.begin());
}

struct Settings {
  int warps = all_warps, type = in_float32, steps = usual_steps;

  static Settings from(const Values& values) {
    return {.warps = values.integer("warps"), .type = values.integer("type"), .steps = values.integer("steps")};
  }
  [[nodiscard]] std::uint32_t threads() const { return 32 * static_cast<std::uint32_t>(warps); }  // of a block
};

/// One block per multiprocessor.
std::uint32_t blocks_of(const gpu::DeviceInfo& device) { return static_cast<std::uint32_t>(std::max(device.multiprocessors, 1)); }

Result<gpu::LaunchReport> launch(Host& host, const Settings& settings, const gpu::Buffer& y, int steps, bool watched) {
  auto report =
      host.launch("busy", {blocks_of(host.device())}, {settings.threads()}, {y, gpu::Scalar::of(static_cast<std::int32_t>(steps))},
                  {.observe = watched ? gpu::Observe::all() : gpu::Observe{}, .schedule = gpu::Schedule::clock});
  if (report && report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  return report;
}

/// The shortest of several times on a GPU. 0: an edited kernel cannot be launched this way.
Result<double> shortest(Host& host, const Settings& settings, const gpu::Buffer& y, int steps) {
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    auto report = launch(host, settings, y, steps, false);
    if (!report) return failure(report.error());
    if (!report->ok()) return 0.0;
    best = repeat == 0 ? microseconds(*report) : std::min(best, microseconds(*report));
  }
  return best;
}

/// Multiply-adds per cycle of a multiprocessor at its highest clock. Two launches are timed, the second with twice as many steps,
/// because the fixed cost of a launch cancels in the difference. 0: not measured, as in a dry run.
Result<double> multiply_adds(Host& host, const Settings& settings, const gpu::Buffer& y, const gpu::LaunchReport& once,
                             const gpu::LaunchReport& twice) {
  double steps = settings.steps, cycles = 0;
  if (once.clock && twice.clock) {
    cycles = static_cast<double>(twice.clock->cycles) - static_cast<double>(once.clock->cycles);
  } else if (microseconds(once) > 0) {
    const Host::Unrecorded unrecorded(host);
    steps *= on_gpu;
    auto shorter = shortest(host, settings, y, settings.steps * on_gpu);
    if (!shorter) return failure(shorter.error());
    auto longer = shortest(host, settings, y, 2 * settings.steps * on_gpu);
    if (!longer) return failure(longer.error());
    cycles = (*longer - *shorter) * host.device().clock_mhz;
  }
  return cycles > 0 ? chains * steps * settings.threads() / cycles : 0.0;
}

/// The expected result of a thread: each step halves the distance of its four numbers from 2 me.
double expected(std::size_t me, int steps) {
  return 8 * static_cast<double>(me) * (1 - std::ldexp(1.0, -steps)) + std::ldexp(0.0 + 1 + 2 + 3, -steps);
}

std::int64_t count_wrong(const std::vector<float>& y, int steps) {
  std::int64_t wrong = 0;
  for (std::size_t me = 0; me < y.size(); ++me) {
    const double right = expected(me, steps);
    wrong += !(std::abs(y[me] - right) <= 1e-5 * std::max(right, 1.0));
  }
  return wrong;
}

struct Measured {
  double a_cycle = 0;      // multiply-adds per cycle of a multiprocessor; 0: not measured
  std::int64_t wrong = 0;  // number of wrong results
  double sum = 0;
};

std::vector<Number> numbers_of(const Chip& chip, const Attributes& told, const Measured& measured) {
  using Tone = Number::Tone;
  const auto of = [&](std::string_view name) { return derived(name, told).value_or(0); };
  const auto hidden = [](std::string name, const ToSay& label, double value, int decimals, std::string unit) {
    return Number{.name = std::move(name),
                  .label = label,
                  .value = value,
                  .decimals = decimals,
                  .unit = std::move(unit),
                  .on_page = false,
                  .of_device = true};
  };
  return {
      {.name = "cores", .label = to_say("Cores"), .value = of("Cores"), .tone = Tone::first, .of_device = true},
      {.name = "measured",
       .label = chip.model ? to_say("Multiply-adds a cycle (model)") : to_say("Multiply-adds a cycle"),
       .value = measured.a_cycle,
       .tone = Tone::measured,
       .decimals = 1,
       .of_device = true},
      {.name = "threads", .label = to_say("Threads at the same time"), .value = of("Threads at the same time"), .of_device = true},
      {.name = "wrong",
       .label = to_say("Wrong elements"),
       .value = double(measured.wrong),
       .tone = measured.wrong > 0 ? Tone::bad : Tone::second,
       .on_page = measured.wrong > 0},
      {.name = "not_told", .label = to_say("Choice of question 1 that no call tells"), .value = not_told(), .on_page = false},
      {.name = "gtx_850m",
       .label = to_say("Cores of a GTX 850M"),
       .value = derived("Cores", known_devices().front().attributes).value_or(0),
       .on_page = false},
      hidden("threads_a_core", to_say("Threads for each core"), of("Threads for each core"), 0, ""),
      hidden("cores_of_one", to_say("Cores of a multiprocessor"), of("Cores of a multiprocessor"), 0, ""),
      hidden("float32_peak", to_say("Peak of float32"), of("Peak of float32"), 0, "GFLOP/s"),
      hidden("float64_peak", to_say("Peak of float64"), of("Peak of float64"), 0, "GFLOP/s"),
      hidden("bandwidth", to_say("Peak bandwidth"), of("Peak bandwidth"), 1, "GB/s"),
      hidden("operations_a_byte", to_say("Operations for each byte"), of("Operations for each byte"), 1, ""),
      hidden("sum", to_say("Sum of the results"), measured.sum, 0, "")};
}

std::string title_of(const Chip& chip) {
  if (chip.float32_units == 0)
    return fmt::format("{} multiprocessors; how many cores one of them has is not known here", chip.multiprocessors);
  const int cores = chip.multiprocessors * chip.float32_units;
  return fmt::format("{} multiprocessors × {} cores = {} cores", chip.multiprocessors, chip.float32_units,
                     cores < 10000 ? fmt::format("{}", cores) : fmt::format("{},{:03}", cores / 1000, cores % 1000));
}

std::string say(const Chip& chip, const Measured& measured) {
  const int units = chip.measured_float64 ? chip.float64_units : chip.float32_units;
  const std::string_view type = chip.measured_float64 ? "float64" : "float32";
  if (measured.wrong > 0) return fmt::format("{} of the results are wrong.", measured.wrong);
  if (measured.a_cycle <= 0) return {};
  if (units == 0) return fmt::format("A multiprocessor finished {:.1f} multiply-adds of {} in a cycle.", measured.a_cycle, type);
  return fmt::format("A multiprocessor finished {:.1f} multiply-adds of {} in a cycle. It has {} units for them.", measured.a_cycle,
                     type, units);
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  define_macros(host, know_your_device(), values);
  const gpu::DeviceInfo& device = host.device();
  const Settings settings = Settings::from(values);
  auto y = host.zeros<float>("y", {blocks_of(device) * std::size_t{settings.threads()}});
  if (!y) return failure(y.error());

  auto once = launch(host, settings, *y, settings.steps, true);
  if (!once) return failure(once.error());
  if (!once->ok()) return without_results(std::move(*once));
  auto twice = launch(host, settings, *y, 2 * settings.steps, true);
  if (!twice) return failure(twice.error());
  if (!twice->ok()) return without_results(std::move(*twice));
  auto results = host.copy_to_host<float>(*y);
  if (!results) return failure(results.error());
  auto a_cycle = multiply_adds(host, settings, *y, *once, *twice);
  if (!a_cycle) return failure(a_cycle.error());
  const Measured measured{.a_cycle = *a_cycle,
                          .wrong = count_wrong(*results, 2 * settings.steps),
                          .sum = std::accumulate(results->begin(), results->end(), 0.0)};

  const Attributes told = attributes_of(device);
  Chip chip = chip_of(told);
  chip.measured = measured.a_cycle;
  chip.measured_float64 = settings.type == in_float64;
  chip.model = device.is_model;
  chip.title = title_of(chip);
  Outcome outcome;
  outcome.numbers = numbers_of(chip, told, measured);
  outcome.note = say(chip, measured);
  outcome.figures.emplace_back(std::move(chip));
  outcome.figures.emplace_back(table_of("This device", told));
  outcome.report = std::move(*twice);
  outcome.seconds = watch.seconds();
  return outcome;
}

std::map<std::string, double> preset(int warps, Type type = in_float32) {
  return {{"warps", warps}, {"type", type}, {"steps", usual_steps}};
}

}  // namespace

const Lesson& know_your_device() {
  static const Lesson lesson{
      .id = "19_know_your_device",
      .number = "19",
      .title = "Know your device",
      .rail_title = "Know your device",
      .kernel_file = "cores.cu",
      .kernel = "busy",
      .controls = {{.id = "warps",
                    .label = to_say("Warps"),
                    .initial = all_warps,
                    .least = 1,
                    .most = 32,
                    .logarithmic = true,
                    .help = to_say("Of the one block that each multiprocessor gets."),
                    .of_question = false},
                   {.id = "type",
                    .label = to_say("Numbers"),
                    .kind = Control::Kind::choice,
                    .initial = in_float32,
                    .most = in_float64,
                    .options = {{"float32", to_say("float32")}, {"float64", to_say("float64")}},
                    .define = "DOUBLE",
                    .help = to_say("What the multiply-adds are made with."),
                    .of_question = false},
                   {.id = "steps",
                    .label = to_say("Steps"),
                    .initial = usual_steps,
                    .least = usual_steps,
                    .most = 256,
                    .logarithmic = true,
                    .help = to_say(
                        "Of the shorter launch; the longer one has twice as many. On an NVIDIA GPU 1,024 times as many are timed."),
                    .of_question = false,
                    .later = true}},
      .presets = {{to_say("All cores busy"), preset(all_warps)},
                  {to_say("One warp"), preset(1)},
                  {to_say("Four warps"), preset(4)},
                  {to_say("float64"), preset(all_warps, in_float64)},
                  {to_say("float64, one warp"), preset(1, in_float64)}},
      .views = {"chip", "device_table"},
      .guesses = {"not_told", "threads_a_core"},
      .markings = {},
      .more_macros = {},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
