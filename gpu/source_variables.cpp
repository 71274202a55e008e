#include "gpu/source_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/address_windows.h"

namespace warpbook::gpu {
namespace {

// An artificial address of kernel parameters, which no kernel can compute.
constexpr std::uint64_t parameter_window = 0x3'0000'0000;

// How many steps back a block's start is searched for.
constexpr std::size_t most_steps_back = 20'000;

bool fits_a_register(const DebugType& type) {
  return type.kind != DebugType::Kind::structure && type.kind != DebugType::Kind::array && type.bytes >= 1 && type.bytes <= 8;
}

std::uint64_t cut(std::uint64_t bits, std::uint64_t bytes) {
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

/// NVRTC puts a function's own variables into one block inside the parameters' scope, clang into that scope itself.
bool has_block_for_own_variables(const DebugScope& body) {
  return body.inner.size() == 1 && body.inner.front().inlined.empty() &&
         std::all_of(body.variables.begin(), body.variables.end(), [](const DebugVariable& each) { return each.parameter; });
}

void flatten(const DebugScope& scope, int depth, std::vector<ScopedVariable>& into) {
  for (const DebugVariable& variable : scope.variables) into.push_back({&variable, &scope, depth});
  for (const DebugScope& inner : scope.inner) flatten(inner, depth + 1, into);
}

std::vector<ScopedVariable> variables_of(const DebugFunction& function) {
  std::vector<ScopedVariable> found;
  for (const DebugVariable& variable : function.body.variables)
    found.push_back({&variable, &function.body, variable.parameter ? 0 : 1});
  const int depth = has_block_for_own_variables(function.body) ? 1 : 2;
  for (const DebugScope& inner : function.body.inner) flatten(inner, depth, found);
  return found;
}

ValueState state_of(Known known) {
  switch (known) {
    case Known::yes:
      return ValueState::known;
    case Known::unwritten:
      return ValueState::not_computed;
    case Known::outside:
      return ValueState::outside;
    case Known::not_kept:
      return ValueState::not_recorded;
  }
  return ValueState::not_recorded;
}

template <class Visit>
void each_lane(std::uint32_t lanes, const Visit& visit) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) visit(static_cast<std::uint32_t>(std::countr_zero(left)));
}

}  // namespace

SourceVariables::SourceVariables(const DebugInfo& debug, const Replay& replay, const Where& where)
    : debug_(debug), replay_(replay), where_(where) {
  bool innermost = true;
  for (const CallLevel& call : replay_.calls(where_.warp)) {
    const History& history = replay_.history();
    const DebugFunction* function = debug_.find(history.functions()[history.steps()[call.step].function].name);
    if (function != nullptr) levels_.push_back(level_of(*function, call, innermost));
    innermost = false;
  }
}

SourceLevel SourceVariables::level_of(const DebugFunction& function, const CallLevel& call, bool innermost) const {
  const History& history = replay_.history();
  SourceLevel level;
  level.function = &function;
  level.call = call;
  level.line = history.steps()[call.step].line;
  level.variables = variables_of(function);
  std::stable_sort(level.variables.begin(), level.variables.end(), [](const ScopedVariable& a, const ScopedVariable& b) {
    return (a.depth > 0 ? a.variable->line : 0) < (b.depth > 0 ? b.variable->line : 0);
  });
  level.ptx_lines.fill(history.ptx_line_of(call.step));
  if (!innermost) return level;
  // Lanes that wait elsewhere in the function are at the place of their next step.
  const auto own = history.steps_of(where_.warp);
  std::uint32_t found = 0;
  std::size_t looked = 0;
  for (auto next = std::lower_bound(own.begin(), own.end(), replay_.position());
       next != own.end() && found != ~0u && looked < most_steps_back; ++next, ++looked) {
    const HistoryStep& step = history.steps()[*next];
    each_lane(step.mask & ~found, [&](std::uint32_t l) {
      if (step.frame == call.frame) level.ptx_lines[l] = history.ptx_line_of(*next);
    });
    found |= step.mask;
  }
  return level;
}

