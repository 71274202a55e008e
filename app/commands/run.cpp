#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "app/commands/clock_text.h"
#include "app/commands/commands.h"
#include "app/commands/device_choice.h"
#include "app/commands/exit_code.h"
#include "app/commands/lesson_choice.h"
#include "app/commands/outputs.h"
#include "app/commands/page_picture.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/shown_text.h"
#include "lessons/results_csv.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;

struct RunOptions {
  LessonChoice choice;
  DeviceChoice device;
  PictureWords picture;
  std::string csv;
  bool json = false;
};

void print_json(const Experiment& experiment) {
  const lessons::Lesson& lesson = *experiment.lesson;
  const lessons::Outcome& outcome = *experiment.outcome;
  const double compile_ms = experiment.program ? experiment.program->compile_ms : 0;
  Json results = Json::object();
  for (const lessons::Number& number : outcome.numbers) results[number.name] = number_json(number.value);
  Json json{{"lesson", lesson.id},
            {"device", experiment.device.name},
            {"compiler", experiment.program ? Json(experiment.program->compiler) : Json()},
            {"controls", controls_json(lesson, experiment.values)},
            {"results", std::move(results)},
            {"findings", findings_json(outcome.report)},
            {"not_observed", not_observed_json(outcome.report.observed)},
            {"timings", {{"compile_ms", compile_ms}, {"run_ms", outcome.report.run_ms}, {"total_ms", outcome.seconds * 1000}}}};
  if (Json incomplete = incomplete_json(outcome.report.observed); !incomplete.empty()) json["incomplete"] = std::move(incomplete);
  if (outcome.report.stopped) json["stopped"] = stopped_json(*outcome.report.stopped);
  if (!outcome.report.remarks.empty()) json["remarks"] = remarks_json(outcome.report);
  if (outcome.report.clock) json["clock"] = clock_json(*outcome.report.clock);
  if (!outcome.report.lines.empty()) json["lines"] = lines_json(outcome.report, experiment.text);
  print_out("{}\n", dump(json));
}

/// Of the column with what controls and numbers are called, in characters.
std::size_t widest_label(const Experiment& experiment) {
  std::size_t wide = 28;
  for (const lessons::Control& control : experiment.lesson->controls) wide = std::max(wide, characters_in(say(control.label)));
  for (const lessons::Number& number : experiment.outcome->numbers) wide = std::max(wide, characters_in(say(number.label)));
  return wide;
}

void print_text(const Experiment& experiment) {
  const lessons::Lesson& lesson = *experiment.lesson;
  const lessons::Outcome& outcome = *experiment.outcome;
  print_out("{}, on {}\n\n", heading_of(lesson), experiment.device.name);
  const std::size_t wide = widest_label(experiment);
  for (const lessons::Control& control : lesson.controls) {
    print_out("  {:<{}} {:>12}   --set {}\n", say(control.label), wide,
              lessons::value_text(control, experiment.values.real(control.id)), control.id);
  }
  for (const auto& [id, words] : experiment.values.texts()) print_out("  {:<{}} {}\n", id, wide, words);
  print_out("\n");
  for (const lessons::Number& number : outcome.numbers) {
    // Below half a unit of the last decimal, a negative number would be "-0.0".
    const double value = std::abs(number.value) < 0.5 * std::pow(10, -number.decimals) ? 0 : number.value;
    print_out("  {:<{}} {:>12.{}f} {}\n", say(number.label), wide, value, number.decimals, number.unit);
  }
  if (!outcome.note.empty()) print_out("\n{}\n", outcome.note);
  if (!outcome.report.message.empty()) print_out("\n{}: {}\n", outcome.report.status, say(outcome.report.message));
  if (outcome.report.stopped) print_out("{}", stopped_text(*outcome.report.stopped, experiment.text));
  for (const gpu::Finding& finding : outcome.report.findings) print_out("\n{}", finding_text(finding, experiment.text));
  if (outcome.report.findings_left_out > 0)
    print_out("\n{}\n", say("… and {n} more findings.", "n"_a = outcome.report.findings_left_out));
  print_out("\n{}", observations_text(outcome.report));
}

int run(RunOptions& options) {
  auto lesson = options.choice.lesson();
  if (!lesson) return complain(lesson.error());
  auto values = options.choice.values(**lesson);
  if (!values) return complain(values.error());
  const std::array outputs{Output{"--csv", options.csv, {".csv"}}, Output{"--picture", options.picture.file, {".png"}}};
  if (auto good = check_outputs(outputs, inputs_of(*values)); !good) return complain(good.error());
  gpu::Compiler compiler;
  auto device = options.device.open(compiler);
  if (!device) return complain(device.error());

  auto experiment = run_experiment(**device, **lesson, *values);
  if (!experiment) return complain(experiment.error());
  if (!experiment->outcome) return complain(*experiment);
  if (options.json) {
    print_json(*experiment);
  } else {
    print_text(*experiment);
  }
  if (!options.csv.empty()) {
    const auto written = write_file(options.csv, lessons::results_csv(**lesson, *values, *experiment->outcome));
    if (!written) return complain(written.error());
  }
  if (!options.picture.file.empty()) {
    options.picture.profile = options.device.profile;
    if (auto drawn = draw_page(options.picture, *experiment); !drawn) return complain(drawn.error());
  }
  const gpu::LaunchReport& report = experiment->outcome->report;
  if (!experiment->outcome->whole()) return exit_launch_failed;
  return report.ok() && report.findings.empty() ? exit_clean : exit_finding;
}

}  // namespace

void add_run(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("run", say("a lesson's experiment, once, as text"));
  auto options = std::make_shared<RunOptions>();
  options->choice.add_to(*command);
  options->device.add_to(*command);
  command->add_flag("--json", options->json, say("one JSON object instead of text"));
  command->add_option("--picture", options->picture.file, say("also draw the lesson's page"))->type_name("FILE.png");
  command->add_option("--csv", options->csv, say("also write every number and the arrays shown, as a table"))
      ->type_name("FILE.csv");
  command->footer(
      say("\nExamples:\n"
          "  warpbook run 01 --set blocks=31 --csv threads.csv\n"
          "  warpbook run race --set trials=100 --set atomic=on --json\n"
          "'warpbook list' names the lessons and their controls."));
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace warpbook::app
