// Lesson 15: what the clocks of a host program measure of a kernel: CPU time, wall time without and with synchronising, events. And
// the cost of a kernel's first call.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "lessons/15_timing/watches.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& timing_honestly();

namespace {

using timing::Readings;

constexpr std::uint32_t timed_values = 2048, timed_threads = 256;
constexpr double timed_tolerance = 1e-5;  // relative to the value
constexpr double agreed = 0.25;           // a measurement with at most this relative error counts as right

struct Timed {
  gpu::LaunchReport report;  // of the first launch, or of the first one that failed
  std::vector<float> values;
  std::size_t launches = 0;    // total number
  std::size_t first_call = 0;  // index in Host::calls() of the first call after the warm-up
  double events_us = 0;
};

/// The host program.
class TimedProgram {
 public:
  TimedProgram(Host& host, const Values& values) : host_(host), values_(values) {}

  Result<Timed> run(std::span<const float> before) {
    host_.set_waiting(values_.integer("wait") == 1 ? Waiting::block : Waiting::spin);
    auto x = host_.to_device<float>("x", before);
    if (!x) return failure(x.error());
    x_ = *x;
    if (values_.on("warm_up")) {
      if (auto done = launch(1); !done) return failure(done.error());
      host_.synchronize();
    }
    timed_.first_call = host_.calls().size();
    if (auto done = launch(values_.integer("before")); !done) return failure(done.error());
    const Event start = host_.record();
    host_.read_clock("before the launches");
    if (auto done = launch(values_.integer("launches")); !done) return failure(done.error());
    host_.read_clock("launched, not waited");
    const Event stop = host_.record();
    host_.synchronize();
    host_.read_clock("launched and waited");
    if (const auto& failed = host_.failed_in_stream()) timed_.report = *failed;
    if (!timed_.report.ok()) return std::move(timed_);
    timed_.events_us = host_.elapsed(start, stop);
    auto after = host_.copy_to_host<float>(x_);
    if (!after) return failure(after.error());
    timed_.values = std::move(*after);
    return std::move(timed_);
  }

 private:
  Result<void> launch(int times) {
    for (int k = 0; k < times && (timed_.launches == 0 || timed_.report.ok()); ++k) {
      LaunchOptions options{.schedule = gpu::Schedule::clock};
      if (timed_.launches == 0) options.observe = gpu::Observe::all();
      auto report = host_.launch("relax", {timed_values / timed_threads}, {timed_threads},
                                 {x_, gpu::Scalar::of(static_cast<std::int32_t>(timed_values))}, options);
      if (!report) return failure(report.error());
      if (timed_.launches == 0 || !report->ok()) timed_.report = std::move(*report);
      ++timed_.launches;
    }
    return {};
  }

  Host& host_;
  const Values& values_;
  gpu::Buffer x_;
  Timed timed_;
};

std::int64_t wrong_after(std::span<const float> before, std::span<const float> after, double steps) {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double right = 1 + (double{before[i]} - 1) * std::pow(0.75, steps);
    wrong += !(std::abs(double{after[i]} - right) <= timed_tolerance * std::max(1.0, std::abs(right)));  // also true for NaN
  }
  return wrong;
}

struct NamedWatch {
  const char* name;
  ToSay label, modelled;  // the latter where its number is a model's
  const timing::Watch* watch;
};

std::array<NamedWatch, 4> watches_in(const Readings& r) {
  return {{{"cpu_us", to_say("CPU time"), to_say("CPU time (model)"), &r.cpu},
           {"no_wait_us", to_say("Wall clock, no wait"), to_say("Wall clock, no wait (model)"), &r.no_wait},
           {"wait_us", to_say("Wall clock, wait"), to_say("Wall clock, wait (model)"), &r.waiting},
           {"events_us", to_say("Events"), to_say("Events (model)"), &r.events}}};
}

bool shows_kernel(const timing::Watch& watch, const Readings& r) {
  return std::abs(watch.reading - r.kernel_us) <= agreed * r.kernel_us;
}

int count_agreeing(const Readings& r) {
  const auto all = watches_in(r);
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const auto& w) { return shows_kernel(*w.watch, r); }));
}

