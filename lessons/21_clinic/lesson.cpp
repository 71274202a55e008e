// Lesson 21: twelve broken kernels. Each is launched as its author wrote it and then fixed. Shown are the results, the wrong
// elements and the checker's findings, either of which may reveal what the other does not.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "gpu/message.h"
#include "lessons/21_clinic/broken_kernels.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/wrong_elements.h"

namespace warpbook::lessons {

const Lesson& clinic();

namespace {

using Verdict = Checks::Verdict;

/// The time limit for a kernel that waits for ever. The others take a few milliseconds.
constexpr double most_seconds = 1;

const BrokenKernel& kernel_of(const Values& values) {
  return broken_kernels().at(static_cast<std::size_t>(values.integer("kernel")));
}

Macros macros(const Values& values) { return {{"CASE", fmt::format("{}", values.integer("kernel") + 1)}}; }

gpu::Dim3 grid_of(const BrokenKernel& kernel, bool mended) {
  return mended && kernel.mended_blocks > 0 ? gpu::Dim3{kernel.mended_blocks} : kernel.grid;
}

struct Tried {
  gpu::LaunchReport report;       // observed
  std::string unwatched;          // the status without observation, with which the launch would be stopped
  std::vector<std::int32_t> out;  // the results; empty: the launch did not end
  std::optional<Checks::Wrong> wrong;
};

/// The first launch is the one in the printed host program.
Result<Tried> launch(Host& host, const BrokenKernel& kernel, bool mended) {
  const std::vector<std::int32_t> x = values_of(kernel);
  auto d_x = host.to_device<std::int32_t>("x", x);
  if (!d_x) return failure(d_x.error());
  auto d_out = host.zeros<std::int32_t>("out", {kernel.elements()});
  if (!d_out) return failure(d_out.error());
  const std::vector<gpu::Argument> arguments{*d_x, gpu::Scalar::of(static_cast<std::int32_t>(kernel.n)), *d_out};
  LaunchOptions options{.dynamic_shared_bytes = kernel.shared_bytes, .max_seconds = most_seconds};
  options.observe = {.memory = true, .race = true, .init = true, .sync = true, .trace = {d_out->id}};
  auto watched = host.launch("broken", grid_of(kernel, mended), kernel.block, arguments, options);
  if (!watched) return failure(watched.error());
  if (watched->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  Tried tried{.report = std::move(*watched), .unwatched = {}, .out = {}, .wrong = {}};
  tried.unwatched = tried.report.status;
  auto out = host.copy_to_host<std::int32_t>(*d_out);  // as a host program does, also after a failed launch
  if (tried.report.ok()) {
    if (!out) return failure(out.error());
    out->resize(kernel.results);
    tried.out = std::move(*out);
    const Host::Unrecorded unrecorded(host);
    if (auto cleared = host.refill(*d_out, gpu::Scalar::of(std::int32_t{0})); !cleared) return failure(cleared.error());
    auto as_on_a_gpu = host.launch("broken", grid_of(kernel, mended), kernel.block, arguments,
                                   {.dynamic_shared_bytes = kernel.shared_bytes, .max_seconds = most_seconds});
    if (!as_on_a_gpu) return failure(as_on_a_gpu.error());
    tried.unwatched = as_on_a_gpu->status;
  }
  host.release(*d_x);
  host.release(*d_out);
  return tried;
}

/// Finds the wrong results, and the writers of the first of them.
Result<void> judge(const BrokenKernel& kernel, Tried& tried) {
  if (tried.out.empty()) return {};
  const auto spec = parse_argument_spec(fmt::format("int32[{}]=zeros", kernel.results));
  if (!spec) return failure(spec.error());
  const auto array = [&](const std::vector<std::int32_t>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return ArrayAfter{.argument = 2, .spec = &*spec, .name = "out", .bytes = {bytes.begin(), bytes.end()}};
  };
  tried.wrong = compare(array(kernel.right(values_of(kernel))), array(tried.out), 0);
  if (tried.wrong) find_writers(*tried.wrong, tried.report);
  tried.report.trace.clear();
  return {};
}

Result<Tried> try_out(Host& host, const BrokenKernel& kernel, bool mended) {
  host.define("MENDED", mended ? "1" : "0");
  auto tried = launch(host, kernel, mended);
  if (!tried) return tried;
  if (auto judged = judge(kernel, *tried); !judged) return failure(judged.error());
  return tried;
}

std::size_t wrong_results(const BrokenKernel& kernel, const Tried& tried) {
  if (tried.out.empty()) return kernel.results;  // there are no results
  return tried.wrong ? tried.wrong->wrong : 0;
}

Result<Checks::Row> row_of(const BrokenKernel& kernel, const Tried& tried, bool mended) {
  Checks::Row row{.name = mended ? "Mended" : "As its author wrote it",
                  .grid = grid_of(kernel, mended),
                  .block = kernel.block,
                  .shared_bytes = kernel.shared_bytes,
                  .wrong = tried.wrong};
  if (tried.wrong) {
    const auto spec = parse_argument_spec(fmt::format("int32[{}]=zeros", kernel.results));
    if (!spec) return failure(spec.error());
    row.verdict = Verdict::wrong;
    row.message = sentence_about(*tried.wrong, *spec);
  }
  if (!tried.report.findings.empty()) {
    row.verdict = Verdict::finding;
    row.message = say(tried.report.findings.front().message);
  }
  if (!tried.report.ok()) {
    row.verdict = tried.report.status == "cudaErrorLaunchTimeout" ? Verdict::too_slow : Verdict::failed;
    row.message = say(tried.report.message);
  }
  return row;
}

/// Both launches, first the broken one.
Result<Checks> checks_of(const BrokenKernel& kernel, const Tried& broken, const Tried& mended) {
  Checks checks{.title = "The kernel as it was written, and mended"};
  for (const bool is_mended : {false, true}) {
    auto row = row_of(kernel, is_mended ? mended : broken, is_mended);
    if (!row) return failure(row.error());
    checks.rows.push_back(std::move(*row));
  }
  return checks;
}

std::string title_of(const BrokenKernel& kernel, const Tried& tried) {
  if (tried.out.empty()) return fmt::format("No result came back: the launch was stopped after {:g} s", most_seconds);
  const std::size_t wrong = wrong_results(kernel, tried);
  if (wrong == 0) return fmt::format("All {} results are right", kernel.results);
  if (wrong == 1) return fmt::format("One of {} results is wrong", kernel.results);
  return fmt::format("{} of {} results are wrong", wrong, kernel.results);
}

Curves curves_of(const BrokenKernel& kernel, const Tried& tried) {
  Curves curves{.title = title_of(kernel, tried), .array = "out"};
  for (const std::int32_t value : kernel.right(values_of(kernel))) curves.expected.push_back(static_cast<float>(value));
  for (const std::int32_t value : tried.out) curves.got.push_back(static_cast<float>(value));
  curves.got.resize(curves.expected.size(), std::numeric_limits<float>::quiet_NaN());
  return curves;
}

std::size_t findings_of(const gpu::LaunchReport& report, gpu::FindingKind kind) {
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                [kind](const gpu::Finding& finding) { return finding.kind == kind; }));
}

std::vector<Number> numbers_of(const BrokenKernel& kernel, const Tried& shown, const Tried& mended) {
  using Tone = Number::Tone;
  const auto wrong = wrong_results(kernel, shown);
  const auto findings = shown.report.findings.size();
  std::vector<Number> numbers{
      {.name = "wrong",
       .label = to_say("Wrong results"),
       .value = double(wrong),
       .tone = wrong > 0 ? Tone::bad : Tone::good,
       .unit = fmt::format("of {}", kernel.results)},
      {.name = "findings", .label = to_say("Findings"), .value = double(findings), .tone = findings > 0 ? Tone::bad : Tone::good}};
  for (const gpu::FindingKind kind :
       {gpu::FindingKind::memory, gpu::FindingKind::race, gpu::FindingKind::init, gpu::FindingKind::sync}) {
    numbers.push_back({.name = fmt::format("findings_{}", gpu::name_of(kind)),
                       .label = to_say("Findings: {kind}", "kind"_a = gpu::name_of(kind)),
                       .value = double(findings_of(shown.report, kind)),
                       .on_page = false});
  }
  numbers.push_back({.name = "ended", .label = to_say("The launch ended"), .value = double(shown.report.ok()), .on_page = false});
  numbers.push_back({.name = "answers_error",
                     .label = to_say("The launch answers an error without the checker"),
                     .value = double(shown.unwatched != "ok"),
                     .on_page = false});
  numbers.push_back({.name = "sum",
                     .label = to_say("Sum of the results"),
                     .value = double(std::accumulate(shown.out.begin(), shown.out.end(), std::int64_t{0})),
                     .on_page = false});
  if (!shown.out.empty())
    numbers.push_back({.name = "first", .label = to_say("First result"), .value = double(shown.out.front()), .on_page = false});
  numbers.push_back({.name = "mended_wrong",
                     .label = to_say("Wrong results, mended"),
                     .value = double(wrong_results(kernel, mended)),
                     .on_page = false});
  numbers.push_back({.name = "mended_findings",
                     .label = to_say("Findings, mended"),
                     .value = double(mended.report.findings.size()),
                     .on_page = false});
  return numbers;
}

/// A sentence about what the run has shown.
std::string shown_by(const BrokenKernel& kernel, const Tried& tried) {
  const std::size_t wrong = wrong_results(kernel, tried), findings = tried.report.findings.size();
  if (tried.out.empty() && tried.report.status == "cudaErrorLaunchTimeout")
    return "The launch did not end, and no call tells why. Only where it was stopped is known.";
  if (tried.out.empty()) return fmt::format("The launch ended with `{}`: no result came back.", tried.report.status);
  if (tried.unwatched != "ok")
    return fmt::format("Without the checker the virtual GPU ends the launch with `{}`. The checker goes on, and says where it was.",
                       tried.unwatched);
  if (wrong == 0 && findings == 0) return "All results are right, and nothing was found.";
  if (wrong == 0) return "All results are right in this run, but the kernel is not: see what was found.";
  if (findings == 0) return "The kernel breaks no rule of CUDA, so nothing is found. Only the results are wrong.";
  return "Some results are wrong, and what was found says why.";
}

std::string say(const BrokenKernel& kernel, const Tried& tried, bool mended) {
  if (mended) return shown_by(kernel, tried);
  return fmt::format("Its author: “{}”. {}", kernel.symptom, shown_by(kernel, tried));
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const BrokenKernel& kernel = kernel_of(values);
  const bool mended = values.on("mended");
  define_macros(host, clinic(), values);
  auto shown = try_out(host, kernel, mended);
  if (!shown) return failure(shown.error());
  Tried other;
  {
    const Host::Unrecorded unrecorded(host);
    auto tried = try_out(host, kernel, !mended);
    if (!tried && tried.error().code != "compile_error") return failure(tried.error());
    if (!tried)
      return failure("compile_error",
                     fmt::format("With MENDED {} the kernel does not compile: {}", mended ? 0 : 1, tried.error().message));
    other = std::move(*tried);
    define_macros(host, clinic(), values);
  }
  Tried& as_written = mended ? other : *shown;
  Tried& repaired = mended ? *shown : other;

  Outcome outcome;
  auto checks = checks_of(kernel, as_written, repaired);
  if (!checks) return failure(checks.error());
  outcome.figures.emplace_back(std::move(*checks));
  outcome.figures.emplace_back(curves_of(kernel, *shown));
  outcome.numbers = numbers_of(kernel, *shown, repaired);
  outcome.note = say(kernel, *shown, mended);
  outcome.report = std::move(shown->report);
  outcome.failure_shown = true;
  outcome.seconds = watch.seconds();
  return outcome;
}

std::vector<Control::Option> options() {
  std::vector<Control::Option> all;
  for (const BrokenKernel& kernel : broken_kernels())
    all.push_back({std::string(kernel.id), as_it_is(fmt::format("{}", all.size() + 1))});
  return all;
}

std::vector<Preset> presets() {
  const auto of = [](const ToSay& label, const char* id) {
    const auto& all = broken_kernels();
    const auto at = std::find_if(all.begin(), all.end(), [&](const BrokenKernel& kernel) { return kernel.id == id; });
    return Preset{label, {{"kernel", double(at - all.begin())}, {"mended", 0}}};
  };
  return {of(to_say("Right, and broken"), "branch"),
          of(to_say("Broken, and nothing found"), "overflow"),
          of(to_say("Two findings, one mistake"), "barrier"),
          of(to_say("An error, and where"), "misaligned"),
          of(to_say("It never ends"), "grid"),
          of(to_say("The place tells it"), "halo")};
}

}  // namespace

const Lesson& clinic() {
  static const Lesson lesson{
      .id = "21_clinic",
      .number = "21",
      .title = "Clinic: twelve broken kernels",
      .rail_title = "Clinic",
      .kernel_file = "clinic.cu",
      .kernel = "broken",
      .controls = {{.id = "kernel",
                    .label = to_say("Kernel"),
                    .kind = Control::Kind::choice,
                    .initial = 0,
                    .most = double(broken_count - 1),
                    .options = options(),
                    .help = to_say("Which of the twelve kernels is launched. What its author saw stands above it, in the editor.")},
                   {.id = "mended",
                    .label = to_say("Mended"),
                    .kind = Control::Kind::toggle,
                    .define = "MENDED",
                    .help = to_say("On: the kernel without its mistake is the page's launch.")}},
      .presets = presets(),
      .views = {"checks", "curves"},
      .guesses = {"wrong", "findings"},
      .markings = {},
      .more_macros = macros,
      .run = run,
      .live = {},
      .watched = true};
  return lesson;
}

}  // namespace warpbook::lessons
