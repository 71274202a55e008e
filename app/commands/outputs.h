// The files that a command is to write, looked at before it begins to work: none of them may destroy what somebody has written.
//
//     const std::array outputs{Output{"--csv", options.csv, {".csv"}}, Output{"--picture", options.picture, {".png"}}};
//     if (auto good = check_outputs(outputs, inputs); !good) return complain(good.error());
//
// Refused, with "usage" or "cannot_write" (gpu/output_file.h): a file with another ending, by its own name or by that of what it
// links to; one of the command's inputs, by whatever name or link; one of Warpbook's own files; the same file twice; a folder that
// is not there; a place that may not be written to. A pipe, a device and standard output may have any name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/lesson.h"

namespace warpbook::app {

struct Output {
  std::string option;  // as the sentence names it: "--csv"; empty where the file stands by itself
  std::string file;    // empty: none is asked for
  std::vector<std::string_view> endings;
};

[[nodiscard]] Result<void> check_outputs(std::span<const Output> outputs, std::span<const std::filesystem::path> inputs);

/// The files that an argument is read from.
void add_inputs(std::vector<std::filesystem::path>& inputs, const lessons::ArgumentSpec& spec);
/// … and those that a playground's texts name.
[[nodiscard]] std::vector<std::filesystem::path> inputs_of(const lessons::Values& values);

}  // namespace warpbook::app
