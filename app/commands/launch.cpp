#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/clock_text.h"
#include "app/commands/commands.h"
#include "app/commands/device_choice.h"
#include "app/commands/exit_code.h"
#include "app/commands/launch_plan.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "app/commands/whole_number.h"
#include "gpu/compiler_log.h"
#include "gpu/device.h"
#include "gpu/finding_kinds.h"
#include "gpu/merged_reports.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/shown_text.h"
#include "lessons/arguments/argument_buffers.h"
#include "lessons/arguments/argument_check.h"
#include "lessons/arguments/argument_parts.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/arguments/npy.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t most_printed = 4096;  // elements of one array in the text report

struct LaunchOptions {
  LaunchWords words;
  DeviceChoice device;
  bool json = false;
};

tl::unexpected<Error> wrong(std::string sentence) { return failure("usage", std::move(sentence)); }

Result<const gpu::Kernel*> choose_kernel(const gpu::Program& program, const std::string& name, const std::string& file) {
  if (const gpu::Kernel* kernel = program.find(name)) return kernel;
  if (program.kernels.empty() && program.source.text.find("__global__") != std::string::npos)
    return wrong(
        say("{file}: its kernels are templates. Say for which types, as in 'scale<float>' for a kernel scale.", "file"_a = file));
  if (program.kernels.empty()) return wrong(say("{file} has no kernel: no function in it is marked __global__.", "file"_a = file));
  std::vector<std::string> known;
  for (const gpu::Kernel& kernel : program.kernels) known.push_back(lessons::signature(kernel));
  return wrong(say("{file} has no kernel '{kernel}'. Its kernels: {known}.", "file"_a = file, "kernel"_a = cut(name, 80),
                   "known"_a = listed(known, 4, "; ")));
}

/// A number or an array after the launch.
struct Printed {
  std::size_t argument = 0;
  const lessons::ArgumentPart* part = nullptr;
  std::vector<std::byte> bytes;
};

// All of the struct, where the place names one.
Result<std::vector<Printed>> read_after(gpu::Device& device, const lessons::GivenArgument& given, const LaunchPlan::Place& place) {
  std::vector<Printed> printed;
  std::size_t arrays = 0;
  for (const lessons::ArgumentPart& part : given.parts) {
    const std::size_t array = part.spec->is_array ? arrays++ : 0;
    if (!std::equal(place.member.begin(), place.member.end(), part.path.begin(),
                    part.path.begin() + static_cast<std::ptrdiff_t>(std::min(place.member.size(), part.path.size()))))
      continue;
    Printed one{.argument = place.argument, .part = &part, .bytes = {}};
    if (part.spec->is_array) {
      one.bytes.resize(part.spec->array().bytes());
      if (auto done = device.read(given.buffers[array], one.bytes); !done) return failure(done.error());
    } else {
      auto bytes = lessons::initial_bytes(*part.spec);  // it is passed by value: the kernel cannot change ours
      if (!bytes) return failure(bytes.error());
      one.bytes = std::move(*bytes);
    }
    printed.push_back(std::move(one));
  }
  return printed;
}

/// A variable after the launch.
struct PrintedVariable {
  const gpu::Variable* variable = nullptr;
  std::vector<std::byte> bytes;
};

Result<void> fill_variables(gpu::Device& device, const gpu::ProgramPtr& program, const LaunchPlan& plan) {
  for (const lessons::VariableSpec& symbol : plan.symbols) {
    auto variable = lessons::find_variable(*program, symbol.name);
    if (!variable) return failure(variable.error());
    if (auto done = lessons::write_variable(device, program, **variable, symbol.spec); !done) return done;
  }
  return {};
}

/// Of those that are to be printed; their names are checked before the launch.
Result<std::vector<PrintedVariable>> variables_to_print(const gpu::Program& program, const LaunchPlan& plan) {
  std::vector<PrintedVariable> printed;
  for (const std::string& name : plan.printed_variables) {
    auto variable = lessons::find_variable(program, name);
    if (!variable) return failure(variable.error());
    printed.push_back({.variable = *variable, .bytes = {}});
  }
  return printed;
}

Result<void> read_variables(gpu::Device& device, const gpu::ProgramPtr& program, std::vector<PrintedVariable>& printed) {
  for (PrintedVariable& one : printed) {
    one.bytes.resize(one.variable->array.bytes());
    if (auto done = device.read_variable(program, *one.variable, one.bytes); !done) return done;
  }
  return {};
}

