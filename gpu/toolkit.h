// Where NVIDIA's CUDA Toolkit lies on this machine, if it does, whole or in parts: CUDA_PATH, CUDA_HOME, /usr/local/cuda, then what
// pip has installed of it (nvidia-cuda-nvrtc, nvidia-cuda-nvrtc-cu12 …), in this order.
//
//     for (const auto& folder : toolkit_library_folders())
//       if (void* handle = dlopen((folder / "libnvrtc.so.13").c_str(), RTLD_NOW)) return handle;
//
// pip puts all parts into one folder called "nvidia" beside python's other packages. CUDA 13 has a folder of its own there
// (nvidia/cu13/lib, nvidia/cu13/include), of CUDA 12 each package has one (nvidia/cuda_nvrtc/lib, nvidia/cuda_runtime/include …).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpbook::gpu {

/// Folders that are not there are named, too.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_roots();

/// The folders called "nvidia" that are there among the packages of python3: of the environment VIRTUAL_ENV, of this user, of this
/// machine; of several versions of python the newest first. A process that may not look for itself is told by its starter, which
/// sets packages_variable to these folders with ':' between them.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_packages();
inline constexpr const char* packages_variable = "WARPBOOK_CUDA_PACKAGES";

/// Of the roots, whether they are there or not; then those of pip's packages.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_library_folders();

/// The folders with the headers that a kernel may include, for NVRTC as it was opened at `library`: of the same toolkit or the same
/// packages, and where there are none of those, of any other. Links are followed. Empty: cuda_fp16.h is nowhere.
[[nodiscard]] std::vector<std::string> toolkit_include_folders(const std::filesystem::path& library);

}  // namespace warpbook::gpu
