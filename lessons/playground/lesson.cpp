// The playground: the learner's own kernel, with all views of the workbook.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include "gpu/device_variables.h"
#include "gpu/merged_reports.h"
#include "lessons/arguments/argument_parts.h"
#include "lessons/arrays.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/playground.h"

namespace warpbook::lessons {

const Lesson& playground();

namespace {

constexpr std::size_t kept_bytes = std::size_t{16} << 20;  // per array, before and after the launch, for hovering
constexpr std::size_t most_inputs = std::size_t{2} << 30;  // bytes of all arrays
constexpr std::uint64_t clocked_threads = 1 << 18;         // with more threads, warps are not recorded

enum Schedule { clock, fast };

/// A parameter with its input.
struct Given {
  const gpu::Parameter* parameter = nullptr;
  ArgumentSpec spec;
};

/// An array that is an argument, or that a struct's member points to.
struct GivenArray {
  gpu::Buffer buffer;
  bool read_only = false;
  std::vector<std::byte> before;
};

Result<std::vector<Given>> inputs_of(const gpu::Program& program, const gpu::Kernel& kernel, const Values& values) {
  std::vector<Given> inputs;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    auto spec = input_of(program, kernel, i, values);
    if (!spec) return failure(spec.error());
    for (const ArgumentPart& part : parts_of(*spec, kernel.parameters[i]))
      bytes += part.spec->is_array ? part.spec->array().bytes() : 0;
    if (bytes > most_inputs) {
      return failure("usage",
                     fmt::format("With {}, the arrays need more than {} GiB. Make them smaller.", spec->text, most_inputs >> 30));
    }
    inputs.push_back({.parameter = &kernel.parameters[i], .spec = std::move(*spec)});
  }
  return inputs;
}

/// Allocates and fills an array, as a host program would.
Result<GivenArray> give(Host& host, const ArgumentPart& part) {
  const ArgumentSpec& spec = *part.spec;
  auto bytes = initial_bytes(spec);
  if (!bytes) return failure(bytes.error());
  const gpu::Array array = spec.array(part.name);
  auto buffer =
      spec.content == ArgumentSpec::Content::value ? host.fill(array.name, array.shape, spec.value) : host.to_device(array, *bytes);
  if (!buffer) return failure(buffer.error());
  return GivenArray{.buffer = std::move(*buffer),
                    .read_only = part.parameter != nullptr && read_only(*part.parameter),
                    .before = std::move(*bytes)};
}

Result<void> give_all(Host& host, const std::vector<Given>& inputs, std::vector<gpu::Argument>& arguments,
                      std::vector<GivenArray>& given) {
  for (const auto& [parameter, spec] : inputs) {
    std::vector<gpu::Buffer> buffers;
    for (const ArgumentPart& part : parts_of(spec, *parameter)) {
      if (!part.spec->is_array) continue;
      auto array = give(host, part);
      if (!array) return failure(array.error());
      buffers.push_back(array->buffer);
      given.push_back(std::move(*array));
    }
    arguments.push_back(make_argument(spec, *parameter, buffers));
  }
  return {};
}

/// A launch that is repeated with the same inputs.
struct Again {
  std::string kernel;
  gpu::Dim3 grid, block;
  std::vector<gpu::Argument> arguments;
  LaunchOptions options;
};

/// Merges the findings of the first launch and of launches with further seeds: `orders` in all.
Result<gpu::LaunchReport> try_orders(Host& host, Again again, const std::vector<GivenArray>& given,
                                     const gpu::SavedVariables& variables, std::int64_t orders, gpu::LaunchReport first) {
  const Host::Unrecorded unrecorded(host);
  again.options.observe.trace.clear();
  again.options.observe.trace_shared = again.options.observe.timeline = false;
  gpu::MergedReports joined;
  joined.add(std::move(first));
  for (std::int64_t n = 1; n < orders && joined.wants_more(); ++n) {
    for (const GivenArray& array : given) {
      if (array.read_only) continue;
      if (auto written = host.write(array.buffer, array.before); !written) return failure(written.error());
    }
    if (auto back = host.restore(variables); !back) return failure(back.error());
    again.options.seed = again.options.seed.value_or(0) + 1;
    auto report = host.launch(again.kernel, again.grid, again.block, again.arguments, again.options);
    if (!report) return failure(report.error());
    joined.add(std::move(*report));
  }
  return joined.take();
}

void tell(Outcome& outcome, const Arrays::One& one) {
  const std::string& name = one.array.name;
  const auto given = with("array"_a = name);
  const auto number = [&](std::string_view what, Message label, double value) {
    const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
    outcome.numbers.push_back({.name = fmt::format("{}_{}", name, what),
                               .label = std::move(label),
                               .value = value,
                               .decimals = whole ? 0 : 6,
                               .on_page = false});
  };
  if (!one.read_only) number("changed", given.to_say("{array}: elements changed"), static_cast<double>(one.changed));
  if (one.not_numbers > 0) number("not_numbers", given.to_say("{array}: NaN or infinite"), static_cast<double>(one.not_numbers));
  number("least", given.to_say("{array}: least"), one.least);
  number("most", given.to_say("{array}: most"), one.most);
  number("mean", given.to_say("{array}: mean"), one.mean);
}

/// Whether a finding may explain unexpected values.
bool may_spoil_values(const gpu::Finding& finding) {
  using Kind = gpu::FindingKind;
  return finding.kind == Kind::memory || finding.kind == Kind::race || finding.kind == Kind::init || finding.kind == Kind::sync;
}

std::string say(const std::vector<Arrays::One>& arrays, const gpu::LaunchReport& report) {
  if (!report.unfilled.empty()) return report.unfilled.front().sentence;
  const bool nothing = std::all_of(arrays.begin(), arrays.end(), [](const Arrays::One& one) { return one.changed == 0; });
  if (nothing && std::ranges::any_of(report.findings, may_spoil_values))
    return "No element has another value than before. The report has found something that can be the cause: read it first.";
  if (nothing)
    return "No element has another value than before. Does every thread return at a guard, or store the value that was there?";
  for (const Arrays::One& one : arrays) {
    if (one.not_numbers > 0 && !one.read_only) {
      return fmt::format("{} of {}'s elements {} NaN or infinite.", one.not_numbers, one.array.name,
                         one.not_numbers == 1 ? "is" : "are");
    }
  }
  return {};
}

/// Fills the kernel's variables: with their inputs, or else with zeros, as in a new process. Returns the symbols of those that have
/// an input.
Result<std::set<std::string>> fill_variables(Host& host, const gpu::Program& program, const gpu::Kernel& kernel,
                                             const Values& values) {
  std::set<std::string> said;
  for (const gpu::Variable* variable : fields_of(program, kernel)) {
    const std::string own = own_variable(program, kernel, *variable);
    auto spec = variable_of(*variable, values, own);
    if (!spec) return failure(spec.error());
    auto bytes = initial_bytes(*spec);
    if (!bytes) return failure(bytes.error());
    std::optional<Host::Unrecorded> unrecorded;
    if (values.text(variable_key(*variable)).empty() && own.empty())
      unrecorded.emplace(host);
    else
      said.insert(variable->symbol);
    if (auto done = host.write_variable(*variable, *bytes); !done) return failure(done.error());
  }
  return said;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  auto program = host.compile();
  if (!program) return failure(program.error());
  const gpu::Kernel* const kernel = chosen_kernel(**program, values);
  if (kernel == nullptr) {
    return failure(
        "no_kernel",
        "There is no kernel in this file: no function is marked __global__. A template needs to be named to exist, as in "
        "`template __global__ void scale<float>(float*, int);`.");
  }
  auto inputs = inputs_of(**program, *kernel, values);
  if (!inputs) return failure(inputs.error());
  const auto [grid, block, shared_bytes] = shape_in(values);
  LaunchOptions options{.dynamic_shared_bytes = shared_bytes,
                        .observe = values.on("watch") ? gpu::Observe::all() : gpu::Observe{},
                        .schedule = values.integer("schedule") == clock ? gpu::Schedule::clock : gpu::Schedule::fast,
                        .seed = static_cast<std::uint64_t>(values.integer("seed"))};
  if (options.schedule == gpu::Schedule::fast && !values.on("watch")) options.seed.reset();  // run blocks on all cores
  std::vector<gpu::Argument> arguments;
  std::vector<GivenArray> given;
  if (auto all = give_all(host, *inputs, arguments, given); !all) return failure(all.error());
  std::vector<gpu::Buffer> buffers;
  for (const GivenArray& array : given) buffers.push_back(array.buffer);
  const std::uint64_t threads = grid.count() * block.count();
  if (values.on("watch") && threads <= clocked_threads) {
    for (const gpu::Buffer& buffer : buffers) options.observe.trace.push_back(buffer.id);
    options.observe.trace_shared = true;
  }
  options.observe.timeline = options.schedule == gpu::Schedule::clock && threads <= clocked_threads;

  auto filled = fill_variables(host, **program, *kernel, values);
  if (!filled) return failure(filled.error());
  // On hardware, the order cannot be chosen.
  const std::int64_t orders = values.on("watch") && host.device().is_model ? values.integer("orders") : 1;
  gpu::SavedVariables variables;
  if (orders > 1) {
    auto kept = host.keep_variables();
    if (!kept) return failure(kept.error());
    variables = std::move(*kept);
  }
  auto report = host.launch(kernel->name, grid, block, arguments, options);
  if (!report) return failure(report.error());
  report->unfilled = gpu::unfilled_variables(**program, *kernel, *filled);
  if (!report->ok()) return without_results(std::move(*report));

  std::vector<Arrays::One> arrays;
  for (auto& [buffer, kept, before] : given) {
    std::vector<std::byte> after = before;
    if (!kept) {
      if (auto read = host.copy_to_host(buffer, after); !read) return failure(read.error());
    }
    arrays.push_back(look_at(buffer.array, kept, orders > 1 ? before : std::move(before), std::move(after), kept_bytes));
  }
  if (orders > 1) {
    report = try_orders(host, {kernel->name, grid, block, arguments, options}, given, variables, orders, std::move(*report));
    if (!report) return failure(report.error());
    if (!report->ok()) return without_results(std::move(*report));
  }
  Outcome outcome;
  std::uint64_t changed = 0;
  for (const Arrays::One& one : arrays) changed += one.changed;
  outcome.numbers = launch_numbers(threads, changed, *report);
  for (const Arrays::One& one : arrays) tell(outcome, one);
  outcome.note = say(arrays, *report);

  outcome.figures.emplace_back(Arrays{std::make_shared<const std::vector<Arrays::One>>(std::move(arrays))});
  add_launch_figures(outcome, host.device(), *report, buffers, options.dynamic_shared_bytes);
  outcome.report = std::move(*report);
  outcome.report.trace.clear();
  outcome.seconds = watch.seconds();
  return outcome;
}

Control extent(std::string id, const ToSay& label, double initial, double most, const ToSay& help) {
  return {.id = std::move(id), .label = label, .initial = initial, .least = 1, .most = most, .logarithmic = true, .help = help};
}

}  // namespace

