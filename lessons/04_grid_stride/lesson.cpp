// Lesson 04: a grid of any size can process any number of elements. The assignment of elements to threads and the cost of requests
// differ.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "lessons/arrays.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& grid_stride();

namespace {

using gpu::AccessRecord;

constexpr std::uint32_t n = 1'000'000;
constexpr std::uint64_t seed_of_pairs = 12;
constexpr double tolerance = 1.5e-5;      // absolute: the reference program compares five decimals
constexpr float not_computed = -1;        // a length is never negative
constexpr int repeats_of_cpu = 5;         // the shortest time counts, as it was disturbed least
constexpr double bytes_a_pair = 12;       // two floats are read, one is written
constexpr std::uint32_t part = 50;        // a single thread is timed with n / part pairs
constexpr std::uint32_t most_rounds = 8;  // loop iterations of the small launch that is drawn

enum Way : int { one_element, stride, chunk, ways };

struct Settings {
  int way = stride;
  std::uint32_t blocks = 128, threads = 64;

  static Settings from(const Values& values) {
    return {.way = values.integer("way"),
            .blocks = static_cast<std::uint32_t>(values.integer("blocks")),
            .threads = static_cast<std::uint32_t>(values.integer("threads"))};
  }
  [[nodiscard]] std::uint32_t all_threads() const { return blocks * threads; }
  /// A number of pairs for which simulating the clock takes equally long for every launch: a warp with few active lanes needs as
  /// many instructions for an element as a full one.
  [[nodiscard]] std::uint32_t timed() const {
    if (way == one_element || threads >= 32) return n;
    return std::max(n / 32 * threads, std::min(n, all_threads()));
  }
  /// The same launch, small enough to draw: two blocks, with as many loop iterations as the whole launch, at most eight.
  [[nodiscard]] Settings small() const { return {.way = way, .blocks = std::min(blocks, 2U), .threads = std::min(threads, 64U)}; }
  [[nodiscard]] std::uint32_t rounds() const { return std::min((n + all_threads() - 1) / all_threads(), most_rounds); }
};

struct Pairs {
  std::vector<float> a, b;
};

Pairs draw_pairs() {
  std::mt19937_64 random(seed_of_pairs);
  Pairs pairs{std::vector<float>(n), std::vector<float>(n)};
  for (std::uint32_t i = 0; i < n; ++i) {
    pairs.a[i] = static_cast<float>(24 * uniform(random) - 12);
    pairs.b[i] = static_cast<float>(24 * uniform(random) - 12);
  }
  return pairs;
}

/// The time of one core of this computer for the same pairs, in float32, in µs.
double time_cpu(const Pairs& pairs) {
  std::vector<float> c(n);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats_of_cpu; ++i) {
    const Stopwatch watch;
    for (std::uint32_t k = 0; k < n; ++k) c[k] = std::hypot(pairs.a[k], pairs.b[k]);
    best = std::min(best, watch.seconds() * 1e6);
    // Prevents the compiler from removing the computation.
    volatile const float used = c[static_cast<std::uint32_t>(i)];
    (void)used;
  }
  return best;
}

struct Judged {
  std::uint32_t computed = 0, wrong = 0;
  double worst = 0;  // error
};

Judged judge(const Pairs& pairs, const std::vector<float>& c) {
  Judged judged;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (c[i] == not_computed) continue;
    ++judged.computed;
    const double error = std::abs(double{c[i]} - std::hypot(double{pairs.a[i]}, double{pairs.b[i]}));
    if (!(error <= tolerance)) ++judged.wrong;  // also true for NaN
    judged.worst = std::max(judged.worst, error);
  }
  return judged;
}

/// Launches on the first pairs of the arrays.
Result<gpu::LaunchReport> launch(Host& host, const Settings& settings, std::span<const gpu::Buffer> arrays, std::uint32_t count,
                                 const LaunchOptions& options) {
  return host.launch("hypot_stride", {settings.blocks}, {settings.threads},
                     {arrays[0], arrays[1], arrays[2], gpu::Scalar::of(static_cast<std::int32_t>(count))}, options);
}

