// Lesson 07: many threads and ten bins. A histogram has a race on every bin, and the remedies have costs.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& histogram();

namespace {

using gpu::AccessRecord;

constexpr std::size_t values_in_all = 10'000;
constexpr std::uint64_t seed_of_values = 20'09;
constexpr std::size_t rows_shown = 8;        // of BinLanes
constexpr std::size_t bins_as_numbers = 32;  // more would clutter the output of `run --json`
constexpr int shared_words = 48 * 1024 / 4;  // that every block may use

enum Distribution { normals, uniforms, one_bin };
enum Atomics { none, global, shared, copied };
enum Place { global_bins, shared_bins };

bool counts_in_shared(const Values& values) {
  const int atomics = values.integer("atomics");
  return atomics == shared || atomics == copied || (atomics == none && values.integer("where") == shared_bins);
}

/// The number of copies of the bins in a block: as set, but not more than fit.
int copies_of_bins(const Values& values) {
  if (values.integer("atomics") != copied) return 1;
  return std::min(values.integer("copies"), shared_words / values.integer("bins"));
}

/// The way of counting, in words.
std::string way_of(const Values& values) {
  switch (values.integer("atomics")) {
    case global:
      return "atomicAdd on global bins";
    case shared:
      return "atomicAdd on shared bins";
    case copied:
      return fmt::format("atomicAdd on {} copies", copies_of_bins(values));
    default:
      return counts_in_shared(values) ? "+= on shared bins" : "+= on global bins";
  }
}

Macros macros(const Values& values) {
  return {{"ATOMIC", values.integer("atomics") == none ? "0" : "1"},
          {"SHARED_BINS", counts_in_shared(values) ? "1" : "0"},
          {"FAST", values.integer("atomics") == copied ? "1" : "0"},
          {"COPIES", fmt::format("{}", copies_of_bins(values))}};
}

std::vector<float> draw_values(int distribution) {
  std::mt19937_64 random(seed_of_values);
  std::vector<float> x(values_in_all);
  for (float& value : x) {
    switch (distribution) {
      case normals:
        value = static_cast<float>(normal(random));
        break;
      case uniforms:
        value = static_cast<float>(-4.0 + 8.0 * uniform(random));
        break;
      default:
        value = 0.1F;
        break;
    }
  }
  return x;
}

/// The same count on the CPU in float64.
struct Reference {
  std::vector<std::int64_t> bins;
  std::int64_t outside = 0;
  std::int64_t rounded = 0;  // values so near to an edge that float32 may put them into another bin
};

Reference count_on_cpu(const std::vector<float>& x, float low, float high, int bins) {
  Reference reference;
  reference.bins.resize(static_cast<std::size_t>(bins));
  const double width = (double{high} - double{low}) / bins;
  const float width32 = (high - low) / static_cast<float>(bins);
  for (const float value : x) {
    const double bin = std::floor((double{value} - double{low}) / width);
    const float bin32 = std::floor((value - low) / width32);
    if (bin >= 0 && bin < bins) {
      ++reference.bins[static_cast<std::size_t>(bin)];
    } else {
      ++reference.outside;
    }
    if (double{bin32} != bin) ++reference.rounded;
  }
  return reference;
}

/// The counting requests in the trace: accesses on lines that read and change a bin (an atomic, or a load and a store).
/// Initialising and merging the shared bins are not among them.
std::vector<const AccessRecord*> counting_requests(const gpu::LaunchReport& report, gpu::BufferId bins, bool in_shared) {
  std::vector<const AccessRecord*> here;
  std::set<std::uint32_t> loads, changes;
  for (const AccessRecord& record : report.trace) {
    if (record.shared != in_shared || (!record.shared && record.buffer != bins)) continue;
    here.push_back(&record);
    if (record.kind != AccessRecord::Kind::store) loads.insert(record.line);
    if (record.kind != AccessRecord::Kind::load) changes.insert(record.line);
  }
  std::erase_if(here, [&](const AccessRecord* record) {
    return record->kind == AccessRecord::Kind::load || !loads.contains(record->line) || !changes.contains(record->line);
  });
  std::stable_sort(here.begin(), here.end(), [](const auto* l, const auto* r) { return l->issued < r->issued; });
  return here;
}

/// Lanes that use different copies of a bin want the same bin, but not the same address.
BinLanes count_lanes(const std::vector<const AccessRecord*>& requests, int bins, int copies) {
  BinLanes figure;
  std::uint64_t passes = 0;
  std::vector<std::uint8_t> lanes(static_cast<std::size_t>(bins)), at(static_cast<std::size_t>(bins * copies));
  for (const AccessRecord* request : requests) {
    std::fill(lanes.begin(), lanes.end(), std::uint8_t{0});
    std::fill(at.begin(), at.end(), std::uint8_t{0});
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::int32_t word = request->index[lane];
      if ((request->mask >> lane & 1) == 0 || word < 0 || word >= bins * copies) continue;
      ++at[static_cast<std::size_t>(word)];
      ++lanes[static_cast<std::size_t>(word / copies)];
    }
    const std::uint32_t most = *std::max_element(at.begin(), at.end());
    passes += most;
    if (figure.rows.size() < rows_shown) figure.rows.push_back({request->block, request->warp, lanes, most});
  }
  // The first few rows were chosen; now order them by block and warp.
  std::stable_sort(figure.rows.begin(), figure.rows.end(),
                   [](const auto& l, const auto& r) { return std::pair(l.block, l.warp) < std::pair(r.block, r.warp); });
  figure.requests = static_cast<std::uint32_t>(requests.size());
  figure.mean_passes = requests.empty() ? 0 : static_cast<double>(passes) / static_cast<double>(requests.size());
  return figure;
}

