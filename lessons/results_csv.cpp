#include "lessons/results_csv.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace warpbook::lessons {
namespace {

constexpr std::size_t most_values = std::size_t{1} << 20;  // per array; limit of spreadsheets
constexpr std::size_t most_copied = std::size_t{1} << 17;  // … and of what clipboards transfer at once

/// Replaces characters that would end a field or a row.
std::string between_tabs(std::string_view text) {
  std::string field(text);
  for (char& c : field) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return field;
}

class Table {
 public:
  enum class Form : std::uint8_t { csv, between_tabs };
  explicit Table(Form form = Form::csv)
      : form_(form),
        most_(form == Form::csv ? most_values : most_copied),
        text_(form == Form::csv ? "run,kind,name,index,value,unit,label\r\n" : "name\tindex\tvalue\tunit\tlabel\n") {}

  void run(std::size_t number) { run_ = number; }
  void row(std::string_view kind, std::string_view name, std::string_view index, std::string_view value, std::string_view unit = {},
           std::string_view label = {}) {
    if (form_ == Form::between_tabs) {
      fmt::format_to(std::back_inserter(text_), "{}\t{}\t{}\t{}\t{}\n", between_tabs(name), between_tabs(index),
                     between_tabs(value), between_tabs(unit), between_tabs(label));
      return;
    }
    fmt::format_to(std::back_inserter(text_), "{},{},{},{},{},{},{}\r\n", run_, kind, csv_field(name), csv_field(index),
                   csv_field(value), csv_field(unit), csv_field(label));
  }

  void settings(const Lesson& lesson, const Values& values) {
    for (const Control& control : lesson.controls)
      row("control", control.id, "", value_text(control, values.real(control.id)), "", in_english(control.label));
  }

  void numbers(const std::vector<Number>& numbers) {
    for (const Number& n : numbers) row("result", n.name, "", fmt::format("{}", n.value), n.unit, in_english(n.label));
  }

  template <class List>
  void array(std::string_view name, const List& values, std::string_view unit = {}) {
    if (values.size() > most_)
      return row("array", name, "", "", "", fmt::format("{} values are too many for a table", values.size()));
    std::size_t i = 0;
    for (const auto& value : values) row("array", name, fmt::format("{}", i++), fmt::format("{}", +value), unit);
  }