/// What the host and the device did. `compiled_at`: the launch that also compiled.
HostTimeline draw_lanes(std::span<const HostCall> calls, std::size_t compiled_at, double compile_us, bool blocks) {
  using Kind = HostTimeline::Span::Kind;
  const double zero = calls.front().begin;
  HostTimeline timeline{.lanes = {{"Host", {}}, {"Device", {}}}};
  auto &host = timeline.lanes[0].spans, &device = timeline.lanes[1].spans;
  const auto timed = timing::timed_launches(calls);
  double work_ends = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const HostCall& call = calls[i];
    const auto add = [&](auto& spans, double begin, double end, std::string label, Kind kind) {
      if (end > begin) spans.push_back({begin - zero, end - zero, std::move(label), kind});
    };
    if (call.kind == HostCall::Kind::launch) {
      const double compiles = i == compiled_at ? compile_us : 0;
      add(host, call.begin, call.begin + compiles, "compiles (measured)", Kind::call);
      add(host, call.begin + compiles, call.end, "launch", Kind::call);
      const bool earlier = std::find(timed.begin(), timed.end(), i) == timed.end();
      add(device, call.device_begin, call.device_end, earlier ? "earlier" : call.what, Kind::kernel);
      work_ends = call.device_end;
    } else if (call.kind == HostCall::Kind::synchronize) {
      const double woken = std::clamp(work_ends, call.wait_begin, call.end);
      add(host, call.wait_begin, blocks ? woken : call.end, blocks ? "sleeps" : "spins", Kind::wait);
      if (blocks) add(host, woken, call.end, "wakes up", Kind::wait);
    }
    timeline.end = std::max({timeline.end, call.end - zero, call.device_end - zero});
  }
  return timeline;
}

void add_rulers(HostTimeline& timeline, const Readings& r, double zero) {
  for (const NamedWatch& each : watches_in(r)) {
    HostTimeline::Ruler ruler{.label = warpbook::say(each.label),
                              .parts = each.watch->parts,
                              .reading = each.watch->reading,
                              .of_kernel = r.kernel_us > 0 ? each.watch->reading / r.kernel_us : 0,
                              .agrees = shows_kernel(*each.watch, r)};
    for (auto& part : ruler.parts) part = {std::max(0.0, part.begin - zero), part.end - zero};
    timeline.rulers.push_back(std::move(ruler));
  }
  timeline.ruled = {r.kernel.begin - zero, r.kernel.end - zero};
}

std::string title_of(const Readings& r, double compile_us) {
  if (compile_us > 0)
    return fmt::format("Every watch has counted the compiler: {:.0f} times the kernel's time", r.waiting.reading / r.kernel_us);
  constexpr const char* how_many[] = {"No watch shows", "One of four watches shows", "Two of four watches show",
                                      "Three of four watches show", "All four watches show"};
  return fmt::format("{} the kernel's time, with an error of a quarter at most", how_many[count_agreeing(r)]);
}

/// A sentence about the measurements that are wrong.
std::string say_off(const Readings& r, std::int64_t wrong) {
  if (wrong > 0) return fmt::format("{} values of the result are wrong.", wrong);
  std::string off;
  for (const NamedWatch& each : watches_in(r)) {
    if (shows_kernel(*each.watch, r)) continue;
    off += (off.empty() ? "" : "; ") + std::string(warpbook::say(each.label));
  }
  if (off.empty()) return "All four watches show the kernel's time, with an error of a quarter at most.";
  return fmt::format("Off by more than a quarter of the kernel's time: {}.", off);
}

void add_timing_numbers(Outcome& outcome, const Readings& r, bool model, double compile_us, std::int64_t wrong) {
  using Tone = Number::Tone;
  const auto time = [&](const std::string& name, const ToSay& label, double us, Tone tone) {
    outcome.numbers.push_back({.name = name,
                               .label = label,
                               .value = us,
                               .tone = tone,
                               .decimals = us < 1000 ? 1 : 0,
                               .unit = "µs",
                               .on_page = name != "compile_us" && name != "no_wait_us",  // shown in the timeline
                               .of_device = true});
  };
  time("kernel_us", model ? to_say("Kernel (model)") : to_say("Kernel"), r.kernel_us, Tone::first);
  for (const NamedWatch& each : watches_in(r))
    time(each.name, model || each.watch == &r.cpu ? each.modelled : each.label, each.watch->reading, Tone::second);
  time("compile_us", to_say("Compiling, measured"), compile_us, Tone::measured);
  const auto aside = [&](const char* name, const ToSay& label, double value, const char* unit, bool of_device) {
    outcome.numbers.push_back(
        {.name = name, .label = label, .value = value, .unit = unit, .on_page = false, .of_device = of_device});
  };
  aside("agreeing", to_say("Watches that show the kernel's time"), count_agreeing(r), "", true);
  aside("cpu_share", to_say("CPU time, of the wall clock's with a wait"), 100 * r.cpu.reading / r.waiting.reading, "%", true);
  outcome.numbers.push_back({.name = "wrong",
                             .label = to_say("Wrong values"),
                             .value = double(wrong),
                             .tone = wrong > 0 ? Tone::bad : Tone::second,
                             .on_page = wrong > 0});
}

