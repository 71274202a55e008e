#include "gpu/input_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

namespace warpbook {

namespace fs = std::filesystem;

Result<std::uintmax_t> size_of_input(const fs::path& file) {
  std::error_code problem;
  const fs::file_status status = fs::status(file, problem);
  const std::string name = file.string();
  switch (status.type()) {
    case fs::file_type::regular:
      break;
    case fs::file_type::not_found:
      return failure("missing_file", fmt::format("There is no file '{}'. Is its path right?", name));
    case fs::file_type::directory:
      return failure("bad_file", fmt::format("'{}' is a folder, and a file is to be read. Name a file in it.", name));
    case fs::file_type::fifo:
      return failure("bad_file",
                     fmt::format("'{}' is a pipe, and only files are read. Write what it carries into a file first.", name));
    case fs::file_type::character:
    case fs::file_type::block:
    case fs::file_type::socket:
      return failure("bad_file", fmt::format("'{}' is a device, and only files are read.", name));
    default:
      return failure("bad_file", fmt::format("'{}' cannot be read: {}.", name, problem.message()));
  }
  if (access(file.c_str(), R_OK) != 0)
    return failure("bad_file", fmt::format("'{}' cannot be read. Its owner can allow it: chmod +r.", name));
  const std::uintmax_t size = fs::file_size(file, problem);
  if (problem) return failure("bad_file", fmt::format("'{}' cannot be read: {}.", name, problem.message()));
  return size;
}

Result<std::string> read_input(const fs::path& file, std::uintmax_t most) {
  const auto size = size_of_input(file);
  if (!size) return failure(size.error());
  if (*size > most)
    return failure("bad_file",
                   fmt::format("'{}' has {} bytes, and {} are the most that is read here.", file.string(), *size, most));
  std::string text(static_cast<std::size_t>(*size), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in) return failure("bad_file", fmt::format("'{}' could not be read to its end.", file.string()));
  return text;
}

}  // namespace warpbook
