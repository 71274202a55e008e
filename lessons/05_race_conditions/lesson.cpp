// Lesson 05: c[0] += 1 is three steps, and other threads access c[0] between the load and the store.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& race_conditions();

namespace {

using gpu::AccessRecord;

/// A change of c[0] by one warp: a plain load with its store, or an atomic.
struct Update {
  const AccessRecord* load = nullptr;   // atomics: the atomic itself
  const AccessRecord* store = nullptr;  // atomics: the atomic itself
  std::uint32_t kept = 0;
  [[nodiscard]] bool atomic() const { return load == store; }
  [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(std::popcount(store->mask)); }
};

std::uint32_t first_lane(const AccessRecord& record) { return static_cast<std::uint32_t>(std::countr_zero(record.mask)); }
/// If several lanes store to one address, one of them wins. All store the same value here, so the highest lane represents them.
std::uint32_t last_lane(const AccessRecord& record) { return 31 - static_cast<std::uint32_t>(std::countl_zero(record.mask)); }
std::int32_t value(const AccessRecord& record, std::uint32_t lane) { return static_cast<std::int32_t>(record.value[lane]); }

/// Pairs every store with the previous load of the same warp. The result is in the order in which memory changed.
std::vector<Update> pair_up(const std::vector<AccessRecord>& trace, gpu::BufferId counter) {
  std::vector<const AccessRecord*> issued;
  for (const AccessRecord& record : trace) {
    if (!record.shared && record.buffer == counter && record.mask != 0 && record.index[first_lane(record)] == 0) {
      issued.push_back(&record);
    }
  }
  std::stable_sort(issued.begin(), issued.end(), [](const auto* l, const auto* r) { return l->issued < r->issued; });

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const AccessRecord*>> loads;  // by block and warp
  std::vector<Update> updates;
  for (const AccessRecord* record : issued) {
    auto& before = loads[{record->block, record->warp}];
    if (record->kind == AccessRecord::Kind::load) {
      before.push_back(record);
    } else if (record->kind == AccessRecord::Kind::atomic) {
      updates.push_back({record, record});
    } else {
      // The last load by the same lanes. A store without a load does not depend on the earlier value.
      const auto load = std::find_if(before.rbegin(), before.rend(), [&](const auto* l) { return (l->mask & record->mask) != 0; });
      updates.push_back({load == before.rend() ? nullptr : *load, record});
    }
  }
  std::stable_sort(updates.begin(), updates.end(),
                   [](const Update& l, const Update& r) { return l.store->reached < r.store->reached; });
  return updates;
}

/// The value of c[0] after update k. For an atomic it is what the next update read, or the final value.
std::int32_t value_after(const std::vector<Update>& updates, std::size_t k, std::int32_t final_value) {
  const AccessRecord& store = *updates[k].store;
  if (!updates[k].atomic()) return value(store, last_lane(store));
  if (k + 1 == updates.size()) return final_value;
  const Update& next = updates[k + 1];
  return next.atomic() ? value(*next.store, first_lane(*next.store))
                       : value(store, first_lane(store)) + static_cast<std::int32_t>(updates[k].lanes());
}

/// Walks back from the final value. An update is kept if the chain of loads that led to the final value contains it. Of a plain
/// store's lanes one is kept (all stored the same number), of an atomic's all.
void account(std::vector<Update>& updates, std::int32_t final_value) {
  std::size_t k = updates.size();
  while (k > 0) {
    Update& update = updates[--k];
    update.kept = update.atomic() ? update.lanes() : 1;
    if (update.atomic()) continue;       // it depends on the update before it
    if (update.load == nullptr) return;  // it depends on no earlier value
    // The last change before the load. If it was in the same cycle, the value that was read decides.
    const std::int32_t read = value(*update.load, first_lane(*update.load));
    while (k > 0 && (updates[k - 1].store->reached > update.load->reached ||
                     (updates[k - 1].store->reached == update.load->reached && value_after(updates, k - 1, final_value) != read))) {
      --k;
    }
  }
}

Interleaving interleave(const gpu::LaunchReport& report, gpu::BufferId counter, std::int32_t final_value) {
  std::vector<Update> updates = pair_up(report.trace, counter);
  account(updates, final_value);

  Interleaving figure;
  figure.final_value = final_value;
  figure.values.push_back({0, 0});
  figure.atomic = !updates.empty();
  std::uint64_t first_store = ~std::uint64_t{0};
  for (std::size_t k = 0; k < updates.size(); ++k) {
    const Update& update = updates[k];
    const AccessRecord& store = *update.store;
    const AccessRecord& load = update.load != nullptr ? *update.load : store;
    Interleaving::Row row{.block = store.block,
                          .warp = store.warp,
                          .load_issued = load.issued,
                          .load_reached = load.reached,
                          .load_done = load.done,
                          .store_issued = store.issued,
                          .store_reached = store.reached,
                          .read = value(load, first_lane(load)),
                          .stored = value_after(updates, k, final_value),
                          .lanes = update.lanes(),
                          .kept = update.kept,
                          .lost = update.lanes() - update.kept};
    if (update.atomic()) row.store_issued = row.load_issued;
    figure.atomic = figure.atomic && update.atomic();
    figure.kept += row.kept;
    figure.lost += row.lost;
    figure.values.push_back({store.reached, row.stored});
    figure.end = std::max({figure.end, store.reached, store.done, load.done});
    first_store = std::min(first_store, store.reached);
    figure.rows.push_back(row);
  }
  std::stable_sort(figure.rows.begin(), figure.rows.end(),
                   [](const auto& l, const auto& r) { return l.load_issued < r.load_issued; });

  const auto early =
      std::count_if(figure.rows.begin(), figure.rows.end(), [&](const auto& r) { return r.load_reached < first_store; });
  if (figure.atomic) {
    figure.title = "Load, add and store are one step: no thread comes between";
  } else if (early == static_cast<std::ptrdiff_t>(figure.rows.size())) {
    figure.title = "Every warp loads before anything is stored";
  } else {
    figure.title = fmt::format("{} of {} warps load before anything is stored", early, figure.rows.size());
  }
  return figure;
}

std::string say(const Interleaving& figure, std::int64_t warps) {
  if (figure.rows.empty()) return {};
  if (figure.lost == 0) return "Every update is in the final value, in every trial.";
  if (static_cast<std::int64_t>(figure.kept + figure.lost) == warps)
    return fmt::format("Each warp has one thread, so no update is lost within a warp. {} of {} {} kept.", figure.kept, warps,
                       figure.kept == 1 ? "was" : "were");
  return fmt::format(
      "The lanes of a warp load together and store the same number, so at most {} of {} updates could be kept, one a "
      "warp. {} {} kept.",
      warps, figure.kept + figure.lost, figure.kept, figure.kept == 1 ? "was" : "were");
}

/// A warp does not wait for an atomic whose result is unused. So warps may end before the memory has finished. Empty: this is not
/// visible here.
std::string say_tail(const gpu::ClockReport& clock) {
  std::uint64_t last = 0;
  for (const gpu::WarpLane& lane : clock.timeline.lanes) {
    if (!lane.spans.empty()) last = std::max(last, lane.spans.back().end);
  }
  if (clock.timeline.truncated || last == 0 || 10 * last > 9 * clock.cycles) return {};
  return fmt::format(
      " The last warp ends in cycle {}, the launch in cycle {}: a warp does not wait for an addition whose result it "
      "does not use, and memory makes the last additions after that.",
      last, clock.cycles);
}

const char* what_counts(bool atomic) { return atomic ? "atomicAdd(&c[0], 1)" : "c[0] += 1"; }

/// The same launch with the other way of counting, outside of the recorded host program. Empty: it does not compile.
Result<std::optional<SmTimeline::Run>> the_other_way(Host& host, const Values& values, const gpu::Buffer& counter, gpu::Dim3 grid,
                                                     gpu::Dim3 block) {
  const Host::Unrecorded unrecorded(host);
  const bool atomic = values.on("atomic");
  if (auto zeroed = host.refill(counter, gpu::Scalar::of(std::int32_t{0})); !zeroed) return failure(zeroed.error());
  host.define("USE_ATOMIC_ADD", atomic ? "0" : "1");
  LaunchOptions options{.schedule = gpu::Schedule::clock, .seed = static_cast<std::uint64_t>(values.integer("seed"))};
  options.observe.timeline = true;
  auto report = host.launch("count", grid, block, {counter}, options);
  define_macros(host, race_conditions(), values);
  if (!report && report.error().code != "compile_error") return failure(report.error());
  if (report && report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  if (!report || !report->ok() || !has_timeline(*report)) return std::optional<SmTimeline::Run>();
  return take_run(*report, what_counts(!atomic));
}

using Seen = std::map<std::int64_t, std::uint32_t>;  // how often each result occurred

std::vector<Number> numbers_of(const Trials& trials, std::int32_t got, const Seen& seen) {
  const std::int64_t lost = trials.expected - got;
  using Tone = Number::Tone;
  return {{.name = "expected", .label = to_say("Expected"), .value = double(trials.expected)},
          {.name = "got", .label = to_say("Got"), .value = double(got), .tone = Tone::first},
          {.name = "lost", .label = to_say("Lost"), .value = double(lost), .tone = lost != 0 ? Tone::bad : Tone::second},
          {.name = "warps", .label = to_say("Warps"), .value = double(trials.one_a_warp), .on_page = false},
          {.name = "trials", .label = to_say("Trials"), .value = double(trials.trials), .on_page = false},
          {.name = "least", .label = to_say("Least of all trials"), .value = double(seen.begin()->first), .on_page = false},
          {.name = "most", .label = to_say("Most of all trials"), .value = double(seen.rbegin()->first), .on_page = false},
          {.name = "distinct", .label = to_say("Different results"), .value = double(seen.size()), .on_page = false}};
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job* job) {
  const Stopwatch watch;
  define_macros(host, race_conditions(), values);
  const gpu::Dim3 grid{static_cast<std::uint32_t>(values.integer("blocks"))};
  const gpu::Dim3 block{static_cast<std::uint32_t>(values.integer("threads"))};
  const auto seed = static_cast<std::uint64_t>(values.integer("seed"));
  const auto trials = static_cast<std::uint32_t>(values.integer("trials"));
  auto counter = host.zeros<std::int32_t>("c", {1});
  if (!counter) return failure(counter.error());

  Outcome outcome;
  Seen seen;
  std::int32_t got = 0;
  std::optional<Host::Unrecorded> unrecorded;  // the recorded host program has one launch; the other trials are not part of it
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    if (job != nullptr && job->cancelled)
      return failure("cancelled", fmt::format("Cancelled after {} of {} trials.", trial, trials));
    LaunchOptions options{.schedule = gpu::Schedule::clock, .seed = seed_of_trial(seed, trial)};
    if (trial == 0) {  // observe the trial that is shown; observing does not change the schedule
      options.observe = gpu::Observe::all();
      options.observe.trace = {counter->id};
      options.observe.timeline = true;
    } else if (auto zeroed = host.refill(*counter, gpu::Scalar::of(std::int32_t{0})); !zeroed) {
      return failure(zeroed.error());
    }
    auto report = host.launch("count", grid, block, {*counter}, options);
    if (!report) return failure(report.error());
    if (!report->ok()) return without_results(std::move(*report));
    auto result = host.copy_to_host<std::int32_t>(*counter);
    if (!result) return failure(result.error());
    ++seen[result->front()];
    if (trial == 0) {
      got = result->front();
      outcome.report = std::move(*report);
      // From here on, a launch is one trial of many: progress counts trials, and cancelling takes effect between trials.
      host.watch_for_cancel(nullptr);
      unrecorded.emplace(host);
    }
    if (job != nullptr) {
      job->blocks_total = trials;
      job->blocks_done = trial + 1;
    }
  }

  const std::int64_t expected = static_cast<std::int64_t>(grid.count() * block.count());
  const std::int64_t warps = static_cast<std::int64_t>(grid.x) * ((block.x + 31) / 32);
  outcome.numbers = numbers_of({.trials = trials, .expected = expected, .one_a_warp = warps}, got, seen);

  Trials spread{.trials = trials, .expected = expected, .one_a_warp = warps, .guessed = "got"};
  for (const auto& [result, count] : seen) spread.bars.push_back({result, count});
  outcome.figures.push_back(std::move(spread));
  if (!outcome.report.trace.empty() && !outcome.report.trace_truncated) {
    Interleaving figure = interleave(outcome.report, counter->id, got);
    outcome.numbers.push_back(
        {.name = "updates_kept", .label = to_say("Updates kept"), .value = double(figure.kept), .on_page = false});
    outcome.numbers.push_back(
        {.name = "updates_lost", .label = to_say("Updates lost"), .value = double(figure.lost), .on_page = false});
    outcome.note = say(figure, warps);
    outcome.figures.push_back(std::move(figure));
  }
  if (host.device().is_model) {
    SmTimeline timeline;
    if (has_timeline(outcome.report)) {
      if (values.on("atomic")) outcome.note += say_tail(*outcome.report.clock);
      timeline.title = title_of(main_wait(*outcome.report.clock));
      timeline.runs.push_back(take_run(outcome.report, what_counts(values.on("atomic"))));
      auto other = the_other_way(host, values, *counter, grid, block);
      if (!other) return failure(other.error());
      if (*other) timeline.runs.push_back(std::move(**other));
    }
    outcome.figures.push_back(std::move(timeline));
  }
  host.watch_for_cancel(job);
  outcome.report.trace.clear();
  outcome.trials = trials;
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& race_conditions() {
  static const Lesson lesson{
      .id = "05_race_conditions",
      .number = "05",
      .title = "Race conditions",
      .rail_title = "Race conditions",
      .kernel_file = "race.cu",
      .kernel = "count",
      .controls = {{.id = "threads",
                    .label = to_say("Threads per block"),
                    .initial = 64,
                    .least = 1,
                    .most = 1024,
                    .logarithmic = true,
                    .help = to_say("64 threads are two warps.")},
                   {.id = "blocks",
                    .label = to_say("Blocks per grid"),
                    .initial = 64,
                    .least = 1,
                    .most = 256,
                    .logarithmic = true,
                    .help = to_say("Blocks run on several multiprocessors (SMs) at once, all with the same counter.")},
                   {.id = "atomic",
                    .label = to_say("Use atomicAdd"),
                    .kind = Control::Kind::toggle,
                    .initial = 0,
                    .define = "USE_ATOMIC_ADD",
                    .help = to_say("On: load, add and store become one step, and no other thread can come between.")},
                   {.id = "seed",
                    .label = to_say("Seed"),
                    .initial = 7,
                    .least = 0,
                    .most = 9999,
                    .help = to_say("Which of the many possible orders the virtual GPU takes. The same seed gives the same order."),
                    .of_question = false,
                    .seed = true},
                   {.id = "trials",
                    .label = to_say("Trials"),
                    .initial = 100,
                    .least = 1,
                    .most = 1000,
                    .logarithmic = true,
                    .help = to_say("How often the launch is repeated, each time in another order."),
                    .of_question = false}},
      .presets = {{to_say("256 blocks"), {{"threads", 64}, {"blocks", 256}, {"atomic", 0}}},
                  {to_say("One warp"), {{"threads", 32}, {"blocks", 1}, {"atomic", 0}}},
                  {to_say("One thread a block"), {{"threads", 1}, {"blocks", 256}, {"atomic", 0}}},
                  {to_say("One thread"), {{"threads", 1}, {"blocks", 1}, {"atomic", 0}}},
                  {to_say("atomicAdd"), {{"threads", 64}, {"blocks", 64}, {"atomic", 1}}}},
      .views = {"trials", "interleaving", "sm_timeline"},
      .guesses = {"got", "lost"},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
