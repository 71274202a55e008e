// Lesson 01: a launch is a grid of threads, each of which computes one element. The host does not wait for it.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& first_kernel();

namespace {

using gpu::AccessRecord;

constexpr std::int32_t n = 4096;

/// From the trace of `out`: which thread stored to which element, and when that store reached memory.
struct Stores {
  ThreadMap map;
  std::vector<double> landed;  // by element: µs after the kernel's start; negative: no store
};

Stores read_trace(const gpu::LaunchReport& report, const gpu::Buffer& out, const std::vector<std::int32_t>& a,
                  const std::vector<std::int32_t>& b) {
  Stores stores;
  ThreadMap& map = stores.map;
  map.threads = report.block.x;
  map.blocks = report.grid.x;
  map.elements = n;
  map.cells.resize(std::size_t{map.threads} * map.blocks);
  map.written.resize(n);
  stores.landed.assign(n, -1);

  const double us_a_cycle = report.cycles && *report.cycles > 0 && report.model_us ? *report.model_us / double(*report.cycles) : 0;
  for (const AccessRecord& record : report.trace) {
    if (record.shared || record.buffer != out.id || record.kind == AccessRecord::Kind::load) continue;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t thread = record.warp * 32 + lane;
      if ((record.mask >> lane & 1) == 0 || thread >= map.threads || record.block >= map.blocks) continue;
      const std::size_t who = std::size_t{record.block} * map.threads + thread;
      const std::int32_t i = record.index[lane];
      ThreadMap::Cell& cell = map.cells[who];
      cell = {.element = i, .left = a[i], .right = b[i], .sum = static_cast<std::int32_t>(record.value[lane])};
      map.written[i] = 1;
      stores.landed[i] = static_cast<double>(record.reached) * us_a_cycle;
    }
  }
  return stores;
}

/// A thread whose index is outside the array.
struct Outside {
  std::uint32_t line = 0;
  std::int32_t index = 0;
};

/// Accesses outside the array are skipped, so that the trace does not contain them. The same launch with longer arrays shows the
/// indices of those threads. Returns the first of them, in the order of threads, and completes the map.
Result<std::optional<Outside>> follow_outside(Host& host, const gpu::LaunchReport& report, Stores& stores) {
  const Host::Unrecorded unrecorded(host);
  ThreadMap& map = stores.map;
  const std::size_t roomy = std::max<std::size_t>(n, map.cells.size());
  auto values = host.zeros<std::int32_t>("a and b", {roomy});
  if (!values) return failure(values.error());
  auto out = host.zeros<std::int32_t>("out", {roomy});
  if (!out) return failure(out.error());
  LaunchOptions options;
  options.observe.memory = true;
  options.observe.trace = {out->id};
  auto followed = host.launch(report.kernel, report.grid, report.block, {*values, *values, *out, gpu::Scalar::of(n)}, options);
  if (!followed) return failure(followed.error());

  std::optional<Outside> first;
  std::size_t first_thread = map.cells.size();
  for (const AccessRecord& record : followed->trace) {
    if (record.kind == AccessRecord::Kind::load) continue;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t thread = record.warp * 32 + lane;
      if ((record.mask >> lane & 1) == 0 || thread >= map.threads || record.block >= map.blocks) continue;
      if (record.index[lane] < n) continue;
      const std::size_t who = std::size_t{record.block} * map.threads + thread;
      map.cells[who].element = record.index[lane];
      map.cells[who].outside = true;
      if (who < first_thread) {
        first_thread = who;
        first = Outside{record.line, record.index[lane]};
      }
    }
  }
  host.release(*values);
  host.release(*out);
  return first;
}

/// The range of untouched elements: "3968 to 4095". Empty: they are not contiguous.
std::string stretch(const std::vector<std::uint8_t>& written) {
  const auto first = std::find(written.begin(), written.end(), 0);
  const auto last = std::find(written.rbegin(), written.rend(), 0).base();
  if (first >= last || std::find(first, last, 1) != last) return {};
  return fmt::format("{} to {}", first - written.begin(), last - written.begin() - 1);
}

