#include "app/ui/fonts.h"

#include <cstdlib>
#include <map>
#include <sstream>
#include <system_error>

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> font_folders() {
  std::vector<fs::path> folders;
  const char* home = std::getenv("HOME");
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
    folders.push_back(fs::path(data) / "fonts");
  } else if (home != nullptr) {
    folders.push_back(fs::path(home) / ".local/share/fonts");
  }
  if (home != nullptr) folders.push_back(fs::path(home) / ".fonts");
  const char* shared = std::getenv("XDG_DATA_DIRS");
  std::istringstream list(shared != nullptr && *shared != '\0' ? shared : "/usr/local/share:/usr/share");
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.empty()) folders.push_back(fs::path(folder) / "fonts");
  }
  return folders;
}

// Every font file by stem. Folders that come first win, as with fontconfig.
std::map<std::string, fs::path, std::less<>> index_fonts() {
  std::map<std::string, fs::path, std::less<>> found;
  for (const fs::path& folder : font_folders()) {
    std::error_code error;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && it != end; it.increment(error)) {
      const fs::path& file = it->path();
      if (file.extension() == ".otf" || file.extension() == ".ttf") found.try_emplace(file.stem().string(), file);
    }
  }
  return found;
}

}  // namespace

std::optional<fs::path> find_font(std::string_view stem) {
  static const auto index = index_fonts();
  const auto it = index.find(stem);
  if (it == index.end()) return std::nullopt;
  return it->second;
}

std::string_view font_package(std::string_view stem) {
  if (stem.starts_with("Inter")) return "fonts-inter";
  if (stem.starts_with("JetBrainsMono")) return "fonts-jetbrains-mono";
  return {};
}

}  // namespace warpbook::app