/// The time for all pairs, in µs. If the launch is too slow to simulate, it is timed with the first pairs and extrapolated.
Result<std::optional<double>> time_launch(Host& host, const Settings& settings, std::span<const gpu::Buffer> arrays,
                                          std::uint32_t count) {
  const Host::Unrecorded unrecorded(host);
  host.define("WAY", fmt::format("{}", settings.way));
  if (!host.device().is_model) count = n;
  auto report = launch(host, settings, arrays, count, {.schedule = gpu::Schedule::clock});
  if (!report) return failure(report.error());
  if (report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  if (!report->ok()) return std::optional<double>{};
  return std::optional<double>{microseconds(*report) * n / count};
}

/// Which thread computes which element of a small launch, and what its warps' requests touch.
struct Seen {
  std::vector<float> who;  // number of the thread in the grid; NaN: none
  Arrays picture;
  MemoryMap memory;
};

/// The thread that stored to each element. NaN: none.
std::vector<float> who_stored(const gpu::LaunchReport& report, const gpu::Buffer& c) {
  std::vector<float> who(c.array.count(), std::numeric_limits<float>::quiet_NaN());
  for (const AccessRecord& record : report.trace) {
    if (record.shared || record.buffer != c.id || record.kind != AccessRecord::Kind::store) continue;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((record.mask >> lane & 1) == 0) continue;
      const std::uint32_t thread = record.block * static_cast<std::uint32_t>(report.block.count()) + record.warp * 32 + lane;
      who[static_cast<std::size_t>(record.index[lane])] = static_cast<float>(thread);
    }
  }
  return who;
}

Result<std::optional<Seen>> look_closer(Host& host, const Settings& whole, const Pairs& pairs) {
  const Host::Unrecorded unrecorded(host);
  const Settings settings = whole.small();
  const std::uint32_t count = settings.all_threads() * whole.rounds();
  std::vector<gpu::Buffer> arrays;
  for (const auto& [name, from] : {std::pair{"a", &pairs.a}, std::pair{"b", &pairs.b}}) {
    auto buffer = host.to_device<float>(name, std::span<const float>(*from).first(count));
    if (!buffer) return failure(buffer.error());
    arrays.push_back(*buffer);
  }
  auto c = host.fill("c", {count}, gpu::Scalar::of(not_computed));
  if (!c) return failure(c.error());
  arrays.push_back(*c);
  LaunchOptions options{.schedule = gpu::Schedule::clock};
  options.observe.trace = {arrays[0].id, arrays[1].id, arrays[2].id};
  auto report = launch(host, settings, arrays, count, options);
  if (!report) return failure(report.error());
  std::optional<Seen> seen;
  if (report->ok() && !report->trace.empty()) {
    seen.emplace();
    seen->who = who_stored(*report, arrays[2]);
    seen->memory = memory_map(*report, arrays, [](const AccessRecord& record) { return record.block == 0 && record.warp == 0; });
    const std::size_t columns = count % 32 == 0 ? 32 : count;  // a row is what one request of a warp can hold
    const std::vector<float> before(count, std::numeric_limits<float>::quiet_NaN());
    const auto bytes = [](const std::vector<float>& values) {
      const auto raw = std::as_bytes(std::span(values));
      return std::vector<std::byte>(raw.begin(), raw.end());
    };
    std::vector<Arrays::One> one;
    one.push_back(look_at({"thread_of", gpu::ScalarType::float32, {count / columns, columns}}, false, bytes(before),
                          bytes(seen->who), std::size_t{1} << 20));
    seen->picture.title = "Which thread computed which element";
    seen->picture.arrays = std::make_shared<const std::vector<Arrays::One>>(std::move(one));
  }
  for (const gpu::Buffer& buffer : arrays) host.release(buffer);
  return seen;
}

/// Sectors that the first request of the map touches.
std::uint32_t sectors_of(const MemoryMap& map) {
  if (map.requests->empty()) return 0;
  const AccessRecord& record = map.requests->front();
  std::vector<std::int32_t> sectors;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((record.mask >> lane & 1) != 0) sectors.push_back(record.index[lane] / 8);
  }
  std::sort(sectors.begin(), sectors.end());
  return static_cast<std::uint32_t>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
}

