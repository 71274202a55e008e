// A free file name for something that the learner exports.
//
//     Result<std::filesystem::path> file = export_file("05_race_conditions sweep", ".csv");
//     Result<std::filesystem::path> near = export_file("mine", ".csv", program_folder);       // beside an opened program
//
// The folder is that of the opened program; else the user's documents (XDG_DOCUMENTS_DIR of user-dirs.dirs, as `xdg-user-dir
// DOCUMENTS` reads it, else ~/Documents if it exists); else the home folder. A documents folder that is named and missing is made.
// Error: "cannot_write".
#pragma once

#include <filesystem>
#include <string>

#include "gpu/result.h"

namespace warpbook::app {

/// Never one that exists: a number is added to the name instead. `beside`: the folder that is preferred, if it can be written to.
[[nodiscard]] Result<std::filesystem::path> export_file(const std::string& name, const std::string& extension,
                                                        const std::filesystem::path& beside = {});

/// The user's documents, or home; empty where there is neither.
[[nodiscard]] std::filesystem::path documents_folder();

}  // namespace warpbook::app