/// How many stores had not reached memory when the host read their elements. The host reads element i at a proportional part of its
/// reading time.
std::int64_t count_stale(const Stores& stores, const HostCall& read, double kernel_begin) {
  std::int64_t stale = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    const double read_at = read.begin + (read.end - read.begin) * i / n;
    if (stores.landed[i] >= 0 && kernel_begin + stores.landed[i] > read_at) ++stale;
  }
  return stale;
}

/// … and how many old elements the host of a GPU really read: those that differ from the present contents.
std::int64_t count_stale(const std::vector<std::byte>& read_early, const std::vector<std::int32_t>& now) {
  if (read_early.size() != now.size() * sizeof(std::int32_t)) return 0;
  std::int64_t stale = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::int32_t then = 0;
    std::memcpy(&then, read_early.data() + i * sizeof then, sizeof then);
    stale += then != now[i];
  }
  return stale;
}

const HostCall* find_call(const std::vector<HostCall>& calls, HostCall::Kind kind) {
  const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const HostCall& call) { return call.kind == kind; });
  return found == calls.rend() ? nullptr : &*found;
}

std::int64_t count_stale(const Stores& stores, const std::vector<HostCall>& calls) {
  return count_stale(stores, *find_call(calls, HostCall::Kind::read_mapped),
                     find_call(calls, HostCall::Kind::launch)->device_begin);
}

/// What an early read sees is known from the trace. Without one, that lane is left out.
HostTimeline draw_up_timeline(const std::vector<HostCall>& calls, const Stores* stores, std::int64_t written) {
  using Kind = HostTimeline::Span::Kind;
  const HostCall& launch = *find_call(calls, HostCall::Kind::launch);
  const HostCall* wait = find_call(calls, HostCall::Kind::synchronize);
  const HostCall& read = *find_call(calls, HostCall::Kind::read_mapped);
  const HostCall& copy = *find_call(calls, HostCall::Kind::copy_to_host);
  const double zero = launch.begin;  // the copies before the launch are the topic of lesson 14

  HostTimeline timeline;
  timeline.end = copy.end - zero;
  HostTimeline::Lane host{"Host", {{0, launch.end - zero, "launch", Kind::call}}};
  if (wait != nullptr) host.spans.push_back({wait->wait_begin - zero, wait->end - zero, "synchronise waits", Kind::wait});
  host.spans.push_back({read.begin - zero, read.end - zero, "read", Kind::call});
  if (copy.device_begin > copy.wait_begin) {
    host.spans.push_back({copy.wait_begin - zero, copy.device_begin - zero, "cudaMemcpy waits", Kind::wait});
  }
  host.spans.push_back({copy.device_begin - zero, copy.end - zero, "copy", Kind::copy});

  HostTimeline::Lane device{
      "Device",
      {{launch.device_begin - zero, launch.device_end - zero, launch.what, Kind::kernel},
       {copy.device_begin - zero, copy.device_end - zero, fmt::format("{} KB", copy.array.bytes() / 1024), Kind::copy}}};

  timeline.lanes = {std::move(host), std::move(device)};
  timeline.marks = {{launch.end - zero, "launch has returned"}, {launch.device_end - zero, "kernel has ended"}};
  timeline.title = launch.end < launch.device_end ? "The launch returns before the kernel ends"
                                                  : "The kernel had ended before the launch returned";
  if (stores == nullptr) return timeline;

  HostTimeline::Lane seen{"A read sees", {}};
  double first = launch.device_end, last = launch.device_end;
  if (written > 0) {
    first = timeline.end + zero;
    last = 0;
    for (const double landed : stores->landed) {
      if (landed < 0) continue;
      first = std::min(first, launch.device_begin + landed);
      last = std::max(last, launch.device_begin + landed);
    }
  }
  seen.spans.push_back({0, first - zero, "old values", Kind::stale});
  if (last > first) seen.spans.push_back({first - zero, last - zero, "old and new", Kind::stale});
  seen.spans.push_back({last - zero, timeline.end, fmt::format("{} new values", written), Kind::fresh});

  timeline.lanes.push_back(std::move(seen));
  return timeline;
}

