// Folders that commands use: one of a run's own, and the one with the libraries that whole programs run with.
//
//     const RunFolder folder("warpbook-cc");
//     if (folder.path.empty()) return complain(exit_missing, no_folder_sentence(errno));
//     Result<std::filesystem::path> libraries = runtime_folder();
#pragma once

#include <filesystem>
#include <string>

#include "gpu/result.h"

namespace warpbook::app {

/// A folder among the temporary files, which is removed with all that it holds.
class RunFolder {
 public:
  explicit RunFolder(const std::string& name);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  std::filesystem::path path;  // empty: it could not be made, and errno says why
};

/// The sentence for a folder that could not be made.
[[nodiscard]] std::string no_folder_sentence(int error);

/// Where libcudart.so.12 and .13 lie: beside the program as it was built, or as it was installed.
[[nodiscard]] Result<std::filesystem::path> runtime_folder();

}  // namespace warpbook::app
