// Restart: the program begins anew in this process, as CUDA asks after an error that stays: from then on the driver refuses the old
// program, and takes the new one.
//
//     if (closed && closed->restart_with) return complain(restart_program("/proc/self/exe", {name, "--device", "cuda"}));
//
// What the learner did must be kept first: all of the old program ends at once, its other threads and a kernel that does not end
// with it. No file stays open but the three standard ones: through one of the driver's the old context would live on.
#pragma once

#include <string>
#include <vector>

#include "gpu/result.h"

namespace warpbook::app {

/// words: the new program's arguments, its name first. Returns only where it could not begin, and says why.
[[nodiscard]] Error restart_program(const std::string& file, const std::vector<std::string>& words);

}  // namespace warpbook::app
