#include "lessons/sweep.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/device_choice.h"
#include "app/commands/exit_code.h"
#include "app/commands/lesson_choice.h"
#include "app/commands/outputs.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "app/shell/offscreen.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;
using lessons::Sweep;
using lessons::SweepChart;
using lessons::SweepPoint;

constexpr float picture_scale = 2;

struct SweepOptions {
  LessonChoice choice;
  DeviceChoice device;
  std::vector<std::string> over;
  std::string result, csv, picture;
  bool json = false, light = false;
};

Json point_json(const Sweep& sweep, std::size_t index) {
  const SweepPoint& point = sweep.points[index];
  const lessons::Values at = sweep.values_at(index);
  Json json, controls = Json::object(), results = Json::object();
  for (const lessons::Control& control : sweep.lesson->controls) {
    const bool swept =
        std::any_of(sweep.axes.begin(), sweep.axes.end(), [&](const auto& axis) { return axis.control == control.id; });
    if (swept) controls[control.id] = control_json(control, at.real(control.id));
  }
  for (const lessons::Number& number : point.numbers) results[number.name] = number_json(number.value);
  json["at"] = std::move(controls);
  json["status"] = point.status;
  if (!point.message.empty()) json["message"] = point.message;
  json["results"] = std::move(results);
  return json;
}

void print_json(const Sweep& sweep, const SweepChart& chart) {
  Json over = Json::array(), points = Json::array();
  for (const lessons::SweepAxis& axis : sweep.axes) over.push_back(axis.control);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].tried) points.push_back(point_json(sweep, i));
  }
  Json controls = controls_json(*sweep.lesson, sweep.values);
  for (const lessons::SweepAxis& axis : sweep.axes) controls.erase(axis.control);
  Json json{{"lesson", sweep.lesson->id},      {"device", sweep.device}, {"over", std::move(over)},
            {"controls", std::move(controls)}, {"result", chart.result}, {"points", std::move(points)},
            {"seconds", sweep.seconds}};
  print_out("{}\n", dump(json));
}

std::string cell_text(const SweepChart& chart, std::size_t index) {
  const SweepChart::Cell& cell = chart.cells[index];
  switch (cell.state) {
    case SweepChart::Cell::State::there:
      return fmt::format("{:.{}f}", cell.value, chart.decimals);
    case SweepChart::Cell::State::failed:
      return "failed";
    case SweepChart::Cell::State::absent:
    case SweepChart::Cell::State::waiting:
      break;
  }
  return "-";
}

/// A column of values and results, or a table: the first control from left to right, the second downwards.
void print_text(const Sweep& sweep, const SweepChart& chart) {
  const std::string unit = chart.unit.empty() ? "" : ", " + chart.unit;
  print_out("{}, on {}: {}{}\n\n", heading_of(*sweep.lesson), sweep.device, chart.label, unit);
  const lessons::SweepAxis& across = chart.axes.front();
  const std::size_t columns = across.values.size();
  if (chart.axes.size() == 1) {
    print_out("{:>14} {:>14}\n", across.control, chart.result);
    for (std::size_t i = 0; i < columns; ++i) print_out("{:>14} {:>14}\n", across.texts[i], cell_text(chart, i));
  } else {
    const lessons::SweepAxis& down = chart.axes.back();
    std::size_t width = 4;
    for (const std::string& words : across.texts) width = std::max(width, words.size());
    for (std::size_t i = 0; i < chart.cells.size(); ++i) width = std::max(width, cell_text(chart, i).size());
    const std::string corner = fmt::format("{} \\ {}", down.control, across.control);
    print_out("{:>20}", corner);
    for (const std::string& words : across.texts) print_out(" {:>{}}", words, width);
    for (std::size_t row = 0; row < down.values.size(); ++row) {
      print_out("\n{:>20}", down.texts[row]);
      for (std::size_t column = 0; column < columns; ++column) {
        print_out(" {:>{}}", cell_text(chart, row * columns + column), width);
      }
    }
    print_out("\n");
  }
  print_out("\n{} runs in {:.1f} s", sweep.tried(), sweep.seconds);
  if (sweep.failed() == 0) {
    print_out(".\n");
    return;
  }
  const auto first =
      std::find_if(sweep.points.begin(), sweep.points.end(), [](const auto& p) { return p.tried && p.status != "ok"; });
  print_out("; {} failed, the first with {}: {}\n", sweep.failed(), first->status, first->message);
}

