// Lesson 08: a smoothing kernel with one thread per weight. It has three mistakes, each of which hides the next. What do the fixes
// cost?
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "lessons/08_smoothing/updates.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& smoothing();

namespace {

constexpr std::uint64_t seed_of_signal = 2008;
constexpr int outputs_repeated = 64;  // outputs in each trial; enough to compare bits, and quick
/// In float32 the sum of 2s + 1 positive terms, in any order, has an error of less than (2s + 2) × 2^−24 of the sum. There are at
/// most 257 terms, and sums are below 3. A larger difference is a mistake.
constexpr double rounding = 5e-5;

enum Version { racing, atomic_short, atomics, no_block, one_thread, shared_sum, versions };
constexpr const char* labels[versions] = {
    "+=, 2s threads",     "atomicAdd, 2s threads", "atomicAdd, 2s + 1 threads", "a thread an output, without the block",
    "a thread an output", "sum in shared memory"};

struct Shape {
  std::uint32_t blocks = 1, threads = 1, shared_bytes = 0;
};

Shape shape_of(int version, int n, int s, int block) {
  const auto outputs = static_cast<std::uint32_t>(n), half = static_cast<std::uint32_t>(s);
  switch (version) {
    case racing:
    case atomic_short:
      return {outputs, 2 * half};
    case atomics:
      return {outputs, 2 * half + 1};
    case shared_sum:
      return {outputs, 2 * half + 1, 4 * (2 * half + 1)};
    default: {
      const std::uint32_t threads = std::min(outputs, static_cast<std::uint32_t>(block));
      return {(outputs + threads - 1) / threads, threads};
    }
  }
}

/// Weights that decrease towards the ends and add up to 1, with half of each end's. The signal is two waves with noise, always > 0.
struct Input {
  std::vector<float> a, z;
};

Input make_input(int n, int s) {
  Input input;
  double sum = 0;
  for (int j = -s; j <= s; ++j) sum += (1 - 0.5 * std::abs(j) / s) * (std::abs(j) == s ? 0.5 : 1);
  for (int j = -s; j <= s; ++j) input.a.push_back(static_cast<float>((1 - 0.5 * std::abs(j) / s) / sum));
  std::mt19937_64 random(seed_of_signal);
  for (int k = 0; k < n + 2 * s; ++k) {
    const double turn = 2 * std::numbers::pi * k / 256;
    input.z.push_back(static_cast<float>(1.5 + 0.6 * std::sin(turn) + 0.3 * std::sin(5 * turn) + 0.5 * (uniform(random) - 0.5)));
  }
  return input;
}

/// In float64: the right outputs, and the term at j == s, which is missing with 2s threads.
struct Reference {
  std::vector<double> x, last_term;
};

Reference smooth_on_cpu(const Input& input, int n, int s) {
  Reference reference;
  for (int i = 0; i < n; ++i) {
    double sum = 0, term = 0;
    for (int j = -s; j <= s; ++j) {
      term = double{input.a[static_cast<std::size_t>(j + s)]} * double{input.z[static_cast<std::size_t>(i + s - j)]};
      if (j == -s || j == s) term /= 2;
      sum += term;
    }
    reference.x.push_back(sum);
    reference.last_term.push_back(term);
  }
  return reference;
}

/// The time of one core of this computer for all outputs in float32, in µs: the shortest of a few.
double time_cpu(const Input& input, int n, int s) {
  std::vector<float> x(static_cast<std::size_t>(n));
  double best = 0;
  float used = 0;
  for (int round = 0; round < 5; ++round) {
    const Stopwatch watch;
    for (int i = 0; i < n; ++i) {
      const float* z = input.z.data() + i;
      float sum = (input.a.front() * z[2 * s] + input.a.back() * z[0]) / 2;
      for (int k = 1; k < 2 * s; ++k) sum += input.a[static_cast<std::size_t>(k)] * z[2 * s - k];
      x[static_cast<std::size_t>(i)] = sum;
    }
    const double us = watch.seconds() * 1e6;
    best = round == 0 ? us : std::min(best, us);
    used += x[static_cast<std::size_t>(round % n)];
  }
  return std::isfinite(used) ? best : 0;  // uses the sums, so that the compiler does not remove the loop
}

struct Smoothed {
  gpu::LaunchReport report;
  std::vector<float> x;  // empty: the launch failed
};

class Smoothing {
 public:
  Smoothing(Host& host, gpu::Buffer a, gpu::Buffer z, gpu::Buffer x, int s) : host_(host), a_(a), z_(z), x_(x), s_(s) {}

  Result<gpu::LaunchReport> launch(const Shape& shape, int n, const LaunchOptions& options) {
    return host_.launch("smooth", {shape.blocks}, {shape.threads},
                        {a_, z_, x_, gpu::Scalar::of(std::int32_t{n}), gpu::Scalar::of(std::int32_t{s_})}, options);
  }

