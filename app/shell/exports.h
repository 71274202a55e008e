// Exports: where the window writes files that the learner asked for.
//
//     Result<std::filesystem::path> file = export_file("05_race_conditions sweep", ".csv");   // a name that is free
//     Result<std::filesystem::path> near = export_file("mine", ".csv", program_folder);       // beside an opened program
//
// The folder is where people look: that of the program that was opened, else their documents (XDG_DOCUMENTS_DIR of user-dirs.dirs,
// as `xdg-user-dir DOCUMENTS` has it, else ~/Documents where there is one), else their home. A folder that is named and not there
// is made. Error: "cannot_write".
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
