#include "lessons/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/results_csv.h"
#include "lessons/run.h"

namespace warpbook::lessons {
namespace {

constexpr int values_of_a_range = 12;

tl::unexpected<Error> wrong(std::string sentence) { return failure("usage", std::move(sentence)); }

SweepAxis axis_with(const Control& control, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  SweepAxis axis{.control = control.id,
                 .label = say(control.label),
                 .logarithmic = control.logarithmic,
                 // A seed's values are names, because their order has no meaning.
                 .named = control.kind == Control::Kind::toggle || control.kind == Control::Kind::choice || control.seed,
                 .values = std::move(values),
                 .texts = {},
                 .words = {}};
  for (const double value : axis.values) {
    axis.texts.push_back(value_text(control, value));
    const bool option = control.kind == Control::Kind::choice;
    axis.words.push_back(option ? say(control.options.at(static_cast<std::size_t>(value)).label) : axis.texts.back());
    if (control.kind == Control::Kind::toggle) axis.words.back() = std::string(value != 0 ? warpbook::say("On") : warpbook::say("Off"));
  }
  return axis;
}

/// low, low + step … high, without rounding errors: 0.3, not 0.30000000000000004.
std::vector<double> every(double step, double low, double high) {
  std::vector<double> values;
  const auto steps = static_cast<int>(std::min(std::floor((high - low) / step + 1e-9), double{most_sweep_points}));
  for (int i = 0; i <= steps; ++i) values.push_back(std::round((low + i * step) * 1e9) / 1e9);
  return values;
}

std::vector<double> powers_of_two(double low, double high) {
  std::vector<double> values{low, high};
  for (double power = std::exp2(std::ceil(std::log2(std::max(low, 1.0)))); power < high; power *= 2) {
    if (power > low) values.push_back(power);
  }
  return values;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Parses a value as --set does.
Result<double> value_in(const Lesson& lesson, const Control& control, std::string_view text) {
  Values values = Values::defaults(lesson.controls);
  if (auto set = values.set(lesson.controls, control.id, text); !set) return wrong(set.error().message);
  return values.real(control.id);
}

/// Parses "32..512" or "0..0.5:0.1".
Result<SweepAxis> range(const Lesson& lesson, const Control& control, std::string_view text) {
  const std::size_t dots = text.find("..");
  std::string_view end = text.substr(dots + 2);
  std::optional<double> step;
  if (const std::size_t colon = end.find(':'); colon != std::string_view::npos) {
    step = number_in(end.substr(colon + 1));
    end = end.substr(0, colon);
    if (!step || !(*step > 0)) {
      return wrong(fmt::format("{}={}: after the colon stands the step, a number above 0. Example: {}=32..256:32.", control.id,
                               text, control.id));
    }
  }
  const auto low = value_in(lesson, control, text.substr(0, dots)), high = value_in(lesson, control, end);
  if (!low) return failure(low.error());
  if (!high) return failure(high.error());
  if (*low > *high) return wrong(fmt::format("{}={}: the range goes from the smaller to the larger value.", control.id, text));
  if (!step) return axis_of(control, *low, *high);
  if (control.kind == Control::Kind::integer && *step != std::floor(*step))
    return wrong(fmt::format("{}={}: {} takes whole numbers, and so must the step be.", control.id, text, control.id));
  return axis_with(control, every(*step, *low, *high));
}

const Number* find(const std::vector<Number>& numbers, std::string_view name) {
  const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.name == name; });
  return found == numbers.end() ? nullptr : &*found;
}

}  // namespace

SweepAxis axis_of(const Control& control) { return axis_of(control, control.least, control.most); }

SweepAxis axis_of(const Control& control, double low, double high) {
  if (control.kind == Control::Kind::toggle || control.kind == Control::Kind::choice)
    return axis_with(control, every(1, low, high));
  if (control.logarithmic) return axis_with(control, powers_of_two(low, high));
  const double steps = std::max((high - low) / control.step, 1.0);
  const double step = control.step * std::ceil(steps / values_of_a_range - 1e-9);
  std::vector<double> values = every(step, low, high);
  values.push_back(high);
  return axis_with(control, std::move(values));
}