std::string say(bool racing, bool in_shared, std::int64_t missing, std::int64_t fullest_left, const Reference& reference) {
  if (racing && in_shared && missing > 0) {
    return fmt::format("Each block's warps race on its own bins, and the merge adds what is left: the fullest bin keeps {} of {}.",
                       fullest_left, *std::max_element(reference.bins.begin(), reference.bins.end()));
  }
  if (racing && missing > 0) {
    return fmt::format("All warps of the grid race on the same few bins: the fullest keeps {} of {}.", fullest_left,
                       *std::max_element(reference.bins.begin(), reference.bins.end()));
  }
  if (reference.rounded > 0) {
    return fmt::format("{} {} so close to a bin's edge that float32 and the float64 reference put {} into different bins.",
                       reference.rounded, reference.rounded == 1 ? "value lies" : "values lie",
                       reference.rounded == 1 ? "it" : "them");
  }
  return {};
}

std::vector<Number> numbers_of(const BinChart& chart, const Reference& reference, std::int64_t missing) {
  std::int64_t wrong_bins = 0;
  for (std::size_t b = 0; b < chart.counted.size(); ++b) wrong_bins += chart.counted[b] != chart.reference[b];
  using Tone = Number::Tone;
  return {
      {.name = "counted",
       .label = to_say("Counted"),
       .value = double(chart.values - reference.outside - missing),
       .tone = Tone::measured},
      {.name = "missing", .label = to_say("Missing"), .value = double(missing), .tone = missing != 0 ? Tone::bad : Tone::second},
      {.name = "outside", .label = to_say("Outside the range"), .value = double(reference.outside)},
      {.name = "wrong_bins", .label = to_say("Bins that differ"), .value = double(wrong_bins), .on_page = false},
      {.name = "least_in_a_bin",
       .label = to_say("Least in a bin"),
       .value = double(*std::min_element(chart.counted.begin(), chart.counted.end())),
       .on_page = false},
      {.name = "most_in_a_bin",
       .label = to_say("Most in a bin"),
       .value = double(*std::max_element(chart.counted.begin(), chart.counted.end())),
       .on_page = false},
      {.name = "rounded",
       .label = to_say("Values at an edge that float32 bins differently"),
       .value = double(reference.rounded),
       .on_page = false}};
}

void add_single_bins(std::vector<Number>& numbers, const BinChart& chart) {
  for (std::size_t b = 0; b < chart.counted.size(); ++b) {
    numbers.push_back({.name = fmt::format("bin_{}", b),
                       .label = to_say("Bin {bin}", "bin"_a = b),
                       .value = double(chart.counted[b]),
                       .on_page = false});
    numbers.push_back({.name = fmt::format("reference_{}", b),
                       .label = to_say("Bin {bin} on the CPU", "bin"_a = b),
                       .value = double(chart.reference[b]),
                       .on_page = false});
  }
}

struct HistogramBuffers {
  gpu::Buffer x, bins;
};