std::string say(std::int64_t outside, const ThreadMap& map, std::int64_t untouched, std::int64_t stale,
                const std::optional<Outside>& first) {
  if (outside > 0 && first) {
    return fmt::format("{} threads went past the array, the first at element {} (line {}).", outside, first->index, first->line);
  }
  if (outside > 0) return fmt::format("{} threads left the array; the report says where.", outside);
  if (untouched > 0) {
    const std::string where = stretch(map.written);
    const std::string elements = where.empty()    ? fmt::format("{} elements", untouched)
                                 : untouched == 1 ? "Element " + where.substr(0, where.find(' '))
                                                  : "Elements " + where;
    return fmt::format("{} still {} 0: none of the {} × {} threads had {}.", elements, untouched == 1 ? "holds" : "hold",
                       map.blocks, map.threads, untouched == 1 ? "this index" : "one of these indices");
  }
  if (stale > 0) {
    return fmt::format("The host read {} elements before the kernel had stored their sums. Nothing warned it.", stale);
  }
  return {};
}

struct OutsideThreads {
  std::int64_t count = 0;
  std::optional<Outside> first;
};

/// The threads of a launch whose index was outside the array. The map is completed.
Result<OutsideThreads> find_outside(Host& host, const gpu::LaunchReport& report, Stores& stores) {
  auto first = follow_outside(host, report, stores);
  if (!first) return failure(first.error());
  OutsideThreads outside{.first = *first};
  outside.count = std::count_if(stores.map.cells.begin(), stores.map.cells.end(), [](const auto& cell) { return cell.outside; });
  if (outside.count > 0) return outside;
  // Longer arrays do not show a[-1]. Use the findings, which count the accesses of their line.
  for (const gpu::Finding& finding : report.findings) {
    if (finding.kind == gpu::FindingKind::memory)
      outside.count = std::max(outside.count, static_cast<std::int64_t>(finding.threads));
  }
  return outside;
}

void add_numbers_of(const OutsideThreads& outside, std::vector<Number>& numbers) {
  using Tone = Number::Tone;
  numbers.push_back({.name = "outside",
                     .label = to_say("Outside the array"),
                     .value = double(outside.count),
                     .tone = outside.count > 0 ? Tone::bad : Tone::second});
  numbers.push_back({.name = "first_outside_index",
                     .label = to_say("First index outside, -1 for none"),
                     .value = outside.first ? double(outside.first->index) : -1,
                     .on_page = false});
  numbers.push_back({.name = "first_outside_line",
                     .label = to_say("Its line, 0 for none"),
                     .value = outside.first ? double(outside.first->line) : 0,
                     .on_page = false});
}

