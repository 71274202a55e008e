// Device variables: the __device__ and __constant__ variables of a program, and those that still have no value.
//
//     std::vector<Variable> variables = list_variables(ptx, source.text);     // filt, float32[5], filled by cudaMemcpyToSymbol
//     report.unfilled = unfilled_variables(*program, *kernel, given);
//
// The PTX lists the variables and their sizes. The source gives their names and types.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/report.h"
#include "gpu/result.h"

namespace warpbook::gpu {

/// The size of all constant variables of the PTX, including the padding for their alignment.
[[nodiscard]] std::uint64_t constant_bytes(std::string_view ptx);

[[nodiscard]] std::vector<Variable> list_variables(std::string_view ptx, std::string_view source);

/// The variables that a kernel uses, itself or in a function that it calls, in the PTX's order.
[[nodiscard]] std::vector<const Variable*> used_variables(const Program& program, const Kernel& kernel);

/// The variables that a kernel uses that are still zero, because neither the source nor the host gave them a value, and that the
/// author meant to fill: the source's host program does so, or the variable is __constant__, which no kernel can write.
/// `given`: symbols of the variables that were written.
[[nodiscard]] std::vector<UnfilledVariable> unfilled_variables(const Program& program, const Kernel& kernel,
                                                               const std::set<std::string>& given);

/// An error unless `has` is the size of the variable.
[[nodiscard]] Result<void> check_variable_bytes(const Variable& variable, std::size_t has, std::size_t bytes);

}  // namespace warpbook::gpu
