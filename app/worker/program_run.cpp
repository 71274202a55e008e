#include "app/worker/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = std::size_t{1} << 20;                // bytes that are shown
constexpr int usage_status = 2, compile_status = 3, missing_status = 5;  // of exec, where it could not run the program
constexpr double patience = 3;  // seconds from a cancel until the program is ended by force

/// "warpbook exec: there is no …" as a sentence of its own.
std::string sentence_in(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  if (line != std::string::npos) text = text.substr(line + 1);
  constexpr std::string_view prefix = "warpbook: ";
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

}  // namespace

ProgramRun::~ProgramRun() {
  cancel();
  if (coming_.valid()) coming_.wait();
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void ProgramRun::cancel() { cancelled_ = true; }

void ProgramRun::start(std::vector<std::string> words, bool observe) {
  cancel();
  if (coming_.valid()) coming_.wait();
  cancelled_ = false;
  {
    const std::lock_guard lock(mutex_);
    fresh_.clear();
  }
  if (folder_.empty()) {
    std::error_code ignored;
    std::string name = (fs::temp_directory_path(ignored) / "warpbook-program-XXXXXX").string();
    if (mkdtemp(name.data())) folder_ = name;
  }
  // The one before may still be shown.
  std::error_code ignored;
  fs::remove(folder_ / fmt::format("{}.record", runs_ - 1), ignored);
  const fs::path record = folder_.empty() ? fs::path() : folder_ / fmt::format("{}.record", ++runs_);
  began_ = Clock::now();
  coming_ = std::async(std::launch::async, [this, words = std::move(words), observe, record] {
    Ended ended =
        record.empty()
            ? Ended{{}, say("No folder could be made in the folder for temporary files. Set TMPDIR to one that may be written to.")}
            : run(words, observe, record);
    if (wake_) wake_();
    return ended;
  });
}

std::optional<ProgramRun::Ended> ProgramRun::poll(ProgramState& state) {
  {
    const std::lock_guard lock(mutex_);
    if (state.output.size() < most_output) state.output += fresh_;
    fresh_.clear();
  }
  state.running = coming_.valid();
  state.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  if (!coming_.valid() || coming_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
  state.running = false;
  return coming_.get();
}

void ProgramRun::read_output(int pipe) {
  std::array<char, 1 << 14> bytes{};
  const ssize_t count = read(pipe, bytes.data(), bytes.size());
  if (count <= 0) return;
  said_.append(bytes.data(), static_cast<std::size_t>(count));
  if (said_.size() > 2 * bytes.size()) said_.erase(0, said_.size() - bytes.size());
  const std::lock_guard lock(mutex_);
  if (fresh_.size() < most_output) fresh_.append(bytes.data(), static_cast<std::size_t>(count));
}

ProgramRun::Ended ProgramRun::run(const std::vector<std::string>& words, bool observe, const fs::path& record) {
  std::error_code unknown;
  const fs::path self = "/proc/self/exe";
  const fs::path exec = fs::read_symlink(self, unknown).parent_path() / "warpbook";  // this program, but in tests
  if (access(exec.c_str(), X_OK) != 0)
    return {{}, say("{file} is not there any more, which runs programs. Start Warpbook again.", "file"_a = exec.string())};
  std::vector<std::string> line{"warpbook", "exec", "--quiet", "--record", record.string()};
  if (observe) line.insert(line.end(), {"--observe", "all"});
  line.emplace_back("--");
  line.insert(line.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> pipe{};
  said_.clear();
  if (pipe2(pipe.data(), O_CLOEXEC) != 0)
    return {{}, say("The program could not be started: {why}.", "why"_a = std::strerror(errno))};
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);  // so that it can be ended with all that it has started
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(pipe[1], STDOUT_FILENO);
    dup2(pipe[1], STDERR_FILENO);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    execv(exec.c_str(), arguments.data());
    _exit(missing_status);
  }
  close(pipe[1]);
  if (child < 0) {
    close(pipe[0]);
    return {{}, say("The program could not be started: {why}.", "why"_a = std::strerror(errno))};
  }
  fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  std::optional<Clock::time_point> asked_to_end;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    pollfd end{pipe[0], POLLIN, 0};
    if (::poll(&end, 1, 50) > 0) {
      read_output(pipe[0]);
      if ((end.revents & POLLIN) == 0) usleep(20'000);  // it has closed its streams and goes on
      if (wake_) wake_();
    }
    if (!cancelled_) continue;
    if (!asked_to_end) {
      asked_to_end = Clock::now();
      kill(child, SIGTERM);  // exec passes it on
    } else if (std::chrono::duration<double>(Clock::now() - *asked_to_end).count() > patience) {
      kill(-child, SIGKILL);
    }
  }
  read_output(pipe[0]);
  close(pipe[0]);
  std::error_code missing;
  if (fs::exists(record, missing)) return {record, {}};
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : missing_status;
  if (asked_to_end) return {{}, say("The program was stopped by force, and there is no record of it.")};
  if (code == compile_status)
    return {{}, say("It does not compile: what the compiler says stands below. Correct the file, and run it again.")};
  if (code != usage_status && code != missing_status)
    return {{}, say("The program left no record (exit code {code}).", "code"_a = code)};
  return {{}, said_.empty() ? std::string(say("The program could not be started.")) : sentence_in(said_)};
}

}  // namespace warpbook::app
