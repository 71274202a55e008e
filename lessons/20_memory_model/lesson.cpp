// Lesson 20: the memory model. Each block stores a partial sum and takes a ticket; the block with the last ticket adds all partial
// sums. Which of them must it see? Fences, scopes, volatile and barriers give different answers.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lessons/20_memory_model/events.h"
#include "lessons/20_memory_model/ordering.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& memory_model();

namespace {

enum Version : int { ticket_alone, one_fence, two_fences, as_volatile, block_fences, acq_rel, block_scope, barrier, versions };
constexpr std::uint32_t threads = 128;
constexpr std::uint64_t seed_of_values = 20;

std::vector<std::int32_t> make_values(std::uint32_t blocks) {
  std::mt19937_64 random(seed_of_values);
  std::vector<std::int32_t> values(std::size_t{blocks} * threads);
  for (std::int32_t& value : values) value = 1 + static_cast<std::int32_t>(random() % 24);  // not 0: a missing sum shows
  return values;
}

/// The arrays of a launch.
struct Arrays20 {
  gpu::Buffer x, partial, count, out;
};

Result<Arrays20> make_arrays(Host& host, const std::vector<std::int32_t>& values, std::uint32_t blocks) {
  auto x = host.to_device<std::int32_t>("x", values);
  if (!x) return failure(x.error());
  auto partial = host.zeros<std::int32_t>("partial", {blocks});
  if (!partial) return failure(partial.error());
  auto count = host.zeros<std::int32_t>("count", {1});
  if (!count) return failure(count.error());
  auto out = host.zeros<std::int32_t>("out", {1});
  if (!out) return failure(out.error());
  return Arrays20{*x, *partial, *count, *out};
}

Result<gpu::LaunchReport> launch(Host& host, const Arrays20& arrays, std::uint32_t blocks, const LaunchOptions& options) {
  return host.launch("total", {blocks}, {threads}, {arrays.x, arrays.partial, arrays.count, arrays.out}, options);
}

LaunchOptions watched(const Arrays20& arrays, std::uint64_t seed) {
  LaunchOptions options{
      .observe = {.memory = true, .race = true, .init = true, .sync = true}, .schedule = gpu::Schedule::clock, .seed = seed};
  options.observe.trace = {arrays.partial.id, arrays.count.id};
  options.observe.history = gpu::Observe::history_bytes;
  return options;
}

/// The same launch with volatile `partial`, outside of the recorded host program. Empty: it cannot be observed, or an edited kernel
/// does not compile this way.
Result<std::optional<std::size_t>> promised_with_volatile(Host& host, const Values& values, std::uint32_t blocks,
                                                          std::uint64_t seed) {
  const Host::Unrecorded unrecorded(host);
  host.define("VERSION", fmt::format("{}", static_cast<int>(as_volatile)));
  auto arrays = make_arrays(host, make_values(blocks), blocks);
  if (!arrays) return failure(arrays.error());
  auto report = launch(host, *arrays, blocks, watched(*arrays, seed));
  define_macros(host, memory_model(), values);
  for (const gpu::Buffer* buffer : {&arrays->x, &arrays->partial, &arrays->count, &arrays->out}) host.release(*buffer);
  if (!report && report.error().code == "compile_error") return std::optional<std::size_t>{};
  if (!report) return failure(report.error());
  const Promises promises = promises_of(memory_events(*report), arrays->partial.id);
  if (!promises.adder) return std::optional<std::size_t>{};
  return std::optional{promises.promised()};
}

struct Sums {
  std::int64_t right = 0, first = 0, second = 0;
};

std::string say(const Sums& sums, const Promises& promises, std::size_t others) {
  std::string words = sums.first == sums.right ? "The sum of this launch is right" : "The sum of this launch is wrong";
  if (promises.adder) {
    const bool all = promises.promised() == others;
    words +=
        all ? ", and it is promised to be right."
            : fmt::format(", but only {} of the {} sums of other blocks are promised to be in it.", promises.promised(), others);
    if (!all && promises.promised() == 0)
      words = sums.first == sums.right
                  ? "The sum of this launch is right by chance: no sum of another block is promised to be in it."
                  : "The sum of this launch is wrong: no sum of another block is promised to be in it.";
  } else {
    words += ".";
  }
  if (sums.second != sums.right)
    words += sums.second == 0 ? " In the second launch no block took the last ticket, so nobody stored a sum."
                              : " The sum of the second launch is wrong.";
  return words;
}

double share_of(std::size_t promised, std::size_t others) {
  return 100.0 * static_cast<double>(promised) / static_cast<double>(others);
}

std::vector<Number> numbers_of(const Sums& sums, const Promises& promises, std::size_t others) {
  using Tone = Number::Tone;
  std::vector<Number> numbers;
  if (promises.adder) {
    numbers.push_back({.name = "promised",
                       .label = to_say("Promised, of {sums} other sums", "sums"_a = others),
                       .value = static_cast<double>(promises.promised()),
                       .tone = promises.promised() < others ? Tone::bad : Tone::good});
    numbers.push_back({.name = "least", .label = to_say("The sum is at least"), .value = static_cast<double>(promises.least)});
  }
  numbers.push_back(
      {.name = "first_sum", .label = to_say("Sum of launch 1"), .value = static_cast<double>(sums.first), .tone = Tone::first});
  numbers.push_back({.name = "second_sum",
                     .label = to_say("Sum of launch 2"),
                     .value = static_cast<double>(sums.second),
                     .tone = sums.second == sums.right ? Tone::second : Tone::bad});
  if (promises.adder) {
    numbers.push_back({.name = "promised_share",
                       .label = to_say("Promised of the other sums"),
                       .value = share_of(promises.promised(), others),
                       .unit = "%",
                       .on_page = false});
  }
  numbers.push_back({.name = "should_be", .label = to_say("Right"), .value = static_cast<double>(sums.right), .on_page = false});
  return numbers;
}

/// Makes several launches with the same arrays; `out` is 0 before each.
Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  define_macros(host, memory_model(), values);
  const auto blocks = static_cast<std::uint32_t>(values.integer("blocks"));
  const auto seed = static_cast<std::uint64_t>(values.integer("seed"));
  const std::vector<std::int32_t> x = make_values(blocks);
  auto arrays = make_arrays(host, x, blocks);
  if (!arrays) return failure(arrays.error());

