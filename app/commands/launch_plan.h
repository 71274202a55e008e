// LaunchPlan: the words of `warpbook launch`, understood. All that can be checked before anything is compiled is checked here.
//
//     LaunchWords words;                      // filled by the parser of the command line
//     Result<LaunchPlan> plan = understand(words);
//
// Errors are usage errors: a sentence with the offending words and an example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/device.h"
#include "gpu/result.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/arguments/variable_spec.h"

namespace warpbook::app {

struct LaunchWords {
  std::string file, kernel, grid, block;
  std::vector<std::string> arguments, symbols, defines, prints, saves;
  std::uint32_t shared = 0;
  std::string schedule = "fast", observe = "none";
  std::string timeline;  // the file it is written to; empty: none
  std::optional<std::uint64_t> seed;
  std::uint32_t seeds = 0;  // so many orders, from seed (or 1) on; 0: one launch
  bool cooperative = false;
  double max_seconds = 30;
};

struct LaunchPlan {
  /// "2": an --arg, counted from 0; "2.1": member 1 of that struct.
  struct Place {
    std::size_t argument = 0;
    std::vector<std::size_t> member;
  };
  struct Save {
    Place place;  // a number or an array
    std::string file;
  };
  gpu::Source source;  // read from the file; `file` is its name without folders
  bool is_ptx = false;
  gpu::Dim3 grid, block;
  std::vector<lessons::ArgumentSpec> specs;
  std::vector<lessons::VariableSpec> symbols;
  std::vector<Place> prints;
  std::vector<std::string> printed_variables;
  std::vector<Save> saves;
  gpu::Observe observe;
  gpu::Schedule schedule = gpu::Schedule::fast;
};

[[nodiscard]] Result<LaunchPlan> understand(const LaunchWords& words);

/// A kernel's file, as the compiler takes it: messages call it by its name without folders.
[[nodiscard]] Result<gpu::Source> read_source(const std::string& file);

/// "all", "none", or a list such as "memory,race".

/// "64", "16,16" or "8,8,4"; option names it in the error: "--grid".
[[nodiscard]] Result<gpu::Dim3> parse_dim3(std::string_view option, std::string_view text);

}  // namespace warpbook::app
