#include "gpu/confinement.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

namespace warpbook::gpu {
namespace {

// The rule set as the newest kernel knows it; the installed kernel headers may be older than the running kernel.
struct LandlockRuleset {
  __u64 handled_access_fs = 0, handled_access_net = 0, scoped = 0;
};

int landlock_abi() {
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U /* LANDLOCK_CREATE_RULESET_VERSION */));
}

std::string failed(std::string_view what) { return fmt::format("{} failed: {}", what, std::strerror(errno)); }

/// A rule set that denies all that the running kernel can deny; negative: errno tells why there is none.
int deny_all() {
  const int abi = landlock_abi();
  if (abi < 1) return -1;
  // File rights are bits 0–12 in ABI 1, then one more in 2, 3 and 5; TCP came with 4, scopes (abstract sockets, signals) with 6.
  const int file_rights = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  LandlockRuleset rules{.handled_access_fs = (1ULL << file_rights) - 1, .handled_access_net = 3, .scoped = 3};
  const std::size_t size = abi >= 6   ? sizeof rules
                           : abi >= 4 ? offsetof(LandlockRuleset, scoped)
                                      : offsetof(LandlockRuleset, handled_access_net);
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, size, 0U));
}

constexpr __u64 read_only = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

bool allow(int ruleset, __u64 rights, const std::string& path) {
  landlock_path_beneath_attr below{};
  below.parent_fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (below.parent_fd < 0) return false;
  std::error_code unknown;
  const bool folder = std::filesystem::is_directory(path, unknown);
  below.allowed_access = folder ? rights : rights & ~static_cast<__u64>(LANDLOCK_ACCESS_FS_READ_DIR);
  const bool allowed = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &below, 0U) == 0;
  close(below.parent_fd);
  return allowed;
}

std::string restrict_to(int ruleset) {
  if (syscall(SYS_landlock_restrict_self, ruleset, 0U) != 0) return failed("landlock_restrict_self");
  close(ruleset);
  return {};
}

std::string confine_files_with_landlock(const std::string& readable) {
  const int ruleset = deny_all();
  if (ruleset < 0) return failed("landlock_create_ruleset");
  if (!readable.empty() && !allow(ruleset, read_only, readable)) return failed("allowing the toolkit's include folder to be read");
  return restrict_to(ruleset);
}

#if defined(__x86_64__)
constexpr unsigned native_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned native_architecture = AUDIT_ARCH_AARCH64;
#else
#  error "confinement.cpp needs this processor's AUDIT_ARCH value"
#endif

std::string confine_system_calls(bool deny_files) {
  // System calls that a compiler has no use for, and through which a broken one could do harm.
  std::vector<unsigned> denied{
      SYS_socket,      SYS_socketpair,   SYS_connect,           SYS_bind,        SYS_listen,           SYS_accept,
      SYS_accept4,     SYS_execve,       SYS_execveat,          SYS_ptrace,      SYS_process_vm_readv, SYS_process_vm_writev,
      SYS_mount,       SYS_umount2,      SYS_pivot_root,        SYS_chroot,      SYS_unshare,          SYS_setns,
      SYS_bpf,         SYS_keyctl,       SYS_add_key,           SYS_request_key, SYS_perf_event_open,  SYS_io_uring_setup,
      SYS_userfaultfd, SYS_memfd_create, SYS_open_by_handle_at, SYS_kill,        SYS_pidfd_open};
#ifdef SYS_fork
  denied.insert(denied.end(), {SYS_fork, SYS_vfork});
#endif
  if (deny_files) {
    denied.insert(denied.end(), {SYS_openat, SYS_openat2});
#ifdef SYS_open
    denied.insert(denied.end(), {SYS_open, SYS_creat});
#endif
  }
  std::vector<sock_filter> filter;
  const auto load = [&](std::size_t offset) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)));
  };
  const auto answer = [&](unsigned value) { filter.push_back(BPF_STMT(BPF_RET | BPF_K, value)); };
  const auto if_equal = [&](unsigned value, unsigned then_answer) {  // accumulator == value: answer, else go on
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    answer(then_answer);
  };
  constexpr unsigned no_permission = SECCOMP_RET_ERRNO | EPERM, not_there = SECCOMP_RET_ERRNO | ENOSYS;

  load(offsetof(seccomp_data, arch));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, native_architecture, 1, 0));
  answer(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1));  // the x32 numbers
  answer(no_permission);