  Result<Smoothed> run(const Shape& shape, int n, const LaunchOptions& options) {
    auto report = launch(shape, n, options);
    if (!report) return failure(report.error());
    Smoothed smoothed{.report = std::move(*report), .x = {}};
    if (!smoothed.report.ok()) return smoothed;
    auto x = host_.copy_to_host<float>(x_);
    if (!x) return failure(x.error());
    smoothed.x = std::move(*x);
    return smoothed;
  }

  Result<void> clear() { return host_.refill(x_, gpu::Scalar::of(0.0F)); }

 private:
  Host& host_;
  gpu::Buffer a_, z_, x_;
  int s_ = 1;
};

/// How often an output had which bits, over launches of the same kernel in different orders.
using Patterns = std::map<float, std::uint32_t>;

struct Repeats {
  int version = racing, n = 1, s = 1, block = 1, output = 0;
  std::uint64_t seed = 0;
  std::uint32_t trials = 1;
};

/// Computes only the first outputs. Empty if an edited kernel does not compile in this version.
Result<Patterns> repeat(Host& host, Smoothing& smoothing, const Repeats& how, gpu::Job* job) {
  Patterns patterns;
  host.define("VERSION", fmt::format("{}", how.version));
  const int n = std::min(how.n, outputs_repeated);
  const Shape shape = shape_of(how.version, n, how.s, how.block);
  for (std::uint32_t trial = 0; trial < how.trials; ++trial) {
    if (job != nullptr && job->cancelled) return failure("cancelled", "Cancelled. Press Run to start again.");
    if (auto cleared = smoothing.clear(); !cleared) return failure(cleared.error());
    auto smoothed = smoothing.run(shape, n,
                                  {.dynamic_shared_bytes = shape.shared_bytes,
                                   .observe = {},
                                   .schedule = gpu::Schedule::clock,
                                   .seed = seed_of_trial(how.seed, trial)});
    if (!smoothed && smoothed.error().code == "compile_error") return patterns;
    if (!smoothed) return failure(smoothed.error());
    if (smoothed->x.empty()) return patterns;
    ++patterns[smoothed->x[static_cast<std::size_t>(how.output)]];
  }
  return patterns;
}

struct Judged {
  double largest = 0, unexplained = 0;  // unexplained: not by the missing term at j == s
  int wrong = 0;
};

Judged judge(const std::vector<float>& x, const Reference& reference) {
  Judged judged;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = double{x[i]} - reference.x[i];
    judged.largest = std::max(judged.largest, std::abs(off));
    judged.unexplained = std::max(judged.unexplained, std::abs(off + reference.last_term[i]));
    judged.wrong += !(std::abs(off) <= rounding);
  }
  return judged;
}

std::string say_bits(const Patterns& patterns, int output, std::uint32_t trials) {
  if (patterns.empty() || trials < 2) return {};
  if (patterns.size() == 1) return fmt::format(" In {} runs x[{}] always had the same bits.", trials, output);
  return fmt::format(" In {} runs x[{}] had {} different values, from {:.9g} to {:.9g}.", trials, output, patterns.size(),
                     patterns.begin()->first, patterns.rbegin()->first);
}

std::string say(const Judged& judged, int n, const Patterns& patterns, int output, std::uint32_t trials) {
  std::string words =
      judged.wrong == 0 ? "Every output is right, but for rounding." : fmt::format("{} of {} outputs are wrong.", judged.wrong, n);
  if (judged.wrong > 0 && judged.unexplained <= rounding) {
    words += " Each of them is too small by exactly one term: the half weight at j == s.";
  }
  return words + say_bits(patterns, output, trials);
}

std::uint64_t atomics_of(const gpu::LaunchReport& report) {
  std::uint64_t lanes = 0;
  for (const gpu::LineCounts& line : report.lines) lanes += line.atomic_lanes;
  return lanes;
}

/// The chosen version, and the version that is right with atomics.
struct Both {
  Patterns chosen, of_atomics;
};

Result<Both> repeat_both(Host& host, Smoothing& launches, Repeats how, const Values& values, gpu::Job* job) {
  const Host::Unrecorded unrecorded(host);  // not part of the recorded host program, which has one launch
  host.watch_for_cancel(nullptr);
  auto chosen = repeat(host, launches, how, job);
  auto added = chosen;
  if (chosen && how.version != atomics) {
    how.version = atomics;
    added = repeat(host, launches, how, job);
  }
  define_macros(host, smoothing(), values);
  host.watch_for_cancel(job);
  if (!chosen) return failure(chosen.error());
  if (!added) return failure(added.error());
  return Both{std::move(*chosen), std::move(*added)};
}

