#include "lessons/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "lessons/arrays.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/playground.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;
using gpu::RecordedLaunch;
using gpu::RecordedMemory;
using gpu::RunRecord;

constexpr std::size_t kept_array_bytes = std::size_t{16} << 20;  // before and after the launch, for hovering
constexpr std::uint64_t recorded_threads = 1 << 18;              // with more threads, warps are not recorded
constexpr std::size_t calls_around = 60;                         // on the timeline, before and behind the launch
constexpr std::size_t most_arrays = 24;                          // in the view

enum class WhichSchedule { recorded, clock, fast };

std::uint64_t address_in(const std::vector<std::byte>& argument) {
  std::uint64_t address = 0;
  if (argument.size() == sizeof address) std::memcpy(&address, argument.data(), sizeof address);
  return address;
}

/// What bytes are whose type nobody says: floats if they look like numbers that a program computes with and not like small
/// integers, else integers.
gpu::ScalarType likely_type(const std::vector<std::byte>& bytes) {
  constexpr std::size_t looked_at = 1024;
  std::size_t numbers = 0, floats = 0;
  const std::size_t words = bytes.size() / 4, step = std::max<std::size_t>(words / looked_at, 1);
  for (std::size_t w = 0; w < words; w += step) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + w * 4, sizeof bits);
    if (bits == 0) continue;
    ++numbers;
    const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127;  // of an integer below 2^24 it is −127, of −1 it is 128
    floats += exponent > -40 && exponent < 60 ? 1 : 0;
  }
  return numbers > 0 && floats * 10 >= numbers * 9 ? gpu::ScalarType::float32 : gpu::ScalarType::int32;
}

/// What lies in a recorded allocation, as far as an argument that points to it says.
struct Region {
  const RecordedMemory* memory = nullptr;
  std::optional<std::size_t> argument;  // that points to its beginning
  gpu::Array array;
  bool read_only = false;
  bool typed = false;  // the source says its elements' type
};

gpu::Array array_of(const RecordedMemory& memory, std::string name, gpu::ScalarType type) {
  if (memory.bytes % gpu::size_of(type) != 0) type = gpu::ScalarType::uint8;
  return {.name = std::move(name), .type = type, .shape = {memory.bytes / gpu::size_of(type)}};
}

std::vector<Region> regions_of(const RunRecord& record, const RecordedLaunch& launch, const gpu::Kernel& kernel) {
  std::vector<Region> regions;
  for (const RecordedMemory& memory : launch.memory) {
    if (memory.variable) continue;
    Region region{.memory = &memory,
                  .argument = {},
                  .array = array_of(memory, memory.name, likely_type(record.contents(memory))),
                  .read_only = false};
    for (std::size_t a = 0; a < std::min(launch.arguments.size(), kernel.parameters.size()); ++a) {
      const gpu::Parameter& parameter = kernel.parameters[a];
      if (!parameter.pointer || address_in(launch.arguments[a]) != memory.address) continue;
      region.argument = a;
      region.typed = parameter.element || parameter.pointee;
      region.array =
          array_of(memory, parameter.name, region.typed ? type_of_input(parameter).value_or(region.array.type) : region.array.type);
      region.read_only = read_only(parameter);
      break;
    }
    regions.push_back(std::move(region));
  }
  return regions;
}

struct Again {
  std::vector<Region> regions;
  std::vector<gpu::Buffer> buffers;  // of the regions
  gpu::LaunchRequest request;
};