void add_sums(std::vector<Number>& numbers, std::int64_t wrong, std::uint64_t threads) {
  using Tone = Number::Tone;
  numbers.push_back({.name = "wrong",
                     .label = to_say("Wrong sums"),
                     .value = double(wrong),
                     .tone = wrong > 0 ? Tone::bad : Tone::second,
                     .on_page = wrong > 0});
  numbers.push_back({.name = "threads_launched", .label = to_say("Threads launched"), .value = double(threads), .on_page = false});
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  define_macros(host, first_kernel(), values);
  std::vector<std::int32_t> a(n), b(n, 1);
  std::iota(a.begin(), a.end(), 0);
  auto d_a = host.to_device<std::int32_t>("a", a);
  if (!d_a) return failure(d_a.error());
  auto d_b = host.to_device<std::int32_t>("b", b);
  if (!d_b) return failure(d_b.error());
  auto d_out = host.mapped_zeros<std::int32_t>("out", {n});
  if (!d_out) return failure(d_out.error());

  LaunchOptions options{.observe = gpu::Observe::all(), .schedule = gpu::Schedule::clock};
  options.observe.trace = {d_out->id};
  const bool synchronise = values.on("synchronise");
  if (!synchronise) options.read_early = *d_out;
  auto report =
      host.launch("add", {static_cast<std::uint32_t>(values.integer("blocks"))},
                  {static_cast<std::uint32_t>(values.integer("threads"))}, {*d_a, *d_b, *d_out, gpu::Scalar::of(n)}, options);
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  if (synchronise) host.synchronize();
  host.read_mapped(*d_out);
  auto out = host.copy_to_host<std::int32_t>(*d_out);
  if (!out) return failure(out.error());

  // The trace tells which thread wrote what. Without a trace, an element is untouched if it is 0, because no sum of this lesson is
  // 0.
  const bool traced = !report->trace.empty() && !report->trace_truncated;
  Stores stores = read_trace(*report, *d_out, a, b);
  if (!traced) {
    for (std::int32_t i = 0; i < n; ++i) stores.map.written[i] = (*out)[i] != 0;
  }
  const std::int64_t written = std::count(stores.map.written.begin(), stores.map.written.end(), 1);
  const std::int64_t untouched = n - written;
  std::int64_t wrong = 0;
  for (std::int32_t i = 0; i < n; ++i) wrong += stores.map.written[i] != 0 && (*out)[i] != a[i] + b[i];

  Outcome outcome;
  using Tone = Number::Tone;
  outcome.numbers = {{.name = "written", .label = to_say("Written"), .value = double(written), .tone = Tone::first},
                     {.name = "untouched",
                      .label = to_say("Untouched"),
                      .value = double(untouched),
                      .tone = untouched > 0 ? Tone::bad : Tone::second}};

  const gpu::Observation memory = report->observed[gpu::FindingKind::memory];
  OutsideThreads outside;
  if (memory == gpu::Observation::observed) {
    auto followed = find_outside(host, *report, stores);
    if (!followed) return failure(followed.error());
    outside = *followed;
  }
  if (memory != gpu::Observation::not_observed) add_numbers_of(outside, outcome.numbers);
  const std::int64_t stale = traced ? count_stale(stores, host.calls()) : count_stale(report->read_early, *out);
  if (traced || report->times) {
    outcome.numbers.push_back({.name = "stale",
                               .label = to_say("Old values read"),
                               .value = double(stale),
                               .tone = stale > 0 ? Tone::bad : Tone::second,
                               .on_page = !synchronise});
  }
  add_sums(outcome.numbers, wrong, report->grid.count() * report->block.count());

  outcome.note = say(outside.count, stores.map, untouched, stale, outside.first);
  if (traced) outcome.figures.push_back(stores.map);
  if (traced || report->times) {
    HostTimeline timeline = draw_up_timeline(host.calls(), traced ? &stores : nullptr, written);
    timeline.measured = report->times.has_value();
    outcome.figures.push_back(std::move(timeline));
  }
  outcome.report = std::move(*report);
  outcome.report.trace.clear();  // the figures contain what is needed
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& first_kernel() {
  static const Lesson lesson{
      .id = "01_first_kernel",
      .number = "01",
      .title = "Your first kernel",
      .rail_title = "Your first kernel",
      .kernel_file = "add.cu",
      .kernel = "add",
      .controls = {{.id = "threads",
                    .label = to_say("Threads per block"),
                    .initial = 100,
                    .least = 1,
                    .most = 1024,
                    .logarithmic = true,
                    .help = to_say("blockDim.x: how many threads a block has. 1024 is CUDA's limit.")},
                   {.id = "blocks",
                    .label = to_say("Blocks per grid"),
                    .initial = 32,
                    .least = 1,
                    .most = 256,
                    .logarithmic = true,
                    .help = to_say("gridDim.x: how many blocks the launch starts.")},
                   {.id = "guard",
                    .label = to_say("Bounds guard"),
                    .kind = Control::Kind::toggle,
                    .initial = 1,
                    .define = "GUARD",
                    .help = to_say("Off: threads whose index lies past the array go on all the same."),
                    .later = true},
                   {.id = "synchronise",
                    .label = to_say("Synchronise before reading"),
                    .kind = Control::Kind::toggle,
                    .initial = 1,
                    .help = to_say("Off: the host reads `out` as soon as the launch has returned."),
                    .later = true}},
      .presets = {{to_say("41 blocks"), {{"threads", 100}, {"blocks", 41}, {"guard", 1}, {"synchronise", 1}}},
                  {to_say("31 blocks of 128"), {{"threads", 128}, {"blocks", 31}, {"guard", 1}, {"synchronise", 1}}},
                  {to_say("64 threads a block"), {{"threads", 64}, {"blocks", 32}, {"guard", 1}, {"synchronise", 1}}},
                  {to_say("33 blocks, no guard"), {{"threads", 128}, {"blocks", 33}, {"guard", 0}, {"synchronise", 1}}},
                  {to_say("Read at once"), {{"threads", 128}, {"blocks", 32}, {"guard", 1}, {"synchronise", 0}}, "host_timeline"}},
      .views = {"thread_map", "host_timeline"},
      .guesses = {"written", "untouched"},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
