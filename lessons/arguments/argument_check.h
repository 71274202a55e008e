// Checks whether --arg specs fit the kernel's parameters. Without this check, a launch would crash or compute nonsense.
//
//     Result<void> fits = check_arguments(*kernel, specs, Types::exact);
//     // "Parameter 2 of add is 'float* out': it wants an array of float32, but 'int32[8]=iota' is an array, int32[8]. For example:
//     // float32[4096]=zeros"
//
// Types::exact compares element types including signs. Types::sizes is for PTX, which knows only the sizes of parameters. A struct
// by value needs a {…} of its members if the source defines them, or else any of the same size.
#pragma once

#include <span>
#include <string>

#include "gpu/compiler.h"
#include "gpu/result.h"
#include "lessons/arguments/argument_spec.h"

namespace warpbook::lessons {

enum class Types { exact, sizes };

[[nodiscard]] Result<void> check_arguments(const gpu::Kernel& kernel, std::span<const ArgumentSpec> specs, Types types);

[[nodiscard]] Result<void> check_argument(const gpu::Kernel& kernel, std::size_t parameter, const ArgumentSpec& spec, Types types);

/// Whether it is a struct passed by value: its members are known, or no number has its size.
[[nodiscard]] bool is_struct(const gpu::Parameter& parameter);

/// "add(const float* a, const float* b, float* out, int n)", as far as it is known.
[[nodiscard]] std::string signature(const gpu::Kernel& kernel);

}  // namespace warpbook::lessons
