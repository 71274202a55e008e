// Lesson 12: one sum, seven kernels. Each version removes the bottleneck of the one before it.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& reduction();

namespace {

using gpu::AccessRecord;

constexpr std::uint64_t seed_of_values = 20'11;
constexpr std::uint32_t most_watched = 1U << 18;  // values that are simulated with the clock and observed
constexpr std::uint32_t values_in_timeline = 1U << 14;
constexpr int repeats = 5;  // of a version on a GPU; the shortest time counts

enum Step : int { in_place, split_warps, packed_lanes, halves, shuffle, fast, library, steps };
constexpr std::array<ToSay, steps> labels = {to_say("In place"), to_say("Every other lane"), to_say("Strided"),
                                             to_say("Halves"),   to_say("Shuffle"),          to_say("Fast"),
                                             to_say("CUB")};

struct Settings {
  std::uint32_t n = 0, threads = 0;
  int step = 0;

  static Settings from(const Values& values) {
    return {.n = static_cast<std::uint32_t>(values.integer("n")),
            .threads = 32 * static_cast<std::uint32_t>(values.integer("warps")),
            .step = values.integer("step")};
  }
  [[nodiscard]] Settings with(std::uint32_t values, int rung) const { return {.n = values, .threads = threads, .step = rung}; }
  [[nodiscard]] bool strides() const { return step == fast || step == library; }
  [[nodiscard]] bool in_shared_tree() const { return step == split_warps || step == packed_lanes || step == halves; }
  /// One value per thread. The last two versions use a grid-stride loop, with as many blocks as the device holds at once.
  [[nodiscard]] std::uint32_t blocks(const gpu::DeviceInfo& device) const {
    if (!strides()) return (n + threads - 1) / threads;
    const auto resident = static_cast<std::uint32_t>(std::max(1, device.multiprocessors * device.warps_per_multiprocessor));
    return std::clamp(resident * 32 / threads, 1U, (n / 4 + threads - 1) / threads);
  }
};

Result<std::vector<float>> draw_values(std::uint32_t n, const gpu::Job* job) {
  std::mt19937_64 random(seed_of_values);
  std::vector<float> values(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(normal(random));
    if ((i & 0xfffff) == 0 && job != nullptr && job->cancelled) return failure("cancelled", "Cancelled. Press Run to start again.");
  }
  return values;
}

/// Only the CUB version needs the block's size at compile time. The others are not compiled again for each size.
Macros macros(const Values& values) {
  const Settings settings = Settings::from(values);
  return {{"THREADS", fmt::format("{}", settings.step == library ? settings.threads : 0)}};
}

void define_version(Host& host, const Settings& settings) {
  host.define("VERSION", fmt::format("{}", settings.step));
  host.define("THREADS", fmt::format("{}", settings.step == library ? settings.threads : 0));
}

/// A launch of one version over the first values, and its sum.
struct Summed {
  gpu::LaunchReport report;
  double sum = 0;  // the host adds the blocks' sums in float64, so that an error is the kernel's
};

class Summing {
 public:
  Summing(Host& host, std::span<const float> values) : host_(host), values_(values) {}

  /// Runs a version with fresh values.
  [[nodiscard]] Result<Summed> run(const Settings& settings, LaunchOptions options) {
    return run(settings, std::move(options), settings.blocks(host_.device()));
  }
  /// Runs one block with a trace of the memory that it works in.
  [[nodiscard]] Result<Summed> trace_a_block(Settings settings) {
    settings.n = std::min(settings.n, settings.threads * (settings.strides() ? 4 : 1));
    LaunchOptions options{.schedule = gpu::Schedule::clock};
    options.observe.trace_shared = settings.step != in_place;
    return run(settings, std::move(options), 1);
  }

 private:
  [[nodiscard]] Result<Summed> run(const Settings& settings, LaunchOptions options, std::uint32_t blocks) {
    auto data = host_.to_device<float>("data", values_.first(settings.n));
    if (!data) return failure(data.error());
    auto out = host_.zeros<float>("out", {blocks});
    if (!out) return failure(out.error());
    if (blocks == 1 && settings.step == in_place) options.observe.trace = {data->id};
    if (settings.in_shared_tree()) options.dynamic_shared_bytes = settings.threads * 4;
    define_version(host_, settings);
    auto report = host_.launch("sum_blocks", {blocks}, {settings.threads},
                               {*data, gpu::Scalar::of(static_cast<std::int32_t>(settings.n)), *out}, options);
    if (!report) return failure(report.error());
    Summed summed{.report = std::move(*report)};
    if (summed.report.ok()) {
      auto sums = host_.copy_to_host<float>(*out);
      if (!sums) return failure(sums.error());
      for (const float sum : *sums) summed.sum += double{sum};
    }
    host_.release(*data);
    host_.release(*out);
    return summed;
  }

