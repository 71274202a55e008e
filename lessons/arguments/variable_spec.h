// Variable specs: values for a program's __constant__ and __device__ variables as text: a `--symbol` of `warpbook launch`, or a row
// of the playground. They do what a host program does with cudaMemcpyToSymbol.
//
//     Result<VariableSpec> given = parse_variable_spec("filt=float32[5]=iota");
//     Result<const gpu::Variable*> variable = find_variable(*program, given->name);
//     Result<void> done = write_variable(device, program, **variable, given->spec);
//
// After the name comes an argument's spec (argument_spec.h). A variable of structs is given as an array of numbers. Errors are
// sentences with the code "usage", and errors of the device.
#pragma once

#include <string>
#include <string_view>

#include "gpu/compiler.h"
#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/arguments/argument_spec.h"

namespace warpbook::lessons {

struct VariableSpec {
  std::string name;  // as the source writes it, or its last part: "table" for n::table
  ArgumentSpec spec;
};
[[nodiscard]] Result<VariableSpec> parse_variable_spec(std::string_view text);

/// By name. The error lists the existing variables.
[[nodiscard]] Result<const gpu::Variable*> find_variable(const gpu::Program& program, std::string_view name);

/// Whether the spec has the variable's size and element type.
[[nodiscard]] Result<void> check_variable(const gpu::Variable& variable, const ArgumentSpec& spec);

/// Checks the spec and writes the variable, which keeps the value for all launches of the program on this device.
[[nodiscard]] Result<void> write_variable(gpu::Device& device, const gpu::ProgramPtr& program, const gpu::Variable& variable,
                                          const ArgumentSpec& spec);

/// "float32[5]"; without brackets for a single number.
[[nodiscard]] std::string type_text(const gpu::Variable& variable);

/// An example of a spec that fits: "float32[5]=ones", "int32=1".
[[nodiscard]] std::string suggested_spec(const gpu::Variable& variable);

}  // namespace warpbook::lessons
