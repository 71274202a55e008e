// Argument literals: the arguments of a launch as a host program in CUDA C++ would write them.
//
//     literal(gpu::Scalar::of(0.25f));           // "0.25f"
//     written(argument, kernel->parameters[i]);  // "4096", "x", "Matrix{16, 16, `A.elements`}"
//
// Pointers of a struct are names in backquotes, which host_code replaces by the variable of that array. Empty if the struct's
// members are unknown.
#pragma once

#include <string>

#include "gpu/device.h"

namespace warpbook::lessons {

[[nodiscard]] std::string literal(const gpu::Scalar& scalar);
[[nodiscard]] std::string written(const gpu::Argument& argument, const gpu::Parameter& parameter);

}  // namespace warpbook::lessons
