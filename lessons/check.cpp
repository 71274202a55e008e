#include "lessons/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "gpu/message.h"
#include "lessons/arguments/argument_check.h"
#include "lessons/case_launch.h"
#include "lessons/catalog.h"
#include "lessons/experiment.h"
#include "lessons/fresh_case.h"
#include "lessons/playground.h"
#include "lessons/wrong_elements.h"

namespace warpbook::lessons {
namespace {

using Verdict = Checks::Verdict;

gpu::Observe watch_for(const Exercise& exercise) {
  gpu::Observe observe;
  for (const gpu::FindingKind kind : exercise.forbidden) observe[kind] = true;
  if (exercise.limits[Limit::sectors] || exercise.limits[Limit::sectors_of_start]) observe.coalescing = true;
  if (exercise.limits[Limit::bank_conflicts]) observe.banks = true;
  return observe;
}

// ---- A case. ----------------------------------------------------------------------------------------------------------------

std::optional<std::size_t> forbidden(const gpu::LaunchReport& report, const Exercise& exercise) {
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const auto& kinds = exercise.forbidden;
    if (std::find(kinds.begin(), kinds.end(), report.findings[i].kind) != kinds.end()) return i;
  }
  return std::nullopt;
}

/// What was wrong in a launch, and in which array.
struct Judged {
  CheckReport::Case checked;
  std::size_t array = 0;
};

Judged judge(const Exercise& exercise, const Exercise::Case& one, const Launched& right, Launched learners) {
  Judged judged{.checked = {{.name = one.name, .grid = one.grid, .block = one.block, .shared_bytes = one.shared_bytes},
                            std::move(learners.report)}};
  CheckReport::Case& checked = judged.checked;
  for (std::size_t i = 0; i < learners.arrays.size() && !checked.wrong; ++i) {
    checked.wrong = compare(right.arrays[i], learners.arrays[i], exercise.tolerance);
    if (!checked.wrong) continue;
    checked.verdict = Verdict::wrong;
    judged.array = i;
  }
  // A forbidden finding explains why the result is wrong, if it is.
  checked.found = forbidden(checked.report, exercise);
  if (checked.found) checked.verdict = Verdict::finding;
  if (!checked.report.ok()) {
    checked.verdict = checked.report.status == "cudaErrorLaunchTimeout" ? Verdict::too_slow : Verdict::failed;
    checked.found.reset();
  }
  return judged;
}

/// Launches the learner's kernel in the exercise's orders, up to the first failure.
Result<Judged> judge_in_orders(gpu::Device& device, const Exercise& exercise, const Compiled& learners, const Exercise::Case& one,
                               const Launched& right, const gpu::Observe& watched, double seconds, gpu::Job* job) {
  Judged judged;
  for (std::uint32_t order = 0; order < exercise.orders; ++order) {
    const std::optional<std::uint64_t> seed = order == 0 ? std::nullopt : std::optional<std::uint64_t>{order};
    auto launched = launch_once(device, learners, one, {.observe = watched, .seed = seed, .max_seconds = seconds}, job);
    if (!launched) return failure(launched.error());
    judged = judge(exercise, one, right, std::move(*launched));
    judged.checked.seed = seed;
    if (judged.checked.verdict != Verdict::passed) break;
  }
  return judged;
}

/// Writes the messages for a failed case: what is wrong, and the author's hint.
void explain(CheckReport::Case& checked, const Exercise& exercise, const Exercise::Case& one, const ArgumentSpec* array) {
  const gpu::Finding* const finding = checked.found ? &checked.report.findings[*checked.found] : nullptr;
  if (checked.verdict == Verdict::wrong) checked.message = sentence_about(*checked.wrong, *array);
  if (checked.verdict == Verdict::finding) checked.message = say(finding->message);
  if (checked.over) checked.message = checked.over->message;
  if (!checked.report.ok()) checked.message = say(checked.report.message);
  if (checked.seed && !checked.message.empty())
    checked.message +=
        fmt::format(" The warps ran in another order here than before (seed {}); no order is promised.", *checked.seed);
  // In an exercise about choosing a launch, the learner sees CUDA's own name for a refusal.
  const std::string& status = checked.report.status;
  if (!checked.report.ok() && exercise.kind == ExerciseKind::choose && checked.message.find(status) == std::string::npos)
    checked.message = fmt::format("{}: {}", status, checked.message);
  const Failure failure{.verdict = checked.verdict,
                        .finding = finding,
                        .wrong = checked.verdict == Verdict::wrong ? &*checked.wrong : nullptr,
                        .over = checked.over ? &*checked.over : nullptr};
  if (const Hint* const hint = hint_for({one.hints, exercise.hints}, failure)) checked.hints = steps_for(*hint, failure);
}

/// The kernel of an exercise's program. Its parameters must fit the cases.
Result<Compiled> solution_of(gpu::Device& device, const Exercise& exercise) {
  const auto bad = [&](const std::string& why) {
    return failure("bad_task", fmt::format("The exercise {} itself is at fault: {}", exercise.id, why));
  };
  const std::string file = exercise.kind == ExerciseKind::choose ? "kernel.cu" : "solution.cu";
  auto text = read_text(exercise.folder / file);
  if (!text) return failure(text.error());
  auto program = device.compile({.file = file, .text = *text});
  if (!program) return bad(program.error().message);
  const gpu::Kernel* const kernel = (*program)->find(exercise.kernel);
  if (kernel == nullptr) return bad(fmt::format("its {} has no kernel '{}'.", file, exercise.kernel));
  for (const Exercise::Case& one : exercise.cases) {
    if (auto fits = check_arguments(*kernel, one.arguments, Types::exact); !fits)
      return bad(fmt::format("case '{}': {}", one.name, fits.error().message));
  }
  return Compiled{.program = *program, .kernel = kernel};
}

/// The learner's kernel. An error if it cannot be launched like the solution.
Result<const gpu::Kernel*> kernel_of(const gpu::Program& program, const Exercise& exercise, const gpu::Kernel& right,
                                     const std::string& file) {
  const std::string wanted = signature(right);
  if (program.kernels.empty())
    return failure(
        "usage", fmt::format("{} has no kernel: no function in it is marked __global__. The exercise launches {}.", file, wanted));
  const gpu::Kernel* const kernel = program.find(exercise.kernel);
  if (kernel == nullptr) {
    std::string there;
    for (const gpu::Kernel& each : program.kernels) there += fmt::format("{}{}", there.empty() ? "" : ", ", signature(each));
    return failure(
        "usage", fmt::format("{} has no kernel named {}, but {}. The exercise launches {}.", file, exercise.kernel, there, wanted));
  }
  const auto differs = [&](const std::string& why) {
    return failure("usage", fmt::format("The exercise launches {}, but in {} it is {}: {} Leave the parameters as they were.",
                                        wanted, file, signature(*kernel), why));
  };
  const std::vector<ArgumentSpec>& arguments = exercise.cases.front().arguments;
  if (kernel->parameters.size() != arguments.size()) {
    return differs(fmt::format("it is given {} argument{}, and takes {}.", arguments.size(), arguments.size() == 1 ? "" : "s",
                               kernel->parameters.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!check_argument(*kernel, i, arguments[i], Types::exact))
      return differs(fmt::format("{} is given {}.", kernel->parameters[i].name, arguments[i].type_text()));
  }
  return kernel;
}

/// Both kernels, with parameters that fit the cases.
struct Match {
  Compiled learners, right;
};

Result<Match> match(gpu::Device& device, const Exercise& exercise, const gpu::ProgramPtr& program, const std::string& file) {
  auto right = solution_of(device, exercise);
  if (!right) return failure(right.error());
  auto kernel = kernel_of(*program, exercise, *right->kernel, file);
  if (!kernel) return failure(kernel.error());
  return Match{.learners = {program, *kernel}, .right = std::move(*right)};
}

/// What is launched: the learner's text with the exercise's cases; for `choose`, the given kernel with the learner's and with the
/// solution's launches.
struct Asked {
  gpu::Source source;
  Exercise learners, right;
};

Result<Asked> asked(const Exercise& exercise, const gpu::Source& source) {
  if (exercise.kind != ExerciseKind::choose) return Asked{.source = source, .learners = exercise, .right = exercise};
  const auto kernel = read_text(exercise.folder / "kernel.cu");
  if (!kernel) return failure(kernel.error());
  const auto solution = read_text(solution_file(exercise));
  if (!solution) return failure(solution.error());
  if (const auto fault = fault_in(exercise, {.file = "solution.txt", .text = *solution}))
    return failure("bad_task", fmt::format("The exercise {} itself is at fault: {}", exercise.id, fault->message));
  return Asked{.source = {.file = "kernel.cu", .text = *kernel},
               .learners = chosen(exercise, source.text),
               .right = chosen(exercise, *solution)};
}

/// Both kernels on a device with the profile that the limits name.
struct Pinned {
  gpu::Compiler compiler;
  std::unique_ptr<gpu::Device> device;
  Match kernels;
};

/// Reference costs, in addition to the solution's.
struct Scales {
  std::optional<Compiled> start;   // if a limit needs it
  std::unique_ptr<Pinned> pinned;  // if a limit needs the clock schedule
};

Result<Scales> scales_of(gpu::Device& device, const Exercise& exercise, const gpu::Source& learners) {
  Scales scales;
  if (exercise.limits[Limit::sectors_of_start]) {
    auto text = read_text(start_file(exercise));
    if (!text) return failure(text.error());
    auto program = device.compile({.file = "start.cu", .text = std::move(*text)});
    const gpu::Kernel* const kernel = program ? (*program)->find(exercise.kernel) : nullptr;
    if (kernel == nullptr)
      return failure("bad_task", fmt::format("The exercise {} itself is at fault: its start.cu has no kernel '{}'.", exercise.id,
                                             exercise.kernel));
    scales.start = Compiled{.program = *program, .kernel = kernel};
  }
  if (exercise.limits.by_the_clock()) {
    auto pinned = std::make_unique<Pinned>();
    auto own = gpu::make_virtual_device(pinned->compiler, exercise.limits.profile);
    if (!own) return failure("bad_task", fmt::format("The exercise {} itself is at fault: {}", exercise.id, own.error().message));
    pinned->device = std::move(*own);
    auto program = pinned->device->compile(learners);
    if (!program) return failure("compile_error", program.error().message);
    auto kernels = match(*pinned->device, exercise, *program, learners.file);
    if (!kernels) return failure(kernels.error());
    pinned->kernels = std::move(*kernels);
    scales.pinned = std::move(pinned);
  }
  return scales;
}

/// The limit that a case exceeds, which is right and without findings. `solved` is the case as the solution launches it.
Result<std::optional<Checks::Over>> over_limit(gpu::Device& device, const Exercise& exercise, const Scales& scales,
                                               const Exercise::Case& one, const Exercise::Case& solved,
                                               const gpu::LaunchReport& learners, const gpu::LaunchReport& solution,
                                               gpu::Job* job) {
  SpentBy spent{.learners = {.counted = &learners}, .solution = {.counted = &solution}};
  Launched start, timed, best;
  const auto add = [&](gpu::Device& where, const Compiled& compiled, const Exercise::Case& how, const CaseOptions& options,
                       Launched& into, const gpu::LaunchReport*& report) -> Result<void> {
    auto launched = launch_once(where, compiled, how, options, job);
    if (!launched) return failure(launched.error());
    into = std::move(*launched);
    if (into.report.ok()) report = &into.report;
    return {};
  };
  if (scales.start) {
    if (auto done = add(device, *scales.start, solved, {.observe = {.coalescing = true}, .max_seconds = exercise.seconds}, start,
                        spent.start.counted);
        !done)
      return failure(done.error());
  }
  if (scales.pinned) {
    const CaseOptions clock{.schedule = gpu::Schedule::clock, .max_seconds = exercise.seconds};
    const Match& kernels = scales.pinned->kernels;
    if (auto done = add(*scales.pinned->device, kernels.learners, one, clock, timed, spent.learners.timed); !done)
      return failure(done.error());
    if (auto done = add(*scales.pinned->device, kernels.right, solved, clock, best, spent.solution.timed); !done)
      return failure(done.error());
    // A launch that could not be timed, because the computer is busy, cannot be judged by its time.
    for (const Launched* launched : {&timed, &best}) {
      if (launched->report.ok()) continue;
      return Checks::Over{
          .limit = std::string(name_of(Limit::time)),
          .message = fmt::format("The result is right, but the launch could not be timed: {} Check it again when this "
                                 "computer has less to do.",
                                 say(launched->report.message))};
    }
  }
  return first_over(exercise.limits, spent);
}

/// The first generated case that the solution passes.
std::optional<Exercise::Case> fresh_case(gpu::Device& device, const Exercise& exercise, const Compiled& right, const Scales& scales,
                                         std::uint64_t seed, gpu::Job* job) {
  for (Exercise::Case& one : fresh_cases(exercise, seed)) {
    const auto solved = launch_once(device, right, one, {.observe = watch_for(exercise), .max_seconds = exercise.seconds}, job);
    if (!solved || !solved->report.ok() || forbidden(solved->report, exercise)) continue;
    if (!exercise.limits.any()) return std::move(one);
    Scales as_solution{.start = scales.start, .pinned = {}};
    const auto over = over_limit(device, exercise, as_solution, one, one, solved->report, solved->report, job);
    if (over && !*over) return std::move(one);
  }
  return std::nullopt;
}

/// How long the learner's kernel may run in a case. Where another case has run out of time, nobody should wait as long once more
/// for each case behind it: these get a hundred times what the solution takes, which a kernel that ends does not need.
double seconds_for(const Exercise& exercise, const CheckReport& so_far, const gpu::LaunchReport& solution) {
  const bool slow = std::ranges::any_of(so_far.cases, [](const auto& one) { return one.verdict == Verdict::too_slow; });
  return slow ? std::min(exercise.seconds, std::max(0.5, solution.run_ms / 1000 * 100)) : exercise.seconds;
}

/// Checks one case of the learner's kernel against the solution's. The two cases differ only if the launch is part of the answer.
Result<CheckReport::Case> check_case(gpu::Device& device, const Exercise& exercise, const Match& kernels, const Scales& scales,
                                     const Exercise::Case& one, const Exercise::Case& solved, const CheckReport& so_far,
                                     gpu::Job* job) {
  const gpu::Observe watched = watch_for(exercise);
  const bool counted = exercise.limits.counted();
  auto expected = launch_once(device, kernels.right, solved,
                              {.observe = counted ? watched : gpu::Observe(), .max_seconds = exercise.seconds}, job);
  if (!expected) return failure(expected.error());
  if (!expected->report.ok()) {
    return failure("bad_task", fmt::format("The exercise {} itself is at fault: its solution fails in case '{}': {}", exercise.id,
                                           one.name, say(expected->report.message)));
  }
  const double seconds = seconds_for(exercise, so_far, expected->report);
  auto judged_one = judge_in_orders(device, exercise, kernels.learners, one, *expected, watched, seconds, job);
  if (!judged_one) return failure(judged_one.error());
  Judged& judged = *judged_one;
  CheckReport::Case& checked = judged.checked;
  if (checked.wrong) {
    // Launches again with a trace, to find the writers. An observed launch runs its blocks in the same order, so it gives the same
    // result.
    auto traced =
        launch_once(device, kernels.learners, one,
                    {.observe = watched, .seed = checked.seed, .traced = judged.array, .max_seconds = exercise.seconds}, job);
    if (!traced) return failure(traced.error());
    find_writers(*checked.wrong, traced->report);
  }
  if (checked.verdict == Verdict::passed && exercise.limits.any()) {
    auto over = over_limit(device, exercise, scales, one, solved, checked.report, expected->report, job);
    if (!over) return failure(over.error());
    checked.over = std::move(*over);
    if (checked.over) checked.verdict = Verdict::over_limit;
  }
  explain(checked, exercise, one, checked.wrong ? expected->arrays[judged.array].spec : nullptr);
  return std::move(checked);
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view names[] = {"passed", "wrong", "finding", "failed", "too_slow", "over_limit"};
  return names[static_cast<std::size_t>(verdict)];
}

std::size_t CheckReport::passed() const {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [](const Case& each) { return each.verdict == Verdict::passed; }));
}

