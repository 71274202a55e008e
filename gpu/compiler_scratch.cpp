#include "gpu/compiler_scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace warpbook::gpu {

namespace fs = std::filesystem;

CompilerScratch::CompilerScratch(std::string_view name, FileConfinement files) : files_(files) {
  // The name contains the parent's process id, so that folders left by a killed process can be recognised.
  std::string folder = fmt::format("/tmp/warpbook-{}-{}-XXXXXX", name, getppid());
  if (mkdtemp(folder.data()) == nullptr) return;
  path_ = folder;
  clear();
}

void CompilerScratch::clear() const {
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, problem))
    if (entry.path() != kept()) fs::remove_all(entry.path(), problem);
  fs::create_directories(sources(), problem);
}

void CompilerScratch::remove() const {
  std::error_code problem;
  fs::remove_all(path_, problem);
}

void CompilerScratch::leave() const {
  remove();
  _exit(0);
}

/// Checks that names do not lead out of the folder. Header names come from local_headers.h, which has checked them as well.
bool CompilerScratch::write_sources(const CompileRequest& request) const {
  if (!write_file(sources() / request.name, request.text)) return false;
  for (std::size_t i = 0; i < request.header_names.size(); ++i) {
    const std::string& name = request.header_names[i];
    if (name.starts_with('/') || name.find("..") != std::string::npos) return false;
    if (!write_file(sources() / name, request.header_texts[i])) return false;
  }
  return true;
}

Ran CompilerScratch::run(const std::vector<std::string>& words, const ProgramsReach& reach, Deadline deadline, double max_seconds,
                         std::size_t max_bytes) const {
  const std::string log = path_ + "/log";
  const pid_t child = fork();
  if (child == 0) become(words, reach, log, max_seconds, max_bytes);
  if (child < 0) return {};
  (void)setpgid(child, child);
  Ran ran;
  for (int status = 0;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) {
      ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      break;
    }
    pollfd parent{child_socket, POLLRDHUP, 0};
    const bool gone = poll(&parent, 1, 5) > 0 && (parent.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
    ran.too_long = std::chrono::steady_clock::now() > deadline;
    if (!gone && !ran.too_long) continue;
    kill(-child, SIGKILL);
    (void)waitpid(child, &status, 0);
    if (gone) leave();
    break;
  }
  kill(-child, SIGKILL);  // including processes that it has started
  ran.log = read_file(log);
  return ran;
}

void CompilerScratch::become(const std::vector<std::string>& words, const ProgramsReach& reach, const std::string& log,
                             double max_seconds, std::size_t max_bytes) const {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0 || chdir(sources().c_str()) != 0) _exit(126);
  dup2(out, 1);
  dup2(out, 2);
  close(child_socket);
  ProgramsReach own = reach;
  own.scratch = path_;
  if (const std::string problem = confine_programs(files_, own); !problem.empty()) {
    (void)!write(2, problem.data(), problem.size());
    _exit(126);
  }
  limit_resources(max_seconds, max_bytes);
  const std::string temporary = "TMPDIR=" + path_, home = "HOME=" + path_;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::array<const char*, 5> environment{"PATH=/usr/bin:/bin", "LC_ALL=C", temporary.c_str(), home.c_str(), nullptr};
  limit_memory(max_bytes);
  execve(words.front().c_str(), arguments.data(), const_cast<char* const*>(environment.data()));
  _exit(126);
}

Deadline deadline_in(double seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

bool write_file(const fs::path& path, std::string_view text) {
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  std::ofstream out(path, std::ios::binary);
  out << text;
  return static_cast<bool>(out.flush());
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

bool says_out_of_memory(std::string_view log) {
  for (const std::string_view words : {"out of memory", "bad_alloc", "virtual memory exhausted", "Cannot allocate memory"})
    if (log.find(words) != std::string_view::npos) return true;
  return false;
}

std::string real_path(const fs::path& path) {
  std::error_code missing;
  const fs::path real = fs::canonical(path, missing);
  return missing ? std::string() : real.string();
}

std::string_view text_of_file(const CompileRequest& request, std::string_view file) {
  if (file == request.name) return request.text;
  const auto found = std::find(request.header_names.begin(), request.header_names.end(), file);
  if (found == request.header_names.end()) return {};
  return request.header_texts[static_cast<std::size_t>(found - request.header_names.begin())];
}

void refuse_to_compile(ChildHello& hello, std::string problem) {
  hello.problem = std::move(problem);
  (void)send(child_socket, hello);
  _exit(0);
}

}  // namespace warpbook::gpu
