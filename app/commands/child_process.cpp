#include "app/commands/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpbook::app {
namespace {

constexpr std::array<int, 4> signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};

volatile pid_t running_child = 0;
void pass_on(int signal_number) {
  if (running_child > 0) kill(running_child, signal_number);
}

}  // namespace

SignalsToChild::SignalsToChild(pid_t child) {
  running_child = child;
  struct sigaction ignore {
  }, passing{};
  ignore.sa_handler = SIG_IGN;
  passing.sa_handler = pass_on;
  for (std::size_t s = 0; s < signals.size(); ++s) {
    const bool from_terminal = signals[s] == SIGINT || signals[s] == SIGQUIT;
    sigaction(signals[s], from_terminal ? &ignore : &passing, &before_[s]);
  }
}

SignalsToChild::~SignalsToChild() {
  for (std::size_t s = 0; s < signals.size(); ++s) sigaction(signals[s], &before_[s], nullptr);
  running_child = 0;
}

Result<int> run_child(std::vector<std::string> words, const std::string& errors) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  if (!errors.empty())
    posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int why = posix_spawn(&child, words.front().c_str(), &streams, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  if (why != 0) return failure("usage", fmt::format("{} could not be started: {}.", words.front(), std::strerror(why)));
  const SignalsToChild passed_on(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace warpbook::app
