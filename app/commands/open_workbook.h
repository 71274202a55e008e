// What `warpbook` does without a command: the window.
#pragma once

namespace warpbook::app {

/// Returns the exit code when the learner closes the window, or at once where no window can open.
[[nodiscard]] int open_workbook();

}  // namespace warpbook::app
