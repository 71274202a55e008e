#include "lessons/arguments/argument_check.h"

#include <fmt/format.h>

namespace warpbook::lessons {
namespace {

std::string declaration(const gpu::Parameter& parameter) {
  return parameter.type.empty() ? parameter.name : fmt::format("{} {}", parameter.type, parameter.name);
}

// What to type for this parameter.
std::string suggestion(const gpu::Parameter& parameter) {
  const std::string_view element = parameter.element ? gpu::name_of(*parameter.element) : std::string_view();
  if (parameter.pointer) return fmt::format("{}[4096]=zeros", element.empty() ? "float32" : element);
  if (!element.empty()) return fmt::format("{}={}", element, element.starts_with("float") ? "0.25" : "5");
  return parameter.size == 8 ? "int64=5" : "int32=5";
}

Result<void> check_one(const gpu::Kernel& kernel, std::size_t index, const ArgumentSpec& spec, Types types) {
  const gpu::Parameter& parameter = kernel.parameters[index];
  const auto refuse = [&](std::string_view wants) {
    return failure("usage", fmt::format("Parameter {} of {} is '{}': it wants {}, but --arg '{}' is {} {}. For example: --arg {}",
                                        index, kernel.name, declaration(parameter), wants, spec.text,
                                        spec.is_array ? "an array," : "one number,", spec.type_text(), suggestion(parameter)));
  };

  if (types == Types::sizes && !parameter.pointer) {
    // PTX: a .u64 may hold a pointer, and .u32 an int.
    const std::size_t size = spec.is_array ? sizeof(std::uint64_t) : gpu::size_of(spec.type);
    if (size != parameter.size) return refuse(fmt::format("{} bytes", parameter.size));
    return {};
  }
  if (parameter.pointer) {
    const std::string element = parameter.element ? fmt::format("an array of {}", gpu::name_of(*parameter.element)) : "an array";
    if (!spec.is_array) return refuse(element);
    const bool fits = !parameter.element || *parameter.element == spec.type ||
                      (types == Types::sizes && gpu::size_of(*parameter.element) == gpu::size_of(spec.type));
    if (!fits) return refuse(element);
    return {};
  }
  if (!parameter.element && parameter.size != 1 && parameter.size != 2 && parameter.size != 4 && parameter.size != 8) {
    return failure("usage",
                   fmt::format("Parameter {} of {} is '{}', a struct of {} bytes passed by value: --arg has no spec for that. "
                               "Pass its members as parameters of their own.",
                               index, kernel.name, declaration(parameter), parameter.size));
  }
  const std::string wants = parameter.element ? fmt::format("one {}", gpu::name_of(*parameter.element))
                                              : fmt::format("one number of {} bytes", parameter.size);
  const bool fits = parameter.element ? *parameter.element == spec.type : gpu::size_of(spec.type) == parameter.size;
  if (spec.is_array || !fits) return refuse(wants);
  return {};
}

}  // namespace

std::string signature(const gpu::Kernel& kernel) {
  std::string text = kernel.name + "(";
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) text += (i == 0 ? "" : ", ") + declaration(kernel.parameters[i]);
  return text + ")";
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
    return failure("usage", fmt::format("{} has {} parameter{}, but {} --arg are given: leave out --arg '{}'{}.", signature(kernel),
                                        wanted, wanted == 1 ? "" : "s", specs.size(), specs[wanted].text,
                                        specs.size() == wanted + 1 ? "" : " and those after it"));
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    if (auto fits = check_one(kernel, i, specs[i], types); !fits) return fits;
  }
  return {};
}

}  // namespace warpbook::lessons
