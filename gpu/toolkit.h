// Finds NVIDIA's CUDA Toolkit on this machine, whole or in parts. Searched in this order: CUDA_PATH, CUDA_HOME, /usr/local/cuda,
// then pip's packages (nvidia-cuda-nvrtc, nvidia-cuda-nvrtc-cu12 …).
//
//     for (const auto& folder : toolkit_library_folders())
//       if (void* handle = dlopen((folder / "libnvrtc.so.13").c_str(), RTLD_NOW)) return handle;
//
// pip installs all parts into one folder "nvidia" beside Python's other packages. There, CUDA 13 has one folder (nvidia/cu13/lib,
// nvidia/cu13/include), while each package of CUDA 12 has its own (nvidia/cuda_nvrtc/lib, nvidia/cuda_runtime/include …).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpbook::gpu {

/// Includes folders that do not exist.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_roots();

/// The existing folders "nvidia" among the packages of python3: of VIRTUAL_ENV, of this user, of this machine; if there are several
/// Python versions, the newest first. A confined process cannot search for them: its parent sets packages_variable to these
/// folders, separated by ':'.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_packages();
inline constexpr const char* packages_variable = "WARPBOOK_CUDA_PACKAGES";

/// The library folders of toolkit_roots(), existing or not, then those of pip's packages.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_library_folders();

/// The folders with the headers that a kernel may include, for the NVRTC at `library`: those of the same toolkit or packages, or
/// else of any other. Links are followed. Empty: cuda_fp16.h was not found.
[[nodiscard]] std::vector<std::string> toolkit_include_folders(const std::filesystem::path& library);

}  // namespace warpbook::gpu