LaneValues SourceVariables::value(const SourceLevel& level, const ScopedVariable& scoped) const {
  const DebugVariable& variable = *scoped.variable;
  LaneValues values;
  values.type = &debug_.types[variable.type];
  // Lanes that have the variable in the same place are read together.
  std::vector<std::pair<const DebugPlace*, std::uint32_t>> places;
  for (std::uint32_t l = 0; l < 32; ++l) {
    const std::uint64_t line = level.ptx_lines[l];
    const DebugPlace* place = variable.place_at(line);
    if (!scoped.scope->holds(line)) {
      // Before the function's own block begins, its variables do not have a value yet.
      values.states[l] = scoped.depth == 1 && line < scoped.scope->first ? ValueState::not_computed : ValueState::out_of_scope;
    } else if (place == nullptr) {
      const bool later =
          !variable.ranges.empty() && std::all_of(variable.ranges.begin(), variable.ranges.end(),
                                                  [&](const DebugVariable::LineRange& range) { return range.first > line; });
      values.states[l] = later ? ValueState::not_computed : ValueState::not_kept;
    } else {
      const auto same = std::find_if(places.begin(), places.end(), [&](const auto& known) { return *known.first == *place; });
      if (same == places.end())
        places.emplace_back(place, 1u << l);
      else
        same->second |= 1u << l;
    }
  }
  for (const auto& [place, lanes] : places) read_lanes(level, scoped, *place, lanes, values);
  return values;
}

void SourceVariables::read_lanes(const SourceLevel& level, const ScopedVariable& variable, const DebugPlace& place,
                                 std::uint32_t lanes, LaneValues& into) const {
  const auto none = [&](ValueState state) { each_lane(lanes, [&](std::uint32_t l) { into.states[l] = state; }); };
  switch (place.kind) {
    case DebugPlace::Kind::reg: {
      const auto reg = register_number(level.call, place.name);
      if (!reg || !fits_a_register(*into.type)) return none(ValueState::not_kept);
      return read_register(level, variable, *reg, lanes, into);
    }
    case DebugPlace::Kind::frame: {
      const auto pointer = register_number(level.call, "%SP");
      if (!pointer) return none(ValueState::not_kept);
      const RegisterRow row = replay_.register_of(level.call, *pointer);
      each_lane(lanes, [&](std::uint32_t l) {
        if (!(row.written >> l & 1u)) into.states[l] = ValueState::not_computed;
        into.addresses[l] = row.lanes[l] + static_cast<std::uint64_t>(place.offset);
      });
      into.in_memory = true;
      load(into, lanes);
      const std::uint32_t stored = variable.depth > 1 ? stored_in_block(level, variable, place) : ~0u;
      return each_lane(lanes & ~stored, [&](std::uint32_t l) { into.states[l] = ValueState::not_computed; });
    }
    case DebugPlace::Kind::variable: {
      const auto address = symbol_address(place.name);
      if (!address) return none(ValueState::not_recorded);
      each_lane(lanes, [&](std::uint32_t l) { into.addresses[l] = *address + static_cast<std::uint64_t>(place.offset); });
      into.in_memory = true;
      return load(into, lanes);
    }
    case DebugPlace::Kind::parameter:
      return read_parameter(level, place, lanes, into);
    case DebugPlace::Kind::constant:
      each_lane(lanes, [&](std::uint32_t l) { into.bits[l] = cut(static_cast<std::uint64_t>(place.offset), into.type->bytes); });
      return;
  }
}

void SourceVariables::read_register(const SourceLevel& level, const ScopedVariable& variable, std::uint32_t reg,
                                    std::uint32_t lanes, LaneValues& into) const {
  const RegisterRow row = replay_.register_of(level.call, reg);
  std::uint32_t computed = row.written;
  // When a block is entered again, its variables are new, but the register still holds the previous iteration's value.
  if (variable.depth > 1 && variable.variable->ranges.size() == 1)
    computed &=
        computed_in_block(level, variable, [&](const HistoryFunction& in, std::uint32_t pc) { return in.writes[pc] == reg; });
  each_lane(lanes, [&](std::uint32_t l) {
    into.bits[l] = cut(row.lanes[l], into.type->bytes);
    if (!(computed >> l & 1u)) into.states[l] = ValueState::not_computed;
  });
}

std::uint32_t SourceVariables::computed_in_block(
    const SourceLevel& level, const ScopedVariable& variable,
    const std::function<bool(const HistoryFunction&, std::uint32_t pc)>& writes) const {
  const History& history = replay_.history();
  const auto own = history.steps_of(where_.warp);
  const auto from = std::lower_bound(own.begin(), own.end(), std::min(level.call.step, replay_.position()));
  std::uint32_t left = 0, computed = 0;
  std::size_t looked = 0;
  for (auto at = from; at != own.begin() && left != ~0u; ++looked) {
    const HistoryStep& step = history.steps()[*--at];
    if (looked == most_steps_back) return ~0u;
    if (step.frame != level.call.frame) continue;
    const std::uint32_t here = step.mask & ~left;
    if (!variable.scope->holds(history.ptx_line_of(*at)))
      left |= here;
    else if (writes(history.functions()[step.function], step.pc))
      computed |= here;
  }
  return computed;
}

