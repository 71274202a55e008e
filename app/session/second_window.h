// SecondWindow: takes over what a second window has saved in its own subfolder (autosave.h), once no window uses that folder.
//
//     if (const auto taken = take_over(folder, folder / "window_2"); !taken) say(taken.error().message);
//
// Stages, predictions, passed exercises and the playground's earlier texts of both folders are joined. An edited kernel is taken
// over if this folder has no edited kernel of that lesson. If both have one and they differ, the other one stays in its folder. If
// a lesson's files cannot be read in one of the folders, nothing of that lesson is taken over, and its files stay.
#pragma once

#include <filesystem>

#include "gpu/result.h"

namespace warpbook::app {

/// Does nothing if `from` does not exist or a window uses it. What cannot be taken over stays; the error is that of the first such
/// lesson.
[[nodiscard]] Result<void> take_over(const std::filesystem::path& into, const std::filesystem::path& from);

}  // namespace warpbook::app
