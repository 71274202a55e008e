// Lesson 03: results of calls, errors that a later call reports and that are sticky, and what a report adds: the line and the
// thread.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "lessons/03_when_it_fails/runtime.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& when_it_fails();

namespace {

constexpr std::int32_t n = 4096;
constexpr std::size_t copy_in = 2;  // index of the first call that is drawn; calls before it cannot fail here

enum Wrong { nothing, threads, index, assertion, bytes };
enum Asks { after_each, at_the_end, after_waiting };

Macros macros(const Values& values) {
  const int wrong = values.integer("wrong");
  return {{"WRAP", wrong == index || wrong == assertion ? "0" : "1"}, {"CHECK", wrong == assertion ? "1" : "0"}};
}

/// The host program's two launches and their results.
struct Program {
  gpu::LaunchReport first, second;  // as on a GPU, where a failing kernel is stopped
  gpu::LaunchReport watched;        // the first launch again with observation, which continues and counts
  std::vector<std::int32_t> out;    // the result of the last copy, if it was made
};

Result<Program> execute(Host& host, const Values& values) {
  const int wrong = values.integer("wrong");
  std::vector<std::int32_t> x(n);
  std::iota(x.begin(), x.end(), 0);
  auto d_x = host.allocate({"x", gpu::ScalarType::int32, {n}});
  if (!d_x) return failure(d_x.error());
  auto d_out = host.allocate({"out", gpu::ScalarType::int32, {n}});
  if (!d_out) return failure(d_out.error());
  const auto all = std::as_bytes(std::span<const std::int32_t>(x));
  if (auto done = host.write(*d_x, wrong == bytes ? all.first(n) : all); !done) return failure(done.error());

  const gpu::Dim3 block = wrong == threads ? gpu::Dim3{1025} : gpu::Dim3{128};
  const gpu::Dim3 grid{(n + block.x - 1) / block.x};
  const std::vector<gpu::Argument> arguments{*d_x, *d_out, gpu::Scalar::of(n)};
  Program program;
  {
    const Host::Unrecorded unrecorded(host);
    auto watched = host.launch("fail", grid, block, arguments, {.observe = gpu::Observe::all(), .schedule = gpu::Schedule::clock});
    if (!watched) return failure(watched.error());
    program.watched = std::move(*watched);
  }
  const LaunchOptions as_on_a_gpu{.schedule = gpu::Schedule::clock};
  auto first = host.launch("fail", grid, block, arguments, as_on_a_gpu);
  if (!first) return failure(first.error());
  if (values.integer("asks") == after_waiting) host.synchronize();
  auto second = host.launch("twice", {32}, {128}, {*d_out, gpu::Scalar::of(n)}, as_on_a_gpu);
  if (!second) return failure(second.error());
  if (values.integer("asks") == after_waiting) host.synchronize();
  auto out = host.copy_to_host<std::int32_t>(*d_out);
  if (!out) return failure(out.error());
  program.first = std::move(*first);
  program.second = std::move(*second);
  program.out = std::move(*out);
  return program;
}

std::string shape_of(const HostCall& launch) { return fmt::format("<<<{}, {}>>>", launch.grid.x, launch.block.x); }

/// CUDA's results of these calls, including calls that the Host does not record: cudaGetLastError and cudaFree.
Runtime answers_to(const std::vector<HostCall>& calls, const Program& program, int asks) {
  Runtime runtime;
  bool first = true;
  for (const HostCall& call : calls) {
    switch (call.kind) {
      case HostCall::Kind::allocate:
        runtime.call(fmt::format("cudaMalloc(&{}, {})", call.what, call.array.bytes()), call);
        break;
      case HostCall::Kind::copy_to_device:
        runtime.call(fmt::format("cudaMemcpy({}, host, {})", call.what, call.array.bytes()), call);
        break;
      case HostCall::Kind::launch:
        runtime.launch(call.what + shape_of(call), call, first ? program.first : program.second);
        first = false;
        if (asks != at_the_end) runtime.get_last_error();
        break;
      case HostCall::Kind::synchronize:
        runtime.synchronize();
        break;
      case HostCall::Kind::copy_to_host:
        runtime.copy_back(fmt::format("cudaMemcpy(host, {}, {})", call.what, call.array.bytes()), call);
        break;
      default:  // this program has no others
        break;
    }
  }
  if (asks == at_the_end) runtime.get_last_error();
  runtime.free("cudaFree(x)");
  runtime.free("cudaFree(out)");
  return runtime;
}

/// Numbers of calls, from 1. 0: there is none.
struct Told {
  std::vector<HostTimeline::Call> calls;
  std::size_t made_at = 0, told_by = 0, errors = 0;
  std::string error;  // the reported error; empty: none
};

Told who_tells(const Runtime& runtime, bool too_few_bytes, int asks) {
  Told told;
  for (std::size_t i = 0; i < runtime.calls().size(); ++i) {
    const Runtime::Answered& call = runtime.calls()[i];
    HostTimeline::Call shown{.text = call.text, .answer = call.answer};
    shown.looked_at = !call.answer.empty() && (asks != at_the_end || call.asks);
    shown.wrong = told.made_at == 0 && (call.made || (too_few_bytes && i == copy_in));
    if (shown.wrong) told.made_at = i + 1;
    const bool error = !call.answer.empty() && call.answer != "cudaSuccess";
    told.errors += error;
    if (error && shown.looked_at && told.told_by == 0) {
      told.told_by = i + 1;
      told.error = call.answer;
      shown.tells = true;
    }
    told.calls.push_back(std::move(shown));
  }
  return told;
}

std::string title_of(const Told& told) {
  if (told.made_at == 0) return "Every call succeeds";
  if (told.told_by == 0) return fmt::format("No call tells what call {} did wrong", told.made_at);
  return fmt::format("Call {} tells what went wrong in call {}", told.told_by, told.made_at);
}

HostTimeline draw_up(const Runtime& runtime, const Told& told, const std::string& printed) {
  using Kind = HostTimeline::Span::Kind;
  const auto& calls = runtime.calls();
  const double zero = calls[copy_in].begin;
  HostTimeline timeline{.calls = told.calls, .printed = printed, .end = calls.back().end - zero, .title = title_of(told)};
  HostTimeline::Lane host{"Host", {}}, device{"Device", {}};
  for (std::size_t i = copy_in; i < calls.size(); ++i) {
    const Runtime::Answered& call = calls[i];
    const std::string number = fmt::format("{}", i + 1), error = call.answer == "cudaSuccess" ? "" : call.answer;
    const bool copies = call.kernel.empty() && call.device_end > 0;
    const bool waits = call.wait_end > call.wait_begin;
    if (waits) host.spans.push_back({call.begin - zero, call.wait_begin - zero, "", Kind::call});
    if (waits) host.spans.push_back({call.wait_begin - zero, call.wait_end - zero, number + " waits", Kind::wait, error});
    const double from = waits ? call.wait_end : call.begin;
    if (call.end > from) host.spans.push_back({from - zero, call.end - zero, number, copies ? Kind::copy : Kind::call, error});
    if (call.device_end > 0) {
      device.spans.push_back({call.device_begin - zero, call.device_end - zero, copies ? "copy" : call.kernel,
                              copies ? Kind::copy : Kind::kernel, call.made ? told.error : ""});
    }
  }
  timeline.lanes = {std::move(host), std::move(device)};
  if (told.made_at > 0) {
    const double made = runtime.failed_at().value_or(calls[told.made_at - 1].end) - zero;
    timeline.marks.push_back({made, "error made", true});
    if (told.told_by > 0) timeline.marks.push_back({calls[told.told_by - 1].end - zero, "error told", true});
  }
  return timeline;
}

/// The number of right elements, compared with values computed here.
std::int64_t count_right(const std::vector<std::int32_t>& out) {
  std::int64_t right = 0;
  for (std::int32_t i = 0; i < n; ++i) right += out[static_cast<std::size_t>(i)] == 2 * ((i + 1) % n - i);
  return right;
}

/// The first line that the report names. 0: none.
std::uint32_t reported_line(const gpu::LaunchReport& report) {
  if (report.stopped) return report.stopped->line;
  return report.findings.empty() ? 0 : report.findings.front().at.line;
}

std::string say(const Told& told, const gpu::LaunchReport& report, std::int64_t right, bool too_few_bytes) {
  if (told.made_at == 0)
    return right == n ? "Nothing is wrong, and every call says so." : "Every call succeeds, but the values are wrong.";
  if (told.told_by > 0) {
    const std::size_t between = told.told_by - told.made_at - 1;
    const std::string calls = between == 0   ? "just before it"
                              : between == 1 ? "and one call lies between them"
                                             : fmt::format("and {} calls lie between them", between);
    return fmt::format("Call {} answers `{}`. The error was made in call {}, {}. {}", told.told_by, told.error, told.made_at, calls,
                       warpbook::say(report.message));
  }
  if (too_few_bytes && !report.findings.empty()) {
    return fmt::format(
        "All calls answer `cudaSuccess`, and {} values are wrong. Only the report tells: line {} read values that nobody had "
        "copied.",
        n - right, reported_line(report));
  }
  return "No call that the host looked at tells of it.";
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  define_macros(host, when_it_fails(), values);
  auto program = execute(host, values);
  if (!program) return failure(program.error());
  for (gpu::LaunchReport* report : {&program->first, &program->second, &program->watched})
    if (report->status == "cancelled") return without_results(std::move(*report));

  const int asks = values.integer("asks");
  const bool too_few_bytes = values.integer("wrong") == bytes;
  const Runtime runtime = answers_to(host.calls(), *program, asks);
  const Told told = who_tells(runtime, too_few_bytes, asks);
  const std::int64_t right = runtime.lost() ? 0 : count_right(program->out);

  Outcome outcome;
  using Tone = Number::Tone;
  outcome.report = with_findings_of(std::move(program->first), program->watched);
  const double between = told.told_by > 0 ? double(told.told_by - told.made_at - 1) : 0;
  outcome.numbers = {
      {.name = "made_at", .label = to_say("Error made in call"), .value = double(told.made_at), .on_page = told.made_at > 0},
      {.name = "told_by",
       .label = to_say("Told by call"),
       .value = double(told.told_by),
       .tone = Tone::first,
       .on_page = told.told_by > 0},
      {.name = "calls_between", .label = to_say("Calls between"), .value = between, .on_page = told.told_by > 0},
      {.name = "right",
       .label = to_say("Right values of {all}", "all"_a = n),
       .value = double(right),
       .tone = right < n ? Tone::bad : Tone::good},
      {.name = "errors", .label = to_say("Calls that answer an error"), .value = double(told.errors), .on_page = false},
      {.name = "calls", .label = to_say("Calls"), .value = double(told.calls.size()), .on_page = false},
      {.name = "reported_line",
       .label = to_say("Line reported"),
       .value = double(reported_line(outcome.report)),
       .on_page = false}};
  outcome.note = say(told, outcome.report, right, too_few_bytes);
  outcome.figures.push_back(draw_up(runtime, told, outcome.report.output));
  outcome.failure_shown = true;
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace

const Lesson& when_it_fails() {
  static const Lesson lesson{
      .id = "03_when_it_fails",
      .number = "03",
      .title = "When it fails",
      .rail_title = "When it fails",
      .kernel_file = "fail.cu",
      .kernel = "fail",
      .controls = {{.id = "wrong",
                    .label = to_say("What is wrong"),
                    .kind = Control::Kind::choice,
                    .initial = index,
                    .most = 4,
                    .options = {{"nothing", to_say("nothing")},
                                {"threads", to_say("1025 threads a block")},
                                {"index", to_say("an index past the end")},
                                {"assert", to_say("an index, with an assert")},
                                {"bytes", to_say("too few bytes")}},
                    .help = to_say("The mistake in the program: in the launch, in the kernel, or in the copy to the device.")},
                   {.id = "asks",
                    .label = to_say("The host asks for errors"),
                    .kind = Control::Kind::choice,
                    .initial = after_each,
                    .most = 2,
                    .options = {{"each", to_say("after each call")},
                                {"end", to_say("only at the end")},
                                {"wait", to_say("after waiting for each launch")}},
                    .help = to_say("Which answers the host program looks at, and whether it waits for a kernel before it asks.")}},
      .presets = {{to_say("Refused at once"), {{"wrong", threads}, {"asks", after_each}}},
                  {to_say("Told later"), {{"wrong", index}, {"asks", after_each}}},
                  {to_say("Wait, then ask"), {{"wrong", index}, {"asks", after_waiting}}},
                  {to_say("Asked too late"), {{"wrong", threads}, {"asks", at_the_end}}},
                  {to_say("An assert"), {{"wrong", assertion}, {"asks", after_waiting}}},
                  {to_say("Told by nobody"), {{"wrong", bytes}, {"asks", after_waiting}}}},
      .views = {"host_timeline"},
      .guesses = {"told_by"},
      .more_macros = macros,
      .run = run,
      .live = {},
      .watched = true};
  return lesson;
}

}  // namespace warpbook::lessons