/// clang without optimisation keeps every variable in local memory, where a block that is entered again finds its old values.
std::uint32_t SourceVariables::stored_in_block(const SourceLevel& level, const ScopedVariable& variable,
                                               const DebugPlace& place) const {
  if (!fits_a_register(debug_.types[variable.variable->type])) return ~0u;
  const History& history = replay_.history();
  const HistoryFunction& function = history.functions()[history.steps()[level.call.step].function];
  // A variable whose address is computed may be written through a pointer, which no instruction's text tells.
  const std::string address = fmt::format(", %SP, {};", place.offset), operand = fmt::format("[%SP+{}]", place.offset);
  if (std::any_of(function.text.begin(), function.text.end(),
                  [&](const std::string& text) { return text.starts_with("add") && text.ends_with(address); }))
    return ~0u;
  return computed_in_block(level, variable, [&](const HistoryFunction& in, std::uint32_t pc) {
    return in.text[pc].starts_with("st") && in.text[pc].find(operand) != std::string::npos;
  });
}

void SourceVariables::read_parameter(const SourceLevel& level, const DebugPlace& place, std::uint32_t lanes,
                                     LaneValues& into) const {
  const History& history = replay_.history();
  const HistoryFunction& function = history.functions()[history.steps()[level.call.step].function];
  const auto parameter = std::find_if(function.parameters.begin(), function.parameters.end(),
                                      [&](const HistoryFunction::Parameter& each) { return each.name == place.name; });
  if (parameter == function.parameters.end()) {
    each_lane(lanes, [&](std::uint32_t l) { into.states[l] = ValueState::not_kept; });
    return;
  }
  if (function.kernel) {
    const std::uint64_t address = parameter_window + parameter->offset + static_cast<std::uint64_t>(place.offset);
    each_lane(lanes, [&](std::uint32_t l) { into.addresses[l] = address; });
    into.in_memory = true;
    return load(into, lanes);
  }
  // A call's parameter is found in the registers into which the function loads it.
  for (const HistoryFunction::Parameter::Load& each : parameter->loads) {
    if (each.offset != static_cast<std::uint32_t>(place.offset) || each.bytes != into.type->bytes) continue;
    const RegisterRow row = replay_.register_of(level.call, each.reg);
    each_lane(lanes, [&](std::uint32_t l) {
      into.bits[l] = cut(row.lanes[l], into.type->bytes);
      if (!(row.written >> l & 1u)) into.states[l] = ValueState::not_computed;
    });
    return;
  }
  each_lane(lanes, [&](std::uint32_t l) { into.states[l] = ValueState::not_kept; });
}

/// Loads numbers and pointers. A larger value stays an address.
void SourceVariables::load(LaneValues& values, std::uint32_t lanes) const {
  if (!fits_a_register(*values.type)) return;
  each_lane(lanes, [&](std::uint32_t l) {
    if (values.states[l] != ValueState::known) return;
    std::array<std::byte, 8> bytes{};
    const Known known = read(l, values.addresses[l], std::span(bytes).first(values.type->bytes));
    values.states[l] = state_of(known);
    if (known == Known::yes) std::memcpy(&values.bits[l], bytes.data(), bytes.size());
  });
}

