// Argument buffers: allocates the arrays of a kernel's argument on a device and fills them as the spec says.
//
//     auto given = make_buffers(device, spec, parameter);
//     request.arguments.push_back(make_argument(spec, parameter, given->buffers));
//
// The caller must release the buffers. The parts point into the spec and the parameter. Errors: the device's (out of memory), or
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
  std::vector<gpu::Buffer> buffers;  // of the parts that are arrays, in order
};

/// Checks whether the spec's contents are available: a file must exist and hold such an array according to its header. Cheap.
[[nodiscard]] Result<void> check_initial_bytes(const ArgumentSpec& spec);
/// Writes initial_bytes() into memory of the array's size.
[[nodiscard]] Result<void> make_initial_bytes(const ArgumentSpec& spec, std::span<std::byte> bytes);

/// Checks all files of the argument before anything is allocated. If the host sees the device's memory, an array is made there
/// directly, so that it is never in memory twice.
[[nodiscard]] Result<GivenArgument> make_buffers(gpu::Device& device, const ArgumentSpec& spec, const gpu::Parameter& parameter);

}  // namespace warpbook::lessons
