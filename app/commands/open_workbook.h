// What `warpbook` does without a command: the window.
#pragma once

#include <string>

namespace warpbook::app {

/// Returns the exit code when the learner closes the window, or at once where no window can open. `file`: a .cu to open in the
/// playground; empty: none.
[[nodiscard]] int open_workbook(const std::string& file = {});

}  // namespace warpbook::app
