// Argument words: what a launch is given, as a host program in CUDA C++ would write it.
//
//     literal(gpu::Scalar::of(0.25f));           // "0.25f"
//     written(argument, kernel->parameters[i]);  // "4096", "x", "Matrix{16, 16, `A.elements`}"
//
// A struct's pointers are names between backquotes: host_code puts the variable of that array there. Empty where a struct's
// members are not known.
#pragma once

#include <string>

#include "gpu/device.h"

namespace warpbook::lessons {

[[nodiscard]] std::string literal(const gpu::Scalar& scalar);
[[nodiscard]] std::string written(const gpu::Argument& argument, const gpu::Parameter& parameter);

}  // namespace warpbook::lessons
