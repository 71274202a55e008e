// A case of tests/cases/launch: a kernel in CUDA C++ or PTX, its launch, and the expected results (see the README there).
//
//     const LaunchedFile read = read_launched_file(folder / "counters.cu");
//     auto wrong = run_launched_file(device, program, read, Schedule::fast);    // empty: as the file expects
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"

namespace warpbook::gpu::test {

struct Expected {
  std::size_t argument = 0;
  std::string values;
};
struct LaunchedFile {
  std::string text, kernel, status = "ok", message, output;
  Dim3 grid, block;
  bool cooperative = false;
  std::vector<std::pair<Array, std::string>> arguments;  // shape empty: a scalar
  std::vector<Expected> expected;
};

[[nodiscard]] LaunchedFile read_launched_file(const std::filesystem::path& file);

/// Sentences about everything that differs from the expectation. `program` was made from the file's text by the device's compiler.
[[nodiscard]] std::vector<std::string> run_launched_file(Device& device, const ProgramPtr& program, const LaunchedFile& read,
                                                         Schedule schedule);

}  // namespace warpbook::gpu::test