const CheckReport::Case* CheckReport::first_failed() const {
  for (const Case& each : cases) {
    if (each.verdict != Verdict::passed) return &each;
  }
  return nullptr;
}

Result<CheckReport> check(gpu::Device& device, const Exercise& exercise, const gpu::Source& source, gpu::Job* job,
                          std::optional<std::uint64_t> seed) {
  if (!launches(exercise)) return check_answers(exercise, source, device.info());
  CheckReport report;
  report.compile_failure = fault_in(exercise, source);
  if (report.compile_failure) return report;
  const auto launched = asked(exercise, source);
  if (!launched) return failure(launched.error());
  auto program = device.compile(launched->source);
  if (!program) {
    report.compile_failure = std::move(program.error());
    return report;
  }
  report.program = *program;
  const auto kernels = match(device, exercise, *program, launched->source.file);
  if (!kernels) return failure(kernels.error());
  const auto scales = scales_of(device, exercise, launched->source);
  if (!scales) return failure(scales.error());
  const auto add = [&](const Exercise::Case& one, const Exercise::Case& solved) -> Result<void> {
    auto checked = check_case(device, exercise, *kernels, *scales, one, solved, report, job);
    if (!checked) return failure(checked.error());
    report.cases.push_back(std::move(*checked));
    return {};
  };
  for (std::size_t i = 0; i < exercise.cases.size(); ++i) {
    if (auto done = add(launched->learners.cases[i], launched->right.cases[i]); !done) return failure(done.error());
  }
  if (seed) {
    if (const auto fresh = fresh_case(device, exercise, kernels->right, *scales, *seed, job)) {
      if (auto done = add(*fresh, *fresh); !done) return failure(done.error());
    }
  }
  if (exercise.by_registers && !kernels->learners.kernel->registers && report.all_passed()) {
    return failure(
        "no_registers",
        "The results are right, but nobody can say here whether a GPU would launch this kernel: that depends on its "
        "registers, and the compiler of this machine, clang, does not tell them. NVIDIA's compiler NVRTC does. `warpbook "
        "doctor` says how to install it.");
  }
  return report;
}

