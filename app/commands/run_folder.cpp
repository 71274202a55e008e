#include "app/commands/run_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cstring>

namespace warpbook::app {

namespace fs = std::filesystem;

RunFolder::RunFolder(const std::string& name) {
  std::error_code ignored;
  std::string pattern = (fs::temp_directory_path(ignored) / (name + "-XXXXXX")).string();
  if (mkdtemp(pattern.data())) path = pattern;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path.empty()) fs::remove_all(path, ignored);
}

std::string no_folder_sentence(int error) {
  return fmt::format(
      "no folder could be made for this run in the folder for temporary files: {}. Set TMPDIR to a folder that may be written to.",
      std::strerror(error));
}

Result<fs::path> runtime_folder() {
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {here / "lib" / "warpbook", here.parent_path() / "lib" / "warpbook"})
    if (fs::exists(folder / "libcudart.so.13", ignored)) return folder;
  return failure(
      "missing_device",
      fmt::format("the virtual GPU's runtime library was not found in {}. script/build makes it, and Warpbook's package holds it.",
                  (here / "lib" / "warpbook").string()));
}

}  // namespace warpbook::app
