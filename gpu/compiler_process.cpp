#include "gpu/compiler_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "gpu/compiler_hook.h"
#include "gpu/confinement.h"
#include "gpu/toolkit.h"

namespace warpbook::gpu {
namespace {

// Loading NVRTC takes a tenth of a second, but much longer on a machine that swaps.
constexpr std::chrono::seconds start_patience{30};

/// The path with its links followed. Empty: it does not exist.
std::string real_folder(const std::filesystem::path& folder) {
  std::error_code missing;
  const std::string real = std::filesystem::canonical(folder, missing).string();
  return missing ? std::string() : real;
}

// CUDA_PATH and CUDA_HOME with links followed, and the folders of pip's packages, which the confined child cannot search for.
std::vector<std::string> toolkit_variables() {
  std::vector<std::string> variables;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value != '/') continue;
    if (const std::string folder = real_folder(value); !folder.empty()) variables.push_back(std::string(name) + '=' + folder);
  }
  std::string packages;
  for (const std::filesystem::path& folder : toolkit_packages()) packages += (packages.empty() ? "" : ":") + folder.string();
  if (!packages.empty()) variables.push_back(std::string(packages_variable) + '=' + packages);
  return variables;
}

// The child's environment: only what it needs to find the toolkit.
std::vector<std::string> child_environment() {
  std::vector<std::string> environment = toolkit_variables();
  for (const char* name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + '=' + value);
  return environment;
}

// The bubblewrap command, where Landlock is missing: system libraries, the toolkit and this program are mounted read-only; no
// network, no other processes.
std::vector<std::string> inside_bubblewrap(const std::string& self, Tool tool) {
  std::vector<std::string> arguments{bubblewrap_path(), "--unshare-all", "--new-session", "--proc", "/proc", "--dev", "/dev"};
  std::vector<std::string> folders{"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"};
  for (const std::filesystem::path& root : toolkit_roots())
    if (std::string folder = real_folder(root); !folder.empty()) folders.push_back(std::move(folder));
  for (const std::filesystem::path& packages : toolkit_packages()) folders.push_back(packages.string());
  std::erase_if(folders, [](const std::string& folder) { return folder.starts_with("/usr/"); });  // these are mounted already
  for (const std::string& folder : folders) arguments.insert(arguments.end(), {"--ro-bind-try", folder, folder});
  if (runs_program(tool)) arguments.insert(arguments.end(), {"--ro-bind-try", "/bin", "/bin", "--tmpfs", "/tmp"});
  arguments.insert(arguments.end(), {"--ro-bind", self, self, "--chdir", "/", "--"});
  return arguments;
}

}  // namespace

bool CompilerProcess::alive() const {
  if (pid_ <= 0) return false;
  pollfd socket{socket_, POLLRDHUP, 0};
  return poll(&socket, 1, 0) == 0;  // an idle child sends nothing, so that readable data means the end of the socket
}

std::string CompilerProcess::start(ChildHello& hello) {
  stop();
  if (!compiler_child_is_hooked())
    return "This program cannot compile: its main() must call warpbook::gpu::run_compiler_child_if_asked(argc, argv) first.";
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return "The compiler's process could not be started: no socket.";
  const bool spawned = spawn(ends[1]);
  close(ends[1]);
  socket_ = ends[0];
  if (!spawned) {
    stop();
    return "The compiler's process could not be started. Is the machine out of memory or processes?";
  }
  if (receive(socket_, hello, std::chrono::steady_clock::now() + start_patience)) {
    stop();
    return "The compiler's process started and ended at once.";
  }
  scratch_ = hello.scratch;
  if (!hello.available) stop();
  return {};
}

void CompilerProcess::stop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  // The child of a compiler program stops the compiler when its socket closes. If it were killed, it could not.
  if (runs_program(tool_)) {
    (void)reap();
    std::error_code problem;
    if (scratch_.starts_with("/tmp/")) std::filesystem::remove_all(scratch_, problem);
    scratch_.clear();
  }
  (void)end();
}

int CompilerProcess::end() {
  if (pid_ <= 0) return -1;
  kill(pid_, SIGKILL);
  return wait_for(0).value_or(-1);
}

int CompilerProcess::reap() {
  for (int tries = 0; pid_ > 0 && tries < 50; ++tries) {
    if (const std::optional<int> code = wait_for(WNOHANG)) return *code;
    usleep(10'000);
  }
  return end();
}

std::uint64_t CompilerProcess::resident() const {
  std::ifstream statm(fmt::format("/proc/{}/statm", pid_));
  std::uint64_t size = 0, pages = 0;
  statm >> size >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::optional<int> CompilerProcess::wait_for(int flags) {
  int status = 0;
  pid_t done = 0;
  while ((done = waitpid(pid_, &status, flags)) < 0 && errno == EINTR) continue;
  if (done == 0) return std::nullopt;
  pid_ = -1;
  return done > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> CompilerProcess::surroundings() const {
  std::vector<std::string> all = child_environment();
  all.emplace_back(name_of(best_confinement()));
  return all;
}

bool CompilerProcess::spawn(int socket) {
  std::error_code unreadable;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", unreadable).string();
  if (unreadable) return false;
  const FileConfinement files = best_confinement();

  std::vector<std::string> environment = child_environment();

  std::vector<std::string> arguments;
  if (files == FileConfinement::bubblewrap) arguments = inside_bubblewrap(self, tool_);
  const std::string program = arguments.empty() ? "/proc/self/exe" : arguments.front();
  for (const std::string& argument : {self, std::string(child_argument), std::string(name_of(files)), std::string(name_of(tool_))})
    arguments.push_back(argument);

  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int standard : {0, 1, 2}) posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  // Two steps, because dup2 of a descriptor onto itself would keep its close-on-exec flag.
  posix_spawn_file_actions_adddup2(&actions, socket, child_socket + 1);
  posix_spawn_file_actions_adddup2(&actions, child_socket + 1, child_socket);
  posix_spawn_file_actions_addclose(&actions, child_socket + 1);
  // Ctrl-C and blocked signals of the parent must not affect the child.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  const int error =
      posix_spawn(&pid_, program.c_str(), &actions, &attributes, pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) pid_ = -1;
  return error == 0;
}

}  // namespace warpbook::gpu