/// Makes the launch's memory and its request, on a replay device.
Result<Again> prepare(Host& host, const RunRecord& record, const RecordedLaunch& launch, const gpu::ProgramPtr& program,
                      const gpu::Kernel& kernel, const Values& values) {
  Again again;
  again.regions = regions_of(record, launch, kernel);
  for (const Region& region : again.regions) {
    auto buffer = host.bare_device().allocate(region.array);
    if (!buffer) return failure(buffer.error());
    again.buffers.push_back(std::move(*buffer));
  }
  gpu::LaunchRequest& request = again.request;
  request.program = program;
  request.kernel = launch.entry;
  request.grid = launch.grid;
  request.block = launch.block;
  request.dynamic_shared_bytes = launch.shared_bytes;
  request.cooperative = launch.cooperative;
  for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
    const auto pointed =
        std::find_if(again.regions.begin(), again.regions.end(), [&](const Region& region) { return region.argument == a; });
    if (pointed != again.regions.end())
      request.arguments.emplace_back(again.buffers[static_cast<std::size_t>(pointed - again.regions.begin())]);
    else
      request.arguments.emplace_back(gpu::Struct{.bytes = launch.arguments[a]});
  }
  const auto which = static_cast<WhichSchedule>(values.integer("schedule"));
  const bool clock = which == WhichSchedule::clock || (which == WhichSchedule::recorded && record.schedule == "clock");
  request.schedule = clock ? gpu::Schedule::clock : gpu::Schedule::fast;
  if (record.seed) request.seed = *record.seed;
  if (values.on("watch")) {
    request.observe = gpu::Observe::all();
    if (!request.seed) request.seed = 0;
    const std::uint64_t threads = launch.grid.count() * launch.block.count();
    if (threads <= recorded_threads) {
      for (const gpu::Buffer& buffer : again.buffers) request.observe.trace.push_back(buffer.id);
      request.observe.trace_shared = true;
      request.observe.timeline = clock;
    }
  }
  return again;
}

std::string say(const RecordedLaunch& launch, const gpu::LaunchReport& report, std::uint64_t changed) {
  std::string note = launch.remark;
  const auto add = [&](std::string_view sentence) { note += (note.empty() ? "" : " ") + std::string(sentence); };
  if (!launch.ended) add("The program ended while this launch ran; here it has run to its end.");
  if (launch.ended && launch.status != "ok" && report.ok())
    add(fmt::format(
        "In the program this launch failed with {}; here it has not, because a bad access is left out while accesses are watched.",
        launch.status));
  if (changed == 0 && report.ok()) add("No element has another value than before.");
  return note;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job* job) {
  const Stopwatch watch;
  const auto [record, why_not] = record_of(values);
  if (!record)
    return failure(why_not.code.empty() ? "no_record" : why_not.code,
                   why_not.message.empty() ? "No program has run yet. Type a program above, or open a record." : why_not.message);
  if (record->launches.empty()) return failure("no_launch", "This program has launched no kernel.");
  const std::size_t index = launch_in(values);
  const RecordedLaunch& launch = record->launches[index];
  if (!launch.left_out.empty()) return failure("left_out", launch.left_out);
  auto program = host.compile();
  if (!program) return failure(program.error());
  const gpu::Kernel* const kernel = (*program)->find(launch.entry);
  if (!kernel) return failure("bad_file", "The record is damaged: the kernel of this launch is not in its code.");
  auto again = prepare(host, *record, launch, *program, *kernel, values);
  if (!again) return failure(again.error());
  gpu::LaunchReport report = host.bare_device().launch(again->request, job);
  Outcome outcome;
  HostTimeline timeline = timeline_of(*record, index);
  if (!report.ok()) {
    outcome = {};
    if (report.status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
    outcome.figures.emplace_back(std::move(timeline));
    outcome.report = std::move(report);
    return outcome;
  }
  std::vector<Arrays::One> arrays;
  std::uint64_t changed = 0;
  for (std::size_t r = 0; r < again->regions.size(); ++r) {
    const Region& region = again->regions[r];
    std::vector<std::byte> after(region.memory->bytes);
    if (auto done = host.bare_device().read(again->buffers[r], after); !done) return failure(done.error());
    std::vector<std::byte> before = record->contents(*region.memory);
    if (!region.argument && before == after) continue;  // out of this launch's reach, as it seems
    const gpu::Array shown = region.typed ? region.array : array_of(*region.memory, region.array.name, likely_type(after));
    Arrays::One one = look_at(shown, region.read_only, std::move(before), std::move(after), kept_array_bytes);
    changed += one.changed;
    if (arrays.size() < most_arrays) arrays.push_back(std::move(one));
  }
  outcome.numbers = launch_numbers(launch.grid.count() * launch.block.count(), changed, report);
  outcome.note = say(launch, report, changed);
  outcome.figures.emplace_back(std::move(timeline));
  outcome.figures.emplace_back(Arrays{std::make_shared<const std::vector<Arrays::One>>(std::move(arrays))});
  add_launch_figures(outcome, host.device(), report, again->buffers, launch.shared_bytes);
  outcome.report = std::move(report);
  outcome.report.trace.clear();
  outcome.seconds = watch.seconds();
  return outcome;
}

/// "copy to the device", for the timeline.
std::string words_of(const gpu::RecordedCall& call) {
  if (call.direction == "to_device") return "copy in";
  if (call.direction == "to_host") return "copy out";
  if (call.direction == "on_device") return "copy";
  if (call.direction == "fill") return "fill";
  return call.name;
}

/// The calls on the timeline: those around this one, up to a pause in which nothing can be seen at their scale.
std::pair<std::size_t, std::size_t> calls_shown(const RunRecord& record, std::size_t at) {
  const auto& calls = record.calls;
  const double longest_pause = std::max(20 * (calls[at].end - calls[at].begin), 2000.0);  // µs
  std::size_t first = at, end = at + 1;
  while (first > 0 && at - first < calls_around && calls[first].begin - calls[first - 1].end < longest_pause) --first;
  while (end < calls.size() && end - at <= calls_around && calls[end].begin - calls[end - 1].end < longest_pause) ++end;
  return {first, end};
}

}  // namespace

