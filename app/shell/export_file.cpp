#include "app/shell/export_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "gpu/input_file.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

/// What user-dirs.dirs says of XDG_DOCUMENTS_DIR: lines of a shell, each "$HOME/…" or "/…" between quotes. Empty: nothing.
fs::path named_documents() {
  const fs::path home = from_environment("HOME"), config = from_environment("XDG_CONFIG_HOME");
  std::istringstream in(read_input((config.is_absolute() ? config : home / ".config") / "user-dirs.dirs").value_or(""));
  const std::string key = "XDG_DOCUMENTS_DIR=\"";
  fs::path found = from_environment("XDG_DOCUMENTS_DIR");
  for (std::string line; std::getline(in, line);) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.compare(begin, key.size(), key) != 0) continue;
    std::string value = line.substr(begin + key.size());
    value.resize(std::min(value.find('"'), value.size()));
    if (value.starts_with("$HOME/"))
      found = home / value.substr(6);
    else if (value == "$HOME" || value.starts_with("/"))
      found = value == "$HOME" ? home : fs::path(value);
  }
  return found.is_absolute() ? found : fs::path();
}

}  // namespace

fs::path documents_folder() {
  if (fs::path named = named_documents(); !named.empty()) return named;
  const fs::path home = from_environment("HOME");
  std::error_code no_status;
  return !home.empty() && fs::is_directory(home / "Documents", no_status) ? home / "Documents" : home;
}

Result<fs::path> export_file(const std::string& name, const std::string& extension, const fs::path& beside) {
  std::error_code problem;
  const bool there = !beside.empty() && fs::is_directory(beside, problem) && ::access(beside.c_str(), W_OK) == 0;
  const fs::path where = there ? beside : documents_folder();
  if (where.empty()) return failure("cannot_write", say("There is no home folder to write to. Set HOME, or XDG_DOCUMENTS_DIR."));
  fs::create_directories(where, problem);
  if (problem) {
    return failure("cannot_write",
                   say("The folder {folder} cannot be made ({why}). Set XDG_DOCUMENTS_DIR in ~/.config/user-dirs.dirs "
                       "to a folder that can be written to.",
                       "folder"_a = where.string(), "why"_a = problem.message()));
  }
  fs::path file = where / (name + extension);
  // A link to nothing is somebody's, too: what is written would go where it leads.
  for (int number = 2; fs::exists(fs::symlink_status(file, problem)) && number < 10'000; ++number) {
    file = where / (name + " " + std::to_string(number) + extension);
  }
  return file;
}

}  // namespace warpbook::app