const Lesson& playground() {
  static const Lesson lesson{
      .id = "playground",
      .number = "",
      .title = "Playground",
      .rail_title = "Playground",
      .kernel_file = "playground.cu",
      .kernel = "mandelbrot",
      .playground = true,
      .controls = {extent("threads", to_say("Threads x"), 16, most_threads.x,
                          to_say("blockDim.x. A block has at most 1024 threads in all.")),
                   extent("threads_y", to_say("Threads y"), 16, most_threads.y, to_say("blockDim.y.")),
                   extent("threads_z", to_say("Threads z"), 1, most_threads.z, to_say("blockDim.z: 64 at most.")),
                   extent("blocks", to_say("Blocks x"), 4, most_blocks.x, to_say("gridDim.x.")),
                   extent("blocks_y", to_say("Blocks y"), 4, most_blocks.y, to_say("gridDim.y: 65535 at most.")),
                   extent("blocks_z", to_say("Blocks z"), 1, most_blocks.z, to_say("gridDim.z: 65535 at most.")),
                   {.id = "schedule",
                    .label = to_say("Schedule"),
                    .kind = Control::Kind::choice,
                    .most = 1,
                    .options = {{"clock", to_say("Clock model")}, {"fast", to_say("Fast")}},
                    .help = to_say("The clock model says when things happen on a GPU; fast only what happens.")},
                   {.id = "watch",
                    .label = to_say("Watch accesses"),
                    .kind = Control::Kind::toggle,
                    .initial = 1,
                    .help = to_say("On: every access, barrier and branch is looked at. Off: full speed.")},
                   {.id = "shared",
                    .label = to_say("Shared bytes"),
                    .initial = 0,
                    .least = 0,
                    .most = most_shared_bytes,
                    .step = 4,
                    .help = to_say("Dynamic shared memory a block: what `extern __shared__` arrays get.")},
                   {.id = "seed",
                    .label = to_say("Seed"),
                    .initial = 0,
                    .least = 0,
                    .most = 9999,
                    .help = to_say("Which of the many possible orders the virtual GPU takes."),
                    .seed = true},
                   {.id = "orders",
                    .label = to_say("Orders tried"),
                    .initial = 1,
                    .least = 1,
                    .most = 256,
                    .logarithmic = true,
                    .help = to_say(
                        "A race may show only when a certain thread comes first. The kernel is launched in so many orders, from "
                        "the seed on, and what any of them shows is reported. Numbers and figures are the first order's.")}},
      .presets = {},
      .views = {"arrays", "memory_map", "sm_timeline", "occupancy"},
      .guesses = {},
      .more_macros = {},
      .run = run,
      .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
