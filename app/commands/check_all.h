// `warpbook check --all FOLDER`: every answer of a folder, and how many pass.
//
//     handed_in/square.cu handed_in/about_races.txt         files are named after their exercises
//
// Other .cu and .txt files are named and left alone. An exercise without a file is "missing", which is no failure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gpu/result.h"

namespace warpbook::app {

struct CheckAllOptions {
  std::string folder, junit;  // junit: where its XML goes; empty: nowhere
  bool json = false;
  std::uint64_t seed = 0;  // of the cases that are made anew
};

/// The exit code: 0 all answers pass, 1 one does not.
[[nodiscard]] int check_all(const CheckAllOptions& options);

/// Empty `file`: nothing is written.
[[nodiscard]] Result<void> write_junit(const std::string& file, std::span<const std::string> suites);

}  // namespace warpbook::app
