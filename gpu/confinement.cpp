#include "gpu/confinement.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

namespace warpbook::gpu {
namespace {

// The rule set of the newest kernel. The installed kernel headers may be older than the running kernel.
struct LandlockRuleset {
  __u64 handled_access_fs = 0, handled_access_net = 0, scoped = 0;
};

int landlock_abi() {
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U /* LANDLOCK_CREATE_RULESET_VERSION */));
}

std::string failed(std::string_view what) { return fmt::format("{} failed: {}", what, std::strerror(errno)); }

/// Rights for everything below a path, or for one file.
struct LandlockRule {
  std::string path;
  __u64 rights = 0;
};

constexpr __u64 read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr __u64 truncate_right = 1ULL << 14;  // since ABI 3, which installed kernel headers may not know
constexpr __u64 rights_of_files =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE | truncate_right;
constexpr __u64 scratch_rights = read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 truncate_right;

std::string add_rule(int ruleset, const LandlockRule& rule, __u64 handled) {
  const int opened = open(rule.path.c_str(), O_PATH | O_CLOEXEC);
  if (opened < 0) return failed("opening " + rule.path);
  struct stat about {};
  const bool folder = fstat(opened, &about) == 0 && S_ISDIR(about.st_mode);
  landlock_path_beneath_attr below{};
  below.allowed_access = rule.rights & handled & (folder ? ~__u64{0} : rights_of_files);
  below.parent_fd = opened;
  const bool added = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &below, 0U) == 0;
  const std::string problem = added ? std::string() : failed("landlock_add_rule");
  close(opened);
  return problem;
}

/// Denies everything that the running kernel can deny, except `allowed`.
std::string confine_files_with_landlock(const std::vector<LandlockRule>& allowed) {
  const int abi = landlock_abi();
  if (abi < 1) return "Landlock is not there";
  // ABI 1 has file rights in bits 0 to 12. ABIs 2, 3 and 5 add one bit each. TCP came with ABI 4, scopes (abstract sockets,
  // signals) with 6.
  const int file_rights = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
  LandlockRuleset rules{.handled_access_fs = (1ULL << file_rights) - 1, .handled_access_net = 3, .scoped = 3};
  const std::size_t size = abi >= 6   ? sizeof rules
                           : abi >= 4 ? offsetof(LandlockRuleset, scoped)
                                      : offsetof(LandlockRuleset, handled_access_net);
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, size, 0U));
  if (ruleset < 0) return failed("landlock_create_ruleset");
  for (const LandlockRule& rule : allowed)
    if (std::string problem = add_rule(ruleset, rule, rules.handled_access_fs); !problem.empty()) return problem;
  if (syscall(SYS_landlock_restrict_self, ruleset, 0U) != 0) return failed("landlock_restrict_self");
  close(ruleset);
  return {};
}

/// What a process may do in addition to computing.
enum class Calls { files, no_files, programs };

/// System calls that a compiler does not need and that could do harm in a compromised one. libseccomp ignores calls that the
/// processor's Linux does not have.
std::vector<int> denied_calls(Calls calls) {
  std::vector<int> denied{SCMP_SYS(socket),
                          SCMP_SYS(socketpair),
                          SCMP_SYS(connect),
                          SCMP_SYS(bind),
                          SCMP_SYS(listen),
                          SCMP_SYS(accept),
                          SCMP_SYS(accept4),
                          SCMP_SYS(ptrace),
                          SCMP_SYS(execveat),
                          SCMP_SYS(mount),
                          SCMP_SYS(process_vm_readv),
                          SCMP_SYS(process_vm_writev),
                          SCMP_SYS(umount2),
                          SCMP_SYS(pivot_root),
                          SCMP_SYS(chroot),
                          SCMP_SYS(unshare),
                          SCMP_SYS(setns),
                          SCMP_SYS(bpf),
                          SCMP_SYS(keyctl),
                          SCMP_SYS(add_key),
                          SCMP_SYS(request_key),
                          SCMP_SYS(kill),
                          SCMP_SYS(perf_event_open),
                          SCMP_SYS(io_uring_setup),
                          SCMP_SYS(userfaultfd),
                          SCMP_SYS(memfd_create),
                          SCMP_SYS(open_by_handle_at),
                          SCMP_SYS(pidfd_open)};
  if (calls == Calls::programs)
    denied.insert(denied.end(), {SCMP_SYS(setsid), SCMP_SYS(setpgid), SCMP_SYS(tkill), SCMP_SYS(pidfd_send_signal)});
  else
    denied.insert(denied.end(), {SCMP_SYS(execve), SCMP_SYS(fork), SCMP_SYS(vfork)});
  if (calls == Calls::no_files) denied.insert(denied.end(), {SCMP_SYS(openat), SCMP_SYS(openat2), SCMP_SYS(open), SCMP_SYS(creat)});
  return denied;
}

