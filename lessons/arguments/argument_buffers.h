// Argument buffers: the arrays of a kernel's argument on a device, holding what its spec says.
//
//     auto given = make_buffers(device, spec, parameter);
//     request.arguments.push_back(make_argument(spec, parameter, given->buffers));
//
// The buffers are the caller's to release; the parts point into the spec and the parameter. Errors: the device's (no memory), or
// the spec's (a file that cannot be read).
#pragma once

#include <vector>

#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/arguments/argument_parts.h"

namespace warpbook::lessons {

struct GivenArgument {
  std::vector<ArgumentPart> parts;
  std::vector<gpu::Buffer> buffers;  // of the parts that are arrays, in their order
};

[[nodiscard]] Result<GivenArgument> make_buffers(gpu::Device& device, const ArgumentSpec& spec, const gpu::Parameter& parameter);

}  // namespace warpbook::lessons
