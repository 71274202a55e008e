#include "lessons/arguments/argument_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "lessons/arguments/argument_parts.h"

namespace warpbook::lessons {
namespace {

std::string declaration(const gpu::Parameter& parameter) {
  return parameter.type.empty() ? parameter.name : fmt::format("{} {}", parameter.type, parameter.name);
}

bool is_size_of_a_number(std::uint32_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

// An example of a spec for a member, or for a parameter that is not a struct.
std::string plain_suggestion(const gpu::Parameter& parameter) {
  const std::string_view element = parameter.element ? gpu::name_of(*parameter.element) : std::string_view();
  if (parameter.pointer && parameter.pointee)
    return fmt::format("{}[{}]=zeros", gpu::name_of(parameter.pointee->type), 4096 * parameter.pointee->count);
  if (parameter.pointer) return fmt::format("{}[4096]=zeros", element.empty() ? "float32" : element);
  if (!element.empty()) return fmt::format("{}={}", element, element.starts_with("float") ? "0.25" : "5");
  if (!is_struct(parameter)) return parameter.size == 8 ? "int64=5" : "int32=5";
  if (parameter.members.empty()) return "{int32=16,int32=16,float32[16x16]=zeros}";
  std::string members;
  for (const gpu::Parameter& member : parameter.members) members += (members.empty() ? "" : ",") + plain_suggestion(member);
  return "{" + members + "}";
}

// An example of a spec for this parameter. Braces are quoted, because a shell would expand them.
std::string suggestion(const gpu::Parameter& parameter) {
  const std::string plain = plain_suggestion(parameter);
  return plain.starts_with('{') ? "'" + plain + "'" : plain;
}

std::string kind_of(const ArgumentSpec& spec) {
  return fmt::format("{} {}", spec.is_struct() ? "a struct," : spec.is_array ? "an array," : "one number,", spec.type_text());
}

// The layout in words: "int8 at 0, int64 at 8".
std::string layout_text(const ArgumentSpec& spec, const gpu::Parameter& parameter) {
  std::string text;
  for (const ArgumentPart& part : parts_of(spec, parameter))
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", part.spec->is_array ? "a pointer" : part.spec->type_text(),
                        part.offset);
  return text;
}

struct Question {
  std::string what;  // "Parameter 0 of add", "Member 1 of A"
  const gpu::Parameter& parameter;
  const ArgumentSpec& spec;
  Types types;