Result<std::vector<lessons::GivenArgument>> give(gpu::Device& device, gpu::LaunchRequest& request, const gpu::Kernel& kernel,
                                                 const LaunchPlan& plan) {
  std::vector<lessons::GivenArgument> given;
  if (auto filled = fill_variables(device, request.program, plan); !filled) return failure(filled.error());
  request.arguments.clear();
  // Before the first array is made: a file that does not fit would have them made for nothing.
  for (std::size_t i = 0; i < plan.specs.size(); ++i)
    for (const lessons::ArgumentPart& part : lessons::parts_of(plan.specs[i], kernel.parameters[i]))
      if (auto fits = lessons::check_initial_bytes(*part.spec); !fits) return failure(fits.error());
  for (std::size_t i = 0; i < plan.specs.size(); ++i) {
    auto buffers = lessons::make_buffers(device, plan.specs[i], kernel.parameters[i]);
    if (!buffers) return failure(buffers.error());
    request.arguments.push_back(lessons::make_argument(plan.specs[i], kernel.parameters[i], buffers->buffers));
    given.push_back(std::move(*buffers));
  }
  return given;
}

/// Once, or once for each of so many seeds, with inputs made afresh; `given` are those of the last launch.
Result<gpu::LaunchReport> launch_in_orders(gpu::Device& device, gpu::LaunchRequest& request, const gpu::Kernel& kernel,
                                           const LaunchPlan& plan, std::uint32_t seeds,
                                           std::vector<lessons::GivenArgument>& given) {
  if (seeds == 0) {
    auto made = give(device, request, kernel, plan);
    if (!made) return failure(made.error());
    given = std::move(*made);
    return device.launch(request);
  }
  if (!device.info().is_model)
    return failure(
        "usage", "--seeds tries several orders of blocks and warps, and a GPU takes the one that it takes. Use --device virtual.");
  const auto variables = gpu::SavedVariables::of(device, request.program);
  if (!variables) return failure(variables.error());
  gpu::MergedReports joined;
  const std::uint64_t first = request.seed.value_or(1);
  for (std::uint32_t n = 0; n < seeds && joined.wants_more(); ++n) {
    for (const lessons::GivenArgument& argument : given)
      for (const gpu::Buffer& buffer : argument.buffers) device.release(buffer);
    if (auto back = variables->restore(device); !back) return failure(back.error());
    auto made = give(device, request, kernel, plan);
    if (!made) return failure(made.error());
    given = std::move(*made);
    request.seed = first + n;
    joined.add(device.launch(request));
  }
  return joined.take();
}

/// What line numbers count in; of PTX they speak of a file that is not here.
std::string_view source_lines(const gpu::Program& program, const LaunchPlan& plan) {
  return plan.is_ptx ? std::string_view() : std::string_view(program.source.text);
}

Result<void> write_timeline(const std::string& file, const gpu::LaunchReport& report, std::string_view source) {
  if (!report.clock || report.clock->timeline.lanes.empty()) {
    if (!report.ok()) return {};  // the launch's own sentence says why there is nothing
    return wrong(say("{device} keeps no record of what its warps did when, so there is no timeline. Use --device virtual.",
                     "device"_a = report.device));
  }
  return write_file(file, dump(trace_events(report, source)) + '\n');
}