Result<gpu::LaunchReport> launch_case(gpu::Device& device, const Exercise& exercise, std::size_t which, const std::string& text,
                                      const std::string& file, gpu::Job* job, std::optional<std::uint64_t> seed) {
  if (!launches(exercise)) return failure("no_launch", "This exercise launches no kernel: there is nothing to step through.");
  if (const auto fault = fault_in(exercise, {.file = file, .text = text})) return failure("compile_error", fault->message);
  const auto wanted = asked(exercise, {.file = file, .text = text});
  if (!wanted) return failure(wanted.error());
  auto program = device.compile(wanted->source);
  if (!program) return failure("compile_error", program.error().message);
  const auto kernels = match(device, exercise, *program, wanted->source.file);
  if (!kernels) return failure(kernels.error());
  std::optional<Exercise::Case> fresh;
  if (which == exercise.cases.size() && seed) {
    const auto scales = scales_of(device, exercise, wanted->source);
    if (!scales) return failure(scales.error());
    fresh = fresh_case(device, exercise, kernels->right, *scales, *seed, job);
    if (!fresh) return failure("cancelled", "The check was cancelled.");  // the solution could be launched before
  }
  const Exercise::Case& one = fresh ? *fresh : wanted->learners.cases.at(which);
  auto launched =
      launch_once(device, kernels->learners, one, {.observe = watch_for(exercise), .max_seconds = exercise.seconds}, job);
  if (!launched) return failure(launched.error());
  return std::move(launched->report);
}