OpenRecord record_of(const Values& values) {
  static std::mutex mutex;
  static std::string read_file;
  static fs::file_time_type read_when;
  static OpenRecord open;
  const std::string file(values.text(record_key));
  if (file.empty()) return {};
  const std::lock_guard lock(mutex);
  std::error_code missing;
  const fs::file_time_type when = fs::last_write_time(file, missing);
  if (file == read_file && when == read_when && !missing) return open;
  auto record = RunRecord::read(file);
  open =
      record ? OpenRecord{.record = std::move(*record), .why_not = {}} : OpenRecord{.record = nullptr, .why_not = record.error()};
  read_file = file;
  read_when = when;
  return open;
}

std::size_t launch_in(const Values& values) {
  const auto open = record_of(values);
  const std::size_t launches = open.record ? open.record->launches.size() : 0;
  const std::string words(values.text(launch_key));
  const auto wanted = static_cast<std::size_t>(std::max(std::atoi(words.c_str()), 1)) - 1;
  return std::min(wanted, std::max<std::size_t>(launches, 1) - 1);
}

std::string source_name(const RunRecord& record, std::size_t launch) {
  if (launch >= record.launches.size()) return {};
  return fs::path(record.source_file_of(record.launches[launch])).filename().string();
}

std::string source_text(const RunRecord& record, std::size_t launch) {
  if (launch >= record.launches.size()) return "// This program has launched no kernel.\n";
  const RecordedLaunch& wanted = record.launches[launch];
  if (const gpu::RecordedSource* const source = record.source_of(wanted)) return source->text;
  const std::string file = record.source_file_of(wanted);
  if (file.empty())
    return "// The code of this kernel does not say from which lines it was made.\n"
           "// Compile the program with 'warpbook nvcc' or 'warpbook cc', or with nvcc's option\n// -lineinfo, and record it "
           "again.\n";
  return fmt::format(
      "// The source of this kernel could not be read when the program was recorded:\n// {}\n"
      "// Findings name its lines all the same.\n",
      file);
}

std::string short_kernel_name(const std::string& name) {
  constexpr std::string_view numbas = "cudapy::", module = "__main__::";
  if (!name.starts_with(numbas)) return name.substr(0, name.find('('));
  std::string shown = name.substr(numbas.size(), name.find('[') - numbas.size());
  return shown.starts_with(module) ? shown.substr(module.size()) : shown;
}