void print_json(const gpu::DeviceInfo& device, const gpu::Program& program, const gpu::LaunchReport& report, const LaunchPlan& plan,
                const std::vector<Printed>& printed, const std::vector<PrintedVariable>& variables) {
  Json json;
  json["kernel"] = report.kernel;
  json["device"] = report.device;
  json["grid"] = to_json(report.grid);
  json["block"] = to_json(report.block);
  json["status"] = report.status;
  if (!report.message.empty()) json["message"] = in_english(report.message);  // why it did not end well
  json["compiler"] = program.compiler.empty() ? Json() : Json(program.compiler);
  json["compile_ms"] = program.compile_ms;
  json["run_ms"] = report.run_ms;
  json["thread_instructions"] = device.is_model ? Json(report.thread_instructions) : Json();  // hardware does not count them
  json["registers"] = report.registers ? Json(*report.registers) : Json();
  json["shared_bytes"] = report.shared_bytes;
  if (report.cycles) json["cycles"] = *report.cycles;
  if (report.clock) json["clock"] = clock_json(*report.clock);
  if (!report.lines.empty()) json["lines"] = lines_json(report, source_lines(program, plan));
  if (report.orders > 1) json["orders"] = report.orders;
  json["findings"] = findings_json(report);
  json["not_observed"] = not_observed_json(report.observed);
  if (Json incomplete = incomplete_json(report.observed); !incomplete.empty()) json["incomplete"] = std::move(incomplete);
  if (report.stopped) json["stopped"] = stopped_json(*report.stopped);
  if (!report.remarks.empty()) json["remarks"] = remarks_json(report);
  for (const gpu::UnfilledVariable& unfilled : report.unfilled)
    json["unfilled_variables"].push_back({{"name", unfilled.name}, {"message", unfilled.sentence}});
  Json arguments = Json::array();
  for (const auto& [argument, part, bytes] : printed) {
    Json one{{"index", argument}};
    if (!part->path.empty()) one["member"] = part->path;
    one["type"] = gpu::name_of(part->spec->type);
    one["shape"] = part->spec->shape;
    one["values"] = values_json(part->spec->type, bytes);
    arguments.push_back(std::move(one));
  }
  json["args"] = std::move(arguments);
  for (const auto& [variable, bytes] : variables)
    json["variables"].push_back({{"name", variable->array.name},
                                 {"type", gpu::name_of(variable->array.type)},
                                 {"shape", variable->array.shape},
                                 {"values", values_json(variable->array.type, bytes)}});
  json["stdout"] = report.output;
  print_out("{}\n", dump(json));
}

/// What to do about the first one stands below them all.
void print_unfilled(const gpu::Program& program, const gpu::LaunchReport& report) {
  if (report.unfilled.empty()) return;
  print_out("\n");
  for (const gpu::UnfilledVariable& unfilled : report.unfilled) print_out("{}\n", unfilled.sentence);
  if (const gpu::Variable* first = program.variable(report.unfilled.front().name))
    print_out("For example: --symbol {}={}\n", first->array.name, lessons::suggested_spec(*first));
}

void print_text(const gpu::DeviceInfo& device, const gpu::Program& program, const gpu::LaunchReport& report, const LaunchPlan& plan,
                const std::vector<Printed>& printed, const std::vector<PrintedVariable>& variables) {
  for (const gpu::Diagnostic& warning : program.warnings)
    print_err("{}", diagnostic_text(warning, {program.source.text, program.headers}));
  print_out("{}<<<{}, {}>>> on {}: {}\n", report.kernel, gpu::to_string(report.grid), gpu::to_string(report.block), report.device,
            report.status);
  if (!report.message.empty()) print_out("{}\n", say(report.message));
  if (report.stopped) print_out("{}", stopped_text(*report.stopped, {source_lines(program, plan), program.headers}));
  if (device.is_model) print_out("{} thread instructions in ", report.thread_instructions);
  print_out("{:.{}f} ms", report.run_ms, report.times ? 4 : 2);
  if (report.times) print_out(" on the GPU; the launch had returned after {:.1f} µs", report.times->returned);
  if (report.cycles) {
    print_out("; {} cycles", *report.cycles);
    if (report.model_us) print_out(" = {:.2f} µs", *report.model_us);
    print_out(" by the clock model");
  }
  if (report.registers)
    print_out("; {} registers a thread", *report.registers);
  else if (!program.compiler.empty())
    print_out("; registers not known");
  print_out("; {} bytes of shared memory a block", report.shared_bytes);
  if (!program.compiler.empty()) print_out("; compiled by {} in {:.0f} ms", program.compiler, program.compile_ms);
  print_out("\n");
  print_unfilled(program, report);
  if (report.clock) print_out("\n{}", clock_text(report, source_lines(program, plan)));
  if (!report.output.empty())
    print_out("\n{}\n{}{}", say("The kernel printed:"), without_controls(report.output), report.output.ends_with('\n') ? "" : "\n");
  for (const gpu::Finding& finding : report.findings) {
    print_out("\n{}", finding_text(finding, {source_lines(program, plan), program.headers}));
    if (report.orders > 1)
      print_out("{}\n", say("Seen in {some} of {all} orders.", "some"_a = finding.orders, "all"_a = report.orders));
  }
  if (report.findings_left_out > 0) print_out("\n{}\n", say("… and {n} more findings.", "n"_a = report.findings_left_out));
  if (plan.observe.any()) print_out("\n{}", observations_text(report));
  for (const auto& [argument, part, bytes] : printed) {
    std::string number = fmt::format("{}", argument);
    for (const std::size_t member : part->path) number += fmt::format(".{}", member);
    print_out("\narg {}, {} {}:\n{}", number, part->spec->type_text(), part->name,
              values_text(part->spec->type, bytes, most_printed));
  }
  for (const auto& [variable, bytes] : variables)
    print_out("\nvariable {}, {}:\n{}", variable->array.name, lessons::type_text(*variable),
              values_text(variable->array.type, bytes, most_printed));
}

