#include "lessons/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "gpu/elements.h"
#include "lessons/arguments/argument_buffers.h"
#include "lessons/arguments/argument_check.h"
#include "lessons/catalog.h"
#include "lessons/experiment.h"
#include "lessons/playground.h"

namespace warpbook::lessons {
namespace {

using Verdict = Checks::Verdict;

/// An array as a launch left it.
struct Left {
  std::size_t argument = 0;
  const ArgumentSpec* spec = nullptr;
  std::string name;
  bool read_only = false;
  std::vector<std::byte> bytes;
};

struct Launched {
  gpu::LaunchReport report;
  std::vector<Left> arrays;  // empty where the launch did not end well
};

/// Releases what a case has on the device.
class Lent {
 public:
  explicit Lent(gpu::Device& device) : device_(device) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    for (const GivenArgument& each : all) {
      for (const gpu::Buffer& buffer : each.buffers) device_.release(buffer);
    }
  }
  std::vector<GivenArgument> all;

 private:
  gpu::Device& device_;
};

Result<Launched> launch(gpu::Device& device, const gpu::ProgramPtr& program, const gpu::Kernel& kernel, const Exercise::Case& one,
                        const gpu::Observe& observe, gpu::Job* job) {
  gpu::LaunchRequest request{.program = program,
                             .kernel = kernel.name,
                             .grid = one.grid,
                             .block = one.block,
                             .dynamic_shared_bytes = one.shared_bytes,
                             .observe = observe,
                             .limits = {.max_seconds = case_seconds}};
  Lent lent(device);
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    auto given = make_buffers(device, one.arguments[i], kernel.parameters[i]);
    if (!given) return failure(given.error());
    request.arguments.push_back(make_argument(one.arguments[i], kernel.parameters[i], given->buffers));
    lent.all.push_back(std::move(*given));
  }
  Launched launched{.report = device.launch(request, job)};
  if (launched.report.status == "cancelled") return failure("cancelled", "Cancelled. Press Check to start again.");
  if (!launched.report.ok()) return launched;
  for (std::size_t i = 0; i < lent.all.size(); ++i) {
    auto buffer = lent.all[i].buffers.begin();
    for (const ArgumentPart& part : lent.all[i].parts) {
      if (!part.spec->is_array) continue;
      Left left{.argument = i,
                .spec = part.spec,
                .name = part.name,
                .read_only = part.parameter != nullptr && read_only(*part.parameter),
                .bytes = std::vector<std::byte>(part.spec->array().bytes())};
      if (auto done = device.read(*buffer++, left.bytes); !done) return failure(done.error());
      launched.arrays.push_back(std::move(left));
    }
  }
  return launched;
}

gpu::Observe watch_for(std::span<const gpu::FindingKind> kinds) {
  const auto any = [&](gpu::FindingKind kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); };
  using enum gpu::FindingKind;
  gpu::Observe observe;
  observe.memory = any(memory);
  observe.race = any(race);
  observe.init = any(init);
  observe.sync = any(sync);
  observe.coalescing = any(coalescing);
  observe.banks = any(banks);
  observe.divergence = any(divergence);
  return observe;
}

// ---- What is right. ---------------------------------------------------------------------------------------------------------

bool same(gpu::ScalarType type, std::span<const std::byte> expected, std::span<const std::byte> got, std::size_t i,
          double tolerance) {
  const std::size_t size = gpu::size_of(type);
  if (type != gpu::ScalarType::float32 && type != gpu::ScalarType::float64)
    return std::memcmp(expected.data() + i * size, got.data() + i * size, size) == 0;
  const double right = gpu::element_value(type, expected, i), is = gpu::element_value(type, got, i);
  if (std::isnan(right)) return std::isnan(is);
  if (std::isinf(right)) return is == right;
  return is == right || std::abs(is - right) <= tolerance * std::abs(right);
}

gpu::Scalar element(gpu::ScalarType type, std::span<const std::byte> bytes, std::size_t i) {
  gpu::Scalar scalar{.type = type};
  std::memcpy(&scalar.bits, bytes.data() + i * gpu::size_of(type), gpu::size_of(type));
  return scalar;
}

std::string text_of(const gpu::Scalar& scalar) {
  return gpu::element_text(scalar.type, std::as_bytes(std::span(&scalar.bits, 1)), 0);
}

