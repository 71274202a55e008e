// Restart: starts the program again in the same process. After some errors CUDA's driver refuses every call of a program until it
// ends; the new program can use the GPU again.
//
//     if (closed && closed->restart_with) return complain(restart_program("/proc/self/exe", {name, "--device", "cuda"}));
//
// Save the learner's work first: the old program ends at once, with its other threads and with a kernel that never ends. Only the
// three standard files stay open, because through an open file of the driver's the old context would stay alive.
#pragma once

#include <string>
#include <vector>

#include "gpu/result.h"

namespace warpbook::app {

/// words: the new program's arguments, its name first. Returns only if the program could not be started, with the reason.
[[nodiscard]] Error restart_program(const std::string& file, const std::vector<std::string>& words);

}  // namespace warpbook::app
