#include "tests/gpu_check/section_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

namespace warpbook::gpu_check {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto look = std::chrono::milliseconds(20);
constexpr double patience_after_kill = 10;  // a process that waits within the driver does not always die

}  // namespace

std::string Ended::words() const {
  switch (how) {
    case How::exited:
      return fmt::format("ended with exit code {}", number);
    case How::crashed:
      return fmt::format("ended by signal {} ({})", number, strsignal(number));
    case How::too_long:
      return fmt::format("had not ended after {:.0f} s, and was killed", seconds);
    case How::not_started:
      return "could not be started";
  }
  return {};
}

Ended run_section(const std::vector<std::string>& words, double max_seconds, const std::function<void()>& meanwhile) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  const Clock::time_point begin = Clock::now();
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);  // also where we are ended by the keyboard
    execv(arguments.front(), arguments.data());
    _exit(127);
  }
  (void)setpgid(child, child);
  Ended ended;
  bool killed = false;
  for (Clock::time_point looked = begin;; std::this_thread::sleep_for(look)) {
    int status = 0;
    const bool gone = waitpid(child, &status, WNOHANG) == child;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (!killed) ended.seconds = seconds;
    if (gone && !killed) {
      ended.how = WIFEXITED(status) ? Ended::How::exited : Ended::How::crashed;
      ended.number = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    }
    if (gone || seconds > max_seconds + patience_after_kill) break;
    if (!killed && seconds > max_seconds) {
      killed = true;
      ended.how = Ended::How::too_long;
      kill(-child, SIGKILL);
    }
    if (Clock::now() - looked < std::chrono::seconds(1)) continue;
    looked = Clock::now();
    meanwhile();
  }
  kill(-child, SIGKILL);  // what it has started and left behind
  return ended;
}

}  // namespace warpbook::gpu_check