  auto report = launch(host, *arrays, blocks, watched(*arrays, seed));
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  auto first = host.copy_to_host<std::int32_t>(arrays->out);
  if (!first) return failure(first.error());
  if (auto cleared = host.refill(arrays->out, gpu::Scalar::of(std::int32_t{0})); !cleared) return failure(cleared.error());
  auto again = launch(host, *arrays, blocks, {.schedule = gpu::Schedule::clock, .seed = seed});
  if (!again) return failure(again.error());
  if (!again->ok()) return without_results(std::move(*again));
  auto second = host.copy_to_host<std::int32_t>(arrays->out);
  if (!second) return failure(second.error());
  const Sums sums{.right = std::accumulate(x.begin(), x.end(), std::int64_t{0}), .first = first->at(0), .second = second->at(0)};

  const std::vector<MemoryEvent> events = memory_events(*report);
  const Promises promises = promises_of(events, arrays->partial.id);
  Outcome outcome;
  outcome.numbers = numbers_of(sums, promises, blocks - 1);
  outcome.note = say(sums, promises, blocks - 1);
  outcome.figures.emplace_back(ordering_of(events, {.partial = arrays->partial.id, .count = arrays->count.id}, promises));
  outcome.report = std::move(*report);
  outcome.report.history.reset();  // it is large, and the figures contain what is needed
  outcome.report.trace.clear();
  if (promises.adder) {
    auto with_volatile = promised_with_volatile(host, values, blocks, seed);
    if (!with_volatile) return failure(with_volatile.error());
    if (*with_volatile)
      outcome.numbers.push_back({.name = "volatile_share",
                                 .label = to_say("Promised with volatile"),
                                 .value = share_of(**with_volatile, blocks - 1),
                                 .unit = "%",
                                 .on_page = false});
  }
  outcome.seconds = watch.seconds();
  return outcome;
}

std::vector<Control> controls() {
  return {{.id = "version",
           .label = to_say("Order"),
           .kind = Control::Kind::choice,
           .initial = ticket_alone,
           .most = versions - 1,
           .options = {{"ticket", to_say("Ticket")},
                       {"one_fence", to_say("1 fence")},
                       {"two_fences", to_say("2 fences")},
                       {"volatile", to_say("volatile")},
                       {"block_fences", to_say("Block fences")},
                       {"acq_rel", to_say("acq_rel")},
                       {"block_scope", to_say("Block scope")},
                       {"barrier", to_say("Barrier")}},
           .define = "VERSION",
           .help = to_say("What stands between a block's partial sum and the thread that adds all of them.")},
          {.id = "reset",
           .label = to_say("Reset the counter"),
           .kind = Control::Kind::toggle,
           .initial = 1,
           .define = "RESET",
           .help = to_say("The thread that adds sets the counter back to 0, for the next launch.")},
          {.id = "blocks",
           .label = to_say("Blocks"),
           .initial = 16,
           .least = 2,
           .most = 512,
           .logarithmic = true,
           .help = to_say("Each has 128 threads, which add 128 values.")},
          {.id = "seed",
           .label = to_say("Seed"),
           .initial = 7,
           .least = 0,
           .most = 9999,
           .help = to_say("Which of the many possible orders the virtual GPU takes. The same seed gives the same order."),
           .of_question = false,
           .later = true,
           .seed = true}};
}

std::map<std::string, double> preset(Version version, bool reset = true, int blocks = 16) {
  return {{"version", version}, {"reset", reset ? 1 : 0}, {"blocks", blocks}};
}

}  // namespace

const Lesson& memory_model() {
  static const Lesson lesson{.id = "20_memory_model",
                             .number = "20",
                             .title = "The memory model",
                             .rail_title = "Memory model",
                             .kernel_file = "last.cu",
                             .kernel = "total",
                             .controls = controls(),
                             .presets = {{to_say("Ticket alone"), preset(ticket_alone)},
                                         {to_say("volatile"), preset(as_volatile)},
                                         {to_say("One fence"), preset(one_fence)},
                                         {to_say("Two fences"), preset(two_fences)},
                                         {to_say("Block fences"), preset(block_fences)},
                                         {to_say("Acquire and release"), preset(acq_rel)},
                                         {to_say("Block scope"), preset(block_scope)},
                                         {to_say("__syncthreads()"), preset(barrier, true, 512)},
                                         {to_say("No reset"), preset(two_fences, false)}},
                             .views = {"ordering"},
                             .guesses = {"promised_share", "volatile_share"},
                             .markings = {},
                             .more_macros = {},
                             .run = run,
                             .live = {},
                             .watched = true};
  return lesson;
}

}  // namespace warpbook::lessons
