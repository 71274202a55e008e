// Lesson 10: the addresses of neighbouring lanes determine the cost of a request, in sectors of global memory and in passes of
// shared memory.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/text.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& transpose();

namespace {

using gpu::AccessRecord;

enum Mode : int { direct, tiled, structs, arrays, table };
constexpr std::uint32_t side_of_block = 32;
constexpr std::uint32_t threads_of_rows = 256;  // of a block, if each thread handles a whole row
constexpr std::int32_t fields = 3;              // x, y and z of a struct
constexpr int usual_width = 32, padded_width = 33;
constexpr std::int32_t most_traced = 96;  // largest side for which requests are recorded
constexpr int repeats = 5;                // of a version on a GPU; the shortest time counts

struct Settings {
  std::int32_t side = 0;
  int mode = direct, tile_width = usual_width;
  bool by_row = false;  // the table is indexed by the row, so that all lanes of a warp read the same word

  static Settings from(const Values& values) {
    return {.side = values.integer("side"),
            .mode = values.integer("mode"),
            .tile_width = values.integer("tile_width"),
            .by_row = values.integer("table_by") != 0};
  }
  /// Another version, with about as many values.
  [[nodiscard]] Settings as(int version, int columns, bool rows = false) const {
    return {.side = side, .mode = version, .tile_width = columns, .by_row = rows};
  }
  [[nodiscard]] bool same_version(const Settings& other) const {
    return mode == other.mode && (mode != tiled || tile_width == other.tile_width) && (mode != table || by_row == other.by_row);
  }
  [[nodiscard]] bool a_thread_a_row() const { return mode == structs || mode == arrays; }
  [[nodiscard]] bool transposes() const { return mode != arrays && mode != table; }
  [[nodiscard]] std::int32_t width() const { return a_thread_a_row() ? fields : side; }
  /// With structs, a multiple of a warp, so that each field of a struct of arrays begins at a sector.
  [[nodiscard]] std::int32_t height() const { return a_thread_a_row() ? side * side / fields / 32 * 32 : side; }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(width()) * static_cast<std::size_t>(height()); }
  /// The shape of `in`: rows and columns. A struct of arrays has one row per field.
  [[nodiscard]] std::vector<std::size_t> shape() const {
    const auto rows = static_cast<std::size_t>(height()), columns = static_cast<std::size_t>(width());
    return mode == arrays ? std::vector{columns, rows} : std::vector{rows, columns};
  }
  [[nodiscard]] std::vector<std::size_t> shape_of_result() const {
    std::vector<std::size_t> result = shape();
    if (transposes()) std::swap(result[0], result[1]);
    return result;
  }
  [[nodiscard]] gpu::Dim3 block() const {
    return a_thread_a_row() ? gpu::Dim3{threads_of_rows} : gpu::Dim3{side_of_block, side_of_block};
  }
  [[nodiscard]] gpu::Dim3 grid() const {
    const auto blocks = [](std::int32_t cells, std::uint32_t of) { return (static_cast<std::uint32_t>(cells) + of - 1) / of; };
    if (a_thread_a_row()) return {blocks(height(), threads_of_rows)};
    return {blocks(side, side_of_block), blocks(side, side_of_block)};
  }
  [[nodiscard]] std::string label() const {
    if (mode == tiled) return fmt::format("Tile, {} wide", tile_width);
    if (mode == table) return by_row ? "Table by row" : "Table by column";
    return mode == direct ? "Directly" : mode == structs ? "Structs" : "Arrays";
  }
};

struct Moved {
  gpu::LaunchReport report;
  std::array<gpu::Buffer, 2> arrays;
  std::vector<float> out;
};

