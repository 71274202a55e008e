#include "lessons/arguments/variable_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpbook::lessons {

std::string type_text(const gpu::Variable& variable) {
  const std::string_view type = gpu::name_of(variable.array.type);
  if (variable.array.count() == 1) return std::string(type);
  return fmt::format("{}[{}]", type, fmt::join(variable.array.shape, "x"));
}

std::string suggested_spec(const gpu::Variable& variable) {
  return type_text(variable) + (variable.array.count() == 1 ? "=1" : "=ones");
}

Result<VariableSpec> parse_variable_spec(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size()) {
    return failure("usage", fmt::format("--symbol {} should read NAME=SPEC, a variable and what it holds. Example: --symbol "
                                        "filter=float32[5]=ones.",
                                        text));
  }
  auto spec = parse_argument_spec(text.substr(equals + 1));
  if (!spec) return failure(spec.error());
  return VariableSpec{.name = std::string(text.substr(0, equals)), .spec = std::move(*spec)};
}

Result<const gpu::Variable*> find_variable(const gpu::Program& program, std::string_view name) {
  if (const gpu::Variable* variable = program.variable(name)) return variable;
  std::string known;
  for (const gpu::Variable& variable : program.variables)
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", variable.array.name, type_text(variable));
  return failure("usage", fmt::format("{} has no __constant__ or __device__ variable '{}'. {}", program.source.file, name,
                                      known.empty() ? "It has no such variables at all." : fmt::format("It has {}.", known)));
}

Result<void> check_variable(const gpu::Variable& variable, const ArgumentSpec& spec) {
  const gpu::Array& array = variable.array;
  const auto refuse = [&] {
    return failure("usage", fmt::format("'{}' does not fit the variable {}, which is {}. For example: {}", spec.text, array.name,
                                        type_text(variable), suggested_spec(variable)));
  };
  if (spec.is_struct()) return refuse();
  const std::size_t count = spec.is_array ? spec.array().count() : 1;
  const bool bytes_alone = array.type == gpu::ScalarType::uint8;  // the element type may be unknown
  if (!bytes_alone && spec.type != array.type) return refuse();
  if (count * gpu::size_of(spec.type) != array.bytes()) return refuse();
  return {};
}

Result<void> write_variable(gpu::Device& device, const gpu::ProgramPtr& program, const gpu::Variable& variable,
                            const ArgumentSpec& spec) {
  if (auto fits = check_variable(variable, spec); !fits) return fits;
  auto bytes = initial_bytes(spec);
  if (!bytes) return failure(bytes.error());
  return device.write_variable(program, variable, *bytes);
}

}  // namespace warpbook::lessons