Known SourceVariables::read(std::uint32_t lane, std::uint64_t address, std::span<std::byte> into) const {
  const std::uint64_t offset = address - parameter_window;
  if (offset >= window_bytes) return replay_.read(where_.warp, lane, address, into);
  const auto& parameters = replay_.history().parameters();
  if (offset + into.size() > parameters.size()) return Known::outside;
  std::copy_n(parameters.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  return Known::yes;
}

LaneValues SourceVariables::at(const DebugType& type, const LaneValues& where) const {
  LaneValues values;
  values.type = &type;
  values.states = where.states;
  values.addresses = where.addresses;
  values.in_memory = true;
  load(values, ~0u);
  return values;
}

std::optional<std::uint32_t> SourceVariables::register_number(const CallLevel& call, std::string_view name) const {
  const History& history = replay_.history();
  const auto& registers = history.functions()[history.steps()[call.step].function].registers;
  for (std::uint32_t r = 0; r < registers.size(); ++r)
    if (registers[r].name == name) return r;
  return std::nullopt;
}

std::optional<std::uint64_t> SourceVariables::symbol_address(std::string_view symbol) const {
  const HistoryArray* array = replay_.history().find_symbol(symbol);
  if (array == nullptr) return std::nullopt;
  return array->shared ? shared_window + array->base : array->base;
}

// --- Expressions ----------------------------------------------------------------------------------------------------------------

class SourceVariables::Names final : public ExpressionNames {
 public:
  Names(const SourceVariables& of, const SourceLevel* level) : of_(of), level_(level) {}

  [[nodiscard]] std::optional<LaneValues> named(std::string_view name) const override {
    if (level_ != nullptr) {
      const std::uint64_t line = level_->ptx_lines[first_on()];
      const ScopedVariable* found = nullptr;  // the innermost one in scope
      for (const ScopedVariable& each : level_->variables)
        if (each.variable->name == name && each.scope->holds(line) && (found == nullptr || each.depth > found->depth))
          found = &each;
      if (found == nullptr)  // a variable that is declared later
        for (const ScopedVariable& each : level_->variables)
          if (each.variable->name == name) found = &each;
      if (found != nullptr) return of_.value(*level_, *found);
    }
    if (const auto special = of_.builtin(name, {})) return special;
    for (const DebugVariable& global : of_.debug_.globals) {
      if (global.name != name || global.ranges.empty()) continue;
      LaneValues values;
      values.type = &of_.debug_.types[global.type];
      of_.read_lanes(of_.levels_.front(), {&global, nullptr, 0}, global.ranges.front().place, ~0u, values);
      return values;
    }
    const std::string text = depth_ > 16 ? std::string() : constant_text(name, of_.where_.source, of_.where_.defines);
    if (text.empty()) return std::nullopt;
    Names constants(of_, nullptr);
    constants.depth_ = depth_ + 1;
    return gpu::evaluate(text, constants);
  }

  [[nodiscard]] std::optional<LaneValues> member(const LaneValues& of, std::string_view name) const override {
    if (of.type->kind == DebugType::Kind::unknown) return of_.builtin(of.type->name, name);
    return of_.member(of, name);
  }
  [[nodiscard]] LaneValues at(const DebugType& type, const LaneValues& where) const override { return of_.at(type, where); }
  [[nodiscard]] const DebugType& type(std::uint32_t index) const override { return of_.debug_.types[index]; }

 private:
  [[nodiscard]] unsigned first_on() const {
    const std::uint32_t mask = of_.replay_.history().steps()[level_->call.step].mask;
    return mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask));
  }

  const SourceVariables& of_;
  const SourceLevel* level_;
  int depth_ = 0;
};

/// threadIdx and the like are only names of structs with the members x, y and z.
std::optional<LaneValues> SourceVariables::builtin(std::string_view name, std::string_view member) const {
  static const std::array<DebugType, 4> triples{
      {{.name = "threadIdx"}, {.name = "blockIdx"}, {.name = "blockDim"}, {.name = "gridDim"}}};
  if (name == "warpSize") return same_in_all(number_type(DebugType::Kind::signed_integer, 4), 32);
  const auto triple = std::find_if(triples.begin(), triples.end(), [&](const DebugType& each) { return each.name == name; });
  if (triple == triples.end()) return std::nullopt;
  if (member.empty()) return same_in_all(*triple, 0);
  if (member != "x" && member != "y" && member != "z") return std::nullopt;
  const auto of = [&](std::uint64_t index, const Dim3& shape) -> std::uint64_t {
    return member == "x" ? index % shape.x : member == "y" ? index / shape.x % shape.y : index / shape.x / shape.y;
  };
  const auto extent = [&](const Dim3& shape) -> std::uint64_t {
    return member == "x" ? shape.x : member == "y" ? shape.y : shape.z;
  };
  LaneValues values = same_in_all(number_type(DebugType::Kind::unsigned_integer, 4), 0);
  for (std::uint32_t l = 0; l < 32; ++l)
    values.bits[l] = name == "threadIdx"  ? of(std::uint64_t{where_.warp.warp} * 32 + l, where_.block)
                     : name == "blockIdx" ? of(where_.warp.block, where_.grid)
                     : name == "blockDim" ? extent(where_.block)
                                          : extent(where_.grid);
  return values;
}

std::optional<LaneValues> SourceVariables::member(const LaneValues& of, std::string_view name) const {
  if (of.type->kind != DebugType::Kind::structure || !of.in_memory) return std::nullopt;
  for (const DebugType::Member& each : of.type->members) {
    LaneValues where = of;
    for (std::uint64_t& address : where.addresses) address += each.offset;
    const LaneValues found = at(debug_.types[each.type], where);
    if (each.name == name) return found;
    if (!each.name.empty()) continue;  // an unnamed union or a base class
    if (const auto inner = member(found, name)) return inner;
  }
  return std::nullopt;
}

std::optional<LaneValues> SourceVariables::element(const LaneValues& of, std::uint64_t index) const {
  return element_of(of, same_in_all(number_type(DebugType::Kind::unsigned_integer, 8), index), Names(*this, nullptr));
}

std::optional<LaneValues> SourceVariables::evaluate(const SourceLevel& level, std::string_view expression) const {
  auto values = gpu::evaluate(expression, Names(*this, &level));
  if (values && values->type->kind == DebugType::Kind::unknown) return std::nullopt;
  return values;
}

}  // namespace warpbook::gpu