/// One launch. The values count up, so that each shows where it came from.
Result<Moved> move(Host& host, const Settings& settings, LaunchOptions options, bool trace) {
  std::vector<float> values(settings.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  auto in = host.to_device<float>("in", values, settings.shape());
  if (!in) return failure(in.error());
  auto out = host.zeros<float>("out", settings.shape_of_result());
  if (!out) return failure(out.error());
  if (trace) {
    options.observe.trace = {in->id, out->id};
    options.observe.trace_shared = true;
  }
  host.define("MODE", fmt::format("{}", settings.mode));
  host.define("TILE_WIDTH", fmt::format("{}", settings.tile_width));
  host.define("TABLE_BY_ROW", settings.by_row ? "1" : "0");
  auto report = host.launch("transpose", settings.grid(), settings.block(),
                            {*in, *out, gpu::Scalar::of(settings.width()), gpu::Scalar::of(settings.height())}, options);
  if (!report) return failure(report.error());
  Moved moved{.report = std::move(*report), .arrays = {*in, *out}, .out = {}};
  if (moved.report.ok()) {
    auto result = host.copy_to_host<float>(*out);
    if (!result) return failure(result.error());
    moved.out = std::move(*result);
  }
  host.release(*in);
  host.release(*out);
  return moved;
}

/// The kernel's table: 1, 2, 4, 8 repeated; the second half starts with 2.
float factor_of(std::size_t k) { return static_cast<float>(1 << (k < 16 ? k : k + 1) % 4); }

std::int64_t count_wrong(const Settings& settings, const std::vector<float>& out) {
  std::int64_t wrong = 0;
  const std::size_t rows = settings.shape()[0], columns = settings.shape()[1];
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t from = y * columns + x, to = settings.transposes() ? x * rows + y : from;
      const float factor = settings.mode == table ? factor_of((settings.by_row ? y : x) % side_of_block) : 1;
      wrong += out[to] != factor * static_cast<float>(from);
    }
  }
  return wrong;
}

/// Times all versions with as many values. The chosen one has been run already.
Result<Ladder> compare(Host& host, const Settings& chosen, double chosen_us) {
  const Host::Unrecorded unrecorded(host);
  Ladder ladder{.limit_gb_per_s = host.device().memory_gb_per_s,
                .values = chosen.count(),
                .model = host.device().is_model,
                .title = host.device().is_model ? "How fast each version moves its values (model)"
                                                : "How fast each version moves its values"};
  const int other_width = chosen.tile_width == usual_width ? padded_width : chosen.tile_width;
  std::vector versions{chosen.as(direct, usual_width), chosen.as(tiled, usual_width), chosen.as(tiled, other_width),
                       chosen.as(structs, usual_width), chosen.as(arrays, usual_width)};
  if (chosen.mode == table) versions = {chosen.as(table, usual_width, false), chosen.as(table, usual_width, true)};
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Settings& version = versions[i];
    const bool same = version.same_version(chosen);
    if (same) ladder.chosen = i;
    double best = same ? chosen_us : 0;
    const int times = same ? 0 : ladder.model ? 1 : repeats;
    for (int repeat = 0; repeat < times; ++repeat) {
      auto moved = move(host, version, {.schedule = gpu::Schedule::clock}, false);
      if (!moved && moved.error().code != "compile_error") return failure(moved.error());
      if (!moved) break;  // an edit may have broken a version that was not asked for; it has no bar
      if (moved->report.status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
      if (!moved->report.ok()) break;
      const double took = microseconds(moved->report);
      best = best == 0 ? took : std::min(best, took);
    }
    Ladder::Rung rung{.label = version.label(), .us = best};
    if (best > 0) rung.gb_per_s = 8.0 * static_cast<double>(version.count()) / (best * 1e3);  // read once, written once
    ladder.rungs.push_back(std::move(rung));
  }
  host.define("MODE", fmt::format("{}", chosen.mode));
  host.define("TILE_WIDTH", fmt::format("{}", chosen.tile_width));
  host.define("TABLE_BY_ROW", chosen.by_row ? "1" : "0");
  return ladder;
}

/// The number of different words in the busiest bank, for the most expensive request to the tile.
std::uint32_t passes_of(const gpu::LaunchReport& report) {
  std::uint32_t most = 0;
  for (const AccessRecord& record : report.trace) {
    if (!record.shared) continue;  // the column may be stored or loaded; rows take one pass
    std::array<std::set<std::int32_t>, 32> words;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((record.mask >> lane & 1) != 0) words[static_cast<std::size_t>(record.index[lane]) % 32].insert(record.index[lane]);
    }
    for (const auto& bank : words) most = std::max(most, static_cast<std::uint32_t>(bank.size()));
  }
  return most;
}

/// The first request whose lanes go down a column: with a tile a load, of a matrix the store, of structs the load. If there is
/// none, the first load.
std::size_t first_column(const MemoryMap& map, int mode) {
  const auto kind = mode == direct ? AccessRecord::Kind::store : AccessRecord::Kind::load;
  const auto& requests = *map.requests;
  const auto found = std::find_if(requests.begin(), requests.end(), [&](const AccessRecord& record) {
    return record.kind == kind && record.shared == (mode == tiled);
  });
  return found == requests.end() ? 0 : static_cast<std::size_t>(found - requests.begin());
}

