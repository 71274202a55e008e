#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

#include "gpu/text.h"

namespace warpbook::lessons {

Outcome::Outcome() = default;
Outcome::Outcome(const Outcome& other) = default;
Outcome::Outcome(Outcome&& other) noexcept = default;
Outcome& Outcome::operator=(const Outcome& other) = default;
Outcome& Outcome::operator=(Outcome&& other) noexcept = default;
Outcome::~Outcome() = default;

namespace {

/// A list for sentences: "threads, blocks, guard".
template <class Items, class Name>
std::string list(const Items& items, Name name) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    text += name(item);
  }
  return text;
}

tl::unexpected<Error> wrong(const Control& control, std::string_view text, const std::string& what_is_right) {
  return failure("invalid_value", fmt::format("{} cannot be '{}': {}.", control.id, text, what_is_right));
}

Result<double> number_in_range(const Control& control, std::string_view text) {
  const bool whole = control.kind == Control::Kind::integer;
  const std::string range =
      fmt::format("it takes {} from {} to {}", whole ? "a whole number" : "a number", control.least, control.most);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return wrong(control, text, range);
  if (whole && value != std::floor(value)) return wrong(control, text, range);
  if (value < control.least || value > control.most) return wrong(control, text, range);
  return value;
}

}  // namespace

Values Values::defaults(const std::vector<Control>& controls) {
  Values values;
  for (const Control& control : controls) values.values_[control.id] = control.initial;
  return values;
}

Result<void> Values::set(const std::vector<Control>& controls, std::string_view id, std::string_view text) {
  const auto control = std::find_if(controls.begin(), controls.end(), [&](const Control& c) { return c.id == id; });
  if (control == controls.end()) {
    return failure("unknown_control", fmt::format("This lesson has no control named '{}'. It has: {}.", id,
                                                  list(controls, [](const Control& c) { return c.id; })));
  }
  const std::string word = lowered(text);
  switch (control->kind) {
    case Control::Kind::toggle:
      if (word == "on" || word == "true" || word == "yes" || word == "1") {
        values_[control->id] = 1;
      } else if (word == "off" || word == "false" || word == "no" || word == "0") {
        values_[control->id] = 0;
      } else {
        return wrong(*control, text, "it is on or off");
      }
      return {};
    case Control::Kind::choice:
      for (std::size_t i = 0; i < control->options.size(); ++i) {
        if (word == lowered(control->options[i].id) || word == lowered(in_english(control->options[i].label))) {
          values_[control->id] = static_cast<double>(i);
          return {};
        }
      }
      return wrong(*control, text, "it is one of " + list(control->options, [](const Control::Option& o) { return o.id; }));
    case Control::Kind::integer:
    case Control::Kind::real: {
      const Result<double> value = number_in_range(*control, text);
      if (!value) return failure(value.error());
      values_[control->id] = *value;
      return {};
    }
  }
  return {};
}

double Values::real(std::string_view id) const {
  const auto found = values_.find(id);
  assert(found != values_.end() && "a lesson asked for a control that it does not have");
  return found == values_.end() ? 0.0 : found->second;
}

int Values::integer(std::string_view id) const { return static_cast<int>(std::lround(real(id))); }

std::string_view Values::text(std::string_view id) const {
  const auto found = texts_.find(id);
  return found == texts_.end() ? std::string_view() : found->second;
}

void Values::set_text(std::string_view id, std::string_view words) {
  if (words.empty()) {
    if (const auto found = texts_.find(id); found != texts_.end()) texts_.erase(found);
  } else {
    texts_.insert_or_assign(std::string(id), std::string(words));
  }
}

std::string value_text(const Control& control, double value) {
  switch (control.kind) {
    case Control::Kind::toggle:
      return std::lround(value) != 0 ? "on" : "off";
    case Control::Kind::choice: {
      const auto chosen = static_cast<std::size_t>(std::max(std::lround(value), 0L));
      return chosen < control.options.size() ? control.options[chosen].id : std::string();
    }
    case Control::Kind::integer:
      return fmt::format("{}", std::lround(value));
    case Control::Kind::real:
      break;
  }
  return fmt::format("{}", value);
}

Macros macros_of(const Lesson& lesson, const Values& values) {
  Macros macros;
  for (const Control& control : lesson.controls) {
    if (control.define.empty()) continue;
    const bool real = control.kind == Control::Kind::real;
    macros.emplace_back(control.define,
                        real ? fmt::format("{}", values.real(control.id)) : fmt::format("{}", values.integer(control.id)));
  }
  if (lesson.more_macros) {
    for (auto& macro : lesson.more_macros(values)) macros.push_back(std::move(macro));
  }
  return macros;
}

}  // namespace warpbook::lessons
