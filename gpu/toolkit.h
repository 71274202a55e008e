// Where NVIDIA's CUDA Toolkit lies on this machine, if it does: CUDA_PATH, CUDA_HOME, /usr/local/cuda, in this order.
//
//     for (const auto& folder : toolkit_library_folders())
//       if (void* handle = dlopen((folder / "libnvrtc.so.13").c_str(), RTLD_NOW)) return handle;
//
// Folders that are not there are named, too.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace warpbook::gpu {

[[nodiscard]] inline std::vector<std::filesystem::path> toolkit_roots() {
  std::vector<std::filesystem::path> roots;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') roots.emplace_back(value);
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

[[nodiscard]] inline std::vector<std::filesystem::path> toolkit_library_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& root : toolkit_roots()) {
    folders.push_back(root / "lib64");
    folders.push_back(root / "lib");
  }
  return folders;
}

}  // namespace warpbook::gpu
