#include "app/shell/restart.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

/// Those that are open now; a driver does not say which of them are its own, nor close them in the new program.
void close_with_the_program() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    if (descriptor > STDERR_FILENO) (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  (void)closedir(folder);
}

}  // namespace

Error restart_program(const std::string& file, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  close_with_the_program();
  (void)execv(file.c_str(), arguments.data());
  return {"restart_failed", say("Warpbook could not start again by itself ({why}). Start it as you always do: your work is kept.",
                                "why"_a = std::strerror(errno))};
}

}  // namespace warpbook::app