Result<SweepAxis> parse_axis(const Lesson& lesson, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view id = text.substr(0, equals);
  const auto control = std::find_if(lesson.controls.begin(), lesson.controls.end(), [&](const Control& c) { return c.id == id; });
  if (control == lesson.controls.end()) {
    std::string known;
    for (const Control& each : lesson.controls) known += (known.empty() ? "" : ", ") + each.id;
    return wrong(fmt::format("this lesson has no control named '{}' to sweep over. It has: {}.", id, known));
  }
  if (equals == std::string_view::npos) return axis_of(*control);
  const std::string_view asked = text.substr(equals + 1);
  if (asked.find("..") != std::string_view::npos) return range(lesson, *control, asked);
  std::vector<double> values;
  for (std::string_view rest = asked;;) {
    const std::size_t cut = rest.find(',');
    auto value = value_in(lesson, *control, rest.substr(0, cut));
    if (!value) return failure(value.error());
    values.push_back(*value);
    if (cut == std::string_view::npos) return axis_with(*control, std::move(values));
    rest.remove_prefix(cut + 1);
  }
}

std::size_t SweepPlan::points() const {
  std::size_t all = 1;
  for (const SweepAxis& axis : axes) all *= axis.values.size();
  return all;
}

Result<void> check(const SweepPlan& plan) {
  if (plan.axes.empty() || plan.axes.size() > 2) return wrong("A sweep goes over one control or two.");
  if (plan.axes.size() == 2 && plan.axes[0].control == plan.axes[1].control) {
    return wrong(fmt::format("A sweep over two controls needs two different ones, not {} twice.", plan.axes[0].control));
  }
  if (const std::size_t runs = plan.points(); runs > most_sweep_points) {
    return wrong(
        fmt::format("That would be {} runs; {} are the most. Give a range or a list of fewer values.", runs, most_sweep_points));
  }
  return {};
}

std::size_t Sweep::tried() const {
  return static_cast<std::size_t>(std::count_if(points.begin(), points.end(), [](const SweepPoint& p) { return p.tried; }));
}

std::size_t Sweep::failed() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const SweepPoint& p) { return p.tried && p.status != "ok"; }));
}

Values Sweep::values_at(std::size_t point) const {
  Values at = values;
  for (const SweepAxis& axis : axes) {
    at.set(axis.control, axis.values[point % axis.values.size()]);
    point /= axis.values.size();
  }
  return at;
}

std::vector<Number> figures_of(const Outcome& outcome) {
  std::vector<Number> numbers = outcome.numbers;
  const auto add = [&](Number number) {
    if (find(numbers, number.name) == nullptr) numbers.push_back(std::move(number));
  };
  const gpu::LaunchReport& report = outcome.report;
  if (report.model_us) {
    add({.name = "model_us",
         .label = to_say("Time (model)"),
         .value = *report.model_us,
         .decimals = 2,
         .unit = "µs",
         .of_device = true});
  }
  if (report.times) {
    const double us = report.times->end - report.times->begin;
    add({.name = "gpu_us", .label = to_say("Time on the GPU"), .value = us, .decimals = 2, .unit = "µs", .of_device = true});
  }
  if (report.clock) {
    const gpu::ClockReport& clock = *report.clock;
    const auto share = [&](const char* name, const ToSay& label, double of_one) {
      add({.name = name, .label = label, .value = 100 * of_one, .decimals = 1, .unit = "%", .of_device = true});
    };
    share("occupancy", to_say("Occupancy (model)"), clock.occupancy);
    share("theoretical_occupancy", to_say("Occupancy at most"), clock.theoretical_occupancy);
    share("issue_use", to_say("Issue slots used (model)"), clock.issue_use());
    add({.name = "dram_gb_per_s",
         .label = to_say("Memory traffic (model)"),
         .value = clock.dram_gb_per_s,
         .decimals = 1,
         .unit = "GB/s",
         .of_device = true});
  }
  gpu::LineCounts sum;
  for (const gpu::LineCounts& line : report.lines) {
    sum.global_requests += line.global_requests;
    sum.sectors += line.sectors;
    sum.shared_requests += line.shared_requests;
    sum.shared_passes += line.shared_passes;
  }
  const auto ratio = [&](const char* name, const ToSay& label, std::uint64_t of, std::uint64_t requests) {
    if (requests > 0)
      add({.name = name, .label = label, .value = static_cast<double>(of) / static_cast<double>(requests), .decimals = 2});
  };
  ratio("sectors_a_request", to_say("Sectors a request"), sum.sectors, sum.global_requests);
  ratio("passes_a_request", to_say("Passes a shared request"), sum.shared_passes, sum.shared_requests);
  if (std::any_of(report.observed.of.begin(), report.observed.of.end(),
                  [](gpu::Observation o) { return o != gpu::Observation::not_observed; })) {
    add({.name = "findings", .label = to_say("Findings"), .value = double(report.findings.size() + report.findings_left_out)});
  }
  return numbers;
}

