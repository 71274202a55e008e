#include "app/commands/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "app/commands/exit_code.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

int lost = 0;  // errno of the first time that standard output took less than it was given

/// A write that fails is told where it fails. Not SIG_IGN, which programs that are started from here would inherit.
void go_on(int) {}

void survive(int signal_number) {
  struct sigaction action {};
  if (sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = go_on;
  action.sa_flags = SA_RESTART;
  sigaction(signal_number, &action, nullptr);
}

std::string sentence_of(int problem) {
  switch (problem) {
    case ENOSPC:
    case EDQUOT:
      return say("what was to be printed could not be written: the disk is full. Make room, or send the output elsewhere.");
    case EFBIG:
      return say(
          "what was to be printed could not be written: it is larger than a file may become here. 'ulimit -f' shows that limit.");
    case EBADF:
      return say("what was to be printed could not be written: standard output is closed.");
    default:
      return say("what was to be printed could not be written: {why}.", "why"_a = std::strerror(problem));
  }
}

}  // namespace

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest descriptor that is free, which is this one: those before it are held. The wrong way round, so that
    // whoever uses it is told.
    (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  survive(SIGPIPE);
  survive(SIGXFSZ);
}

void write_out(std::string_view text) {
  if (lost != 0) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) lost = errno != 0 ? errno : EIO;
}

void write_err(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);  // there is nobody left to tell
}

void flush_out() {
  if (std::fflush(stdout) != 0 && lost == 0) lost = errno != 0 ? errno : EIO;
}

int exit_code_of_output(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) != 0 && lost == 0) lost = errno != 0 ? errno : EIO;
  if (lost == 0) return exit_code;
  if (lost == EPIPE) return exit_missing;
  return complain(exit_missing, sentence_of(lost));
}

}  // namespace warpbook::app
