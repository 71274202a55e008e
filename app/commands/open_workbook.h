// What `warpbook` does without a command: the window.
#pragma once

#include <optional>
#include <string>

namespace warpbook::app {

/// Returns the exit code when the learner closes the window, or at once where no window can open. `file`: a .cu to open in the
/// playground, or a record of a program (exec --record); empty: none. `gpu`: the number of the NVIDIA GPU to begin with; empty: the virtual GPU.
/// After an error that only a new program gets over, the learner may ask for one: then this one ends, and does not return.
[[nodiscard]] int open_workbook(const std::string& file = {}, std::optional<int> gpu = {});

}  // namespace warpbook::app