Sweep run_sweep(gpu::Device& device, const SweepPlan& plan, gpu::Job* job, const std::function<void(const Sweep&)>& told) {
  const Stopwatch watch;
  Sweep sweep{.lesson = plan.lesson,
              .values = plan.values,
              .text = plan.text,
              .device = device.info().name,
              .axes = plan.axes,
              .points = std::vector<SweepPoint>(plan.points()),
              .message = {}};
  const auto cancelled = [&] { return job != nullptr && job->cancelled; };
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (cancelled()) break;
    Host host(
        device,
        {.kernel_file = plan.lesson->kernel_file, .kernel_text = plan.text, .defines = {}, .job = job, .folder = plan.folder});
    auto outcome = run_lesson(*plan.lesson, host, sweep.values_at(i), job);
    if (cancelled()) break;  // the run may be incomplete
    SweepPoint& point = sweep.points[i];
    point.tried = true;
    if (!outcome) {
      point.status = outcome.error().code;
      point.message = outcome.error().message;
    } else {
      point.status = outcome->whole() ? "ok" : outcome->report.status;
      point.message = say(outcome->report.message);
      if (outcome->whole()) point.numbers = figures_of(*outcome);
    }
    sweep.seconds = watch.seconds();
    if (std::string lost = device.lost(); !lost.empty()) {
      sweep.state = Sweep::State::stopped;
      sweep.message = std::move(lost);
      return sweep;
    }
    if (told) told(sweep);
  }
  sweep.state = cancelled() ? Sweep::State::cancelled : Sweep::State::done;
  sweep.seconds = watch.seconds();
  return sweep;
}

std::vector<Number> results_of(const Sweep& sweep) {
  std::vector<Number> all;
  const auto same_name = [](const Number& a, const Number& b) { return a.name == b.name; };
  for (const SweepPoint& point : sweep.points) {
    // The common case, and fast, because a sweep may have thousands of points.
    if (std::equal(point.numbers.begin(), point.numbers.end(), all.begin(), all.end(), same_name)) continue;
    for (const Number& number : point.numbers) {
      if (find(all, number.name) == nullptr) all.push_back(number);
    }
  }
  return all;
}

std::string first_result(const Sweep& sweep) {
  const std::vector<Number> results = results_of(sweep);
  for (const std::string& guess : sweep.lesson->guesses) {
    if (find(results, guess) != nullptr) return guess;
  }
  return results.empty() ? std::string() : results.front().name;
}

SweepChart chart_of(const Sweep& sweep, std::string_view result) {
  using State = SweepChart::Cell::State;
  SweepChart chart{.result = std::string(result),
                   .label = std::string(result),
                   .unit = {},
                   .axes = sweep.axes,
                   .cells = {},
                   .lesson = fmt::format("Lesson {}, {}", sweep.lesson->number, sweep.lesson->title),
                   .device = sweep.device,
                   .others = {}};
  for (const Control& control : sweep.lesson->controls) {
    const bool swept =
        std::any_of(sweep.axes.begin(), sweep.axes.end(), [&](const SweepAxis& axis) { return axis.control == control.id; });
    if (swept) continue;
    if (!chart.others.empty()) chart.others += ", ";
    chart.others += fmt::format("{} {}", control.id, value_text(control, sweep.values.real(control.id)));
  }
  bool any = false;
  for (const SweepPoint& point : sweep.points) {
    SweepChart::Cell& cell = chart.cells.emplace_back();
    if (!point.tried) continue;
    const Number* const number = find(point.numbers, result);
    if (point.status != "ok") {
      cell.state = State::failed;
      cell.problem = point.status;
    } else if (number == nullptr || !std::isfinite(number->value)) {
      cell.state = State::absent;
    } else {
      cell.state = State::there;
      cell.value = number->value;
      chart.label = say(number->label);
      chart.unit = number->unit;
      chart.decimals = number->decimals;
      chart.least = any ? std::min(chart.least, cell.value) : cell.value;
      chart.most = any ? std::max(chart.most, cell.value) : cell.value;
      any = true;
    }
  }
  return chart;
}

std::string csv_of(const Sweep& sweep) {
  const std::vector<Number> results = results_of(sweep);
  std::string csv;
  for (const SweepAxis& axis : sweep.axes) csv += axis.control + ',';
  csv += "status";
  for (const Number& number : results) csv += ',' + csv_field(number.name);
  csv += ",message\r\n";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    if (!point.tried) continue;
    std::size_t rest = i;
    for (const SweepAxis& axis : sweep.axes) {
      csv += csv_field(axis.texts[rest % axis.values.size()]) + ',';
      rest /= axis.values.size();
    }
    csv += point.status;
    for (const Number& column : results) {
      const Number* const number = find(point.numbers, column.name);
      csv += number != nullptr ? fmt::format(",{}", number->value) : ",";
    }
    csv += ',' + csv_field(point.message) + "\r\n";
  }
  return csv;
}

}  // namespace warpbook::lessons
