// InteropCheck: does what the device writes reach OpenGL? Asked by `doctor` and by tests, with pixels read back.
//
//     auto path = check_interop(*device);              // an OpenGL context is current
//     if (path) say(path->sentence);                   // "Drawn from the memory of NVIDIA H200, without a copy."
//
// Error: the device draws nothing ("no_interop"), or what OpenGL read back is not what the device wrote ("wrong_pixels").
#pragma once

#include "gpu/cuda/interop.h"
#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::app {

[[nodiscard]] Result<gpu::DrawPath> check_interop(gpu::Device& device);

}  // namespace warpbook::app
