// Lesson 13: the lanes of a warp read each other's registers and vote. The kernel records for each step from which lane a value
// came (by a second shuffle of lane numbers), the value, and what the receiver then holds.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& warps_talk();

namespace {

enum Pattern : int { down, butterfly, prefix, votes, tiles, patterns };
enum Absent : int { add_zero, leave, leave_mask };
constexpr std::size_t lanes = 32;
constexpr std::size_t vote_rows = 4;    // any, all, ballot, the number of lower lanes
constexpr std::size_t most_rows = 6;    // of the log: five steps and the store
constexpr std::int32_t nobody = -1;     // in the log and in out: not written by any lane
constexpr std::size_t asked_lane = 20;  // the lane of the page's question
constexpr std::array<std::int32_t, 4> tile_sizes{4, 8, 16, 32};

/// Small values, so that the sum has two digits. The values of lanes 4, 19 and 20 differ, so that the value that lane 20 receives
/// identifies its source.
constexpr std::array<std::int32_t, lanes> values_of_lanes{1, 3, 3, 2, 3, 0, 1, 2, 2, 1, 3, 0, 1, 2, 0, 3,
                                                          0, 2, 1, 1, 2, 3, 0, 1, 3, 1, 2, 0, 2, 0, 1, 3};

struct Settings {
  std::int32_t n = 0, tile = 8;
  int pattern = down, absent = add_zero;

  static Settings from(const Values& values) {
    return {.n = values.integer("values"),
            .tile = tile_sizes[static_cast<std::size_t>(values.integer("tile"))],
            .pattern = values.integer("pattern"),
            .absent = values.integer("absent")};
  }
  /// The number of lanes that stay active to the end.
  [[nodiscard]] std::int32_t staying() const { return absent == add_zero ? std::int32_t{lanes} : n; }
  [[nodiscard]] std::int32_t value(std::int32_t lane) const {
    return lane < n ? values_of_lanes[static_cast<std::size_t>(lane)] : 0;
  }
  [[nodiscard]] std::int32_t sum(std::int32_t first, std::int32_t last) const {
    std::int32_t sum = 0;
    for (std::int32_t lane = first; lane <= last; ++lane) sum += value(lane);
    return sum;
  }
  [[nodiscard]] std::size_t steps() const {
    if (pattern == votes) return vote_rows;
    return pattern == tiles ? static_cast<std::size_t>(std::countr_zero(static_cast<std::uint32_t>(tile))) : 5;
  }
  [[nodiscard]] std::string label(std::size_t step) const {
    constexpr std::array<const char*, vote_rows> names{"any", "all", "ballot", "yes below"};
    const int halved = (pattern == tiles ? tile : 32) >> (step + 1);
    if (pattern == votes) return names[step];
    if (pattern == butterfly) return fmt::format("xor {}", halved);
    return pattern == prefix ? fmt::format("up by {}", 1 << step) : fmt::format("down by {}", halved);
  }
};

/// The expected contents of out by the pattern's definition. nobody: not written.
std::array<std::int32_t, lanes> expected(const Settings& settings) {
  std::array<std::int32_t, lanes> out;
  out.fill(nobody);
  std::size_t place = 0;
  for (std::int32_t lane = 0; lane < settings.staying(); ++lane) {
    const auto at = static_cast<std::size_t>(lane);
    if (settings.pattern == down && lane == 0) out[0] = settings.sum(0, lanes - 1);
    if (settings.pattern == butterfly) out[at] = settings.sum(0, lanes - 1);
    if (settings.pattern == prefix) out[at] = settings.sum(0, lane);
    if (settings.pattern == votes && settings.value(lane) > 1) out[place++] = settings.value(lane);
    if (settings.pattern == tiles && lane % settings.tile == 0)
      out[static_cast<std::size_t>(lane / settings.tile)] = settings.sum(lane, lane + settings.tile - 1);
  }
  return out;
}

/// The log as the kernel left it: rows of three times 32 numbers.
LaneSteps read_log(const Settings& settings, const std::vector<std::int32_t>& log) {
  const auto row = [&](std::size_t step, std::size_t part) {
    std::array<std::int32_t, lanes> values;
    std::copy_n(log.begin() + static_cast<std::ptrdiff_t>((3 * step + part) * lanes), lanes, values.begin());
    return values;
  };
  LaneSteps figure{.values = settings.n};
  for (std::size_t lane = 0; lane < lanes; ++lane) figure.begin[lane] = settings.value(static_cast<std::int32_t>(lane));
  for (std::size_t step = 0; step < settings.steps(); ++step) {
    LaneSteps::Step one{.label = settings.label(step), .from = row(step, 0), .received = row(step, 1), .holds = row(step, 2)};
    if (settings.pattern == votes) one.kind = step + 1 < vote_rows ? LaneSteps::Kind::vote : LaneSteps::Kind::alone;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (one.from[lane] == nobody) continue;
      one.there |= 1U << lane;
      // The value of an inactive lane is undefined; on a GPU this includes its lane number.
      if (one.from[lane] < 0 || one.from[lane] >= settings.staying()) one.undefined |= 1U << lane;
    }
    figure.steps.push_back(std::move(one));
  }
  // An edited kernel may have stored fewer or more rows, so check that the value is an index of out.
  figure.place = row(settings.steps(), 0);
  figure.stored = row(settings.steps(), 1);
  for (std::int32_t& place : figure.place) {
    if (place < 0 || place >= std::int32_t{lanes}) place = nobody;
  }
  return figure;
}