  Host& host_;
  std::span<const float> values_;
};

/// Runs all versions with the same values. `chosen` has been run already.
Result<Ladder> climb(Host& host, Summing& summing, const Settings& settings, const gpu::LaunchReport& chosen) {
  const Host::Unrecorded unrecorded(host);
  Ladder ladder{.chosen = static_cast<std::size_t>(settings.step),
                .limit_gb_per_s = host.device().memory_gb_per_s,
                .values = settings.n,
                .model = host.device().is_model,
                .guessed = "of_limit"};
  for (int step = 0; step < steps; ++step) {
    Ladder::Rung rung{.label = warpbook::say(labels[static_cast<std::size_t>(step)])};
    double best = std::numeric_limits<double>::infinity();
    if (step == settings.step) best = microseconds(chosen);
    const int times = ladder.model ? (step == settings.step ? 0 : 1) : repeats;
    for (int i = 0; i < times; ++i) {
      auto summed = summing.run(settings.with(settings.n, step), {.schedule = gpu::Schedule::clock});
      // An edit may have broken a version that was not asked for; it has no bar.
      if (!summed && summed.error().code != "compile_error") return failure(summed.error());
      if (!summed) break;
      if (summed->report.status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
      if (!summed->report.ok()) break;
      best = std::min(best, microseconds(summed->report));
    }
    if (std::isfinite(best) && best > 0) {
      rung.us = best;
      rung.gb_per_s = 4.0 * settings.n / (best * 1e3);
    }
    ladder.rungs.push_back(std::move(rung));
  }
  define_version(host, settings);
  return ladder;
}

/// The chosen version and the next one (for the last: the previous one) on few values, with the timeline of every warp.
struct Beside {
  SmTimeline timeline;
  std::optional<OccupancyCurves> occupancy;  // of the chosen version
};
Result<Beside> compare_with_next(Host& host, Summing& summing, const Settings& settings) {
  const Host::Unrecorded unrecorded(host);
  Beside beside;
  const int other = settings.step + 1 < steps ? settings.step + 1 : settings.step - 1;
  for (const int step : {settings.step, other}) {
    LaunchOptions options{.schedule = gpu::Schedule::clock};
    options.observe.timeline = true;
    auto summed = summing.run(settings.with(std::min(settings.n, values_in_timeline), step), options);
    if (!summed && summed.error().code != "compile_error") return failure(summed.error());
    if (!summed) continue;
    if (summed->report.status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
    if (!summed->report.ok()) continue;
    if (step == settings.step) {
      const bool dynamic = settings.in_shared_tree();
      beside.occupancy = occupancy_curves(host.device(), summed->report, dynamic ? summed->report.shared_bytes : 0);
    }
    if (!has_timeline(summed->report)) continue;
    if (beside.timeline.runs.empty()) beside.timeline.title = title_of(main_wait(*summed->report.clock));
    beside.timeline.runs.push_back(take_run(summed->report, warpbook::say(labels[static_cast<std::size_t>(step)])));
  }
  define_version(host, settings);
  return beside;
}

/// The number of different words in the busiest bank, or of 32-byte sectors, of a request.
std::uint32_t cost_of(const AccessRecord& record) {
  std::set<std::int32_t> places;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((record.mask >> lane & 1) != 0) places.insert(record.shared ? record.index[lane] : record.index[lane] / 8);
  }
  if (!record.shared) return static_cast<std::uint32_t>(places.size());
  std::array<std::uint32_t, 32> ways{};
  for (const std::int32_t word : places) ++ways[static_cast<std::size_t>(word) % 32];
  return *std::max_element(ways.begin(), ways.end());
}

/// The block's stores, level by level. Between two levels there is a barrier, and a warp that works in a level has worked in all
/// earlier ones. So a new level begins when a warp stores that has already stored in the current one.
TreeLevels levels_of(const gpu::LaunchReport& report, const Settings& settings) {
  TreeLevels figure{.threads = settings.threads, .shared = settings.step != in_place};
  std::vector<const AccessRecord*> stores;
  for (const AccessRecord& record : report.trace) {
    if (record.kind == AccessRecord::Kind::store && record.shared == figure.shared) stores.push_back(&record);
  }
  std::stable_sort(stores.begin(), stores.end(), [](const auto* l, const auto* r) { return l->issued < r->issued; });
  for (const AccessRecord* store : stores) {
    const bool next =
        figure.levels.empty() || figure.levels.back().lanes[store->warp] != 0 || figure.levels.back().line != store->line;
    if (next) figure.levels.push_back({.line = store->line, .lanes = std::vector<std::uint32_t>(settings.threads / 32)});
    TreeLevels::Level& level = figure.levels.back();
    level.lanes[store->warp] = store->mask;
    level.cost = std::max(level.cost, cost_of(*store));
  }
  return figure;
}

std::set<std::uint32_t> threads_of(const TreeLevels::Level& level) {
  std::set<std::uint32_t> threads;
  for (std::uint32_t thread = 0; thread < 32 * level.lanes.size(); ++thread) {
    if (level.lanes[thread / 32] >> thread % 32 & 1) threads.insert(thread);
  }
  return threads;
}

struct Judged {
  double exact = 0, cpu = 0;
};

/// The sum in float64, and the result of a loop in float32.
Judged judge(std::span<const float> values) {
  Judged judged;
  float cpu = 0;
  for (const float value : values) {
    judged.exact += double{value};
    cpu += value;
  }
  judged.cpu = double{cpu};
  return judged;
}

std::string say(double gpu_error, double cpu_error) {
  const std::string error = fmt::format("A loop over the same float32 values on the CPU has an error of {:.6f}", cpu_error);
  if (gpu_error == 0 || cpu_error == 0) return error + ".";
  const auto times = [](double ratio) { return fmt::format("{:.{}f}", ratio, ratio < 10 ? 1 : 0); };
  return gpu_error <= cpu_error ? fmt::format("{}: {} times as large as the kernel's.", error, times(cpu_error / gpu_error))
                                : fmt::format("{}. Here the kernel's is {} times as large.", error, times(gpu_error / cpu_error));
}

std::vector<Number> numbers_of(const Ladder& ladder, double sum, const Judged& judged, std::uint32_t blocks) {
  const Ladder::Rung& rung = ladder.rungs[ladder.chosen];
  const double of_limit = ladder.limit_gb_per_s > 0 ? 100 * rung.gb_per_s / ladder.limit_gb_per_s : 0;
  using Tone = Number::Tone;
  std::vector<Number> numbers = {
      {.name = "of_limit",
       .label = ladder.model ? to_say("Share of the bandwidth (model)") : to_say("Share of the bandwidth"),
       .value = of_limit,
       .tone = Tone::first,
       .decimals = 1,
       .unit = "%"},
      {.name = "gpu_sum", .label = to_say("Sum"), .value = sum, .tone = Tone::measured, .decimals = 4},
      {.name = "gpu_error", .label = to_say("Error of the sum"), .value = std::abs(sum - judged.exact), .decimals = 6},
      {.name = "cpu_error",
       .label = to_say("Error of a loop on the CPU"),
       .value = std::abs(judged.cpu - judged.exact),
       .decimals = 6,
       .on_page = false},
      {.name = "exact_sum", .label = to_say("Sum in float64"), .value = judged.exact, .decimals = 9, .on_page = false},
      {.name = "cpu_sum",
       .label = to_say("Sum by a loop on the CPU, float32"),
       .value = judged.cpu,
       .decimals = 6,
       .on_page = false},
      {.name = "blocks", .label = to_say("Blocks"), .value = double(blocks), .on_page = false},
      {.name = "us", .label = to_say("Time of the kernel"), .value = rung.us, .decimals = 2, .unit = "µs", .on_page = false},
      {.name = "limit_gb_per_s",
       .label = to_say("Memory's peak"),
       .value = ladder.limit_gb_per_s,
       .unit = "GB/s",
       .on_page = false}};
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    numbers.push_back({.name = fmt::format("gb_per_s_{}", i),
                       .label = as_it_is(ladder.rungs[i].label),
                       .value = ladder.rungs[i].gb_per_s,
                       .decimals = 1,
                       .unit = "GB/s",
                       .on_page = false});
  }
  return numbers;
}

void add_numbers_of(const TreeLevels& levels, std::vector<Number>& numbers) {
  std::uint64_t requests = 0, lanes = 0, worst = 0;
  for (const TreeLevels::Level& level : levels.levels) {
    worst = std::max<std::uint64_t>(worst, level.cost);
    for (const std::uint32_t mask : level.lanes) {
      requests += mask != 0;
      lanes += static_cast<std::uint64_t>(std::popcount(mask));
    }
  }
  numbers.push_back({.name = "levels", .label = to_say("Levels"), .value = double(levels.levels.size()), .on_page = false});
  numbers.push_back({.name = "requests", .label = to_say("Stores of a block"), .value = double(requests), .on_page = false});
  numbers.push_back({.name = "lanes_a_request",
                     .label = to_say("Lanes a store"),
                     .value = requests > 0 ? double(lanes) / double(requests) : 0,
                     .decimals = 1,
                     .on_page = false});
  numbers.push_back({.name = "worst_cost",
                     .label = levels.shared ? to_say("Most passes of a store") : to_say("Most sectors of a store"),
                     .value = double(worst),
                     .on_page = false});
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job* job) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  const bool model = host.device().is_model;
  auto data = draw_values(settings.n, job);
  if (!data) return failure(data.error());
  Summing summing(host, *data);

