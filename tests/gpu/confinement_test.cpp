// What a confined process can still do: each thing is tried in a child of its own.
#include "gpu/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace warpbook::gpu {
namespace {

struct Attempt {
  const char* what;
  std::function<bool()> works;
};

const std::vector<Attempt>& forbidden() {
  static const int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);  // opened before, as a socket might be
  static const std::vector<Attempt> attempts{
      {"a socket", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"a pair of sockets",
       [] {
         int ends[2];
         return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
       }},
      {"another program", [] { return execl("/bin/false", "false", nullptr) == 0 || errno != EPERM; }},
      {"a process by fork",
       [] {
         const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
         if (child == 0) _exit(0);
         return child > 0;
       }},
      {"a process by clone3", [] { return syscall(SYS_clone3, nullptr, 0) >= 0 || errno != ENOSYS; }},
      {"a signal for its parent", [] { return kill(getppid(), 0) == 0; }},
      {"the parent's memory", [] { return ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0 || errno != EPERM; }},
      {"the parent's limits",
       [] {
         rlimit limit;
         return prlimit(getppid(), RLIMIT_CPU, nullptr, &limit) == 0;
       }},
      {"a file in memory", [] { return memfd_create("x", 0) >= 0; }},
      {"io_uring", [] { return syscall(SYS_io_uring_setup, 1, nullptr) >= 0 || errno != EPERM; }},
      {"a file to read", [] { return open("/etc/passwd", O_RDONLY) >= 0; }},
      {"a file to write", [] { return open("/tmp", O_TMPFILE | O_WRONLY, 0600) >= 0; }},
      {"a file that is open already",
       [] {
         signal(SIGXFSZ, SIG_IGN);
         return write(file, "x", 1) == 1;
       }},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which reserve terabytes
      {"more memory than a compile may take",
       [] {
         limit_resources(1, std::size_t{1} << 28);
         return mmap(nullptr, std::size_t{1} << 28, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
       }},
#endif
      {"core dumps",
       [] {
         rlimit limit{1, 1};
         return setrlimit(RLIMIT_CORE, &limit) == 0;
       }},
  };
  return attempts;
}

const std::vector<Attempt>& needed() {
  static const std::vector<Attempt> attempts{
      {"a thread",
       [] {
         bool ran = false;
         std::thread([&] { ran = true; }).join();
         return ran;
       }},
      {"memory", [] { return mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; }},
      {"its own limits",
       [] {
         limit_resources(1, std::size_t{1} << 40);
         rlimit limit;
         getrlimit(RLIMIT_CPU, &limit);
         return limit.rlim_cur < 10;
       }},
  };
  return attempts;
}

/// By attempt: did it work, once confined? `confined`: whether that could be done.
std::vector<bool> works_where(const std::function<bool()>& confined, const std::vector<Attempt>& attempts) {
  std::vector<bool> worked;
  for (const Attempt& attempt : attempts) {
    const pid_t child = fork();
    if (child == 0) {
      if (!confined()) _exit(2);
      _exit(attempt.works() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << attempt.what << ": " << status;
    worked.push_back(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  }
  return worked;
}

std::vector<bool> works_in(FileConfinement files, const std::vector<Attempt>& attempts) {
  return works_where([&] { return confine(files, {}).empty(); }, attempts);
}

class Confinements : public testing::TestWithParam<FileConfinement> {};

TEST_P(Confinements, LeavesNothingButWhatACompilerNeeds) {
  if (GetParam() == FileConfinement::landlock && best_confinement() != GetParam()) GTEST_SKIP() << "this kernel has no Landlock";
  const std::vector<bool> bad = works_in(GetParam(), forbidden()), good = works_in(GetParam(), needed());
  for (std::size_t a = 0; a < bad.size(); ++a) EXPECT_FALSE(bad[a]) << "it can have " << forbidden()[a].what;
  for (std::size_t a = 0; a < good.size(); ++a) EXPECT_TRUE(good[a]) << "it cannot have " << needed()[a].what;
}

/// In a child that has a second thread, which tries to read a file once the child is confined. 0: it could not; 1: it could; 2: the
/// child could not be confined.
int with_a_second_thread(FileConfinement files) {
  const pid_t child = fork();
  if (child == 0) {
    if (files == FileConfinement::landlock_early && !confine_before_loading({"/usr", "/lib", "/proc/self"}).empty()) _exit(3);
    std::atomic<bool> confined = false;
    std::thread second([&] {
      while (!confined) std::this_thread::yield();
      _exit(open("/etc/passwd", O_RDONLY) >= 0 ? 1 : 0);
    });
    if (!confine(files, {}).empty()) _exit(2);
    confined = true;
    second.join();
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Confinement, AThreadOfALoadedLibraryIsNotOverlooked) {
  if (best_confinement() != FileConfinement::landlock) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(with_a_second_thread(FileConfinement::landlock), 2);
  EXPECT_EQ(with_a_second_thread(FileConfinement::landlock_early), 0);
  EXPECT_EQ(with_a_second_thread(FileConfinement::no_files), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Confinements, testing::Values(FileConfinement::landlock, FileConfinement::no_files));

/// As nvcc is confined: it starts programs, and writes into one folder.
class ConfinementOfPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (best_confinement() != FileConfinement::landlock) GTEST_SKIP() << "this kernel has no Landlock";
    scratch_ = std::filesystem::temp_directory_path() / ("warpbook_confined_" + std::to_string(getpid()));
    beside_ = scratch_.string() + "_beside";
    std::filesystem::create_directories(scratch_);
    std::filesystem::create_directories(beside_);
  }
  void TearDown() override {
    std::filesystem::remove_all(scratch_);
    std::filesystem::remove_all(beside_);
  }
  [[nodiscard]] bool confine_this() const {
    const ProgramsReach reach{.readable = {"/usr/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/not/there"},
                              .executable = {std::filesystem::canonical("/bin/true").string(),
                                             std::filesystem::canonical("/lib64/ld-linux-x86-64.so.2").string()},
                              .scratch = scratch_};
    return confine_programs(FileConfinement::landlock, reach).empty();
  }
  /// Whether the program ran and was content.
  static bool runs(const char* program) {
    const pid_t child = fork();
    if (child == 0) {
      execl(program, program, nullptr);
      _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::filesystem::path scratch_, beside_;
};

TEST_F(ConfinementOfPrograms, LeavesNothingButThesePrograms) {
  const auto writes = [](const std::filesystem::path& file) { return open(file.c_str(), O_WRONLY | O_CREAT, 0600) >= 0; };
  const std::vector<Attempt> bad{
      {"a file to read", [] { return open("/etc/passwd", O_RDONLY) >= 0; }},
      {"what the system says of processes", [] { return open("/proc/self/environ", O_RDONLY) >= 0; }},
      {"a file beside its folder", [&] { return writes(beside_ / "file"); }},
      {"a file in the folder above", [&] { return writes(scratch_.parent_path() / "warpbook_confined_file"); }},
      {"a program that is not named", [] { return runs("/bin/ls"); }},
      {"a program of its own",
       [&] {
         std::filesystem::path copy = scratch_ / "program";
         std::filesystem::copy_file("/bin/true", copy);
         return runs(copy.c_str());
       }},
      {"a socket", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"a process group that outlives its own", [] { return setpgid(0, 0) == 0 || setsid() >= 0; }},
      {"a signal for its parent", [] { return kill(getppid(), 0) == 0; }},
      {"the parent's memory", [] { return ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0 || errno != EPERM; }},
      {"a namespace", [] { return syscall(SYS_clone, SIGCHLD | CLONE_NEWUSER, nullptr, nullptr, nullptr, nullptr) >= 0; }},
  };
  const std::vector<Attempt> good{
      {"a program that is named", [] { return runs("/bin/true"); }},
      {"a file in its folder", [&] { return writes(scratch_ / "file"); }},
      {"a folder in its folder", [&] { return std::filesystem::create_directory(scratch_ / "folder"); }},
      {"a library to read", [] { return open("/etc/ld.so.cache", O_RDONLY) >= 0; }},
  };
  const auto confined = [&] { return confine_this(); };
  const std::vector<bool> forbidden = works_where(confined, bad), needed = works_where(confined, good);
  for (std::size_t a = 0; a < bad.size(); ++a) EXPECT_FALSE(forbidden[a]) << "it can have " << bad[a].what;
  for (std::size_t a = 0; a < good.size(); ++a) EXPECT_TRUE(needed[a]) << "it cannot have " << good[a].what;
}

TEST_F(ConfinementOfPrograms, IsRefusedWhereNoFileCanBeOpened) {
  EXPECT_FALSE(confine_programs(FileConfinement::no_files, {.readable = {}, .executable = {}, .scratch = scratch_}).empty());
}

}  // namespace
}  // namespace warpbook::gpu