std::set<std::uint32_t> lanes_that_hold(const LaneSteps& steps, std::int32_t value) {
  std::set<std::uint32_t> found;
  const LaneSteps::Step& last = steps.steps.back();
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if ((last.there >> lane & 1) != 0 && last.holds[lane] == value) found.insert(lane);
  }
  return found;
}

std::string title_of(const Settings& settings, const LaneSteps& steps, std::size_t holders) {
  switch (settings.pattern) {
    case votes:
      return "Every lane learns what all lanes said";
    case prefix:
      return "Lane k ends with the sum of lanes 0 to k";
    case tiles: {
      std::size_t crossing = 0;
      for (const LaneSteps::Step& step : steps.steps) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const std::int32_t from = step.from[lane];
          crossing += from >= 0 && from / settings.tile != static_cast<std::int32_t>(lane) / settings.tile;
        }
      }
      return fmt::format("Tiles of {} lanes: {} values cross from one tile to another", settings.tile,
                         crossing == 0 ? "no" : std::to_string(crossing));
    }
    default:
      return fmt::format("In the end {} of {} lanes {} the whole sum", holders, std::popcount(steps.steps.back().there),
                         holders == 1 ? "holds" : "hold");
  }
}

std::string note_of(const Settings& settings, const LaneSteps& steps, std::uint64_t undefined) {
  if (undefined > 0)
    return fmt::format("Reads from lanes that had returned: {}. What they bring is undefined, even where the result is right.",
                       undefined);
  if (settings.pattern != votes) return {};
  const auto ballot = static_cast<std::uint32_t>(steps.steps[2].received[0]);
  return fmt::format("The ballot is {:#010x}: {} bits are 1, one for each lane that said yes.", ballot, std::popcount(ballot));
}

struct Talk {
  gpu::LaunchReport report;
  std::vector<std::int32_t> out, log;
};

