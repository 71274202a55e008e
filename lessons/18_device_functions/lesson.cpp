// Lesson 18: functions that a kernel calls. An ensemble of 40 members makes a Runge-Kutta step. The calls of a warp are shown with
// their active lanes. Then the same work is distributed with one thread per member or one thread per cell.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lessons/18_device_functions/calls.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& device_functions();

namespace {

enum Work : int { by_member, by_cell };
enum Pass : int { by_reference, by_value };
constexpr std::size_t cells = 32;  // the kernel's CELLS
constexpr std::uint32_t threads_of_members = 32;
constexpr float dt = 0.05F;
constexpr double forcing = 8;
constexpr std::uint64_t seed_of_states = 1996;
constexpr int repeats = 5;  // on a GPU; the shortest time counts
/// A step in float32 has an error of a few roundings of numbers below 16 (2^-21 each), and at most eight steps follow each other. A
/// member with a wrong number of half steps has a much larger error.
constexpr double rounding = 2e-5;

struct Settings {
  int work = by_member;
  bool halved = false;
  std::size_t members = 40;

  static Settings from(const Values& values) {
    return {.work = values.integer("work"),
            .halved = values.on("halved"),
            .members = static_cast<std::size_t>(values.integer("members"))};
  }
  [[nodiscard]] gpu::Dim3 grid() const {
    const auto all = static_cast<std::uint32_t>(members);
    return {work == by_cell ? all : (all + threads_of_members - 1) / threads_of_members};
  }
  [[nodiscard]] gpu::Dim3 block() const { return {work == by_cell ? std::uint32_t{cells} : threads_of_members}; }
};

const char* label_of(int work) { return work == by_member ? "a thread a member" : "a thread a cell"; }

/// A state of the ring, with small deviations for every member.
std::vector<float> initial_states(std::size_t members) {
  std::mt19937_64 random(seed_of_states);
  std::array<double, cells> ring{};
  for (double& cell : ring) cell = 12 * uniform(random) - 3;
  std::vector<float> x;
  for (std::size_t m = 0; m < members; ++m)
    for (const double cell : ring) x.push_back(static_cast<float>(cell + 0.1 * normal(random)));
  return x;
}

using Ring = std::array<double, cells>;

Ring slope(const Ring& x) {
  Ring d{};
  for (std::size_t i = 0; i < cells; ++i)
    d[i] = (x[(i + 1) % cells] - x[(i + cells - 2) % cells]) * x[(i + cells - 1) % cells] - x[i] + forcing;
  return d;
}

Ring moved(const Ring& x, double by, const Ring& d) {
  Ring z{};
  for (std::size_t i = 0; i < cells; ++i) z[i] = x[i] + by * d[i];
  return z;
}

Ring step_on_cpu(const Ring& x, double h) {
  const Ring a = slope(x), b = slope(moved(x, h / 2, a)), c = slope(moved(x, h / 2, b)), d = slope(moved(x, h, c));
  Ring next{};
  for (std::size_t i = 0; i < cells; ++i) next[i] = x[i] + h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  return next;
}

struct Judged {
  std::int64_t wrong = 0, late = 0;  // wrong cells; members that did not advance by dt
  double largest = 0;
};

/// Compares with float64, with as many short steps as the member must make.
Judged judge(const Settings& settings, const std::vector<float>& before, const std::vector<float>& x, const std::vector<float>& t) {
  Judged judged;
  for (std::size_t m = 0; m < settings.members; ++m) {
    Ring right{};
    for (std::size_t i = 0; i < cells; ++i) right[i] = before[m * cells + i];
    const int steps = settings.halved ? 1 << (m % 4) : 1;
    for (int k = 0; k < steps; ++k) right = step_on_cpu(right, double{dt} / steps);
    for (std::size_t i = 0; i < cells; ++i) {
      const double off = std::abs(x[m * cells + i] - right[i]);
      judged.wrong += !(off <= rounding);
      judged.largest = std::max(judged.largest, off);
    }
    judged.late += t[m] != dt;  // halves of dt and their sums are exact
  }
  return judged;
}

struct EnsembleArrays {
  gpu::Buffer x, time;
};

Result<EnsembleArrays> arrays_of(Host& host, const std::vector<float>& states) {
  auto x = host.to_device<float>("x", states, {states.size()});
  if (!x) return failure(x.error());
  auto time = host.zeros<float>("time", {states.size() / cells});
  if (!time) return failure(time.error());
  return EnsembleArrays{.x = *x, .time = *time};
}

Result<gpu::LaunchReport> launch(Host& host, const Settings& settings, const EnsembleArrays& arrays, const gpu::Observe& observe) {
  auto report =
      host.launch("ensemble", settings.grid(), settings.block(),
                  {arrays.x, arrays.time, gpu::Scalar::of(static_cast<std::int32_t>(settings.members)), gpu::Scalar::of(dt)},
                  {.observe = observe, .schedule = gpu::Schedule::clock});
  if (report && report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  return report;
}

/// The launch with one distribution of the work, and its time. 0: an edited kernel does not compile or run this way.
struct Timed {
  double us = 0;
  std::optional<gpu::LaunchReport> report;
};

Result<Timed> time_of(Host& host, const Settings& settings, const std::vector<float>& states) {
  host.define("WORK", fmt::format("{}", settings.work));
  Timed timed;
  const int times = host.device().is_model ? 1 : repeats;
  auto arrays = arrays_of(host, states);
  if (!arrays) return failure(arrays.error());
  for (int repeat = 0; repeat < times; ++repeat) {
    gpu::Observe observe;
    observe.timeline = true;
    auto report = launch(host, settings, *arrays, observe);
    if (!report && report.error().code != "compile_error") return failure(report.error());
    if (!report || !report->ok()) return Timed{};
    const double us = microseconds(*report);
    if (repeat == 0 || us < timed.us) timed = {.us = us, .report = std::move(*report)};
  }
  host.release(arrays->x);
  host.release(arrays->time);
  return timed;
}

/// Both distributions of the work, in the order of Work.
Result<std::array<Timed, 2>> time_both(Host& host, const Values& values, const std::vector<float>& states) {
  const Host::Unrecorded unrecorded(host);
  std::array<Timed, 2> both;
  Settings settings = Settings::from(values);
  for (const int work : {by_member, by_cell}) {
    settings.work = work;
    auto timed = time_of(host, settings, states);
    if (!timed) return failure(timed.error());
    both[static_cast<std::size_t>(work)] = std::move(*timed);
  }
  define_macros(host, device_functions(), values);
  return both;
}

std::string title_of(const CallTree& tree) {
  const std::uint32_t most = most_calls(tree), fewest = fewest_calls(tree);
  if (most == 0) return "No function is called: the compiler has put their code into the kernel";
  if (most == 1) return fmt::format("{} thread makes one call", fewest == 1 ? "Each" : "Not every");
  const std::string who =
      fewest == most ? fmt::format("Each thread makes {} calls", most) : fmt::format("A thread makes {} to {} calls", fewest, most);
  return fmt::format("{}, at most {} within one another", who, tree.deepest());
}

std::uint64_t most_stack(const CallTree& tree) {
  std::uint64_t bytes = 0;
  for (const CallTree::Call& call : tree.calls) bytes = std::max(bytes, call.stack);
  return bytes;
}

/// Numbers from the tree. Empty without one.
std::vector<Number> numbers_of(const CallTree& tree) {
  if (tree.calls.empty()) return {};
  return {{.name = "calls", .label = to_say("Calls by a thread"), .value = double(most_calls(tree)), .tone = Number::Tone::first},
          {.name = "deepest", .label = to_say("Calls within one another"), .value = double(tree.deepest()), .on_page = false},
          {.name = "stack", .label = to_say("Stack (PTX)"), .value = double(most_stack(tree)), .unit = "B"}};
}

double lanes_at_work(const gpu::LaunchReport& report) {
  double warp = 0, thread = 0;
  for (const gpu::LineCounts& line : report.lines) {
    warp += static_cast<double>(line.warp_instructions);
    thread += static_cast<double>(line.thread_instructions);
  }
  return warp > 0 ? thread / warp : 0;
}

std::vector<Number> numbers_of(const Settings& settings, const gpu::LaunchReport& report, const std::array<Timed, 2>& both,
                               const Judged& judged, const std::vector<float>& x, bool is_model) {
  using Tone = Number::Tone;
  const double us = both[static_cast<std::size_t>(settings.work)].us;
  const double faster = both[by_cell].us > 0 ? both[by_member].us / both[by_cell].us : 0;
  std::vector<Number> numbers;
  // A row has space for six numbers. With recursion, the lanes are more informative than the registers.
  if (report.registers)
    numbers.push_back({.name = "registers",
                       .label = to_say("Registers"),
                       .value = double(*report.registers),
                       .on_page = !settings.halved,
                       .of_device = true});
  if (const double lanes = lanes_at_work(report); lanes > 0)
    numbers.push_back(
        {.name = "lanes_on", .label = to_say("Lanes at work, of 32"), .value = lanes, .decimals = 1, .on_page = settings.halved});
  const std::vector<Number> more{
      {.name = "us",
       .label = is_model ? to_say("Time (model)") : to_say("Time"),
       .value = us,
       .tone = Tone::measured,
       .decimals = 1,
       .unit = "µs",
       .of_device = true},
      {.name = "faster",
       .label = is_model ? to_say("Faster by cell (model)") : to_say("Faster by cell"),
       .value = faster,
       .decimals = 1,
       .unit = "×",
       .of_device = true},
      {.name = "us_member",
       .label = to_say("A thread a member"),
       .value = both[by_member].us,
       .decimals = 2,
       .unit = "µs",
       .on_page = false,
       .of_device = true},
      {.name = "us_cell",
       .label = to_say("A thread a cell"),
       .value = both[by_cell].us,
       .decimals = 2,
       .unit = "µs",
       .on_page = false,
       .of_device = true},
      {.name = "wrong",
       .label = to_say("Wrong values"),
       .value = double(judged.wrong),
       .tone = judged.wrong > 0 ? Tone::bad : Tone::second,
       .on_page = judged.wrong > 0},
      {.name = "late", .label = to_say("Members with a wrong time"), .value = double(judged.late), .on_page = false},
      {.name = "largest_error", .label = to_say("Largest error"), .value = judged.largest, .decimals = 7, .on_page = false},
      {.name = "sum",
       .label = to_say("Sum of all values"),
       .value = std::accumulate(x.begin(), x.end(), 0.0),
       .decimals = 3,
       .on_page = false}};
  numbers.insert(numbers.end(), more.begin(), more.end());
  return numbers;
}

std::string say(const Settings& settings, const Judged& judged) {
  if (judged.wrong > 0) return fmt::format("{} of {} values are wrong.", judged.wrong, settings.members * cells);
  if (judged.late > 0) return fmt::format("All values are right, but {} members have a wrong time.", judged.late);
  return fmt::format("All {} members are right, but for rounding, and each went on by {:g} in time.", settings.members, double{dt});
}

/// The stack of a thread in machine code, as the compiler reports it. With recursion, it is the kernel's own part only.
std::optional<Number> machine_stack(const gpu::ProgramPtr& program, bool halved) {
  const gpu::Kernel* kernel = program ? program->find("ensemble") : nullptr;
  if (kernel == nullptr || !kernel->registers) return {};
  return Number{.name = "machine_stack",
                .label = to_say("Stack (machine)"),
                .value = double(kernel->local_bytes),
                .unit = "B",
                .on_page = !halved,
                .of_device = true};
}

/// The timeline of the page's launch, and below it the other one's.
SmTimeline timeline_of(std::array<Timed, 2>& both, int chosen) {
  SmTimeline timeline{.runs = {}, .title = "The same steps: a thread a member, and a thread a cell"};
  for (const int work : {chosen, 1 - chosen}) {
    auto& report = both[static_cast<std::size_t>(work)].report;
    if (report && has_timeline(*report)) timeline.runs.push_back(take_run(*report, label_of(work)));
  }
  return timeline;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  define_macros(host, device_functions(), values);
  const std::vector<float> states = initial_states(settings.members);
  auto arrays = arrays_of(host, states);
  if (!arrays) return failure(arrays.error());
  gpu::Observe observe = gpu::Observe::all();
  observe.history = gpu::Observe::history_bytes;
  auto report = launch(host, settings, *arrays, observe);
  if (!report) return failure(report.error());
  if (!report->ok()) return without_results(std::move(*report));
  auto x = host.copy_to_host<float>(arrays->x);
  if (!x) return failure(x.error());
  auto time = host.copy_to_host<float>(arrays->time);
  if (!time) return failure(time.error());
  host.release(arrays->x);
  host.release(arrays->time);

  Outcome outcome;
  if (report->history && host.program()) {
    CallTree tree = calls_of(*report->history, stack_bytes(host.program()->ptx));
    tree.launched = std::uint64_t{settings.grid().x} * ((settings.block().x + 31) / 32);
    tree.title = title_of(tree);
    outcome.numbers = numbers_of(tree);
    outcome.figures.emplace_back(std::move(tree));
  }
  if (const auto stack = machine_stack(host.program(), settings.halved)) outcome.numbers.push_back(*stack);
  report->history.reset();  // it is large, and the figures contain what is needed
  auto both = time_both(host, values, states);
  if (!both) return failure(both.error());

  const Judged judged = judge(settings, states, *x, *time);
  const auto more = numbers_of(settings, *report, *both, judged, *x, host.device().is_model);
  outcome.numbers.insert(outcome.numbers.end(), more.begin(), more.end());
  outcome.note = say(settings, judged);
  if (SmTimeline timeline = timeline_of(*both, settings.work); !timeline.runs.empty())
    outcome.figures.emplace_back(std::move(timeline));
  outcome.report = std::move(*report);
  outcome.seconds = watch.seconds();
  return outcome;
}

std::vector<Control> controls() {
  return {{.id = "inlined",
           .label = to_say("Inline"),
           .kind = Control::Kind::toggle,
           .initial = 1,
           .define = "INLINED",
           .help = to_say("On: the compiler may put a function's code in place of a call. Off: the functions are __noinline__.")},
          {.id = "halved",
           .label = to_say("Recursion"),
           .kind = Control::Kind::toggle,
           .define = "HALVED",
           .help = to_say("Member m halves its step m % 4 times, in a function that calls itself.")},
          {.id = "pass",
           .label = to_say("Pass states"),
           .kind = Control::Kind::choice,
           .initial = by_reference,
           .most = by_value,
           .options = {{"reference", to_say("By reference")}, {"value", to_say("By value")}},
           .define = "BY_VALUE",
           .help = to_say("Of a thread a member: slope() works on its caller's state, or it gets a copy and returns one.")},
          {.id = "work",
           .label = to_say("A thread for each"),
           .kind = Control::Kind::choice,
           .initial = by_member,
           .most = by_cell,
           .options = {{"member", to_say("Member")}, {"cell", to_say("Cell of a member")}},
           .define = "WORK",
           .help = to_say("By cell, a block is a member, and its 32 threads hand their values on in shared memory.")},
          {.id = "members",
           .label = to_say("Members"),
           .initial = 40,
           .least = 8,
           .most = 128,
           .step = 8,
           .help = to_say("Rings of 32 cells that do not need each other."),
           .later = true}};
}

std::map<std::string, double> preset(bool inlined, bool halved, Pass pass, Work work) {
  return {{"inlined", inlined ? 1 : 0}, {"halved", halved ? 1 : 0}, {"pass", pass}, {"work", work}};
}

}  // namespace

const Lesson& device_functions() {
  static const Lesson lesson{.id = "18_device_functions",
                             .number = "18",
                             .title = "Device functions",
                             .rail_title = "Device functions",
                             .kernel_file = "ensemble.cu",
                             .kernel = "ensemble",
                             .controls = controls(),
                             .presets = {{to_say("Inlined"), preset(true, false, by_reference, by_member)},
                                         {to_say("Not inlined"), preset(false, false, by_reference, by_member)},
                                         {to_say("By value"), preset(false, false, by_value, by_member)},
                                         {to_say("Recursion"), preset(false, true, by_reference, by_member)},
                                         {to_say("Recursion, inlined"), preset(true, true, by_reference, by_member)},
                                         {to_say("A thread a cell"), preset(true, false, by_reference, by_cell), "sm_timeline"},
                                         {to_say("… and recursion"), preset(false, true, by_reference, by_cell)}},
                             .views = {"call_tree", "sm_timeline"},
                             .guesses = {"calls", "faster"},
                             .markings = {},
                             .more_macros = {},
                             .run = run,
                             .live = {},
                             .watched = true};
  return lesson;
}

}  // namespace warpbook::lessons
