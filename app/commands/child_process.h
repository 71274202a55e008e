// Child processes of commands: what a signal does while one runs, and compilers that are run to their end.
//
//     Result<int> exit_code = run_child({"/usr/bin/clang-19", "-c", "heat.cu"});
//
//     const SignalsToChild signals(child);      // until the end of the block, for a child that was forked in another way
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "gpu/result.h"

namespace warpbook::app {

/// While it lives, this process outlives the signals that end a command, so that it can clear up: SIGTERM and SIGHUP are sent on to
/// the child; Ctrl-C reaches the child from the terminal. One at a time.
class SignalsToChild {
 public:
  explicit SignalsToChild(pid_t child);
  ~SignalsToChild();
  SignalsToChild(const SignalsToChild&) = delete;
  SignalsToChild& operator=(const SignalsToChild&) = delete;

 private:
  std::array<struct sigaction, 4> before_{};
};

/// Runs a program (full path, then arguments), which uses our own streams. Returns its exit code; of one that a signal ended, 128
/// and the signal's number, as shells have it. `errors`: a file that takes what it prints to standard error; empty: none.
/// Error: "usage": it could not be started.
[[nodiscard]] Result<int> run_child(std::vector<std::string> words, const std::string& errors = {});

}  // namespace warpbook::app
