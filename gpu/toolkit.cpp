#include "gpu/toolkit.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

std::string_view environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool is_there(const fs::path& path) {
  std::error_code unreadable;
  return fs::exists(path, unreadable);
}

/// The subfolders whose names begin so, sorted by the number at the end, highest first: python3.11 before python3.9.
std::vector<fs::path> numbered_folders(const fs::path& folder, std::string_view beginning) {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning)) continue;
    int number = -1;  // for python3 without a number
    const char* const digits = name.data() + std::min(name.size(), name.find_last_not_of("0123456789") + 1);
    if (name.size() > beginning.size()) std::from_chars(digits, name.data() + name.size(), number);
    found.emplace_back(number, entry.path());
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  std::vector<fs::path> folders;
  for (auto& [number, path] : found) folders.push_back(std::move(path));
  return folders;
}

/// The parts of a folder "nvidia" that have libraries: cu13, cu12 …, then those of single packages.
std::vector<fs::path> parts_of(const fs::path& packages) {
  std::vector<fs::path> parts = numbered_folders(packages, "cu1");
  std::vector<fs::path> single;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(packages, unreadable))
    if (std::find(parts.begin(), parts.end(), entry.path()) == parts.end() && is_there(entry.path() / "lib"))
      single.push_back(entry.path());
  std::sort(single.begin(), single.end());
  parts.insert(parts.end(), single.begin(), single.end());
  return parts;
}

/// Include folders for a library that pip has installed. In CUDA 12, a package's headers include those of other packages.
std::vector<fs::path> folders_beside(const fs::path& part) {
  std::vector<fs::path> folders{part / "include"};
  if (!part.filename().string().starts_with("cuda_")) return folders;
  for (const char* other : {"cuda_runtime", "cuda_cccl", "curand"}) folders.push_back(part.parent_path() / other / "include");
  return folders;
}

/// The existing folders, each followed by its folder of CUDA's C++ libraries (cuda/std, CUB, Thrust). Empty unless one has
/// cuda_fp16.h.
std::vector<std::string> with_headers(const std::vector<fs::path>& folders) {
  std::vector<std::string> found;
  bool complete = false;
  for (const fs::path& folder : folders)
    for (const fs::path& each : {folder, folder / "cccl"}) {
      std::error_code missing;
      const std::string real = fs::canonical(each, missing).string();
      if (missing || std::find(found.begin(), found.end(), real) != found.end()) continue;
      complete = complete || is_there(each / "cuda_fp16.h");
      found.push_back(real);
    }
  return complete ? found : std::vector<std::string>();
}

}  // namespace

std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const std::string_view value = environment(variable); !value.empty()) roots.emplace_back(value);
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

std::vector<fs::path> toolkit_packages() {
  std::vector<fs::path> folders;
  if (std::string_view told = environment(packages_variable); !told.empty()) {
    while (!told.empty()) {
      const std::size_t end = std::min(told.find(':'), told.size());
      folders.emplace_back(told.substr(0, end));
      told.remove_prefix(std::min(end + 1, told.size()));
    }
    return folders;
  }
  std::vector<fs::path> libraries;  // folders that contain python3.11 and the like
  if (const std::string_view environment_folder = environment("VIRTUAL_ENV"); environment_folder.starts_with('/'))
    libraries.push_back(fs::path(environment_folder) / "lib");
  if (const std::string_view home = environment("HOME"); home.starts_with('/'))
    libraries.push_back(fs::path(home) / ".local" / "lib");
  for (const char* folder : {"/usr/local/lib", "/usr/lib", "/usr/lib64"}) libraries.emplace_back(folder);
  for (const fs::path& library : libraries)
    for (const fs::path& python : numbered_folders(library, "python3"))
      for (const char* packages : {"site-packages", "dist-packages"})
        if (fs::path nvidia = python / packages / "nvidia"; is_there(nvidia)) folders.push_back(std::move(nvidia));
  return folders;
}

std::vector<fs::path> toolkit_library_folders() {
  std::vector<fs::path> folders;
  for (const fs::path& root : toolkit_roots()) {
    folders.push_back(root / "lib64");
    folders.push_back(root / "lib");
  }
  for (const fs::path& packages : toolkit_packages())
    for (const fs::path& part : parts_of(packages)) folders.push_back(part / "lib");
  return folders;
}

std::vector<std::string> toolkit_include_folders(const fs::path& library) {
  std::error_code missing;
  // nvidia/cuda_nvrtc/lib/libnvrtc.so.12: by its own path, because its links may lead elsewhere.
  if (std::vector<std::string> found = with_headers(folders_beside(library.parent_path().parent_path())); !found.empty())
    return found;
  // ROOT/lib64/libnvrtc.so or ROOT/targets/x86_64-linux/lib/libnvrtc.so
  const fs::path real = fs::canonical(library, missing);
  int levels = 0;
  for (fs::path folder = real.parent_path(); folder.has_relative_path() && levels < 4; folder = folder.parent_path(), ++levels)
    if (std::vector<std::string> found = with_headers({folder.parent_path() / "include"}); !found.empty()) return found;
  for (const fs::path& root : toolkit_roots())
    if (std::vector<std::string> found = with_headers({root / "include"}); !found.empty()) return found;
  for (const fs::path& packages : toolkit_packages())
    for (const fs::path& part : parts_of(packages))
      if (std::vector<std::string> found = with_headers(folders_beside(part)); !found.empty()) return found;
  return with_headers({"/usr/include"});
}

}  // namespace warpbook::gpu