/// The requests that count: lanes by bin, and a memory map of block 0.
void add_requests(Outcome& outcome, const gpu::LaunchReport& report, const HistogramBuffers& buffers, bool in_shared, int copies) {
  BinLanes lanes = count_lanes(counting_requests(report, buffers.bins.id, in_shared),
                               static_cast<int>(buffers.bins.array.shape.front()), copies);
  outcome.numbers.push_back(
      {.name = "mean_passes", .label = to_say("Passes a request"), .value = lanes.mean_passes, .decimals = 1, .on_page = false});
  outcome.numbers.push_back({.name = "requests", .label = to_say("Requests"), .value = double(lanes.requests), .on_page = false});
  outcome.figures.push_back(std::move(lanes));
  const std::array<gpu::Buffer, 2> arrays{buffers.x, buffers.bins};
  MemoryMap map = memory_map(report, arrays, [](const AccessRecord& record) { return record.block == 0; });
  // Show the first counting request first.
  const auto counts = std::find_if(map.requests->begin(), map.requests->end(), [&](const AccessRecord& record) {
    const bool of_bins = record.shared == in_shared && record.buffer != buffers.x.id;
    return record.kind == AccessRecord::Kind::atomic || (of_bins && record.kind == AccessRecord::Kind::load);  // not their clearing
  });
  map.first = counts == map.requests->end() ? 0 : static_cast<std::size_t>(counts - map.requests->begin());
  outcome.figures.push_back(std::move(map));
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const int atomics = values.integer("atomics");
  const bool in_shared = counts_in_shared(values);
  define_macros(host, histogram(), values);

  const int bins = values.integer("bins"), copies = copies_of_bins(values);
  const auto high = static_cast<float>(values.real("range"));
  const float low = -high;
  const std::vector<float> x = draw_values(values.integer("values"));
  const Reference reference = count_on_cpu(x, low, high, bins);

  auto d_x = host.to_device<float>("x", x);
  if (!d_x) return failure(d_x.error());
  auto d_bins = host.zeros<std::int32_t>("bins", {static_cast<std::size_t>(bins)});
  if (!d_bins) return failure(d_bins.error());

  // Always with the clock schedule: without atomics it decides which counts are lost, with atomics it shows the cost of collisions.
  LaunchOptions options{.dynamic_shared_bytes = in_shared ? static_cast<std::uint32_t>(bins * copies) * 4 : 0,
                        .observe = gpu::Observe::all(),
                        .schedule = gpu::Schedule::clock};
  options.observe.trace = {d_x->id, d_bins->id};
  options.observe.trace_shared = in_shared;
  options.observe.timeline = true;
  auto report = host.launch("histogram", {static_cast<std::uint32_t>(values.integer("blocks"))},
                            {static_cast<std::uint32_t>(values.integer("threads"))},
                            {*d_x, gpu::Scalar::of(static_cast<std::int32_t>(x.size())), gpu::Scalar::of(low),
                             gpu::Scalar::of(high), *d_bins, gpu::Scalar::of(static_cast<std::int32_t>(bins))},
                            options);
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  auto result = host.copy_to_host<std::int32_t>(*d_bins);
  if (!result) return failure(result.error());

  BinChart chart{.low = low,
                 .high = high,
                 .counted = {result->begin(), result->end()},
                 .reference = reference.bins,
                 .values = static_cast<std::int64_t>(x.size()),
                 .outside = reference.outside};
  const std::int64_t counted = std::accumulate(chart.counted.begin(), chart.counted.end(), std::int64_t{0});
  const std::int64_t missing = chart.values - reference.outside - counted;
  const auto fullest = std::max_element(reference.bins.begin(), reference.bins.end()) - reference.bins.begin();

  Outcome outcome;
  outcome.numbers = numbers_of(chart, reference, missing);
  if (atomics == copied) {
    outcome.numbers.push_back(
        {.name = "copies", .label = to_say("Copies of a block's bins"), .value = double(copies), .on_page = false});
  }
  if (report->cycles) {
    outcome.numbers.push_back({.name = "cycles",
                               .label = to_say("Cycles (model)"),
                               .value = double(*report->cycles),
                               .on_page = false,
                               .of_device = true});
  }
  if (chart.counted.size() <= bins_as_numbers) add_single_bins(outcome.numbers, chart);

  outcome.note = say(atomics == none, in_shared, missing, chart.counted[static_cast<std::size_t>(fullest)], reference);
  if (atomics == copied && copies < values.integer("copies")) {
    outcome.note = fmt::format("Only {} copies of {} bins fit into a block's 48 KiB of shared memory.", copies, bins);
  }
  outcome.figures.push_back(std::move(chart));
  if (!report->trace.empty()) {
    add_requests(outcome, *report, {*d_x, *d_bins}, in_shared, copies);
  }
  if (host.device().is_model) {
    SmTimeline timeline;
    if (has_timeline(*report)) {
      timeline.title = title_of(main_wait(*report->clock));
      timeline.runs.push_back(take_run(*report, way_of(values)));
    }
    outcome.figures.push_back(std::move(timeline));
  }
  outcome.report = std::move(*report);
  outcome.report.trace.clear();
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& histogram() {
  static const Lesson lesson{
      .id = "07_histogram",
      .number = "07",
      .title = "Histogram",
      .rail_title = "Histogram",
      .kernel_file = "histogram.cu",
      .kernel = "histogram",
      .controls = {{.id = "threads",
                    .label = to_say("Threads"),
                    .initial = 64,
                    .least = 1,
                    .most = 1024,
                    .logarithmic = true,
                    .help = to_say("Threads per block.")},
                   {.id = "blocks",
                    .label = to_say("Blocks"),
                    .initial = 128,
                    .least = 1,
                    .most = 256,
                    .logarithmic = true,
                    .help = to_say("Blocks per grid. Any number counts all values: a thread's loop goes on to its next value.")},
                   {.id = "bins",
                    .label = to_say("Bins"),
                    .initial = 10,
                    .least = 2,
                    .most = 1024,
                    .logarithmic = true,
                    .help = to_say("More bins, fewer lanes that want the same one.")},
                   {.id = "range",
                    .label = to_say("Range ±"),
                    .kind = Control::Kind::real,
                    .initial = 4,
                    .least = 0.5,
                    .most = 8,
                    .step = 0.5,
                    .help = to_say("The bins cover [−range, range). Values outside are not counted.")},
                   {.id = "values",
                    .label = to_say("Values"),
                    .kind = Control::Kind::choice,
                    .most = 2,
                    .options = {{"normal", to_say("Normal")}, {"uniform", to_say("Uniform")}, {"one", to_say("One bin")}},
                    .help = to_say("10,000 values: bell-shaped around 0, spread evenly over [−4, 4), or all the same.")},
                   {.id = "atomics",
                    .label = to_say("Atomics"),
                    .kind = Control::Kind::choice,
                    .most = 3,
                    .options = {{"none", to_say("None")},
                                {"global", to_say("Global")},
                                {"shared", to_say("Shared")},
                                {"copied", to_say("Fast")}},
                    .help = to_say(
                        "None: += 1. Global: atomicAdd on the bins. Shared: atomicAdd on a block's own bins, merged at the end. "
                        "Fast: several copies of these, and four values a load.")},
                   {.id = "where",
                    .label = to_say("+= on"),
                    .kind = Control::Kind::choice,
                    .most = 1,
                    .options = {{"global", to_say("Global bins")}, {"shared", to_say("Shared bins")}},
                    .help = to_say("Where += 1 counts while atomics are off.")},
                   {.id = "copies",
                    .label = to_say("Copies"),
                    .initial = 32,
                    .least = 1,
                    .most = 32,
                    .logarithmic = true,
                    .help = to_say("Fast: how many copies of its bins a block keeps. Lane k uses copy k modulo their number.")}},
      .presets = {{to_say("+= on global bins"), {{"values", normals}, {"range", 4}, {"atomics", none}, {"where", global_bins}}},
                  {to_say("+= on shared bins"), {{"values", normals}, {"range", 4}, {"atomics", none}, {"where", shared_bins}}},
                  {to_say("Shared, then merged"), {{"values", normals}, {"range", 4}, {"atomics", shared}}},
                  {to_say("All in one bin"), {{"values", one_bin}, {"range", 4}, {"atomics", global}}, "bin_lanes"},
                  {to_say("… and fast"), {{"values", one_bin}, {"range", 4}, {"atomics", copied}, {"copies", 32}}, "bin_lanes"},
                  {to_say("Only [−1, 1)"), {{"values", normals}, {"range", 1}, {"atomics", global}}}},
      .views = {"bin_chart", "bin_lanes", "memory_map", "sm_timeline"},
      .guesses = {"counted", "missing", "outside", "most_in_a_bin"},
      .more_macros = macros,
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