int launch(const LaunchOptions& options) {
  auto plan = understand(options.words);
  if (!plan) return complain(plan.error());
  gpu::Compiler compiler;
  auto device = options.device.open(compiler);
  if (!device) return complain(device.error());

  auto program = plan->is_ptx ? compiler.adopt_ptx(plan->source.file, plan->source.text) : (*device)->compile(plan->source);
  if (!program) return complain(program.error(), plan->source.text);
  if (const auto& names = (*program)->left_out; !names.empty())
    print_err("{}\n", in_sentences(options.words.file + ": " + gpu::left_out_sentence(names)));
  auto kernel = choose_kernel(**program, options.words.kernel, options.words.file);
  if (!kernel) return complain(kernel.error());
  if (auto fits = lessons::check_arguments(**kernel, plan->specs, plan->is_ptx ? lessons::Types::sizes : lessons::Types::exact);
      !fits)
    return complain(fits.error());

  gpu::LaunchRequest request{.program = *program,
                             .kernel = (*kernel)->name,
                             .grid = plan->grid,
                             .block = plan->block,
                             .dynamic_shared_bytes = options.words.shared,
                             .arguments = {},
                             .observe = plan->observe,
                             .schedule = plan->schedule,
                             .cooperative = options.words.cooperative,
                             .seed = options.words.seed,
                             .limits = {},
                             .read_early = {}};
  request.limits.max_seconds = options.words.max_seconds;
  std::vector<lessons::GivenArgument> given;
  auto variables = variables_to_print(**program, *plan);
  if (!variables) return complain(variables.error());
  auto launched = launch_in_orders(**device, request, **kernel, *plan, options.words.seeds, given);
  if (!launched) return complain(launched.error());
  const gpu::LaunchReport& report = *launched;

  std::vector<Printed> printed;
  if (!report.ok()) variables->clear();
  if (auto read = read_variables(**device, *program, *variables); !read) return complain(read.error());
  if (report.ok()) {
    for (const LaunchPlan::Place& place : plan->prints) {
      auto read = read_after(**device, given[place.argument], place);
      if (!read) return complain(read.error());
      std::move(read->begin(), read->end(), std::back_inserter(printed));
    }
    for (const LaunchPlan::Save& save : plan->saves) {
      auto read = read_after(**device, given[save.place.argument], save.place);
      if (!read) return complain(read.error());
      const Printed& one = read->front();
      if (auto done = lessons::write_npy(save.file, one.part->spec->array(), one.bytes); !done) return complain(done.error());
    }
  }
  if (!options.words.timeline.empty()) {
    if (auto done = write_timeline(options.words.timeline, report, source_lines(**program, *plan)); !done)
      return complain(done.error());
  }
  if (options.json) {
    print_json((*device)->info(), **program, report, *plan, printed, *variables);
    if (!report.message.empty()) print_err("warpbook: {}\n", say(report.message));
  } else {
    print_text((*device)->info(), **program, report, *plan, printed, *variables);
  }
  if (!report.ok()) return exit_launch_failed;
  return report.findings.empty() ? exit_clean : exit_finding;
}

}  // namespace

