// Argument buffers: the arrays of a kernel's argument on a device, holding what its spec says.
//
//     auto given = make_buffers(device, spec, parameter);
//     request.arguments.push_back(make_argument(spec, parameter, given->buffers));
//
// The buffers are the caller's to release; the parts point into the spec and the parameter. Errors: the device's (no memory), or
// the spec's (a file that cannot be read).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/arguments/argument_parts.h"

namespace warpbook::lessons {

struct GivenArgument {
  std::vector<ArgumentPart> parts;
  std::vector<gpu::Buffer> buffers;  // of the parts that are arrays, in their order
};

/// Whether what the spec says can be had: a file that holds such an array, as far as its header tells. Cheap: before anything is made.
[[nodiscard]] Result<void> check_initial_bytes(const ArgumentSpec& spec);
/// initial_bytes() into memory of the caller's, as many bytes as the array has.
[[nodiscard]] Result<void> make_initial_bytes(const ArgumentSpec& spec, std::span<std::byte> bytes);

/// All of the argument's files are looked at before anything is allocated. Where the host sees the device's memory an array is made
/// there, and never lies in memory twice.
[[nodiscard]] Result<GivenArgument> make_buffers(gpu::Device& device, const ArgumentSpec& spec, const gpu::Parameter& parameter);

}  // namespace warpbook::lessons