  void figure(const ThreadMap& map) { array("written", map.written); }
  void figure(const BlockMap& map) { array("writer", map.writer); }
  void figure(const HostTimeline& timeline) {
    for (const HostTimeline::Lane& lane : timeline.lanes) {
      for (const HostTimeline::Span& span : lane.spans) {
        row("array", lane.label + " begin", span.label, fmt::format("{}", span.begin), "µs");
        row("array", lane.label + " end", span.label, fmt::format("{}", span.end), "µs");
      }
    }
    for (const HostTimeline::Ruler& ruler : timeline.rulers)
      row("array", "reading", ruler.label, fmt::format("{}", ruler.reading), "µs");
    for (std::size_t i = 0; i < timeline.calls.size(); ++i)
      row("array", "answer of " + timeline.calls[i].text, fmt::format("{}", i + 1), timeline.calls[i].answer, "");
  }
  void figure(const Trials& trials) {
    for (const Trials::Bar& bar : trials.bars) row("array", "trials", fmt::format("{}", bar.value), fmt::format("{}", bar.count));
  }
  void figure(const Interleaving& interleaving) {
    for (const Interleaving::Value& value : interleaving.values)
      row("array", "value at cycle", fmt::format("{}", value.from), fmt::format("{}", value.value));
    for (const Interleaving::Row& warp : interleaving.rows) {
      const std::string who = fmt::format("block {} warp {}", warp.block, warp.warp);
      row("array", "load issued", who, fmt::format("{}", warp.load_issued), "cycles");
      row("array", "store reached", who, fmt::format("{}", warp.store_reached), "cycles");
      row("array", "updates kept", who, fmt::format("{}", warp.kept));
      row("array", "updates lost", who, fmt::format("{}", warp.lost));
    }
  }
  void figure(const BinChart& chart) {
    array("counted", chart.counted);
    array("reference", chart.reference);
  }
  void figure(const BinLanes& lanes) {
    std::vector<std::uint32_t> passes;
    for (const BinLanes::Row& request : lanes.rows) passes.push_back(request.passes);
    array("passes of a request", passes);
  }
  void figure(const Field& field) {
    if (field.heat) array("heat", *field.heat);
    if (field.laplacian) array("laplacian", *field.laplacian);
    array("sum", field.sums);
  }
  void figure(const Ladder& ladder) {
    for (const Ladder::Rung& rung : ladder.rungs) {
      row("array", "rate", rung.label, fmt::format("{}", rung.gb_per_s), "GB/s");
      row("array", "time", rung.label, fmt::format("{}", rung.us), "µs");
    }
  }
  void figure(const TreeLevels& tree) {
    std::vector<std::uint32_t> costs;
    for (const TreeLevels::Level& level : tree.levels) costs.push_back(level.cost);
    array("cost of a level", costs, tree.shared ? "passes" : "sectors");
  }
  void figure(const LaneSteps& steps) {
    for (const LaneSteps::Step& step : steps.steps) {
      array(step.label + ": from lane", step.from);
      array(step.label + ": received", step.received);
      array(step.label + ": holds", step.holds);
    }
    array("stored at", steps.place);
  }
  void figure(const SmTimeline& timeline) {  // the details of each warp are for `launch --timeline`
    for (const SmTimeline::Run& run : timeline.runs)
      if (run.clock) row("array", "cycles", run.label, fmt::format("{}", run.clock->cycles), "cycles");
  }
  void figure(const OccupancyCurves& curves) {
    for (const OccupancyCurves::Curve& curve : curves.curves) {
      for (const OccupancyCurves::Point& point : curve.points)
        row("array", "warps over " + curve.label, fmt::format("{}", point.at), fmt::format("{}", point.occupancy.warps), "warps");
    }
  }
  void figure(const LaunchSweep& sweep) {
    for (const LaunchSweep::Part& part : sweep.parts) {
      for (const LaunchSweep::Row& launch : part.rows) {
        const std::string at = fmt::format("{}", launch.value);
        row("array", "time over " + part.label, at, launch.us > 0 ? fmt::format("{}", launch.us) : "", "µs");
        row("array", "warps over " + part.label, at, fmt::format("{}", launch.occupancy.warps), "warps");
      }
    }
  }
  void figure(const MemoryMap&) {}  // addresses of single requests are not a result
  void figure(const LaneTimeline& timeline) {
    for (const LaneTimeline::Warp& warp : timeline.warps) {
      const std::string name = fmt::format("lanes of block {} warp {}", warp.block, warp.warp);
      std::uint64_t first = 1;  // first instruction of the range
      for (const LaneTimeline::Stretch& stretch : warp.stretches) {
        row("array", name, fmt::format("{}", first), fmt::format("{}", std::popcount(stretch.mask)));
        first += stretch.instructions;
      }
    }
  }
  void figure(const Curves& curves) {
    array("expected", curves.expected);
    array("got", curves.got);
  }
  void figure(const BreakEven& chart) {
    for (const BreakEven::Point& point : chart.points) {
      const std::string at = fmt::format("{}", point.n);
      row("array", "CPU core over values", at, fmt::format("{}", point.cpu_us), "µs", point.cpu_measured ? "" : "not measured");
      row("array", "GPU over values", at, fmt::format("{}", point.gpu_us), "µs", point.executed ? "" : "not run");
      row("array", "kernels over values", at, fmt::format("{}", point.kernel_us), "µs", point.executed ? "" : "not run");
    }
  }
  void figure(const Roofline& roofline) {
    for (const Roofline::Version& version : roofline.versions) {
      row("array", "time", version.label, version.us > 0 ? fmt::format("{}", version.us) : "", "µs");
      row("array", "bytes", version.label, fmt::format("{}", version.bytes), "B");
      row("array", "operations", version.label, fmt::format("{}", version.operations));
      row("array", "limit", version.label, std::string(name_of(version.limit)));
    }
  }
  void figure(const TileWalk& walk) {
    for (const TileWalk::Matrix* const matrix : {&walk.a, &walk.b}) {
      std::vector<std::uint32_t> by_block_0, by_all;
      for (const TileWalk::Element& element : matrix->elements) {
        by_block_0.push_back(element.by_block_0);
        by_all.push_back(element.by_all);
      }
      array(matrix->name + ", loads by block 0", by_block_0);
      array(matrix->name + ", loads by all blocks", by_all);
    }
  }
  void figure(const CallTree& tree) {
    for (const CallTree::Function& function : tree.functions) {
      row("array", "calls", function.name, fmt::format("{}", function.calls));
      row("array", "instructions", function.name, fmt::format("{}", function.instructions));
      row("array", "stack", function.name, function.bytes ? fmt::format("{}", *function.bytes) : "", "B");
    }
  }
  void figure(const Chip& chip) {
    for (const Chip::Fact& fact : chip.facts)
      row("array", fact.name, "", fmt::format("{}", fact.value), fact.unit, fact.attribute.empty() ? fact.source : fact.attribute);
  }
  void figure(const DeviceTable& table) {
    for (const DeviceTable::Row& each : table.rows) {
      for (std::size_t i = 0; i < each.values.size(); ++i) {
        if (each.values[i]) row("array", each.name, table.devices[i], fmt::format("{}", *each.values[i]), each.unit, each.meaning);
      }
    }
  }
  void figure(const Ordering& ordering) {
    for (std::size_t i = 0; i < ordering.events.size(); ++i) {
      const Ordering::Event& event = ordering.events[i];
      row("array", "events", fmt::format("{}", i), event.words, "",
          fmt::format("block {}, {}, line {}", ordering.columns[event.column].block, event.strength, event.line));
    }
    for (const Ordering::Arrow& arrow : ordering.arrows)
      row("array", "order", fmt::format("{} to {}", arrow.from, arrow.to), arrow.promised ? "promised" : "missing", "",
          arrow.sentence);
  }
  void figure(const Arrays& arrays) {
    if (!arrays.arrays) return;
    for (const Arrays::One& one : *arrays.arrays) {
      if (one.array.count() > most_ || one.after.size() != one.array.bytes()) {
        row("array", one.array.name, "", "", "", fmt::format("{} values are too many for a table", one.array.count()));
        continue;
      }
      for (std::size_t i = 0; i < one.array.count(); ++i) row("array", one.array.name, fmt::format("{}", i), element(one, i));
    }
  }

