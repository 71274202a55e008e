// Lesson 02: blocks and threads have three dimensions. An index formula maps a thread's numbers to a cell of an array, an image or
// a volume.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& blocks_and_threads();

namespace {

using gpu::AccessRecord;

/// The data to fill, by the option of the control "data".
struct Data {
  const char* id;
  ToSay label;
  std::int32_t width, height, depth;
  [[nodiscard]] std::int32_t cells() const { return width * height * depth; }
};
constexpr std::array<Data, 4> all_data{{{"array", to_say("Array of 1000"), 1000, 1, 1},
                                        {"image", to_say("Image 60 × 40"), 60, 40, 1},
                                        {"large", to_say("Image 1000 × 700"), 1000, 700, 1},
                                        {"volume", to_say("Volume 20 × 12 × 8"), 20, 12, 8}}};
enum Index { right, swapped, wrong_row };

const Data& data_of(const Values& values) { return all_data[static_cast<std::size_t>(values.integer("data"))]; }

gpu::Dim3 three(const Values& values, const std::string& what) {
  const auto of = [&](const char* axis) { return static_cast<std::uint32_t>(values.integer(what + "_" + axis)); };
  return {of("x"), of("y"), of("z")};
}

/// Who stored where, from the launch's trace. Complete only if the device recorded all of it.
struct Stores {
  std::vector<std::uint16_t> writes;  // by cell
  std::uint64_t inside = 0;           // stores to existing cells
  bool warp_1 = false;                // the second warp of block 0 has stored
};

Stores read_stores(const gpu::LaunchReport& report, const gpu::Buffer& out, std::size_t cells) {
  Stores stores;
  stores.writes.assign(cells, 0);
  for (const AccessRecord& record : report.trace) {
    if (record.shared || record.buffer != out.id || record.kind == AccessRecord::Kind::load) continue;
    stores.warp_1 = stores.warp_1 || (record.block == 0 && record.warp == 1);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::int32_t cell = record.index[lane];
      if ((record.mask >> lane & 1) == 0 || cell < 0 || static_cast<std::size_t>(cell) >= cells) continue;
      std::uint16_t& writes = stores.writes[static_cast<std::size_t>(cell)];
      if (writes < 0xffff) ++writes;
      ++stores.inside;
    }
  }
  return stores;
}

/// The number of accesses outside the array, over all lines.
std::int64_t count_outside(const gpu::LaunchReport& report) {
  std::int64_t outside = 0;
  for (const gpu::Finding& finding : report.findings) {
    if (finding.kind == gpu::FindingKind::memory) outside += static_cast<std::int64_t>(finding.threads);
  }
  return outside;
}

std::string say(const BlockMap& map, std::int64_t unwritten, std::int64_t twice, std::int64_t outside) {
  if (outside > 0) {
    return fmt::format("{} stores lie outside the array. The guard compares x, y and z with the sizes: is it on?", outside);
  }
  if (twice > 0 && unwritten > 0) {
    return fmt::format("{} cells were written by more than one thread, and {} by none: two threads compute the same cell.", twice,
                       unwritten);
  }
  if (unwritten > 0) {
    const gpu::Dim3 reach{map.grid.x * map.block.x, map.grid.y * map.block.y, map.grid.z * map.block.z};
    return fmt::format("{} cells have no thread: the grid has {} × {} × {} threads, and the data has {} × {} × {} cells.",
                       unwritten, reach.x, reach.y, reach.z, map.width, map.height, map.depth);
  }
  return {};
}

/// The row that the first thread of block 0's second warp wrote to. −1: it wrote nothing, or does not exist.
std::int64_t row_of_warp_1(const BlockMap& map) {
  if (map.block.count() <= 32) return -1;
  const auto found = std::find(map.writer.begin(), map.writer.end(), 32);
  return found == map.writer.end() ? -1 : (found - map.writer.begin()) / map.width % map.height;
}