struct Times {
  double kernel = 0, with_copies = 0, cpu = 0;  // µs
};

std::vector<Number> numbers_of(const gpu::LaunchReport& report, const Judged& judged, const Both& patterns, const Repeats& how,
                               const Times& times, bool is_model) {
  using Tone = Number::Tone;
  const auto atomic_additions = static_cast<double>(atomics_of(report));
  return {{.name = "wrong",
           .label = to_say("Wrong outputs"),
           .value = static_cast<double>(judged.wrong),
           .tone = judged.wrong > 0 ? Tone::bad : Tone::first,
           .unit = ""},
          {.name = "largest_error", .label = to_say("Largest error"), .value = judged.largest, .decimals = 5, .unit = ""},
          {.name = "patterns",
           .label = to_say("Values of x[{element}] in {runs} runs", "element"_a = how.output, "runs"_a = how.trials),
           .value = static_cast<double>(patterns.chosen.size()),
           .unit = "",
           .on_page = false},
          {.name = "us",
           .label = is_model ? to_say("Kernel (model)") : to_say("Kernel"),
           .value = times.kernel,
           .decimals = 1,
           .unit = "µs",
           .of_device = true},
          {.name = "with_copies",
           .label = is_model ? to_say("With copies (model)") : to_say("With copies"),
           .value = times.with_copies,
           .decimals = 1,
           .unit = "µs",
           .of_device = true},
          {.name = "cpu_us",
           .label = to_say("One CPU core"),
           .value = times.cpu,
           .tone = Tone::measured,
           .decimals = 1,
           .unit = "µs",
           .of_device = true},
          {.name = "atomics", .label = to_say("Atomic additions"), .value = atomic_additions, .unit = "", .on_page = false},
          {.name = "atomic_patterns",
           .label = to_say("Values of x[{element}] with atomicAdd", "element"_a = how.output),
           .value = static_cast<double>(patterns.of_atomics.size()),
           .unit = "",
           .on_page = false},
          {.name = "unexplained",
           .label = to_say("Error beyond the missing term"),
           .value = judged.unexplained,
           .decimals = 9,
           .unit = "",
           .on_page = false}};
}

std::vector<Figure> figures_of(gpu::LaunchReport& report, const std::vector<float>& x, gpu::BufferId buffer, int output,
                               const Reference& reference, const Judged& judged, const char* label) {
  std::vector<Figure> figures;
  Curves curves{.title = judged.wrong > 0 ? fmt::format("{} of {} outputs are wrong", judged.wrong, x.size())
                                          : fmt::format("All {} outputs are right; what is left is rounding", x.size()),
                .expected = {},
                .got = x};
  for (const double right : reference.x) curves.expected.push_back(static_cast<float>(right));
  figures.emplace_back(std::move(curves));
  if (!report.trace_truncated) {
    auto updates = updates_of(report, buffer, output, x[static_cast<std::size_t>(output)]);
    if (updates) figures.emplace_back(std::move(*updates));
  }
  if (has_timeline(report)) {
    SmTimeline timeline{.runs = {}, .title = title_of(main_wait(*report.clock))};
    timeline.runs.push_back(take_run(report, label));
    figures.emplace_back(std::move(timeline));
  }
  return figures;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job* job) {
  const Stopwatch watch;
  define_macros(host, smoothing(), values);
  const int n = values.integer("n"), s = values.integer("s");
  const Repeats how{.version = values.integer("version"),
                    .n = n,
                    .s = s,
                    .block = values.integer("block"),
                    .output = std::min(n, outputs_repeated) / 2,
                    .seed = static_cast<std::uint64_t>(values.integer("seed")),
                    .trials = static_cast<std::uint32_t>(values.integer("trials"))};
  const Shape shape = shape_of(how.version, n, s, how.block);
  const Input input = make_input(n, s);
  const Reference reference = smooth_on_cpu(input, n, s);

  const double begin = host.now();
  auto a = host.to_device<float>("a", input.a);
  if (!a) return failure(a.error());
  auto z = host.to_device<float>("z", input.z);
  if (!z) return failure(z.error());
  auto x = host.zeros<float>("x", {static_cast<std::size_t>(n)});
  if (!x) return failure(x.error());
  Smoothing launches(host, *a, *z, *x, s);

  LaunchOptions options{.dynamic_shared_bytes = shape.shared_bytes, .schedule = gpu::Schedule::clock, .seed = how.seed};
  for (int early = 1; early < values.integer("launches"); ++early) {
    auto before = launches.launch(shape, n, options);
    if (!before) return failure(before.error());
    if (!before->ok()) return without_results(std::move(*before));
  }
  options.observe = gpu::Observe::all();
  options.observe.trace = {x->id};
  options.observe.timeline = true;
  auto smoothed = launches.run(shape, n, options);
  if (!smoothed) return failure(smoothed.error());
  if (smoothed->x.empty()) return without_results(std::move(smoothed->report));
  Times times{.kernel = microseconds(smoothed->report), .with_copies = host.now() - begin};

  auto patterns = repeat_both(host, launches, how, values, job);
  if (!patterns) return failure(patterns.error());
  times.cpu = time_cpu(input, n, s);

  const Judged judged = judge(smoothed->x, reference);
  Outcome outcome;
  outcome.numbers = numbers_of(smoothed->report, judged, *patterns, how, times, host.device().is_model);
  outcome.note = say(judged, n, patterns->chosen, how.output, how.trials);
  outcome.figures = figures_of(smoothed->report, smoothed->x, x->id, how.output, reference, judged, labels[how.version]);
  outcome.report = std::move(smoothed->report);
  outcome.report.trace.clear();
  outcome.trials = how.trials;
  outcome.seconds = watch.seconds();
  return outcome;
}

