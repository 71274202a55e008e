// Files that a learner names, read without waiting for anybody.
//
//     Result<std::uintmax_t> size = size_of_input("heat.npy");             // then it can be opened and read to its end
//     Result<std::string> text = read_input("mine.cu", 1 << 20);
//
// Opening a pipe waits until somebody writes into it, and a device may have no end; so only files are read.
// Errors: "missing_file": there is nothing of that name; "bad_file": it is a folder, a pipe, a device, too large, or may not be
// read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "gpu/result.h"

namespace warpbook {

/// In bytes.
[[nodiscard]] Result<std::uintmax_t> size_of_input(const std::filesystem::path& file);

/// As many bytes as size_of_input() says. `most`: of a larger file nothing is read.
[[nodiscard]] Result<std::string> read_input(const std::filesystem::path& file,
                                             std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max());

}  // namespace warpbook