  // The model simulates a sum of moderate size. A longer sum is computed completely, and its first part is timed and observed.
  const Settings piece = settings.with(model ? std::min(settings.n, most_watched) : settings.n, settings.step);
  const LaunchOptions watched_options{.observe = gpu::Observe::all(), .schedule = gpu::Schedule::clock};
  const bool watch_all = model && piece.n == settings.n;
  auto summed = summing.run(settings, watch_all ? watched_options : LaunchOptions{});
  if (!summed) return failure(summed.error());
  if (!summed->report.ok()) return without_results(std::move(summed->report));
  gpu::LaunchReport report = summed->report;
  if (model && !watch_all) {
    const Host::Unrecorded unrecorded(host);
    auto watched = summing.run(piece, watched_options);
    if (!watched) return failure(watched.error());
    if (!watched->report.ok()) return without_results(std::move(watched->report));
    report = with_findings_of(std::move(report), watched->report);
    report.cycles = watched->report.cycles;
    report.model_us = watched->report.model_us;
  }
  auto ladder = climb(host, summing, piece, report);
  if (!ladder) return failure(ladder.error());

  std::optional<TreeLevels> levels;
  std::optional<Beside> beside;
  if (model) {
    auto compared = compare_with_next(host, summing, settings);
    if (!compared) return failure(compared.error());
    beside = std::move(*compared);
    const Host::Unrecorded unrecorded(host);
    auto one_block = summing.trace_a_block(settings);
    if (!one_block) return failure(one_block.error());
    if (one_block->report.ok()) levels = levels_of(one_block->report, settings);
  }