struct Requests {
  std::optional<MemoryMap> map;  // empty: the launch failed
  std::uint32_t passes = 0;      // for a column of the tile; 0: there was none
};

/// A smaller launch with all requests recorded.
Result<Requests> look_at_requests(Host& host, const Settings& settings) {
  const Host::Unrecorded unrecorded(host);
  Requests seen;
  Settings piece = settings;
  if (settings.mode != tiled) {  // the page's question is about a column of the tile, for every kernel
    piece = settings.as(tiled, settings.tile_width);
    piece.side = side_of_block;
    auto tile = move(host, piece, {.schedule = gpu::Schedule::clock}, true);
    if (!tile && tile.error().code != "compile_error") return failure(tile.error());
    if (tile && tile->report.ok()) seen.passes = passes_of(tile->report);
    piece = settings;
  }
  piece.side = std::min(settings.side, most_traced);
  auto traced = move(host, piece, {.schedule = gpu::Schedule::clock}, true);
  if (!traced) return failure(traced.error());
  if (!traced->report.ok()) return seen;
  seen.map = memory_map(traced->report, traced->arrays, [](const AccessRecord& record) { return record.block == 0; });
  seen.map->first = first_column(*seen.map, settings.mode);
  if (settings.mode == tiled) seen.passes = passes_of(traced->report);
  return seen;
}

struct Traffic {
  std::uint64_t sectors = 0, fewest = 0, shared_requests = 0, shared_passes = 0;
};
Traffic traffic_of(const gpu::LaunchReport& report) {
  Traffic traffic;
  for (const gpu::LineCounts& line : report.lines) {
    traffic.sectors += line.sectors;
    traffic.fewest += line.fewest_sectors;
    traffic.shared_requests += line.shared_requests;
    traffic.shared_passes += line.shared_passes;
  }
  return traffic;
}

std::string say(const Traffic& traffic, std::int64_t wrong) {
  if (wrong > 0) return fmt::format("{} elements of the result are wrong.", with_commas(wrong));
  const auto conflicts = traffic.shared_passes - std::min(traffic.shared_requests, traffic.shared_passes);
  if (traffic.sectors > traffic.fewest) {
    return fmt::format("{} sectors were moved; {} would hold all that the lanes asked for.",
                       with_commas(static_cast<std::int64_t>(traffic.sectors)),
                       with_commas(static_cast<std::int64_t>(traffic.fewest)));
  }
  if (conflicts > 0)
    return fmt::format("No sector too many is moved, but shared memory needs {} passes more than one for each request.",
                       with_commas(static_cast<std::int64_t>(conflicts)));
  return {};
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  auto moved = move(host, settings, {.observe = gpu::Observe::all(), .schedule = gpu::Schedule::clock}, false);
  if (!moved) return failure(moved.error());
  if (!moved->report.ok()) return without_results(std::move(moved->report));
  auto ladder = compare(host, settings, microseconds(moved->report));
  if (!ladder) return failure(ladder.error());

  const std::int64_t wrong = count_wrong(settings, moved->out);
  const bool counted = moved->report.observed[gpu::FindingKind::coalescing] != gpu::Observation::not_observed;
  const Traffic traffic = traffic_of(moved->report);
  Outcome outcome;
  using Tone = Number::Tone;
  if (counted) {
    const double times = traffic.fewest > 0 ? static_cast<double>(traffic.sectors) / static_cast<double>(traffic.fewest) : 0;
    outcome.numbers.push_back({.name = "times_fewest",
                               .label = to_say("Sectors / fewest possible"),
                               .value = times,
                               .tone = times > 1 ? Tone::bad : Tone::first,
                               .decimals = 2});
    outcome.numbers.push_back({.name = "sectors", .label = to_say("Sectors"), .value = double(traffic.sectors)});
    outcome.numbers.push_back(
        {.name = "fewest", .label = to_say("Fewest sectors"), .value = double(traffic.fewest), .on_page = false});
  }
  std::optional<MemoryMap> map;
  if (host.device().is_model) {
    auto seen = look_at_requests(host, settings);
    if (!seen) return failure(seen.error());
    map = std::move(seen->map);
    outcome.numbers.push_back({.name = "passes",
                               .label = to_say("Passes of a column"),
                               .value = double(seen->passes),
                               .tone = seen->passes > 1 ? Tone::bad : Tone::second,
                               .on_page = settings.mode == tiled});
  }
  if (settings.mode == table && moved->report.clock && moved->report.clock->constant_requests > 0) {
    const double passes =
        static_cast<double>(moved->report.clock->constant_passes) / static_cast<double>(moved->report.clock->constant_requests);
    outcome.numbers.push_back({.name = "constant_passes",
                               .label = to_say("Passes to read the table"),
                               .value = passes,
                               .tone = passes > 1 ? Tone::bad : Tone::second});
  }
  if (counted) {
    outcome.numbers.push_back({.name = "conflicts",
                               .label = to_say("Passes too many"),
                               .value = double(traffic.shared_passes - std::min(traffic.shared_requests, traffic.shared_passes)),
                               .on_page = false});
  }
  outcome.numbers.push_back({.name = "us",
                             .label = host.device().is_model ? to_say("Time (model)") : to_say("Time"),
                             .value = microseconds(moved->report),
                             .tone = Tone::measured,
                             .decimals = 1,
                             .unit = "µs",
                             .of_device = true});
  outcome.numbers.push_back({.name = "wrong",
                             .label = to_say("Wrong elements"),
                             .value = double(wrong),
                             .tone = wrong > 0 ? Tone::bad : Tone::second,
                             .on_page = wrong > 0});
  outcome.note = say(counted ? traffic : Traffic{}, wrong);
  if (map) outcome.figures.push_back(std::move(*map));
  outcome.figures.push_back(std::move(*ladder));
  outcome.report = std::move(moved->report);
  outcome.seconds = watch.seconds();
  return outcome;
}

