// Whether what a GPU's kernels write can be drawn from their own memory: tried with the OpenGL context that is current.
//
//     auto way = with_offscreen_opengl([&] { return check_interop(*device); });
//     if (way) say(*way);            // "Drawn from the memory of NVIDIA H200, without a copy. Read back and right."
//
// An array is attached to an OpenGL buffer, filled by the device, published, and read back through OpenGL, on whichever path the
// device chose. Error "wrong_pixels": OpenGL's buffer did not hold what the device wrote; otherwise the device's own.
#pragma once

#include <string>

#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::app {

/// For a device with graphics().
[[nodiscard]] Result<std::string> check_interop(gpu::Device& device);

}  // namespace warpbook::app
