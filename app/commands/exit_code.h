// What the program's exit status means; scripts and graders build on it.
#pragma once

#include <string_view>

#include "gpu/compiler.h"
#include "gpu/result.h"

namespace warpbook::app {

enum ExitCode : int {
  exit_clean = 0,
  exit_finding = 1,  // the launch ended, and something was found in it; a check failed
  exit_usage = 2,    // an option, a spec or a file name that cannot be used
  exit_compile_error = 3,
  exit_launch_failed = 4,
  exit_missing = 5  // something this machine would have to have: a library, a GPU, room on its disk, a reader of what is printed
};

/// By the error's code: CUDA's names are failed launches; "compile_error", "missing_…" (but not a missing file) and the rest
/// as they say.
[[nodiscard]] int exit_code_of(const Error& error);

/// Prints the sentence to standard error, as every command does, and returns its exit code.
int complain(const Error& error);
int complain(int exit_code, std::string_view sentence);

/// Prints a failed compile: "file:line:column: error: …" with the source line and a caret, to standard error.
int complain(const gpu::CompileFailure& failure, std::string_view source);

}  // namespace warpbook::app