std::vector<std::string> hints_for(const CheckReport::Case& failed) {
  if (!failed.hints.empty()) return failed.hints;
  if (!failed.launched && failed.verdict != Verdict::passed) return {"The lesson's page answers it: go back to its stage “look”."};
  switch (failed.verdict) {
    case Verdict::finding:
      return {"Repair that line first: other mistakes may follow from it."};
    case Verdict::too_slow:
      return {"Which loop never ends? Does every thread change what its condition looks at?"};
    case Verdict::failed:
      return {"The launch itself fails, so nothing was computed."};
    case Verdict::wrong:
      return {fmt::format("Which thread should store {}[{}], and what does it do?", failed.wrong->array,
                          failed.wrong->first.front().index)};
    case Verdict::over_limit:
      return {"The result is right. Which part of the kernel costs the most, and which of it does the result not need?"};
    case Verdict::passed:
      break;
  }
  return {};
}

std::string next_step(const CheckReport& report, std::size_t hints) {
  if (report.compile_failure) return report.compile_failure->message;
  const CheckReport::Case* const first = report.first_failed();
  if (first == nullptr) return {};
  std::string next = fmt::format("Begin with “{}”.", first->name);
  const auto steps = hints_for(*first);
  for (std::size_t i = 0; i < std::min(hints, steps.size()); ++i) next += fmt::format(" {}", steps[i]);
  return next;
}

