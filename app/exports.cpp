#include "app/exports.h"

#include <cstdlib>
#include <system_error>

#include "lessons/progress.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

fs::path folder() {
  if (const fs::path pictures = from_environment("XDG_PICTURES_DIR"); pictures.is_absolute()) return pictures / "Warpbook";
  const fs::path home = from_environment("HOME");
  std::error_code no_status;
  if (fs::is_directory(home / "Pictures", no_status)) return home / "Pictures" / "Warpbook";
  return lessons::progress_directory() / "exports";
}

}  // namespace

Result<fs::path> export_file(const std::string& name, const std::string& extension) {
  const fs::path where = folder();
  std::error_code problem;
  fs::create_directories(where, problem);
  if (problem) {
    return failure("cannot_write", "The folder " + where.string() + " cannot be made (" + problem.message() +
                                       "). Set XDG_PICTURES_DIR to a folder that can be written to.");
  }
  fs::path file = where / (name + extension);
  for (int number = 2; fs::exists(file, problem) && number < 10'000; ++number) {
    file = where / (name + " " + std::to_string(number) + extension);
  }
  return file;
}

}  // namespace warpbook::app