std::map<std::string, double> preset(Mode mode, int tile_width = usual_width, bool by_row = false) {
  return {{"mode", mode}, {"tile_width", tile_width}, {"side", 256}, {"table_by", by_row ? 1 : 0}};
}

}  // namespace

const Lesson& transpose() {
  static const Lesson lesson{
      .id = "10_transpose",
      .number = "10",
      .title = "Transpose",
      .rail_title = "Transpose",
      .kernel_file = "transpose.cu",
      .kernel = "transpose",
      .controls = {{.id = "mode",
                    .label = to_say("Kernel"),
                    .kind = Control::Kind::choice,
                    .initial = tiled,
                    .most = table,
                    .options = {{"direct", to_say("Directly")},
                                {"tiled", to_say("Through a tile")},
                                {"structs", to_say("Structs")},
                                {"arrays", to_say("Struct of arrays")},
                                {"table", to_say("With a table")}},
                    .define = "MODE",
                    .help = to_say(
                        "Directly: each thread moves one element. Through a tile: a block collects 32 × 32 elements in shared "
                        "memory first. Structs: a thread moves a struct, a row of three. Struct of arrays: the same three fields, "
                        "each in an array of its own. With a table: each element is multiplied by a value in constant memory.")},
                   {.id = "tile_width",
                    .label = to_say("Width of the tile"),
                    .initial = usual_width,
                    .least = 32,
                    .most = 64,
                    .define = "TILE_WIDTH",
                    .help = to_say("The words in a row of the tile. 32 of them are used. Any more are padding: the next row begins "
                                   "further on.")},
                   {.id = "table_by",
                    .label = to_say("The table is read"),
                    .kind = Control::Kind::choice,
                    .initial = 0,
                    .most = 1,
                    .options = {{"column", to_say("By column")}, {"row", to_say("By row")}},
                    .define = "TABLE_BY_ROW",
                    .help = to_say(
                        "By column: the 32 lanes of a warp read 32 elements of the table. By row: all lanes read the same one. "
                        "Only the kernel with a table reads it.")},
                   {.id = "side",
                    .label = to_say("Side of the matrix"),
                    .initial = 256,
                    .least = 32,
                    .most = 1024,
                    .logarithmic = true,
                    .help = to_say("Rows and columns. With structs: about as many values.")}},
      .presets = {{to_say("Directly"), preset(direct)},
                  {to_say("Tile, 32 wide"), preset(tiled)},
                  {to_say("33 wide"), preset(tiled, 33)},
                  {to_say("34 wide"), preset(tiled, 34)},
                  {to_say("Structs"), preset(structs)},
                  {to_say("Arrays"), preset(arrays)},
                  {to_say("Table"), preset(table)}},
      .views = {"memory_map", "ladder"},
      .guesses = {"passes", "times_fewest"},
      .markings = {},
      .more_macros = {},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
