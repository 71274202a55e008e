// Do the --arg specs fit the kernel's parameters? Asked before the launch, because afterwards the answer is a crash or nonsense.
//
//     Result<void> fits = check_arguments(*kernel, specs, Types::exact);
//     // "Parameter 2 of add is 'float* out': it wants an array of float32, but 'int32[8]=iota' is an array, int32[8]. For example:
//     // float32[4096]=zeros"
//
// Types::exact compares element types, signs included; Types::sizes is for PTX, which knows only how wide a parameter is. A struct
// by value takes a {…} of its members where the source names them, else one that takes as many bytes.
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
