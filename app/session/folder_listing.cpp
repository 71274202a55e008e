#include "app/session/folder_listing.h"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_entries = 500;

bool is_program(const fs::directory_entry& entry) {
  std::error_code unknown;
  if (!entry.is_regular_file(unknown)) return false;
  const fs::path extension = entry.path().extension();
  if (extension == ".record" || extension == ".py" || extension == ".cu") return true;
  // A library is executable, too.
  if (extension == ".so" || entry.path().filename().string().find(".so.") != std::string::npos) return false;
  return access(entry.path().c_str(), X_OK) == 0;
}

}  // namespace

std::string at_home(std::string path) {
  const char* const home = std::getenv("HOME");
  if (home != nullptr && (path == "~" || path.starts_with("~/"))) path.replace(0, 1, home);
  return path;
}

FolderListing list_folder(const fs::path& folder, ListedFiles files) {
  std::error_code problem;
  FolderListing listing;
  listing.folder = fs::absolute(folder, problem).lexically_normal();
  if (!listing.folder.has_filename() && listing.folder.has_relative_path()) listing.folder = listing.folder.parent_path();
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto it = fs::directory_iterator(listing.folder, options, problem); !problem && it != fs::directory_iterator();
       it.increment(problem)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code unknown;
    if (it->is_directory(unknown)) {
      listing.entries.push_back({.name = name, .folder = true, .why_not = {}});
      continue;
    }
    if (files == ListedFiles::programs) {
      if (is_program(*it)) listing.entries.push_back({.name = name, .folder = false, .why_not = {}});
      continue;
    }
    const fs::path extension = it->path().extension();
    const bool ptx = extension == ".ptx";
    if (extension != ".cu" && !ptx) continue;
    listing.entries.push_back(
        {.name = name, .folder = false, .why_not = ptx ? say("The editor is for CUDA C++. `warpbook launch` runs PTX.") : ""});
  }
  if (problem)
    listing.problem = say("{folder} cannot be read ({why}). Go up, or type a path.", "folder"_a = listing.folder.string(),
                          "why"_a = problem.message());
  std::sort(listing.entries.begin(), listing.entries.end(), [](const auto& a, const auto& b) {
    if (a.folder != b.folder) return a.folder;
    const int order = strcasecmp(a.name.c_str(), b.name.c_str());
    return order != 0 ? order < 0 : a.name < b.name;
  });
  if (listing.entries.size() > most_entries) {
    listing.left_out = listing.entries.size() - most_entries;
    listing.entries.resize(most_entries);
  }
  return listing;
}

}  // namespace warpbook::app