std::string confine_system_calls(Calls calls) {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
  if (filter == nullptr) return "seccomp_init failed";
  int error = 0;  // the first error, a negative errno
  const auto check = [&error](int result) {
    if (error == 0) error = result;
  };
  constexpr std::uint32_t no_permission = SCMP_ACT_ERRNO(EPERM), not_there = SCMP_ACT_ERRNO(ENOSYS);
  // Calls of another architecture (32 bits, x32) have other numbers, so that the rules below would not match them.
  check(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
  // Also confine threads that NVRTC or the watchdog have started already.
  check(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1));
  for (const int call : denied_calls(calls)) check(seccomp_rule_add(filter.get(), no_permission, call, 0));
  // With ENOSYS, glibc uses clone instead, whose flags a filter can read.
  check(seccomp_rule_add(filter.get(), not_there, SCMP_SYS(clone3), 0));
  // glibc's setrlimit calls prlimit64 with process 0, the caller. limit_resources needs it for every compile.
  check(seccomp_rule_add(filter.get(), no_permission, SCMP_SYS(prlimit64), 1, SCMP_A0_32(SCMP_CMP_NE, 0)));
  // clone may start threads. It may start processes only if programs may be started, and never in new namespaces.
  if (calls == Calls::programs) {
    for (const unsigned space :
         {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET})
      check(seccomp_rule_add(filter.get(), no_permission, SCMP_SYS(clone), 1, SCMP_A0_32(SCMP_CMP_MASKED_EQ, space, space)));
  } else {
    check(seccomp_rule_add(filter.get(), no_permission, SCMP_SYS(clone), 1, SCMP_A0_32(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0U)));
  }
  if (error == 0) error = seccomp_load(filter.get());
  return error == 0 ? std::string() : fmt::format("seccomp failed: {}", std::strerror(-error));
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

/// Some containers forbid making namespaces, so bubblewrap may be installed and not work.
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
  // A joined thread may still be listed for a moment.
  for (int wait = 0; wait < 100; ++wait) {
    std::error_code unreadable;
    const auto threads = std::distance(std::filesystem::directory_iterator("/proc/self/task", unreadable), {});
    if (unreadable || threads == 1) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

/// Adds a rule for each path that exists.
static void add_existing(std::vector<LandlockRule>& rules, const std::vector<std::string>& paths, __u64 rights) {
  for (const std::string& path : paths)
    if (access(path.c_str(), F_OK) == 0) rules.push_back({path, rights});
}

std::string confine_before_loading(const std::vector<std::string>& readable) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  std::vector<LandlockRule> allowed;
  add_existing(allowed, readable, read_rights | LANDLOCK_ACCESS_FS_EXECUTE);
  return confine_files_with_landlock(allowed);
}

/// The first part of both kinds of confinement.
static std::string give_up_rights(rlim_t largest_file) {
  // RLIMIT_CORE does not apply to core dumps into a pipe, but an undumpable process has none.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit nothing{0, 0}, file{largest_file, largest_file};
  setrlimit(RLIMIT_CORE, &nothing);
  setrlimit(RLIMIT_FSIZE, &file);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  return {};
}

std::string confine(FileConfinement files, const std::vector<std::string>& readable) {
  if (std::string error = give_up_rights(0); !error.empty()) return error;
  // Landlock restricts the calling thread and its future children only. So there must be no other thread, unless it is restricted
  // already.
  if (files == FileConfinement::landlock && !has_one_thread()) return "loading the compiler started threads";
  if (files == FileConfinement::landlock || files == FileConfinement::landlock_early) {
    std::vector<LandlockRule> allowed;
    for (const std::string& folder : readable) allowed.push_back({folder, read_rights});
    if (std::string error = confine_files_with_landlock(allowed); !error.empty()) return error;
  }
  return confine_system_calls(files == FileConfinement::no_files ? Calls::no_files : Calls::files);
}

std::string confine_programs(FileConfinement files, const ProgramsReach& reach) {
  constexpr rlim_t largest_file = rlim_t{1} << 28;  // preprocessed sources and PTX have megabytes
  if (files == FileConfinement::no_files) return "neither Landlock nor bubblewrap is there";
  if (std::string error = give_up_rights(largest_file); !error.empty()) return error;
  if (files == FileConfinement::landlock || files == FileConfinement::landlock_early) {
    std::vector<LandlockRule> allowed{{reach.scratch, scratch_rights}, {"/dev/null", read_rights | LANDLOCK_ACCESS_FS_WRITE_FILE}};
    add_existing(allowed, reach.readable, read_rights);
    add_existing(allowed, reach.executable, read_rights | LANDLOCK_ACCESS_FS_EXECUTE);
    if (std::string error = confine_files_with_landlock(allowed); !error.empty()) return error;
  }
  return confine_system_calls(Calls::programs);
}

namespace {

template <class Resource>
void soften(Resource resource, rlim_t soft) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  setrlimit(resource, &limit);
}

}  // namespace

void limit_memory(std::size_t max_bytes) { soften(RLIMIT_AS, max_bytes); }

void limit_resources(double max_seconds, std::size_t max_bytes) {
  soften(RLIMIT_CORE, 0);  // a crash is reported as a sentence, and nobody needs the core file
  // The parent watches the wall clock. This limit also holds if the parent is gone. It counts CPU time from the process's start.
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  soften(RLIMIT_CPU, static_cast<rlim_t>(used.tv_sec) + static_cast<rlim_t>(std::ceil(max_seconds)) * 2 + 2);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  (void)max_bytes;  // sanitizers reserve terabytes; the parent still watches the resident size
#else
  limit_memory(max_bytes);
#endif
}

}  // namespace warpbook::gpu