  void figure(const Checks& checks) {
    for (const Checks::Row& check : checks.rows)
      row("array", "checks", check.name, std::string(name_of(check.verdict)), "", check.message);
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  template <class T>
  static std::string element_as(const Arrays::One& one, std::size_t i) {
    T value{};
    std::memcpy(&value, one.after.data() + i * sizeof(T), sizeof(T));
    return fmt::format("{}", +value);
  }
  static std::string element(const Arrays::One& one, std::size_t i) {
    using gpu::ScalarType;
    switch (one.array.type) {
      case ScalarType::int8:
        return element_as<std::int8_t>(one, i);
      case ScalarType::uint8:
        return element_as<std::uint8_t>(one, i);
      case ScalarType::int16:
        return element_as<std::int16_t>(one, i);
      case ScalarType::uint16:
        return element_as<std::uint16_t>(one, i);
      case ScalarType::int32:
        return element_as<std::int32_t>(one, i);
      case ScalarType::uint32:
        return element_as<std::uint32_t>(one, i);
      case ScalarType::int64:
        return element_as<std::int64_t>(one, i);
      case ScalarType::uint64:
        return element_as<std::uint64_t>(one, i);
      case ScalarType::float32:
        return element_as<float>(one, i);
      case ScalarType::float64:
        return element_as<double>(one, i);
    }
    return {};
  }

  Form form_;
  std::size_t most_;  // most values of an array
  std::string text_;
  std::size_t run_ = 1;
};

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

bool has_table(const Figure& figure) { return !std::holds_alternative<MemoryMap>(figure); }

std::string figure_table(const Figure& figure) {
  Table table(Table::Form::between_tabs);
  std::visit([&](const auto& shown) { table.figure(shown); }, figure);
  return std::move(table).text();
}

std::string results_csv(const Lesson& lesson, const Values& values, const Outcome& outcome, std::span<const PastRun> earlier) {
  Table table;
  std::size_t number = 1;
  for (const PastRun& past : earlier) {
    table.run(number++);
    table.settings(lesson, past.values);
    table.numbers(past.numbers);
  }
  table.run(number);
  table.settings(lesson, values);
  table.numbers(outcome.numbers);
  for (const Figure& figure : outcome.figures) std::visit([&](const auto& shown) { table.figure(shown); }, figure);
  return std::move(table).text();
}

}  // namespace warpbook::lessons