Result<Outcome> run_timing(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  define_macros(host, timing_honestly(), values);
  std::vector<float> before(timed_values);
  std::iota(before.begin(), before.end(), 0.0f);  // which a host program writes in one line
  auto timed = TimedProgram(host, values).run(before);
  if (!timed) return failure(timed.error());
  if (!timed->report.ok()) return without_results(std::move(timed->report));

  const bool blocks = values.integer("wait") == 1;
  const std::span shown = std::span(host.calls()).subspan(timed->first_call);
  // Without a warm-up, the program's first launch compiles: the first timed one, or an earlier one. The program is compiled only
  // once here, so its real compile time is used.
  const double compile_us = values.on("warm_up") || !host.program() ? 0 : host.program()->compile_ms * 1e3;
  const auto first = std::find_if(shown.begin(), shown.end(), [](const auto& c) { return c.kind == HostCall::Kind::launch; });
  const auto at = static_cast<std::size_t>(first - shown.begin());
  const auto calls = timing::with_compile(shown, at, compile_us);
  const auto launches = timing::timed_launches(calls);
  const double in_watches = !launches.empty() && launches.front() == at ? compile_us : 0;
  const Readings readings = timing::readings_of(calls, {.blocks = blocks, .events_us = timed->events_us + in_watches});
  const std::int64_t wrong =
      wrong_after(before, timed->values, double(values.integer("steps")) * static_cast<double>(timed->launches));

  Outcome outcome;
  add_timing_numbers(outcome, readings, host.device().is_model, in_watches, wrong);
  outcome.note = say_off(readings, wrong);
  // Calls after the last reading of the clocks are not timed.
  const auto end = std::find_if(calls.rbegin(), calls.rend(), [](const auto& c) { return c.kind == HostCall::Kind::read_clock; });
  const std::span drawn = std::span(calls).first(static_cast<std::size_t>(calls.rend() - end));
  HostTimeline timeline = draw_lanes(drawn, at, compile_us, blocks);
  add_rulers(timeline, readings, drawn.front().begin);
  timeline.measured = !host.device().is_model;
  timeline.title = title_of(readings, in_watches);
  outcome.figures.push_back(std::move(timeline));
  outcome.report = std::move(timed->report);
  outcome.seconds = watch.seconds();
  return outcome;
}

std::map<std::string, double> timing_preset(int steps, int launches, int before, int wait, int warm_up) {
  return {{"steps", steps}, {"launches", launches}, {"before", before}, {"wait", wait}, {"warm_up", warm_up}};
}

std::vector<Control> timing_controls() {
  return {{.id = "steps",
           .label = to_say("Steps for each value"),
           .initial = 8192,
           .least = 1,
           .most = 16'384,
           .logarithmic = true,
           .define = "STEPS",
           .help = to_say("How long the kernel takes: a multiplication and an addition a step, for each of 2,048 values.")},
          {.id = "wait",
           .label = to_say("The host waits by"),
           .kind = Control::Kind::choice,
           .initial = 0,
           .most = 1,
           .options = {{"spin", to_say("Spinning")}, {"block", to_say("Blocking")}},
           .help = to_say("Spinning: it asks the device again and again. Blocking: it sleeps until the device wakes it.")},
          {.id = "launches",
           .label = to_say("Launches"),
           .initial = 1,
           .least = 1,
           .most = 8,
           .help = to_say("Launches that are timed, one right after the other.")},
          {.id = "before",
           .label = to_say("Earlier launches in the queue"),
           .initial = 0,
           .least = 0,
           .most = 3,
           .help = to_say("Launches before the watches are started, for which the host has not waited.")},
          {.id = "warm_up",
           .label = to_say("Warm-up call"),
           .kind = Control::Kind::toggle,
           .initial = 1,
           .help = to_say("On: the kernel was called once before, and the host has waited. Off: its first call is timed.")}};
}

}  // namespace

const Lesson& timing_honestly() {
  static const Lesson lesson{.id = "15_timing",
                             .number = "15",
                             .title = "Timing honestly",
                             .rail_title = "Timing honestly",
                             .kernel_file = "relax.cu",
                             .kernel = "relax",
                             .controls = timing_controls(),
                             .presets = {{to_say("Spinning"), timing_preset(8192, 1, 0, 0, 1)},
                                         {to_say("Blocking"), timing_preset(8192, 1, 0, 1, 1)},
                                         {to_say("A short kernel"), timing_preset(1, 1, 0, 0, 1)},
                                         {to_say("Eight launches"), timing_preset(8192, 8, 0, 0, 1)},
                                         {to_say("Eight short ones"), timing_preset(1, 8, 0, 0, 1)},
                                         {to_say("Earlier work"), timing_preset(8192, 1, 2, 0, 1)},
                                         {to_say("First call"), timing_preset(8192, 1, 0, 0, 0)},
                                         {to_say("First call, earlier"), timing_preset(8192, 1, 1, 0, 0)}},
                             .views = {"host_timeline"},
                             .guesses = {"agreeing", "cpu_share"},
                             .markings = {},
                             .more_macros = {},
                             .run = run_timing,
                             .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
