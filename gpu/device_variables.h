// Device variables: the __device__ and __constant__ variables of a program, and which of them nobody has given a value.
//
//     std::vector<Variable> variables = list_variables(ptx, source.text);     // filt, float32[5], filled by cudaMemcpyToSymbol
//     report.unfilled = unfilled_variables(*program, *kernel, given);
//
// PTX knows which there are and how many bytes each takes; the source knows how they are called and what they are made of.
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

/// Bytes of all constant variables that PTX declares, with the gaps that their alignments leave.
[[nodiscard]] std::uint64_t constant_bytes(std::string_view ptx);

[[nodiscard]] std::vector<Variable> list_variables(std::string_view ptx, std::string_view source);

/// Those that a kernel names, or a function that it calls; in the PTX's order.
[[nodiscard]] std::vector<const Variable*> used_variables(const Program& program, const Kernel& kernel);

/// The variables that this kernel uses, that hold zeros because neither the source nor the host has given them a value, and that
/// somebody should have filled: the source's host program does, or it is a __constant__, which no kernel can write.
/// `given`: symbols of the variables that were written.
[[nodiscard]] std::vector<UnfilledVariable> unfilled_variables(const Program& program, const Kernel& kernel,
                                                               const std::set<std::string>& given);

/// Whether so many bytes are all of the variable.
[[nodiscard]] Result<void> check_variable_bytes(const Variable& variable, std::size_t has, std::size_t bytes);

}  // namespace warpbook::gpu
