// The child process that runs nvcc: it writes a request's files into a scratch folder, starts nvcc confined, and waits for it or
// for the parent's end. It reads nothing of the learner's itself; what it starts is a process group that is killed as one.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gpu/nvcc.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

bool write_file(const fs::path& path, const std::string& text) {
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  std::ofstream out(path, std::ios::binary);
  out << text;
  return static_cast<bool>(out.flush());
}

void replace_all(std::string& text, const std::string& what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// A program that has ended, or was ended.
struct Ran {
  int exit_code = -1;
  bool too_long = false;
  std::string log;
};

class Workplace {
 public:
  Workplace(Nvcc nvcc, FileConfinement files, std::string scratch)
      : nvcc_(std::move(nvcc)), files_(files), scratch_(std::move(scratch)) {}

  [[nodiscard]] const std::string& scratch() const { return scratch_; }
  [[nodiscard]] fs::path sources() const { return fs::path(scratch_) / "source"; }

  void clear() const {
    std::error_code problem;
    for (const fs::directory_entry& entry : fs::directory_iterator(scratch_, problem)) fs::remove_all(entry.path(), problem);
    fs::create_directories(sources(), problem);
  }
  [[noreturn]] void leave() const {
    std::error_code problem;
    fs::remove_all(scratch_, problem);
    _exit(0);
  }

  /// Ends this process where the parent has gone.
  [[nodiscard]] Ran run(const std::vector<std::string>& words, Clock::time_point deadline, double max_seconds,
                        std::size_t max_bytes) const {
    const std::string log = scratch_ + "/log";
    const pid_t child = fork();
    if (child == 0) become(words, log, max_seconds, max_bytes);
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
      ran.too_long = Clock::now() > deadline;
      if (!gone && !ran.too_long) continue;
      kill(-child, SIGKILL);
      (void)waitpid(child, &status, 0);
      if (gone) leave();
      break;
    }
    kill(-child, SIGKILL);  // what it has started and left behind
    ran.log = read_file(log);
    return ran;
  }

 private:
  [[noreturn]] void become(const std::vector<std::string>& words, const std::string& log, double max_seconds,
                           std::size_t max_bytes) const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0 || chdir(sources().c_str()) != 0) _exit(126);
    dup2(out, 1);
    dup2(out, 2);
    close(child_socket);
    if (const std::string problem = confine_programs(files_, nvcc_.reach(scratch_)); !problem.empty()) {
      (void)!write(2, problem.data(), problem.size());
      _exit(126);
    }
    limit_resources(max_seconds, max_bytes);
    const std::string temporary = "TMPDIR=" + scratch_, home = "HOME=" + scratch_;
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::array<const char*, 5> environment{"PATH=/usr/bin:/bin", "LC_ALL=C", temporary.c_str(), home.c_str(), nullptr};
    execve(words.front().c_str(), arguments.data(), const_cast<char* const*>(environment.data()));
    _exit(126);
  }

  Nvcc nvcc_;
  FileConfinement files_;
  std::string scratch_;
};

bool says_out_of_memory(std::string_view log) {
  for (const std::string_view words : {"out of memory", "bad_alloc", "virtual memory exhausted", "Cannot allocate memory"})
    if (log.find(words) != std::string_view::npos) return true;
  return false;
}

/// With a name that leads nowhere else; header names come from local_headers.h, which takes no others.
bool write_sources(const Workplace& place, const CompileRequest& request) {
  if (!write_file(place.sources() / request.name, request.text)) return false;
  for (std::size_t i = 0; i < request.header_names.size(); ++i) {
    const std::string& name = request.header_names[i];
    if (name.starts_with('/') || name.find("..") != std::string::npos) return false;
    if (!write_file(place.sources() / name, request.header_texts[i])) return false;
  }
  return true;
}