std::vector<Number> numbers_of(const BlockMap& map, const gpu::LaunchReport& report, const Stores* stores) {
  using Tone = Number::Tone;
  const std::int64_t unwritten = std::count(map.writer.begin(), map.writer.end(), -1);
  const auto cells = static_cast<std::int64_t>(map.writer.size());
  const auto launched = static_cast<std::int64_t>(report.grid.count() * report.block.count());
  std::vector<Number> numbers{
      {.name = "written", .label = to_say("Cells written"), .value = double(cells - unwritten), .tone = Tone::first},
      {.name = "unwritten",
       .label = to_say("Without a thread"),
       .value = double(unwritten),
       .tone = unwritten > 0 ? Tone::bad : Tone::second},
      {.name = "blocks_launched", .label = to_say("Blocks"), .value = double(report.grid.count())},
      {.name = "threads_launched", .label = to_say("Threads launched"), .value = double(launched), .on_page = false},
      {.name = "warp_1_row", .label = to_say("Row of warp 1"), .value = double(row_of_warp_1(map)), .on_page = false}};
  if (stores == nullptr) return numbers;
  const std::int64_t twice = std::count_if(map.writes.begin(), map.writes.end(), [](std::uint16_t n) { return n > 1; });
  const std::int64_t outside = count_outside(report);
  numbers.push_back({.name = "twice",
                     .label = to_say("Written more than once"),
                     .value = double(twice),
                     .tone = twice > 0 ? Tone::bad : Tone::second,
                     .on_page = twice > 0});
  numbers.push_back({.name = "outside",
                     .label = to_say("Outside the array"),
                     .value = double(outside),
                     .tone = outside > 0 ? Tone::bad : Tone::second,
                     .on_page = outside > 0});
  numbers.push_back({.name = "idle",
                     .label = to_say("Threads without a cell"),
                     .value = double(launched - static_cast<std::int64_t>(stores->inside) - outside),
                     .on_page = outside == 0});
  return numbers;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  define_macros(host, blocks_and_threads(), values);
  const Data& data = data_of(values);
  std::vector<std::size_t> shape{static_cast<std::size_t>(data.width)};
  if (data.height > 1) shape.insert(shape.begin(), static_cast<std::size_t>(data.height));
  if (data.depth > 1) shape.insert(shape.begin(), static_cast<std::size_t>(data.depth));
  auto d_out = host.fill("out", shape, gpu::Scalar::of(std::int32_t{-1}));
  if (!d_out) return failure(d_out.error());

  LaunchOptions options{.observe = gpu::Observe::all()};
  options.observe.trace = {d_out->id};
  auto report =
      host.launch("who", three(values, "blocks"), three(values, "threads"),
                  {*d_out, gpu::Scalar::of(data.width), gpu::Scalar::of(data.height), gpu::Scalar::of(data.depth)}, options);
  if (!report) return failure(report.error());
  auto out = host.copy_to_host<std::int32_t>(*d_out);  // also after a refused launch, because the host program continues
  if (!report->ok()) return without_results(std::move(*report));
  if (!out) return failure(out.error());

  BlockMap map{.grid = report->grid,
               .block = report->block,
               .width = static_cast<std::uint32_t>(data.width),
               .height = static_cast<std::uint32_t>(data.height),
               .depth = static_cast<std::uint32_t>(data.depth),
               .writer = std::move(*out),
               .writes = {},
               .swapped = values.integer("index") == swapped};
  const bool traced = !report->trace.empty() && !report->trace_truncated;
  const Stores stores = traced ? read_stores(*report, *d_out, map.writer.size()) : Stores{};
  if (traced) map.writes = stores.writes;

  Outcome outcome;
  if (stores.warp_1) {
    for (std::uint32_t thread = 32; thread < std::min<std::uint64_t>(map.block.count(), 64); ++thread)
      outcome.marked["warp_1"].insert(thread);
  }
  outcome.numbers = numbers_of(map, *report, traced ? &stores : nullptr);
  const auto value = [&](std::string_view name) {
    const auto found =
        std::find_if(outcome.numbers.begin(), outcome.numbers.end(), [&](const Number& n) { return n.name == name; });
    return found == outcome.numbers.end() ? 0 : static_cast<std::int64_t>(found->value);
  };
  outcome.note = say(map, value("unwritten"), value("twice"), value("outside"));
  outcome.figures.push_back(std::move(map));
  outcome.report = std::move(*report);
  outcome.report.trace.clear();  // the figure contains what is needed
  outcome.seconds = watch.seconds();
  return outcome;
}

