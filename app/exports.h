// Exports: where the window writes files that the learner asked for.
//
//     Result<std::filesystem::path> file = export_file("07_race_conditions sweep", ".csv");   // a name that is free
//
// The folder is "Warpbook" among the user's pictures: XDG_PICTURES_DIR, else ~/Pictures where there is one; without pictures it is
// "exports" where progress is kept (lessons/progress.h). It is made when it is needed. Error: "cannot_write".
#pragma once

#include <filesystem>
#include <string>

#include "gpu/result.h"

namespace warpbook::app {

/// Never one that exists: a number is added to the name instead.
[[nodiscard]] Result<std::filesystem::path> export_file(const std::string& name, const std::string& extension);

}  // namespace warpbook::app