Result<Talk> talk(Host& host, const Settings& settings) {
  std::vector<std::int32_t> values(values_of_lanes.begin(), values_of_lanes.begin() + settings.n);
  auto in = host.to_device<std::int32_t>("in", values);
  if (!in) return failure(in.error());
  auto out = host.fill("out", {lanes}, gpu::Scalar::of(nobody));
  if (!out) return failure(out.error());
  auto log = host.fill("log", {most_rows, 3, lanes}, gpu::Scalar::of(nobody));
  if (!log) return failure(log.error());
  auto report = host.launch("talk", {1}, {lanes}, {*in, gpu::Scalar::of(settings.n), *out, *log}, {.observe = gpu::Observe::all()});
  if (!report) return failure(report.error());
  Talk made{.report = std::move(*report)};
  if (!made.report.ok()) return made;
  auto results = host.copy_to_host<std::int32_t>(*out);
  if (!results) return failure(results.error());
  auto rows = host.copy_to_host<std::int32_t>(*log);
  if (!rows) return failure(rows.error());
  made.out = std::move(*results);
  made.log = std::move(*rows);
  return made;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  define_macros(host, warps_talk(), values);
  auto made = talk(host, settings);
  if (!made) return failure(made.error());
  if (!made->report.ok()) return without_results(std::move(made->report));

  LaneSteps steps = read_log(settings, made->log);
  const auto right = expected(settings);
  const auto wrong = lanes - static_cast<std::size_t>(std::inner_product(right.begin(), right.end(), made->out.begin(),
                                                                         std::size_t{0}, std::plus<>{}, std::equal_to<>{}));
  std::uint64_t undefined = 0;
  for (const LaneSteps::Step& step : steps.steps) undefined += static_cast<std::uint64_t>(std::popcount(step.undefined));
  const std::int32_t sum = settings.sum(0, lanes - 1);
  const bool sums = settings.pattern == down || settings.pattern == butterfly || settings.pattern == prefix;
  // After votes a lane holds an index, not a sum.
  const std::set<std::uint32_t> holders = settings.pattern != votes ? lanes_that_hold(steps, sum) : std::set<std::uint32_t>{};

  Outcome outcome;
  using Tone = Number::Tone;
  outcome.numbers = {
      {.name = "lane_20",
       .label = to_say("Lane 20 receives in step 1"),
       .value = double(steps.steps[0].received[asked_lane]),
       .tone = Tone::first},
      {.name = "holders", .label = to_say("Lanes with the whole sum"), .value = double(holders.size()), .on_page = sums},
      {.name = "wrong", .label = to_say("Wrong results"), .value = double(wrong), .tone = wrong > 0 ? Tone::bad : Tone::good},
      {.name = "undefined",
       .label = to_say("Reads from absent lanes"),
       .value = double(undefined),
       .tone = undefined > 0 ? Tone::bad : Tone::second},
      {.name = "sum", .label = to_say("Sum on the CPU"), .value = double(sum), .on_page = false},
      {.name = "steps", .label = to_say("Steps"), .value = double(steps.steps.size()), .on_page = false}};
  if (settings.pattern == votes) {
    const auto told = [&](std::size_t step) { return double(static_cast<std::uint32_t>(steps.steps[step].received[0])); };
    outcome.numbers.push_back({.name = "any", .label = to_say("Any lane"), .value = told(0), .on_page = false});
    outcome.numbers.push_back({.name = "all", .label = to_say("All lanes"), .value = told(1), .on_page = false});
    outcome.numbers.push_back({.name = "ballot", .label = to_say("Ballot"), .value = told(2), .on_page = false});
  }
  outcome.marked["holders"] = holders;
  outcome.note = note_of(settings, steps, undefined);
  steps.title = title_of(settings, steps, holders.size());
  outcome.figures.push_back(std::move(steps));
  outcome.report = std::move(made->report);
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& warps_talk() {
  static const Lesson lesson{
      .id = "13_warps_talk",
      .number = "13",
      .title = "Warps talk",
      .rail_title = "Warps talk",
      .kernel_file = "warps.cu",
      .kernel = "talk",
      .controls = {{.id = "pattern",
                    .label = to_say("Pattern"),
                    .kind = Control::Kind::choice,
                    .initial = down,
                    .most = patterns - 1,
                    .options = {{"down", to_say("Down")},
                                {"butterfly", to_say("Butterfly")},
                                {"prefix", to_say("Prefix sum")},
                                {"votes", to_say("Votes")},
                                {"tiles", to_say("Tiles")}},
                    .define = "PATTERN",
                    .help = to_say("From which lane each lane reads, step by step; or votes, which every lane learns.")},
                   {.id = "values",
                    .label = to_say("Values"),
                    .initial = 32,
                    .least = 21,
                    .most = 32,
                    .help = to_say("One for each of the first lanes. The others have none.")},
                   {.id = "absent",
                    .label = to_say("Lanes without a value"),
                    .kind = Control::Kind::choice,
                    .initial = add_zero,
                    .most = leave_mask,
                    .options = {{"add_0", to_say("add 0")}, {"return", to_say("return")}, {"mask", to_say("return; mask")}},
                    .define = "ABSENT",
                    .help = to_say(
                        "They stay and add 0; they return, and the mask still names all 32 lanes; or they return, and the mask "
                        "names the others. A tile has a mask of its own.")},
                   {.id = "tile",
                    .label = to_say("Lanes a tile"),
                    .kind = Control::Kind::choice,
                    .initial = 1,
                    .most = tile_sizes.size() - 1,
                    .options = {{"4", to_say("4")}, {"8", to_say("8")}, {"16", to_say("16")}, {"32", to_say("32")}},
                    .help = to_say("Only of the pattern Tiles."),
                    .later = true}},
      .presets = {{to_say("Down, 32 values"), {{"pattern", down}, {"values", 32}, {"absent", add_zero}}},
                  {to_say("Butterfly"), {{"pattern", butterfly}, {"values", 32}, {"absent", add_zero}}},
                  {to_say("Prefix sum"), {{"pattern", prefix}, {"values", 32}, {"absent", add_zero}}},
                  {to_say("Votes"), {{"pattern", votes}, {"values", 32}, {"absent", add_zero}}},
                  {to_say("Tiles of 8"), {{"pattern", tiles}, {"values", 32}, {"absent", add_zero}, {"tile", 1}}},
                  {to_say("Eight lanes return"), {{"pattern", butterfly}, {"values", 24}, {"absent", leave}}},
                  {to_say("… and the mask knows"), {{"pattern", butterfly}, {"values", 24}, {"absent", leave_mask}}}},
      .views = {"lane_steps"},
      .guesses = {"lane_20"},
      .markings = {{"holders", [](const Values&) { return std::uint32_t{lanes}; }}},
      .more_macros =
          [](const Values& values) {
            return Macros{{"TILE", fmt::format("{}", Settings::from(values).tile)}};
          },
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
