#include "app/session/desktop.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace warpbook::app {
namespace {

constexpr int not_there = 127;  // as a shell says it of a program

}  // namespace

std::string DesktopAnswer::problem() const {
  const int code = exit_code_ ? exit_code_->load() : -1;
  if (code <= 0) return {};
  if (code == not_there)
    return say("{what} cannot be opened from here: xdg-open is not installed (Debian: xdg-utils). Open it by hand.",
               "what"_a = what_);
  return say("{what} could not be opened: the desktop has no program for it (xdg-open ended with {code}). Open it by hand.",
             "what"_a = what_, "code"_a = code);
}

DesktopAnswer open_on_desktop(const std::string& what) {
  DesktopAnswer answer;
  answer.what_ = what;
  auto code = std::make_shared<std::atomic<int>>(-1);
  answer.exit_code_ = code;
  std::string program = "xdg-open", argument = what;
  std::array<char*, 3> words{program.data(), argument.data(), nullptr};
  posix_spawnattr_t own_session;
  posix_spawnattr_init(&own_session);
  posix_spawnattr_setflags(&own_session, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), nullptr, &own_session, words.data(), environ);
  posix_spawnattr_destroy(&own_session);
  if (failed != 0) {
    code->store(not_there);
    return answer;
  }
  std::thread([child, code] {  // it may stay as long as the program it started
    int status = 0;
    waitpid(child, &status, 0);
    code->store(WIFEXITED(status) ? WEXITSTATUS(status) : 0);
  })
      .detach();
  return answer;
}

}  // namespace warpbook::app