void add_launch(CLI::App& program, int& exit_code) {
  auto* const command =
      program.add_subcommand("launch", say("run one kernel of a .cu or .ptx file and report what its threads did"));
  auto options = std::make_shared<LaunchOptions>();
  command->add_option("FILE", options->words.file, say("CUDA C++ (.cu) or PTX (.ptx)"))->required()->type_name("");
  command->add_option("KERNEL", options->words.kernel, say("the __global__ function; a template as scale<float>"))
      ->required()
      ->type_name("");
  command->add_option("--grid", options->words.grid, say("blocks in the grid"))->required()->type_name("X[,Y[,Z]]");
  command->add_option("--block", options->words.block, say("threads in a block"))->required()->type_name("X[,Y[,Z]]");
  command->add_option("--shared", options->words.shared, say("dynamic shared memory a block"))->type_name("BYTES");
  command->add_option("--arg", options->words.arguments, say("one for each parameter of the kernel, in its order; see below"))
      ->type_name("SPEC")
      ->allow_extra_args();
  command
      ->add_option("--symbol", options->words.symbols,
                   say("what a __constant__ or __device__ variable holds, as cudaMemcpyToSymbol would; again for more"))
      ->type_name("NAME=SPEC")
      ->allow_extra_args(false);
  command->add_option("--define", options->words.defines, say("a macro for the compiler; again for more"))
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  options->device.add_to(*command);
  command
      ->add_option("--schedule", options->words.schedule, say("fast (default), or clock: a model of when things happen on a GPU"))
      ->type_name("fast|clock");
  command->add_flag("--cooperative", options->words.cooperative, say("all blocks at once, for kernels that call grid.sync()"));
  command->add_option("--seed", options->words.seed, say("fixes the order of blocks and warps"))
      ->type_name("N")
      ->check(whole_number<std::uint64_t>());
  command
      ->add_option("--seeds", options->words.seeds,
                   say("launch under so many seeds, each an order of its own, and join what was found; inputs are made afresh"))
      ->type_name("N")
      ->check(CLI::Range(1u, 10000u));
  command
      ->add_option("--observe", options->words.observe,
                   "what to look for: all, none (default), or some of " + gpu::finding_names(","))
      ->type_name("LIST");
  command
      ->add_option("--timeline", options->words.timeline,
                   say("write what every warp did when, by the clock model, as Chrome trace events for ui.perfetto.dev"))
      ->type_name("FILE.json");
  command->add_option("--max-seconds", options->words.max_seconds, say("then the launch ends with cudaErrorLaunchTimeout (30)"))
      ->type_name("S");
  command
      ->add_option("--print", options->words.prints,
                   say("print argument N, counted from 0, after the launch; N.M: its member M; NAME: a variable; again for more"))
      ->type_name("N|NAME")
      ->allow_extra_args(false);
  command->add_option("--save", options->words.saves, say("write argument N, or member N.M, as a NumPy file; again for more"))
      ->type_name("N=FILE.npy")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, say("one JSON object instead of text"));
  command->footer(say(
      "\nAn argument SPEC is TYPE=NUMBER for a scalar, TYPE[SHAPE]=CONTENT for an array, and {SPEC,SPEC,…} for a struct by value:\n"
      "its members in their order, where an array is a pointer to it and int a[2] are two numbers. The braces need quotes.\n"
      "A pointer to structs is an array of their numbers: float32[12288] for 4096 of struct { float x, y, z; }.\n"
      "  TYPE     int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64\n"
      "  SHAPE    4096, or 2000x2000\n"
      "  CONTENT  iota | uniform:LO:HI:SEED | normal:MEAN:SD:SEED | zeros | ones | NUMBER | NUMBER,NUMBER,... for each element |\n"
      "           @FILE (.npy, .png, .csv)\n"
      "\n"
      "Examples:\n"
      "  warpbook launch kernels/race.cu count --grid 64 --block 64 --arg int32[1]=zeros --print 0 --observe race\n"
      "  warpbook launch kernels/add.cu add --grid 32 --block 128 --arg int32[4096]=iota --arg int32[4096]=ones \\\n"
      "           --arg int32[4096]=zeros --arg int32=4096 --print 2 --save 2=out.npy\n"
      "  warpbook launch scale.cu scale --grid 1 --block 64 --arg '{int32=8,int32=8,float32[8x8]=iota}' --arg float32=2 "
      "--print 0.2\n"
      "  warpbook launch blur.cu blur --grid 4 --block 64 --arg float32[256]=iota --symbol weights=float32[5]=@weights.csv\n"
      "  warpbook launch k.cu k --grid 1 --block 64 --schedule clock --seed 7 --json\n"
      "  warpbook launch k.cu k --grid 8 --block 64 --schedule clock --observe all --timeline k.json\n"
      "\n"
      "#include \"helper.h\" finds what lies in the file's folder and below it, and nothing outside.\n"
      "\n"
      "Under --schedule clock, --json has 'clock' (the model's figures: cycles, occupancy, what warps waited for, caches); with it "
      "or\n"
      "with --observe it has 'lines' (by source line: instructions, sectors, passes, branches, atomics, warp cycles; null where\n"
      "nobody looked)."));
  command->callback([options, &exit_code] { exit_code = launch(*options); });
}

}  // namespace warpbook::app