  [[nodiscard]] tl::unexpected<Error> refuse(std::string_view wants) const {
    return failure("usage", fmt::format("{} is '{}': it wants {}, but '{}' is {}. For example: {}", what, declaration(parameter),
                                        wants, spec.text, kind_of(spec), suggestion(parameter)));
  }
};

Result<void> check_one(const Question& asked);

Result<void> check_struct(const Question& asked) {
  const auto& [what, parameter, spec, types] = asked;
  const auto refuse = [&](std::string_view why) {
    return failure("usage", fmt::format("{} is '{}', a struct of {} bytes, but {}. For example: {}", what, declaration(parameter),
                                        parameter.size, why, suggestion(parameter)));
  };
  if (!spec.is_struct()) {
    return refuse(fmt::format("'{}' is {} ({} bytes): a struct is given as {{…}}, its members in their order", spec.text,
                              kind_of(spec), bytes_of(spec, parameter)));
  }
  if (!parameter.members.empty()) {
    std::string members;
    for (const gpu::Parameter& member : parameter.members) members += (members.empty() ? "" : ", ") + declaration(member);
    if (parameter.members.size() != spec.members.size()) {
      return refuse(fmt::format("'{}' has {} member{}, not the {} of {{{}}}", spec.text, spec.members.size(),
                                spec.members.size() == 1 ? "" : "s", parameter.members.size(), members));
    }
    for (std::size_t i = 0; i < spec.members.size(); ++i) {
      auto fits = check_one({fmt::format("Member {} of {}", i, parameter.name), parameter.members[i], spec.members[i], types});
      if (!fits) return fits;
    }
  }
  if (const std::size_t bytes = bytes_of(spec, parameter); bytes != parameter.size) {
    return refuse(fmt::format("'{}' takes {} bytes as C lays it out: {}. Give its members in their order, padding left out",
                              spec.text, bytes, layout_text(spec, parameter)));
  }
  return {};
}

Result<void> check_one(const Question& asked) {
  const auto& [what, parameter, spec, types] = asked;
  if (is_struct(parameter)) return check_struct(asked);
  if (types == Types::sizes && !parameter.pointer) {
    // In PTX, a .u64 may be a pointer, and a .u32 an int.
    if (bytes_of(spec, parameter) != parameter.size) return asked.refuse(fmt::format("{} bytes", parameter.size));
    return {};
  }
  if (parameter.pointer) {
    const std::string element = parameter.element ? fmt::format("an array of {}", gpu::name_of(*parameter.element)) : "an array";
    if (!spec.is_array) return asked.refuse(element);
    const bool fits = !parameter.element || *parameter.element == spec.type ||
                      (types == Types::sizes && gpu::size_of(*parameter.element) == gpu::size_of(spec.type));
    if (!fits) return asked.refuse(element);
    return {};
  }
  // If the type's name is unknown (an enum, a struct that cannot be read), only its size can be checked.
  if (!parameter.element && spec.is_struct() && bytes_of(spec, parameter) == parameter.size) return {};
  const std::string wants = parameter.element ? fmt::format("one {}", gpu::name_of(*parameter.element))
                                              : fmt::format("one number of {} bytes", parameter.size);
  const bool fits = parameter.element ? *parameter.element == spec.type : gpu::size_of(spec.type) == parameter.size;
  if (spec.is_array || spec.is_struct() || !fits) return asked.refuse(wants);
  return {};
}

}  // namespace

bool is_struct(const gpu::Parameter& parameter) {
  if (parameter.pointer || parameter.element) return false;
  return !parameter.members.empty() || !is_size_of_a_number(parameter.size);
}

std::string signature(const gpu::Kernel& kernel) {
  std::string text = kernel.name + "(";
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) text += (i == 0 ? "" : ", ") + declaration(kernel.parameters[i]);
  return text + ")";
}

Result<void> check_argument(const gpu::Kernel& kernel, std::size_t index, const ArgumentSpec& spec, Types types) {
  return check_one({fmt::format("Parameter {} of {}", index, kernel.name), kernel.parameters[index], spec, types});
}

Result<void> check_arguments(const gpu::Kernel& kernel, std::span<const ArgumentSpec> specs, Types types) {
  const std::size_t wanted = kernel.parameters.size();
  if (specs.size() < wanted) {
    const gpu::Parameter& first_missing = kernel.parameters[specs.size()];
    return failure("usage",
                   fmt::format("{} has {} parameter{}, but only {} --arg {} given: parameter {}, '{}', has none. "
                               "For example: --arg {}",
                               signature(kernel), wanted, wanted == 1 ? "" : "s", specs.size(), specs.size() == 1 ? "is" : "are",
                               specs.size(), declaration(first_missing), suggestion(first_missing)));
  }
  if (specs.size() > wanted) {
    const auto structure = std::find_if(kernel.parameters.begin(), kernel.parameters.end(), is_struct);
    const std::string quotes =
        structure == kernel.parameters.end()
            ? ""
            : " If a struct's {…} has no quotes, the shell has taken it apart: --arg " + suggestion(*structure);
    return failure("usage", fmt::format("{} has {} parameter{}, but {} --arg are given: leave out --arg '{}'{}.{}",
                                        signature(kernel), wanted, wanted == 1 ? "" : "s", specs.size(), specs[wanted].text,
                                        specs.size() == wanted + 1 ? "" : " and those after it", quotes));
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    if (auto fits = check_argument(kernel, i, specs[i], types); !fits) return fits;
  }
  return {};
}

}  // namespace warpbook::lessons
