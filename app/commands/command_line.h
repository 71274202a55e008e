// The command line: everything the program does without a window.
//
//     if (const auto exit_code = run_command_line(argc, argv)) return *exit_code;
//     // no command was given: open the workbook
#pragma once

#include <optional>

namespace warpbook::app {

/// Does what argv asks and returns the exit code (exit_code.h); nothing when argv names no command.
[[nodiscard]] std::optional<int> run_command_line(int argc, char** argv);

/// What main() returns: 5 where something that was printed did not arrive (standard_streams.h). Where a kernel was left running on
/// a GPU, which a return would wait for, the process ends here.
[[nodiscard]] int end_program(int exit_code);

}  // namespace warpbook::app
