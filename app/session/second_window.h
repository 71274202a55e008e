// SecondWindow: what a window beside the first one has kept (autosave.h), taken over once nobody uses its folder any more.
//
//     if (const auto taken = take_over(folder, folder / "window_2"); !taken) say(taken.error().message);
//
// What was done there is done here: stages, predictions, passed exercises and a playground's earlier texts are joined. An edited
// kernel is taken over where this folder has none of its lesson; where both have one and they differ, the other one stays in its
// folder. What cannot be read, here or there, stays, and all of its lesson with it.
#pragma once

#include <filesystem>

#include "gpu/result.h"

namespace warpbook::app {

/// Does nothing where there is no such folder, or where a window has it. What could not be taken over stays; the error is the first
/// lesson's that could not.
[[nodiscard]] Result<void> take_over(const std::filesystem::path& into, const std::filesystem::path& from);

}  // namespace warpbook::app