Control size(const char* id, const ToSay& label, double initial, double most, const ToSay& help, bool later = false) {
  return {
      .id = id, .label = label, .initial = initial, .least = 1, .most = most, .logarithmic = true, .help = help, .later = later};
}

std::vector<Control> controls() {
  Control data{.id = "data", .label = to_say("Data"), .kind = Control::Kind::choice, .initial = 1, .most = all_data.size() - 1};
  for (const Data& each : all_data) data.options.push_back({each.id, each.label});
  data.help = to_say("What is to be filled: a cell a thread.");
  // Each limit can be exceeded by one, to see CUDA's refusal.
  return {size("threads_x", to_say("Threads x"), 16, 1025, to_say("blockDim.x. A block has at most 1024 threads in all.")),
          size("threads_y", to_say("Threads y"), 16, 1025, to_say("blockDim.y. A block has at most 1024 threads in all.")),
          size("threads_z", to_say("Threads z"), 1, 65, to_say("blockDim.z: at most 64."), true),
          size("blocks_x", to_say("Blocks x"), 3, 65536, to_say("gridDim.x: up to 2147483647.")),
          size("blocks_y", to_say("Blocks y"), 3, 65536, to_say("gridDim.y: at most 65535.")),
          size("blocks_z", to_say("Blocks z"), 1, 65536, to_say("gridDim.z: at most 65535."), true),
          data,
          {.id = "index",
           .label = to_say("Index"),
           .kind = Control::Kind::choice,
           .most = 2,
           .options = {{"right", to_say("Right")},
                       {"swapped", to_say("x and y swapped")},
                       {"wrong_row", to_say("Row as long as a column")}},
           .help = to_say("How a thread computes its cell from its numbers.")},
          {.id = "guard",
           .label = to_say("Bounds guard"),
           .kind = Control::Kind::toggle,
           .initial = 1,
           .define = "GUARD",
           .help = to_say("Off: threads whose x, y or z lies past the data go on all the same."),
           .later = true}};
}

using Settings = std::map<std::string, double>;

/// All controls of a preset: x, y and z of the block and of the grid.
Settings settings(int data, std::array<int, 3> threads, std::array<int, 3> blocks, Index index = right) {
  return {{"data", data},
          {"threads_x", threads[0]},
          {"threads_y", threads[1]},
          {"threads_z", threads[2]},
          {"blocks_x", blocks[0]},
          {"blocks_y", blocks[1]},
          {"blocks_z", blocks[2]},
          {"index", index},
          {"guard", 1}};
}

}  // namespace

const Lesson& blocks_and_threads() {
  static const Lesson lesson{
      .id = "02_blocks_and_threads",
      .number = "02",
      .title = "Blocks and threads",
      .rail_title = "Blocks & threads",
      .kernel_file = "who.cu",
      .kernel = "who",
      .controls = controls(),
      .presets = {{to_say("Image, all of it"), settings(1, {16, 16, 1}, {4, 3, 1})},
                  {to_say("1000 × 700"), settings(2, {16, 16, 1}, {63, 44, 1})},
                  {to_say("Volume"), settings(3, {8, 4, 4}, {3, 3, 2})},
                  {to_say("x and y swapped"), settings(1, {16, 16, 1}, {3, 4, 1}, swapped)},
                  {to_say("Row of the wrong length"), settings(1, {16, 16, 1}, {4, 3, 1}, wrong_row)},
                  {to_say("1025 threads"), settings(0, {1025, 1, 1}, {1, 1, 1})},
                  {to_say("65 in z"), settings(3, {1, 1, 65}, {20, 12, 1})},
                  {to_say("65,536 blocks in y"), settings(1, {16, 16, 1}, {4, 65536, 1})}},
      .views = {"block_map"},
      .guesses = {"written"},
      .markings = {{"warp_1", [](const Values& values) { return static_cast<std::uint32_t>(three(values, "threads").count()); },
                    [](const Values& values) { return three(values, "threads").x; }}},
      .more_macros =
          [](const Values& values) {
            return Macros{{"SWAPPED", values.integer("index") == swapped ? "1" : "0"},
                          {"WRONG_ROW", values.integer("index") == wrong_row ? "1" : "0"}};
          },
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