CompileAnswer compile(const Nvcc& nvcc, const Workplace& place, const std::vector<int>& architectures,
                      const CompileRequest& request) {
  CompileAnswer answer;
  answer.architecture = architectures.front();
  for (const int architecture : architectures)
    if (architecture <= request.architecture) answer.architecture = architecture;
  place.clear();
  answer.status = CompileAnswer::Status::internal;
  if (!write_sources(place, request)) return answer;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(request.max_seconds));
  const std::string ptx = place.scratch() + "/kernel.ptx";
  Ran ran;
  for (const char* standard : {"", "c++20"}) {
    if (*standard != '\0' && !wants_newer_standard(request.text)) break;
    const Ran tried = place.run(nvcc.words(request, answer.architecture, ptx, standard), deadline, request.max_seconds,
                                static_cast<std::size_t>(request.max_bytes));
    if (*standard == '\0' || tried.exit_code == 0) ran = tried;
    if (tried.exit_code == 0 || tried.too_long) break;
  }
  replace_all(ran.log, place.sources().string() + "/", "");
  answer.log = as_nvrtc_writes(ran.log, [&](std::string_view file) -> std::string_view {
    if (file == request.name) return request.text;
    const auto found = std::find(request.header_names.begin(), request.header_names.end(), file);
    return found == request.header_names.end() ? std::string_view()
                                               : request.header_texts[static_cast<std::size_t>(found - request.header_names.begin())];
  });
  if (ran.exit_code != 0) {
    answer.status = ran.too_long                        ? CompileAnswer::Status::too_long
                    : says_out_of_memory(ran.log)       ? CompileAnswer::Status::out_of_memory
                    : answer.log.find("error") != std::string::npos ? CompileAnswer::Status::source
                                                                    : CompileAnswer::Status::internal;
    return answer;
  }
  answer.status = CompileAnswer::Status::ok;
  answer.ptx = read_file(ptx);
  replace_all(answer.ptx, place.sources().string() + "/", "/");
  if (request.resource_usage) {
    const Ran assembled = place.run(nvcc.assembler_words(answer.architecture, ptx, place.scratch() + "/kernel.cubin"), deadline,
                                    request.max_seconds, static_cast<std::size_t>(request.max_bytes));
    answer.machine_code = assembled.exit_code == 0;
    answer.log += '\n' + assembled.log;
  }
  return answer;
}

[[noreturn]] void refuse(ChildHello& hello, std::string problem) {
  hello.problem = std::move(problem);
  (void)send(child_socket, hello);
  _exit(0);
}

}  // namespace

void serve_nvcc(FileConfinement files) {
  constexpr double patience = 20;  // seconds, for two questions that take hundredths
  ChildHello hello;
  const std::optional<Nvcc> nvcc = find_nvcc();
  if (!nvcc) refuse(hello, "The CUDA Toolkit of this machine has no nvcc.");
  std::array<char, 32> folder{"/tmp/warpbook-nvcc-XXXXXX"};
  if (mkdtemp(folder.data()) == nullptr) refuse(hello, "nvcc needs a folder in /tmp, and none could be made.");
  const Workplace place(*nvcc, files, folder.data());
  place.clear();
  const auto ask = [&](const char* question) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience));
    return place.run({nvcc->path, question}, deadline, patience, std::size_t{4} << 30).log;
  };
  hello.version = version_in(ask("--version"));
  const std::string listed = ask("--list-gpu-arch");
  const std::vector<int> architectures = architectures_in(listed);
  if (architectures.empty()) {
    std::error_code problem;
    fs::remove_all(place.scratch(), problem);
    refuse(hello, fmt::format("nvcc cannot be used here: {}", listed.substr(0, listed.find('\n'))));
  }
  hello.available = true;
  hello.path = nvcc->path;
  hello.scratch = place.scratch();
  hello.hidden_paths = nvcc->header_folders();
  if (!send(child_socket, hello)) place.leave();
  for (;;) {
    CompileRequest request;
    if (receive(child_socket, request, Deadline::max())) place.leave();
    CompileAnswer answer = compile(*nvcc, place, architectures, request);
    if (!send(child_socket, answer)) place.leave();
  }
}

}  // namespace warpbook::gpu