Result<lessons::SweepPlan> plan_of(const SweepOptions& options) {
  auto lesson = options.choice.lesson();
  if (!lesson) return failure(lesson.error());
  auto values = options.choice.values(**lesson);
  if (!values) return failure(values.error());
  auto text = lessons::kernel_text(**lesson);
  if (!text) return failure(text.error());
  lessons::SweepPlan plan{.lesson = *lesson, .values = std::move(*values), .text = std::move(*text), .axes = {}};
  for (const std::string& over : options.over) {
    auto axis = lessons::parse_axis(**lesson, over);
    if (!axis) return failure("usage", fmt::format("--over {}: {}", over, axis.error().message));
    plan.axes.push_back(std::move(*axis));
  }
  if (auto good = lessons::check(plan); !good) return failure(good.error());
  return plan;
}

/// What the lesson asks to guess, unless something else was asked for.
Result<SweepChart> chosen_chart(const Sweep& sweep, const std::string& asked) {
  const std::vector<lessons::Number> results = lessons::results_of(sweep);
  std::string known;
  for (const lessons::Number& number : results) {
    if (number.name == asked) return lessons::chart_of(sweep, asked);
    known += (known.empty() ? "" : ", ") + number.name;
  }
  if (results.empty()) {
    const SweepPoint& point = sweep.points.front();
    return failure(point.status.empty() ? "cancelled" : point.status, "no run of this sweep gave a result. " + point.message);
  }
  if (asked.empty()) return lessons::chart_of(sweep, lessons::first_result(sweep));
  return failure("usage",
                 say("--result {asked}: no run gave such a number. There are {known}.", "asked"_a = asked, "known"_a = known));
}

int sweep(const SweepOptions& options) {
  auto plan = plan_of(options);
  if (!plan) return complain(plan.error());
  const std::array outputs{Output{"--csv", options.csv, {".csv"}}, Output{"--picture", options.picture, {".png"}}};
  if (auto good = check_outputs(outputs, inputs_of(plan->values)); !good) return complain(good.error());
  gpu::Compiler compiler;
  auto device = options.device.open(compiler);
  if (!device) return complain(device.error());
  const Sweep swept = lessons::run_sweep(**device, *plan);

  if (!options.csv.empty()) {
    if (auto written = write_file(options.csv, lessons::csv_of(swept)); !written) return complain(written.error());
  }
  auto chart = chosen_chart(swept, options.result);
  if (!chart) return complain(chart.error());
  if (!options.picture.empty()) {
    const Appearance appearance = options.light ? Appearance::light : Appearance::dark;
    if (auto drawn = sweep_picture(*chart, appearance, picture_scale, options.picture); !drawn) return complain(drawn.error());
  }
  if (options.json) {
    print_json(swept, *chart);
  } else {
    print_text(swept, *chart);
  }
  if (swept.state == Sweep::State::stopped) return complain(exit_launch_failed, swept.message);
  return exit_clean;
}

}  // namespace

void add_sweep(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("sweep", say("a lesson's experiment at many values of one control or two"));
  auto options = std::make_shared<SweepOptions>();
  options->choice.add_to(*command);
  command->add_option("--over", options->over, say("a control and its values; a second one makes a table. See below"))
      ->required()
      ->type_name("NAME[=VALUES]")
      ->allow_extra_args(false);
  command->add_option("--result", options->result, say("which number to show; without it the one that the lesson asks to guess"))
      ->type_name("NAME");
  options->device.add_to(*command);
  command->add_option("--csv", options->csv, say("every number of every run, as a table"))->type_name("FILE.csv");
  command->add_option("--picture", options->picture, say("the result as a chart: a line over one control, a heat map over two"))
      ->type_name("FILE.png");
  command->add_flag("--light", options->light, say("… in the light appearance"));
  command->add_flag("--json", options->json, say("one JSON object instead of text"));
  command->footer(
      say("\nVALUES are a range A..B (powers of two where the control's slider has them), a range with a step A..B:STEP, or a list "
          "A,B,C.\n"
          "Without them the control goes over all it can be. A run that fails is part of the answer; the sweep goes on.\n"
          "\n"
          "Examples:\n"
          "  warpbook sweep 05 --over threads\n"
          "  warpbook sweep 07 --over threads=32..1024 --over atomics=global,shared --result cycles --csv histogram.csv\n"
          "  warpbook sweep 06 --over coefficient=0.2..0.3:0.01 --set side=64 --json"));
  command->callback([options, &exit_code] { exit_code = sweep(*options); });
}

}  // namespace warpbook::app