std::optional<Checks::Wrong> compare(const Left& expected, const Left& got, double tolerance) {
  const gpu::ScalarType type = expected.spec->type;
  Checks::Wrong wrong{
      .argument = got.argument, .array = got.name, .shape = got.spec->shape, .wrong = 0, .elements = got.spec->array().count()};
  for (std::size_t i = 0; i < wrong.elements; ++i) {
    if (same(type, expected.bytes, got.bytes, i, tolerance)) continue;
    if (wrong.wrong++ > 0) continue;
    wrong.index = i;
    wrong.expected = element(type, expected.bytes, i);
    wrong.got = element(type, got.bytes, i);
  }
  return wrong.wrong > 0 ? std::optional(std::move(wrong)) : std::nullopt;
}

/// "out[195], which is row 3, column 3"
std::string place_of(const Checks::Wrong& wrong) {
  const std::string flat = fmt::format("{}[{}]", wrong.array, wrong.index);
  if (wrong.shape.size() != 2) return flat;
  return fmt::format("{} (row {}, column {})", flat, wrong.index / wrong.shape[1], wrong.index % wrong.shape[1]);
}

std::string say(const Checks::Wrong& wrong, const Left& expected) {
  const std::string got = text_of(wrong.got);
  if (expected.read_only) {
    return fmt::format("{} was {} and is {}: the kernel has written to {}, which is only to be read.", place_of(wrong),
                       text_of(wrong.expected), got, wrong.array);
  }
  std::string sentence = fmt::format("{} should be {} and is {}", place_of(wrong), text_of(wrong.expected), got);
  const auto before = initial_bytes(*expected.spec);
  if (before && element(wrong.got.type, *before, wrong.index).bits == wrong.got.bits)
    sentence += ", as it was before the launch: has any thread stored to it?";
  else
    sentence += ".";
  if (wrong.wrong == 1) return sentence;
  if (wrong.wrong == wrong.elements) return sentence + fmt::format(" All {} elements are wrong.", wrong.elements);
  return sentence + fmt::format(" It is the first of {} wrong elements of {}.", wrong.wrong, wrong.elements);
}

// ---- A case. ----------------------------------------------------------------------------------------------------------------

std::optional<std::size_t> forbidden(const gpu::LaunchReport& report, const Exercise& exercise) {
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const auto& kinds = exercise.forbidden;
    if (std::find(kinds.begin(), kinds.end(), report.findings[i].kind) != kinds.end()) return i;
  }
  return std::nullopt;
}

CheckReport::Case judge(const Exercise& exercise, const Exercise::Case& one, const Launched& right, Launched learners) {
  CheckReport::Case checked{{.name = one.name, .grid = one.grid, .block = one.block, .shared_bytes = one.shared_bytes},
                            std::move(learners.report)};
  for (std::size_t i = 0; i < learners.arrays.size() && !checked.wrong; ++i) {
    checked.wrong = compare(right.arrays[i], learners.arrays[i], exercise.tolerance);
    if (!checked.wrong) continue;
    checked.verdict = Verdict::wrong;
    checked.message = say(*checked.wrong, right.arrays[i]);
  }
  // What a kernel must not do explains why its result is wrong, where it is.
  checked.found = forbidden(checked.report, exercise);
  if (checked.found) {
    checked.verdict = Verdict::finding;
    checked.message = checked.report.findings[*checked.found].message;
  }
  if (!checked.report.ok()) {
    checked.verdict = checked.report.status == "cudaErrorLaunchTimeout" ? Verdict::too_slow : Verdict::failed;
    checked.message = checked.report.message;
    checked.found.reset();
  }
  if (checked.verdict == Verdict::wrong || checked.verdict == Verdict::finding) checked.hint = one.hint;
  return checked;
}

/// The kernel that an exercise launches, in a program that has it with the parameters that its cases fit.
struct Right {
  gpu::ProgramPtr program;
  const gpu::Kernel* kernel = nullptr;
};

Result<Right> solution_of(gpu::Device& device, const Exercise& exercise) {
  const auto bad = [&](const std::string& why) {
    return failure("bad_task", fmt::format("The exercise {} itself is at fault: {}", exercise.id, why));
  };
  auto text = read_text(exercise.folder / "solution.cu");
  if (!text) return failure(text.error());
  auto program = device.compile({.file = "solution.cu", .text = *text});
  if (!program) return bad(program.error().message);
  const gpu::Kernel* const kernel = (*program)->find(exercise.kernel);
  if (kernel == nullptr) return bad(fmt::format("its solution.cu has no kernel '{}'.", exercise.kernel));
  for (const Exercise::Case& one : exercise.cases) {
    if (auto fits = check_arguments(*kernel, one.arguments, Types::exact); !fits)
      return bad(fmt::format("case '{}': {}", one.name, fits.error().message));
  }
  return Right{.program = *program, .kernel = kernel};
}