std::vector<Control> controls() {
  return {{.id = "version",
           .label = to_say("Kernel"),
           .kind = Control::Kind::choice,
           .initial = racing,
           .most = versions - 1,
           .options = {{"racing", to_say("+=")},
                       {"atomic_short", to_say("atomicAdd")},
                       {"atomic", to_say("2s + 1 threads")},
                       {"no_block", to_say("threadIdx only")},
                       {"one_thread", to_say("full index")},
                       {"shared", to_say("shared")}},
           .define = "VERSION",
           .help = to_say("As the kernel was written first, and the steps of mending it.")},
          {.id = "n",
           .label = to_say("Outputs"),
           .initial = 512,
           .least = 2,
           .most = 65'536,
           .logarithmic = true,
           .help = to_say("How many smoothed values there are.")},
          {.id = "s",
           .label = to_say("Half window s"),
           .initial = 32,
           .least = 1,
           .most = 128,
           .logarithmic = true,
           .help = to_say("An output is made of 2s + 1 values: s on each side, and the one in the middle.")},
          {.id = "block",
           .label = to_say("Threads per block"),
           .initial = 1024,
           .least = 32,
           .most = 1024,
           .logarithmic = true,
           .help = to_say("Of the kernels with a thread an output. The others have a thread for each weight."),
           .of_question = false,
           .later = true},
          {.id = "launches",
           .label = to_say("Launches"),
           .initial = 1,
           .least = 1,
           .most = 3,
           .help = to_say("How often the kernel runs, without setting x to 0 in between."),
           .of_question = false,
           .later = true},
          {.id = "seed",
           .label = to_say("Seed"),
           .initial = 7,
           .least = 0,
           .most = 9999,
           .help = to_say("Which of the many possible orders the virtual GPU takes. The same seed gives the same order."),
           .of_question = false,
           .seed = true},
          {.id = "trials",
           .label = to_say("Runs"),
           .initial = 20,
           .least = 2,
           .most = 200,
           .logarithmic = true,
           .help = to_say("How often the first 64 outputs are computed again, each time in another order.")}};
}

}  // namespace

const Lesson& smoothing() {
  static const Lesson lesson{
      .id = "08_smoothing",
      .number = "08",
      .title = "A race in real code",
      .rail_title = "Race in real code",
      .kernel_file = "smoothing.cu",
      .kernel = "smooth",
      .controls = controls(),
      .presets = {{to_say("+= races"), {{"version", racing}, {"n", 512}, {"s", 32}}, "curves"},
                  {to_say("With atomicAdd"), {{"version", atomic_short}, {"n", 512}, {"s", 32}}, "curves"},
                  {to_say("One thread more"), {{"version", atomics}, {"n", 512}, {"s", 32}}, "curves"},
                  {to_say("A thread an output"), {{"version", no_block}, {"n", 1024}, {"s", 32}, {"block", 1024}}, "curves"},
                  {to_say("… for 2,048 outputs"), {{"version", no_block}, {"n", 2048}, {"s", 32}, {"block", 1024}}, "curves"},
                  {to_say("Mended"), {{"version", one_thread}, {"n", 2048}, {"s", 32}, {"block", 128}}, "curves"},
                  {to_say("Shared memory"), {{"version", shared_sum}, {"n", 2048}, {"s", 32}}, "sm_timeline"},
                  {to_say("Mended, 64 outputs"), {{"version", one_thread}, {"n", 64}, {"s", 32}, {"block", 128}}},
                  {to_say("Mended, 32,768 outputs"), {{"version", one_thread}, {"n", 32'768}, {"s", 32}, {"block", 128}}}},
      .views = {"curves", "interleaving", "sm_timeline"},
      .guesses = {"wrong", "atomic_patterns"},
      .markings = {},
      .more_macros = {},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