#endif
  for (const unsigned number : denied) if_equal(number, no_permission);
  if_equal(SYS_clone3, not_there);  // glibc then uses clone, whose flags can be looked at
  // prlimit64(pid, …), which is glibc's setrlimit: the process itself only. limit_resources needs it for every compile.
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 4));
  load(offsetof(seccomp_data, args[0]));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
  answer(no_permission);
  answer(SECCOMP_RET_ALLOW);
  // clone(flags, …): threads only.
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
  load(offsetof(seccomp_data, args[0]));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
  answer(no_permission);
  answer(SECCOMP_RET_ALLOW);

  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  // TSYNC: the threads that NVRTC or the watchdog have started already are confined too.
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) return failed("seccomp");
  return {};
}

}  // namespace

std::string_view name_of(FileConfinement confinement) {
  switch (confinement) {
    case FileConfinement::landlock:
      return "Landlock";
    case FileConfinement::landlock_early:
      return "Landlock, from before its libraries were loaded";
    case FileConfinement::bubblewrap:
      return "bubblewrap";
    case FileConfinement::no_files:
      return "seccomp, no file can be opened (install bubblewrap to use the toolkit's headers)";
  }
  return "";
}

std::string bubblewrap_path() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = std::string(rest.substr(0, end)) + "/bwrap";
    if (candidate.front() == '/' && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

/// Some containers let nobody make a namespace, bubblewrap neither.
static bool bubblewrap_works() {
  static const bool works = !bubblewrap_path().empty() &&
                            std::system((bubblewrap_path() + " --unshare-all --ro-bind / / true >/dev/null 2>&1").c_str()) == 0;
  return works;
}

FileConfinement best_confinement() {
  const char* asked = std::getenv("WARPBOOK_CONFINEMENT");
  const std::string_view wish = asked == nullptr ? "" : asked;
  if (wish == name_of(FileConfinement::bubblewrap)) return FileConfinement::bubblewrap;
  if (wish == "early") return FileConfinement::landlock_early;
  if (wish == "no_files") return FileConfinement::no_files;
  if (landlock_abi() >= 1) return FileConfinement::landlock;
  return bubblewrap_works() ? FileConfinement::bubblewrap : FileConfinement::no_files;
}

bool has_one_thread() {
  // A thread that was joined may still be counted for a moment.
  for (int wait = 0; wait < 100; ++wait) {
    std::error_code unreadable;
    const auto threads = std::distance(std::filesystem::directory_iterator("/proc/self/task", unreadable), {});
    if (unreadable || threads == 1) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

std::string confine_before_loading(const std::vector<std::string>& readable) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  const int ruleset = deny_all();
  if (ruleset < 0) return failed("landlock_create_ruleset");
  for (const std::string& path : readable) (void)allow(ruleset, read_only | LANDLOCK_ACCESS_FS_EXECUTE, path);
  return restrict_to(ruleset);
}

std::string confine(FileConfinement files, const std::string& readable) {
  // Piped core dumps ignore RLIMIT_CORE; an undumpable process writes none.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);
  setrlimit(RLIMIT_FSIZE, &nothing);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  // Landlock binds the calling thread and those it starts: there must be no other yet, or it must be bound already.
  if (files == FileConfinement::landlock && !has_one_thread()) return "loading the compiler started threads";
  if (files == FileConfinement::landlock || files == FileConfinement::landlock_early)
    if (std::string error = confine_files_with_landlock(readable); !error.empty()) return error;
  return confine_system_calls(files == FileConfinement::no_files);
}

void limit_resources(double max_seconds, std::size_t max_bytes) {
  const auto soften = [](auto resource, rlim_t soft) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) return;
    limit.rlim_cur = std::min(soft, limit.rlim_max);
    setrlimit(resource, &limit);
  };
  soften(RLIMIT_CORE, 0);  // a crash is told in words; gigabytes in a file would help nobody
  // The parent watches the wall clock; this one holds even if the parent is gone. It counts from the process's start.
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  soften(RLIMIT_CPU, static_cast<rlim_t>(used.tv_sec) + static_cast<rlim_t>(std::ceil(max_seconds)) * 2 + 2);
#ifdef __SANITIZE_ADDRESS__
  (void)max_bytes;  // AddressSanitizer reserves terabytes; the parent still watches the resident size
#else
  soften(RLIMIT_AS, max_bytes);
#endif
}

}  // namespace warpbook::gpu