  const Judged judged = judge(*data);
  const double gpu_error = std::abs(summed->sum - judged.exact), cpu_error = std::abs(judged.cpu - judged.exact);
  Outcome outcome;
  outcome.numbers = numbers_of(*ladder, summed->sum, judged, settings.blocks(host.device()));
  if (levels) add_numbers_of(*levels, outcome.numbers);
  if (levels && levels->levels.size() >= 3) outcome.marked["third_level"] = threads_of(levels->levels[2]);
  outcome.note = say(gpu_error, cpu_error);
  outcome.figures.push_back(std::move(*ladder));
  if (levels) outcome.figures.push_back(std::move(*levels));
  if (beside) {
    outcome.figures.push_back(std::move(beside->timeline));
    if (beside->occupancy) outcome.figures.push_back(std::move(*beside->occupancy));
  }
  outcome.report = std::move(report);
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& reduction() {
  static const Lesson lesson{
      .id = "12_reduction",
      .number = "12",
      .title = "Reduction",
      .rail_title = "Reduction",
      .kernel_file = "reduction.cu",
      .kernel = "sum_blocks",
      .controls =
          {{.id = "step",
            .label = to_say("Kernel"),
            .kind = Control::Kind::choice,
            .initial = in_place,
            .most = steps - 1,
            .options = {{"in_place", labels[in_place]},
                        {"split", labels[split_warps]},
                        {"strided", labels[packed_lanes]},
                        {"halves", labels[halves]},
                        {"shuffle", labels[shuffle]},
                        {"fast", labels[fast]},
                        {"cub", labels[library]}},
            .define = "VERSION",
            .help = to_say("The versions, from the slowest to the fastest. All give the sum; they differ in which threads add "
                           "what, and where.")},
           {.id = "n",
            .label = to_say("Values"),
            .initial = 65'379,
            .least = 1024,
            .most = 134'217'571,
            .logarithmic = true,
            .help = to_say("Random, normally distributed, always the same. 65379 = 2^16 − 157 is a multiple of no block size.")},
           {.id = "warps",
            .label = to_say("Warps a block"),
            .initial = 4,
            .least = 1,
            .most = 32,
            .logarithmic = true,
            .help = to_say("4 warps are 128 threads.")}},
      .presets = {{to_say("As found"), {{"step", in_place}, {"warps", 4}}},
                  {to_say("Divergent"), {{"step", split_warps}, {"warps", 16}}, "tree_levels"},
                  {to_say("Bank conflicts"), {{"step", packed_lanes}, {"warps", 16}}, "tree_levels"},
                  {to_say("Neither"), {{"step", halves}, {"warps", 16}}},
                  {to_say("Shuffles"), {{"step", shuffle}, {"warps", 4}}},
                  {to_say("Fast, 2^18 − 157"), {{"step", fast}, {"warps", 8}, {"n", 261'987}}},
                  {to_say("The library's"), {{"step", library}, {"warps", 8}, {"n", 261'987}}}},
      .views = {"ladder", "tree_levels", "sm_timeline", "occupancy"},
      .guesses = {"of_limit", "gpu_error"},
      .markings = {{"third_level", [](const Values& values) { return Settings::from(values).threads; }}},
      .more_macros = macros,
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