/// The learner's kernel, if it can be launched as the solution is.
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

/// Both kernels, which the cases fit.
struct Match {
  const gpu::Kernel* learners = nullptr;
  Right right;
};

Result<Match> match(gpu::Device& device, const Exercise& exercise, const gpu::Program& program, const std::string& file) {
  auto right = solution_of(device, exercise);
  if (!right) return failure(right.error());
  auto kernel = kernel_of(program, exercise, *right->kernel, file);
  if (!kernel) return failure(kernel.error());
  return Match{.learners = *kernel, .right = std::move(*right)};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view names[] = {"passed", "wrong", "finding", "failed", "too_slow"};
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

Result<CheckReport> check(gpu::Device& device, const Exercise& exercise, const gpu::Source& source, gpu::Job* job) {
  CheckReport report;
  auto program = device.compile(source);
  if (!program) {
    report.compile_failure = std::move(program.error());
    return report;
  }
  report.program = *program;
  const auto kernels = match(device, exercise, **program, source.file);
  if (!kernels) return failure(kernels.error());
  const gpu::Observe watched = watch_for(exercise.forbidden);
  for (const Exercise::Case& one : exercise.cases) {
    auto learners = launch(device, *program, *kernels->learners, one, watched, job);
    if (!learners) return failure(learners.error());
    auto expected = launch(device, kernels->right.program, *kernels->right.kernel, one, {}, job);
    if (!expected) return failure(expected.error());
    if (!expected->report.ok()) {
      return failure("bad_task", fmt::format("The exercise {} itself is at fault: its solution fails in case '{}': {}", exercise.id,
                                             one.name, expected->report.message));
    }
    report.cases.push_back(judge(exercise, one, *expected, std::move(*learners)));
  }
  return report;
}

Result<gpu::LaunchReport> launch_case(gpu::Device& device, const Exercise& exercise, std::size_t which, const std::string& text,
                                      const std::string& file, gpu::Job* job) {
  auto program = device.compile({.file = file, .text = text});
  if (!program) return failure("compile_error", program.error().message);
  const auto kernels = match(device, exercise, **program, file);
  if (!kernels) return failure(kernels.error());
  auto launched = launch(device, *program, *kernels->learners, exercise.cases.at(which), watch_for(exercise.forbidden), job);
  if (!launched) return failure(launched.error());
  return std::move(launched->report);
}

std::string next_step(const CheckReport& report) {
  if (report.compile_failure) return report.compile_failure->message;
  const CheckReport::Case* const first = report.first_failed();
  if (first == nullptr) return {};
  const std::string next = fmt::format("Begin with “{}”. ", first->name);
  if (!first->hint.empty()) return next + first->hint;
  switch (first->verdict) {
    case Verdict::finding:
      return next + "Mend that line first: what else is wrong may follow from it.";
    case Verdict::too_slow:
      return next + "Which loop never ends? Does every thread change what its condition looks at?";
    case Verdict::failed:
      return next + "The launch itself fails, so nothing was computed.";
    case Verdict::wrong:
    case Verdict::passed:
      break;
  }
  return next + fmt::format("Which thread should store {}[{}], and what does it do?", first->wrong->array, first->wrong->index);
}

Result<Outcome> run_check(Host& host, const Exercise& exercise, gpu::Job* job) {
  const Stopwatch watch;
  if (auto program = host.compile(); !program) return failure(program.error());
  auto report = check(host.bare_device(), exercise, {.file = exercise.as_lesson.kernel_file, .text = host.kernel_text()}, job);
  if (!report) return failure(report.error());
  Outcome outcome{.note =
                      report->all_passed() ? "Compare yours with the solution: the tab beside the kernel." : next_step(*report)};
  const auto all = static_cast<double>(report->cases.size());
  outcome.numbers = {{.name = "passed",
                      .label = "Cases passed",
                      .value = static_cast<double>(report->passed()),
                      .tone = report->all_passed() ? Number::Tone::good : Number::Tone::bad,
                      .unit = fmt::format("of {}", all)},
                     {.name = "cases", .label = "Cases", .value = all, .on_page = false}};
  const CheckReport::Case* const first = report->first_failed();
  outcome.report = first != nullptr ? first->report : report->cases.back().report;
  Checks checks;
  for (const CheckReport::Case& each : report->cases) checks.rows.push_back(each);
  outcome.figures.emplace_back(std::move(checks));
  outcome.seconds = watch.seconds();
  return outcome;
}

}  // namespace warpbook::lessons
