#include "app/session/variable_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <set>

#include "gpu/address_windows.h"
#include "gpu/message.h"
#include "gpu/source_variables.h"

namespace warpbook::app {
namespace {

using gpu::DebugType;
using gpu::LaneValues;
using gpu::SourceLevel;
using gpu::SourceVariables;
using gpu::ValueState;

constexpr std::size_t most_elements = 8;   // of an array that are shown one by one
constexpr std::size_t most_parts = 16;     // of one variable
constexpr std::size_t most_line_rows = 4;  // kept free for the parts of a line

std::string_view whole_line(std::string_view text, std::uint32_t line) {
  for (; line > 1 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// Where a pointer leads, as one writes it.
std::string pointer_text(const Steps::Launch& launch, std::uint64_t address) {
  if (address == 0) return "nullptr";
  const gpu::History& history = *launch.history;
  if (const std::uint64_t offset = address - gpu::shared_window; offset < gpu::window_bytes) {
    const gpu::HistoryArray* array = history.find(true, offset);
    if (array == nullptr) return say("shared +{offset}", "offset"_a = offset);
    const std::string element = shared_element(launch, *array, offset);
    return "&" + (element.empty() ? fmt::format("{}[{}]", array->name, (offset - array->base) / size_of(array->type)) : element);
  }
  if (const std::uint64_t offset = address - gpu::local_window; offset < gpu::window_bytes)
    return say("local +{offset}", "offset"_a = offset);
  if (const gpu::HistoryArray* array = history.find(false, address))
    return fmt::format("&{}[{}]", array->name, (address - array->base) / size_of(array->type));
  return fmt::format("{:#x}", address);
}

/// A number as the source's type writes it; with few digits, or with all.
std::string number_text(const Steps::Launch& launch, const DebugType& type, std::uint64_t bits, bool exact) {
  switch (type.kind) {
    case DebugType::Kind::boolean:
      return bits ? "true" : "false";
    case DebugType::Kind::floating: {
      const double value = gpu::floating_number(type, bits);
      return exact ? fmt::format("{:.{}g}", value, type.bytes == 4 ? 9 : 17) : fmt::format("{:.5g}", value);
    }
    case DebugType::Kind::character: {
      const std::int64_t value = gpu::whole_number(type, bits);
      const bool letter =
          type.name.ends_with("char") && type.name.find("signed") == std::string::npos && value >= 32 && value < 127;
      return letter ? fmt::format("'{}'", static_cast<char>(value)) : std::to_string(value);
    }
    case DebugType::Kind::enumeration: {
      const std::int64_t value = gpu::whole_number(type, bits);
      for (const auto& [number, name] : type.values)
        if (number == value) return name;
      return std::to_string(value);
    }
    case DebugType::Kind::pointer:
      return pointer_text(launch, bits);
    case DebugType::Kind::unsigned_integer:
      return std::to_string(static_cast<std::uint64_t>(gpu::whole_number(type, bits)));
    case DebugType::Kind::signed_integer:
      return std::to_string(gpu::whole_number(type, bits));
    default:
      return fmt::format("{:#x}", bits);
  }
}

std::string_view state_text(ValueState state, bool in_memory) {
  switch (state) {
    case ValueState::known:
      return "";
    case ValueState::not_computed:
      return in_memory ? say("not written yet") : say("not computed yet");
    case ValueState::out_of_scope:
      return say("out of scope here");
    case ValueState::not_kept:
      return say("kept in no register at this point");
    case ValueState::not_recorded:
      return say("in no array that was recorded");
    case ValueState::outside:
      return say("outside of every array");
  }
  return "";
}

class Rows {
 public:
  Rows(const Steps::Launch& launch, const SourceVariables& variables, std::uint32_t born)
      : launch_(launch), variables_(variables), born_(born) {}

  /// A variable; of a struct or a small array, its parts.
  void add(StepView::Group& group, const std::string& name, const LaneValues& values, bool used) {
    std::size_t room = most_parts;
    add_part(group, name, values, used, room);
  }

  [[nodiscard]] StepView::Variable row(const std::string& name, const LaneValues& values) const {
    StepView::Variable row;
    row.name = name;
    row.type = values.type->name;
    std::optional<ValueState> none;
    bool same = true;
    const auto first = static_cast<unsigned>(std::countr_zero(born_));
    for (unsigned l = 0; l < 32; ++l) {
      const bool known = values.states[l] == ValueState::known && (born_ >> l & 1u);
      row.lanes.push_back(known ? number_text(launch_, *values.type, values.bits[l], false) : "–");
      row.exact.push_back(known ? number_text(launch_, *values.type, values.bits[l], true) : "–");
      if (!(born_ >> l & 1u)) continue;
      if (!known && !none) none = values.states[l];
      same &= values.states[l] == values.states[first] && (!known || values.bits[l] == values.bits[first]);
    }
    row.uniform = same && !none;
    const bool nowhere = std::all_of(row.lanes.begin(), row.lanes.end(), [](const std::string& text) { return text == "–"; });
    if (nowhere && none) row.remark = state_text(*none, values.in_memory);
    return row;
  }

 private:
  void add_part(StepView::Group& group, const std::string& name, const LaneValues& values, bool used, std::size_t& room) {
    if (room == 0) return;
    const DebugType& type = *values.type;
    const bool there = std::any_of(values.states.begin(), values.states.end(), [](ValueState s) { return s == ValueState::known; });
    if (type.kind == DebugType::Kind::structure && values.in_memory && there && !type.members.empty()) {
      for (const DebugType::Member& member : type.members)
        if (const auto part = variables_.member(values, member.name); part && !member.name.empty())
          add_part(group, name + "." + member.name, *part, used, room);
      return;
    }
    if (type.kind == DebugType::Kind::array && values.in_memory && there) return add_elements(group, name, values, used, room);
    --room;
    StepView::Variable made = row(name, values);
    made.used = used;
    if (type.kind == DebugType::Kind::structure || type.kind == DebugType::Kind::array || type.kind == DebugType::Kind::unknown) {
      if (made.remark.empty()) made.remark = say("its parts cannot be shown");
    }
    group.rows.push_back(std::move(made));
  }

  void add_elements(StepView::Group& group, const std::string& name, const LaneValues& values, bool used, std::size_t& room) {
    const DebugType& type = *values.type;
    const std::uint64_t count = type.extents.empty() ? 0 : type.extents.front();
    const bool shared = values.addresses[static_cast<unsigned>(std::countr_zero(born_))] - gpu::shared_window < gpu::window_bytes;
    if (!shared && count > 0 && count <= most_elements && (type.extents.size() == 1 || count * type.extents[1] <= most_parts)) {
      for (std::uint64_t e = 0; e < count; ++e)
        if (const auto part = variables_.element(values, e)) add_part(group, fmt::format("{}[{}]", name, e), *part, used, room);
      return;
    }
    --room;
    StepView::Variable made;
    made.name = name;
    made.type = type.name;
    made.lanes.assign(32, "–");
    made.exact = made.lanes;
    made.used = used;
    made.remark = shared ? say("an array, shown below") : say("an array; its elements are shown in lines that use them");
    group.rows.push_back(std::move(made));
  }

  const Steps::Launch& launch_;
  const SourceVariables& variables_;
  std::uint32_t born_;
};

bool names_it(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What a line reads and writes: elements and members first, then variables.
std::vector<std::string> parts_of(std::string_view line) {
  std::vector<std::string> parts = gpu::expressions_of(line);
  for (std::string& name : gpu::names_of(line))
    if (std::find(parts.begin(), parts.end(), name) == parts.end()) parts.push_back(std::move(name));
  return parts;
}

StepView::Group line_group(const Stepper& stepper, const StepView& view, const SourceVariables& variables, Rows& rows,
                           std::string_view line) {
  StepView::Group group;
  group.title = view.line != 0 ? say("In line {line}", "line"_a = view.line) : std::string(say("In this line"));
  group.room = stepper.line_room;
  for (const std::string& expression : parts_of(line)) {
    const auto values = variables.evaluate(variables.levels().front(), expression);
    if (!values || values->type->kind == DebugType::Kind::array || values->type->kind == DebugType::Kind::structure) continue;
    // Where a pointer leads is no news in a line that uses what lies there.
    if (values->type->kind == DebugType::Kind::pointer && line.find(expression + "[") != line.npos) continue;
    StepView::Variable row = rows.row(expression, *values);
    row.used = true;
    group.rows.push_back(std::move(row));
  }
  return group;
}

StepView::Group level_group(const SourceVariables& variables, const SourceLevel& level, Rows& rows,
                            const std::vector<std::string>& used) {
  StepView::Group group;
  group.title = say("Variables of {function}", "function"_a = level.function->name);
  std::multiset<std::string_view> names;
  for (const gpu::ScopedVariable& each : level.variables) names.insert(each.variable->name);
  for (const gpu::ScopedVariable& each : level.variables) {
    // Two of the same name are told apart by the lines that declare them.
    const std::string& name = each.variable->name;
    const bool twice = names.count(name) > 1 && each.variable->line != 0;
    const bool here = each.scope->holds(level.ptx_lines[0]);
    rows.add(group, twice ? say("{name} (line {line})", "name"_a = name, "line"_a = each.variable->line) : name,
             variables.value(level, each), here && names_it(used, name));
  }
  return group;
}

/// Marks lanes whose text differs from the view before.
void mark_changes(const StepView& before, StepView& view) {
  if (before.warp != view.warp || before.position == view.position) return;
  for (StepView::Group& group : view.groups) {
    const auto same =
        std::find_if(before.groups.begin(), before.groups.end(), [&](const auto& each) { return each.title == group.title; });
    if (same == before.groups.end()) continue;
    for (StepView::Variable& row : group.rows) {
      const auto old = std::find_if(same->rows.begin(), same->rows.end(), [&](const auto& each) { return each.name == row.name; });
      if (old == same->rows.end()) continue;
      for (unsigned l = 0; l < 32; ++l)
        if (old->exact[l] != row.exact[l] && row.exact[l] != "–") row.changed |= 1u << l;
    }
  }
}

/// The line's own rows: what the line before or the function's variables showed under the same name is what they are compared with.
void compare_line(const StepView& before, StepView& view) {
  if (view.instruction.empty() || before.instruction.empty() || view.groups.size() < 2 || before.groups.size() < 2) return;
  if (before.warp != view.warp || before.position == view.position || before.groups[1].title != view.groups[1].title) return;
  for (StepView::Variable& row : view.groups[0].rows)
    for (std::size_t g = 0; g < 2; ++g) {
      const auto old = std::find_if(before.groups[g].rows.begin(), before.groups[g].rows.end(),
                                    [&](const StepView::Variable& each) { return each.name == row.name; });
      if (old == before.groups[g].rows.end()) continue;
      for (unsigned l = 0; l < 32; ++l)
        if (old->exact[l] != row.exact[l] && row.exact[l] != "–") row.changed |= 1u << l;
      break;
    }
}

}  // namespace

void prepare_variables(const Stepper& stepper, StepView& view) {
  const Steps::Launch& launch = stepper.steps->launches[stepper.launch];
  if (!launch.debug) {
    view.no_variables =
        say("This kernel's variables are not known: it could not be compiled once more for stepping. Its registers are shown.");
    return;
  }
  const SourceVariables variables(*launch.debug, *stepper.replay,
                                  {.warp = stepper.warp,
                                   .grid = launch.grid,
                                   .block = launch.block,
                                   .source = launch.source.text,
                                   .defines = launch.source.defines});
  if (variables.levels().empty()) {
    view.no_variables = say("The warp stands in code that has no source here.");
    return;
  }
  const std::string_view line = view.line != 0 ? whole_line(launch.source.text, view.line) : std::string_view();
  Rows rows(launch, variables, view.born);
  const std::vector<std::string> used = gpu::names_of(line);
  if (!view.instruction.empty()) view.groups.push_back(line_group(stepper, view, variables, rows, line));
  std::size_t depth = 0;
  for (const SourceLevel& level : variables.levels()) {
    StepView::Group group = level_group(variables, level, rows, depth == 0 ? used : std::vector<std::string>());
    if (depth > 0)
      group.title = say("{variables}, which called from line {line}", "variables"_a = group.title, "line"_a = level.line);
    if (!group.rows.empty()) view.groups.push_back(std::move(group));
    ++depth;
  }
  mark_changes(stepper.view, view);
  compare_line(stepper.view, view);
}

std::size_t most_expressions(const Steps::Launch& launch) {
  std::set<std::uint32_t> lines;
  for (const gpu::HistoryStep& step : launch.history->steps()) lines.insert(step.line);
  std::size_t most = 0;
  for (const std::uint32_t line : lines)
    if (line != 0) most = std::max(most, parts_of(whole_line(launch.source.text, line)).size());
  return std::min(most, most_line_rows);
}

std::string shared_element(const Steps::Launch& launch, const gpu::HistoryArray& array, std::uint64_t offset) {
  if (!launch.debug || array.symbol.empty()) return {};
  const auto type_in = [&](const auto& self, const gpu::DebugScope& scope) -> const gpu::DebugVariable* {
    for (const gpu::DebugVariable& variable : scope.variables)
      for (const auto& stretch : variable.ranges)
        if (stretch.place.name == array.symbol) return &variable;
    for (const gpu::DebugScope& inner : scope.inner)
      if (const gpu::DebugVariable* found = self(self, inner)) return found;
    return nullptr;
  };
  const gpu::DebugVariable* variable = nullptr;
  for (const gpu::DebugFunction& function : launch.debug->functions)
    if (variable == nullptr) variable = type_in(type_in, function.body);
  if (variable == nullptr) return {};
  const DebugType& type = launch.debug->types[variable->type];
  if (type.kind != DebugType::Kind::array) return {};
  const DebugType& element = launch.debug->types[type.target];
  if (element.bytes == 0 || (offset - array.base) % element.bytes != 0) return {};
  std::uint64_t index = (offset - array.base) / element.bytes;
  std::string indices;
  for (auto extent = type.extents.rbegin(); extent != type.extents.rend(); ++extent) {
    const bool outermost = extent + 1 == type.extents.rend();
    indices = fmt::format("[{}]", outermost || *extent == 0 ? index : index % *extent) + indices;
    if (*extent != 0) index /= *extent;
  }
  return variable->name + indices;
}

}  // namespace warpbook::app
