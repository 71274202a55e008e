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

Clock::duration seconds(double count) { return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count)); }

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

/// One request on its way through nvcc and ptxas.
class Compile {
 public:
  Compile(const Nvcc& nvcc, const Workplace& place, const std::vector<int>& architectures, const CompileRequest& request)
      : nvcc_(nvcc),
        place_(place),
        architectures_(architectures),
        request_(request),
        deadline_(Clock::now() + seconds(request.max_seconds)) {}

  CompileAnswer answer() {
    CompileAnswer answer;
    answer.architecture = nearest_architecture(architectures_, request_.architecture);
    answer.status = CompileAnswer::Status::internal;
    place_.clear();
    if (!write_sources(place_, request_)) return answer;
    const Ran ran = to_ptx(answer.architecture);
    answer.log = log_of(ran);
    if (ran.exit_code != 0) {
      answer.status = why(ran, answer.log);
      return answer;
    }
    if (request_.resource_usage) {
      const std::string cubin = place_.scratch() + "/kernel.cubin";
      const Ran assembled = run(nvcc_.assembler_words(answer.architecture, ptx_, cubin));
      answer.machine_code = assembled.exit_code == 0;
      if (answer.machine_code && request_.wants_cubin) answer.cubin = read_file(cubin);
      answer.log += '\n' + assembled.log;
    }
    const int ptx_architecture =
        request_.ptx_architecture ? nearest_architecture(architectures_, request_.ptx_architecture) : answer.architecture;
    if (ptx_architecture != answer.architecture) {
      const Ran again = to_ptx(ptx_architecture);
      if (again.exit_code != 0) {
        answer.log = log_of(again);
        answer.status = why(again, answer.log);
        return answer;
      }
    }
    answer.status = CompileAnswer::Status::ok;
    answer.ptx = read_file(ptx_);
    replace_all(answer.ptx, place_.sources().string() + "/", "/");
    return answer;
  }

 private:
  [[nodiscard]] Ran run(const std::vector<std::string>& words) const {
    return place_.run(words, deadline_, request_.max_seconds, static_cast<std::size_t>(request_.max_bytes));
  }

  /// By nvcc's own C++ standard; then, where the source looks like it, by C++20.
  [[nodiscard]] Ran to_ptx(int architecture) const {
    Ran ran = run(nvcc_.words(request_, architecture, ptx_, ""));
    if (ran.exit_code == 0 || ran.too_long || !wants_newer_standard(request_.text)) return ran;
    Ran newer = run(nvcc_.words(request_, architecture, ptx_, "c++20"));
    return newer.exit_code == 0 ? newer : ran;
  }

  [[nodiscard]] std::string log_of(const Ran& ran) const {
    std::string log = ran.log;
    replace_all(log, place_.sources().string() + "/", "");
    return as_nvrtc_writes(log, [&](std::string_view file) -> std::string_view {
      if (file == request_.name) return request_.text;
      const auto found = std::find(request_.header_names.begin(), request_.header_names.end(), file);
      if (found == request_.header_names.end()) return {};
      return request_.header_texts[static_cast<std::size_t>(found - request_.header_names.begin())];
    });
  }

  static CompileAnswer::Status why(const Ran& ran, std::string_view log) {
    if (ran.too_long) return CompileAnswer::Status::too_long;
    if (says_out_of_memory(log)) return CompileAnswer::Status::out_of_memory;
    return log.find("error") != std::string_view::npos ? CompileAnswer::Status::source : CompileAnswer::Status::internal;
  }

  const Nvcc& nvcc_;
  const Workplace& place_;
  const std::vector<int>& architectures_;
  const CompileRequest& request_;
  const Clock::time_point deadline_;
  const std::string ptx_ = place_.scratch() + "/kernel.ptx";
};

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
  // Named after the process that asked, so that what a killed one left can be told apart.
  std::string folder = fmt::format("/tmp/warpbook-nvcc-{}-XXXXXX", getppid());
  if (mkdtemp(folder.data()) == nullptr) refuse(hello, "nvcc needs a folder in /tmp, and none could be made.");
  const Workplace place(*nvcc, files, folder.data());
  place.clear();
  const auto ask = [&](const char* question) {
    return place.run({nvcc->path, question}, Clock::now() + seconds(patience), patience, std::size_t{4} << 30).log;
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
  hello.confinement = name_of(files);
  hello.scratch = place.scratch();
  hello.hidden_paths = nvcc->header_folders();
  if (!send(child_socket, hello)) place.leave();
  for (;;) {
    CompileRequest request;
    if (receive(child_socket, request, Deadline::max())) place.leave();
    CompileAnswer answer = Compile(*nvcc, place, architectures, request).answer();
    if (!send(child_socket, answer)) place.leave();
  }
}

}  // namespace warpbook::gpu
