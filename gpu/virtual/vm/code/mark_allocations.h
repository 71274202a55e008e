// Which allocations of a launch the kernel can store to, and which it reaches by atomics alone: what alias_analysis.h says of the
// kernel's text, applied to the pointers that this launch was given.
#pragma once

#include <cstddef>
#include <span>

#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

/// Sets Allocation::only_read and Allocation::only_atomics. parameters: the launch's, as the kernel reads them.
void mark_allocations(LaunchInfo& launch, const Image& image, std::span<const std::byte> parameters);

}  // namespace warpbook::gpu::vm
