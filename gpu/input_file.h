// Reads files that a learner names, without ever blocking.
//
//     Result<std::uintmax_t> size = size_of_input("heat.npy");             // succeeds only for files that can be read to their end
//     Result<std::string> text = read_input("mine.cu", 1 << 20);
//
// Opening a pipe blocks until another process writes into it, and a device may have no end. So only regular files are read.
// Errors: "missing_file": there is no such file; "bad_file": it is a folder, a pipe or a device, is too large, or may not be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "gpu/result.h"

namespace warpbook {

/// The size in bytes.
[[nodiscard]] Result<std::uintmax_t> size_of_input(const std::filesystem::path& file);

/// Reads exactly as many bytes as size_of_input() returns. `most`: a larger file is refused.
[[nodiscard]] Result<std::string> read_input(const std::filesystem::path& file,
                                             std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max());

}  // namespace warpbook