Result<Outcome> run_check(Host& host, const Exercise& exercise, gpu::Job* job) {
  const Stopwatch watch;
  if (is_compiled(exercise)) {
    if (auto program = host.compile(); !program) return failure(program.error());
  }
  const std::uint64_t seed = host.seed().value_or(seed_by_the_clock());
  auto report =
      check(host.bare_device(), exercise, {.file = exercise.as_lesson.kernel_file, .text = host.kernel_text()}, job, seed);
  if (!report) return failure(report.error());
  if (report->compile_failure) return failure("compile_error", report->compile_failure->message);
  Outcome outcome;
  outcome.note = report->all_passed() ? "Compare yours with the solution: the tab beside it." : next_step(*report, 0);
  const auto all = static_cast<double>(report->cases.size());
  outcome.numbers = {{.name = "passed",
                      .label = exercise.kind == ExerciseKind::quiz ? to_say("Right answers") : to_say("Cases passed"),
                      .value = static_cast<double>(report->passed()),
                      .tone = report->all_passed() ? Number::Tone::good : Number::Tone::bad,
                      .unit = fmt::format("of {}", all)},
                     {.name = "cases",
                      .label = exercise.kind == ExerciseKind::quiz ? to_say("Questions") : to_say("Cases"),
                      .value = all,
                      .on_page = false}};
  const CheckReport::Case* const first = report->first_failed();
  outcome.report = first != nullptr ? first->report : report->cases.back().report;
  Checks checks;
  for (const CheckReport::Case& each : report->cases) {
    checks.rows.push_back(each);
    checks.rows.back().hints = hints_for(each);
  }
  if (checks.rows.size() > rows_of(exercise)) checks.seed = seed;
  outcome.figures.emplace_back(std::move(checks));
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace warpbook::lessons
