// Argument parts: the numbers and arrays of an argument (a struct by value has several), and the conversion to an argument for a
// device.
//
//     for (const ArgumentPart& part : parts_of(spec, parameter))
//       if (part.spec->is_array) buffers.push_back(*device.allocate(part.spec->array(part.name)));
//     request.arguments.push_back(make_argument(spec, parameter, buffers));
//
// A struct has C's layout: each member at its own alignment, the whole padded to the largest. CUDA's vectors have alignments of
// their own (float4: 16 bytes), which only the parameter's declaration tells (gpu::Parameter::members).
// The parts point into the spec and the parameter.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "lessons/arguments/argument_spec.h"

namespace warpbook::lessons {

struct ArgumentPart {
  const ArgumentSpec* spec = nullptr;         // a number or an array
  const gpu::Parameter* parameter = nullptr;  // its declaration; nullptr: a member of a struct that the source does not define
  std::vector<std::size_t> path;              // {2, 0}: member 0 of member 2; empty: the argument itself
  std::size_t offset = 0;                     // bytes from the start of the argument
  std::string name;                           // "A", "A.elements"; "A.2" if the source does not name it
};

[[nodiscard]] std::vector<ArgumentPart> parts_of(const ArgumentSpec& spec, const gpu::Parameter& parameter);

/// Its size in the parameter block. An array counts as a pointer.
[[nodiscard]] std::size_t bytes_of(const ArgumentSpec& spec, const gpu::Parameter& parameter);

/// `buffers`: the buffers of its arrays, in order.
[[nodiscard]] gpu::Argument make_argument(const ArgumentSpec& spec, const gpu::Parameter& parameter,
                                          std::span<const gpu::Buffer> buffers);

}  // namespace warpbook::lessons