HostTimeline timeline_of(const RunRecord& record, std::size_t launch) {
  using Kind = HostTimeline::Span::Kind;
  HostTimeline timeline{.lanes = {{"Host", {}}, {"Device", {}}}};
  const bool clock = record.schedule == "clock";
  timeline.measured = !clock;
  if (record.calls.empty()) return timeline;
  // A call that launches a graph names the last of its launches.
  const auto launches_it = [&](const gpu::RecordedCall& call) { return call.launch && *call.launch >= launch; };
  const auto found = std::find_if(record.calls.begin(), record.calls.end(), launches_it);
  const auto at = std::min<std::size_t>(static_cast<std::size_t>(found - record.calls.begin()), record.calls.size() - 1);
  const auto [first, end] = calls_shown(record, at);
  const auto begin_of = [&](const gpu::RecordedCall& call) { return clock ? call.device_begin : call.begin; };
  const auto end_of = [&](const gpu::RecordedCall& call) { return clock ? call.device_end : call.end; };
  std::uint32_t streams = 0;
  for (std::size_t c = first; c < end; ++c) streams = std::max(streams, record.calls[c].stream);
  for (std::uint32_t s = 1; s <= std::min(streams, 6u); ++s) timeline.lanes.push_back({fmt::format("Stream {}", s), {}});
  const auto lane_of = [&](std::uint32_t stream) -> std::vector<HostTimeline::Span>& {
    return timeline.lanes[stream == 0 || stream + 1 >= timeline.lanes.size() ? 1 : stream + 1].spans;
  };
  std::optional<double> origin;
  const auto kernel = [&](std::size_t index, std::uint32_t stream, double begin, double finish) {
    const RecordedLaunch& made = record.launches[index];
    lane_of(stream).push_back({.begin = begin,
                               .end = finish,
                               .label = fmt::format("{} {}", index + 1, short_kernel_name(made.kernel)),
                               .kind = Kind::kernel,
                               .answer = made.status == "ok" ? "" : made.status});
    if (index == launch) timeline.marks.push_back({.time = begin, .label = fmt::format("launch {}", launch + 1)});
  };
  for (std::size_t c = first; c < end; ++c) {
    const gpu::RecordedCall& call = record.calls[c];
    if (end_of(call) <= begin_of(call)) continue;
    if (!origin) origin = begin_of(call);
    const double begin = begin_of(call) - *origin, finish = end_of(call) - *origin;
    timeline.end = std::max(timeline.end, finish);
    timeline.lanes[0].spans.push_back(
        {.begin = begin, .end = finish, .label = call.name, .kind = Kind::call, .answer = call.error});
    if (clock && call.launch && *call.launch < record.launches.size())
      kernel(*call.launch, call.stream, begin, finish);
    else if (!call.launch && !call.direction.empty())
      lane_of(call.stream).push_back({.begin = begin, .end = finish, .label = words_of(call), .kind = Kind::copy});
  }
  for (std::size_t l = 0; l < record.launches.size() && origin && !clock; ++l) {
    const RecordedLaunch& made = record.launches[l];
    if (made.begin >= *origin && made.end <= *origin + timeline.end)
      kernel(l, made.stream, made.begin - *origin, made.end - *origin);
  }
  const bool all = first == 0 && end == record.calls.size();
  timeline.title = all ? "What the program and the device did when"
                       : fmt::format("What the program and the device did around launch {}", launch + 1);
  return timeline;
}

const Lesson& programs() {
  static const Lesson lesson{
      .id = "programs",
      .number = "",
      .title = "Whole programs",
      .rail_title = "Whole programs",
      .kernel_file = "",
      .kernel = "",
      .playground = false,
      .controls = {{.id = "schedule",
                    .label = to_say("Schedule"),
                    .kind = Control::Kind::choice,
                    .most = 2,
                    .options = {{"recorded", to_say("As recorded")}, {"clock", to_say("Clock model")}, {"fast", to_say("Fast")}},
                    .help = to_say("The clock model says when things happen on a GPU; fast only what happens.")},
                   {.id = "watch",
                    .label = to_say("Watch accesses"),
                    .kind = Control::Kind::toggle,
                    .initial = 1,
                    .help = to_say("On: every access, barrier and branch is looked at. Off: full speed.")}},
      .presets = {},
      .views = {"host_timeline", "arrays", "memory_map", "sm_timeline", "occupancy"},
      .guesses = {},
      .more_macros = {},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