/// Sectors per request, over all loads and stores of an observed launch.
double sectors_a_request(const gpu::LaunchReport& report) {
  std::uint64_t sectors = 0, requests = 0;
  for (const gpu::LineCounts& line : report.lines) {
    sectors += line.sectors;
    requests += line.global_requests;
  }
  return requests > 0 ? static_cast<double>(sectors) / static_cast<double>(requests) : 0;
}

std::string say(const Settings& settings, const Judged& judged, double sectors) {
  if (judged.wrong > 0) return fmt::format("{} lengths are off by more than {}.", judged.wrong, tolerance);
  if (judged.computed < n && settings.way == one_element) {
    return fmt::format("{} × {} = {} threads, an element each: nobody computes the last {}.", settings.blocks, settings.threads,
                       settings.all_threads(), n - judged.computed);
  }
  if (judged.computed < n) return fmt::format("{} elements were not computed.", n - judged.computed);
  if (sectors > 0) return fmt::format("A load or store of a warp touches {:.1f} sectors, pieces of 32 bytes, on average.", sectors);
  return {};
}

/// "991,808".
std::string with_commas(std::uint32_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

Ladder compare(const Settings& settings, bool model, double cpu_us, double thread_us, double launch_us, double limit,
               std::uint32_t computed) {
  const auto rate = [](double us, double pairs) { return us > 0 ? bytes_a_pair * pairs / (us * 1e3) : 0; };
  Ladder ladder{.chosen = 2, .limit_gb_per_s = limit, .values = n, .model = model};
  ladder.title = model ? "One CPU core is measured, the GPU is a model" : "One CPU core, one thread of the GPU, this launch";
  if (computed < n) {
    ladder.values = 0;  // not the same for all
    ladder.title = fmt::format("This launch computes {} values, the others 1,000,000{}", with_commas(computed),
                               model ? " (the GPU is a model)" : "");
  }
  ladder.rungs = {{"one CPU core", rate(cpu_us, n), cpu_us},
                  {"<<<1, 1>>>", rate(thread_us, n), thread_us},
                  {fmt::format("<<<{}, {}>>>", settings.blocks, settings.threads), rate(launch_us, computed), launch_us}};
  return ladder;
}

std::vector<Number> numbers_of(const Judged& judged, bool model, double cpu_us, double thread_us, double launch_us) {
  using Tone = Number::Tone;
  const double missing = double(n - judged.computed);
  return {{.name = "computed", .label = to_say("Computed"), .value = double(judged.computed), .tone = Tone::first},
          {.name = "missing", .label = to_say("Missing"), .value = missing, .tone = missing > 0 ? Tone::bad : Tone::second},
          {.name = "cpu_ms",
           .label = to_say("CPU core, measured"),
           .value = cpu_us / 1e3,
           .tone = Tone::measured,
           .decimals = 1,
           .unit = "ms",
           .of_device = true},
          {.name = "thread_ms",
           .label = model ? to_say("One thread (model)") : to_say("One thread"),
           .value = thread_us / 1e3,
           .decimals = 1,
           .unit = "ms",
           .of_device = true},
          {.name = "launch_us",
           .label = model ? to_say("Launch (model)") : to_say("Launch"),
           .value = launch_us,
           .decimals = 1,
           .unit = "µs",
           .of_device = true},
          {.name = "cpu_times_faster",
           .label = to_say("One GPU thread against a CPU core"),
           .value = cpu_us > 0 ? thread_us / cpu_us : 0,
           .decimals = 1,
           .unit = "times slower",
           .on_page = false,
           .of_device = true},
          {.name = "wrong",
           .label = to_say("Wrong"),
           .value = double(judged.wrong),
           .tone = judged.wrong > 0 ? Tone::bad : Tone::second,
           .on_page = judged.wrong > 0},
          {.name = "worst_error", .label = to_say("Largest error"), .value = judged.worst, .decimals = 9, .on_page = false}};
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  define_macros(host, grid_stride(), values);
  const Settings settings = Settings::from(values);
  const bool model = host.device().is_model;
  const Pairs pairs = draw_pairs();
  auto a = host.to_device<float>("a", pairs.a);
  if (!a) return failure(a.error());
  auto b = host.to_device<float>("b", pairs.b);
  if (!b) return failure(b.error());
  auto c = host.fill("c", {n}, gpu::Scalar::of(not_computed));
  if (!c) return failure(c.error());
  const std::array<gpu::Buffer, 3> arrays{*a, *b, *c};
  auto report = launch(host, settings, arrays, n, {.observe = gpu::Observe::all()});
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  auto lengths = host.copy_to_host<float>(*c);
  if (!lengths) return failure(lengths.error());
  const Judged judged = judge(pairs, *lengths);

  auto launch_us = time_launch(host, settings, arrays, settings.timed());
  if (!launch_us) return failure(launch_us.error());
  auto thread_us = time_launch(host, {.way = stride, .blocks = 1, .threads = 1}, arrays, n / part);
  if (!thread_us) return failure(thread_us.error());
  host.define("WAY", fmt::format("{}", settings.way));
  const double cpu_us = time_cpu(pairs);

  std::optional<Seen> seen;
  if (model) {
    auto looked = look_closer(host, settings, pairs);
    if (!looked) return failure(looked.error());
    seen = std::move(*looked);
  }
  const double sectors = sectors_a_request(*report);
  Outcome outcome;
  outcome.numbers = numbers_of(judged, model, cpu_us, thread_us->value_or(0), launch_us->value_or(0));
  if (model) {
    outcome.numbers.push_back(
        {.name = "sectors_a_request", .label = to_say("Sectors a request"), .value = sectors, .decimals = 1, .on_page = false});
  }
  if (seen) {
    outcome.numbers.push_back({.name = "sectors_shown",
                               .label = to_say("Sectors of the first request shown"),
                               .value = double(sectors_of(seen->memory)),
                               .on_page = false});
    outcome.figures.push_back(std::move(seen->picture));
    outcome.figures.push_back(std::move(seen->memory));
  }
  outcome.figures.push_back(compare(settings, model, cpu_us, thread_us->value_or(0), launch_us->value_or(0),
                                    host.device().memory_gb_per_s, judged.computed));
  outcome.note = say(settings, judged, sectors);
  outcome.report = std::move(*report);
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& grid_stride() {
  static const Lesson lesson{
      .id = "04_grid_stride",
      .number = "04",
      .title = "Grid-stride loops",
      .rail_title = "Grid-stride loops",
      .kernel_file = "hypot.cu",
      .kernel = "hypot_stride",
      .controls = {{.id = "way",
                    .label = to_say("Who computes what"),
                    .kind = Control::Kind::choice,
                    .initial = stride,
                    .most = ways - 1,
                    .options = {{"one", to_say("One element a thread")},
                                {"stride", to_say("Grid-stride loop")},
                                {"chunk", to_say("A chunk a thread")}},
                    .define = "WAY",
                    .help = to_say("How the elements are divided among the threads of the grid.")},
                   {.id = "blocks",
                    .label = to_say("Blocks"),
                    .initial = 128,
                    .least = 1,
                    .most = 16'384,
                    .logarithmic = true,
                    .help = to_say("15,625 blocks of 64 threads have one thread for each of the 1,000,000 elements.")},
                   {.id = "threads",
                    .label = to_say("Threads per block"),
                    .initial = 64,
                    .least = 1,
                    .most = 1024,
                    .logarithmic = true,
                    .help = to_say("A block has at most 1,024 threads.")}},
      .presets = {{to_say("One element a thread"), {{"way", one_element}, {"blocks", 128}, {"threads", 64}}, "arrays"},
                  {to_say("15,625 blocks"), {{"way", one_element}, {"blocks", 15'625}, {"threads", 64}}, "arrays"},
                  {to_say("A chunk a thread"), {{"way", chunk}, {"blocks", 128}, {"threads", 64}}, "memory_map"},
                  {to_say("One thread"), {{"way", stride}, {"blocks", 1}, {"threads", 1}}, "ladder"},
                  {to_say("20 blocks of 256"), {{"way", stride}, {"blocks", 20}, {"threads", 256}}, "ladder"},
                  {to_say("100 blocks of 256"), {{"way", stride}, {"blocks", 100}, {"threads", 256}}, "ladder"},
                  {to_say("336 blocks of 256"), {{"way", stride}, {"blocks", 336}, {"threads", 256}}, "ladder"}},
      .views = {"arrays", "memory_map", "ladder"},
      .guesses = {"cpu_times_faster"},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
