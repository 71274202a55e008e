// Confinement: what the compiler's child processes may still do. Once NVRTC is loaded: read one folder, and nothing else.
//
// Untrusted source makes NVRTC open files (#include "/etc/passwd") and, were it exploited, could run code. So, for good:
//   files    read-only below the toolkit's include folders and nowhere else (Landlock, or a mount namespace by bubblewrap)
//   system   no new programs, processes, sockets, tracing (seccomp); no core dumps; no files written
//   time     CPU seconds and address space, set anew for each compile
// The toolkit's nvcc is several programs, and clang is one: for them confine_programs() lets those be started, and one scratch folder be written.
// Linux only. Nothing here needs privileges.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu {

/// How the child's view of the file system is narrowed, best first.
enum class FileConfinement {
  landlock,        // the kernel's own sandbox (Linux 5.13)
  landlock_early,  // the same, and already while libraries are loaded: for where loading them starts threads, which Landlock
                   // would bind too late. Those may read the system's libraries and the toolkit for good.
  bubblewrap,      // started inside a mount namespace that holds system libraries and the toolkit only
  no_files         // neither is there: no file can be opened at all, so the toolkit's headers are missing
};
[[nodiscard]] std::string_view name_of(FileConfinement confinement);

/// What this machine has. WARPBOOK_CONFINEMENT=early|bubblewrap|no_files asks for another than the best (to test them).
[[nodiscard]] FileConfinement best_confinement();

/// The full path of bwrap, empty where it is not installed.
[[nodiscard]] std::string bubblewrap_path();

/// Does the calling process have one thread? Threads that are just ending are waited for.
[[nodiscard]] bool has_one_thread();

/// landlock_early's first half, for good and for every program that the process executes: nothing may be read but what is below
/// `readable` (a path that is not there is left out). Returns an empty string, or what failed.
[[nodiscard]] std::string confine_before_loading(const std::vector<std::string>& readable);

/// Confines the calling process, all its threads to come and itself. `readable`: the folders that stay readable, may be none.
/// Returns an empty string, or what failed; the caller must then give up.
[[nodiscard]] std::string confine(FileConfinement files, const std::vector<std::string>& readable);

/// What a process may still do that goes on as a compiler, clang or the toolkit's nvcc, which starts the host's preprocessor and
/// its own passes: read system and toolkit headers and libraries, start those programs, write into one folder. All else is denied as by confine(): no
/// sockets, no other folder, no process group of its own, so that killing its group ends all it has started.
struct ProgramsReach {
  std::vector<std::string> readable;    // folders and files; those that are not there are left out
  std::vector<std::string> executable;  // likewise; these are readable as well
  std::string scratch;                  // may be written
};
/// Under bubblewrap the mount namespace alone says what can be read. Refused where no file can be opened (no_files).
[[nodiscard]] std::string confine_programs(FileConfinement files, const ProgramsReach& reach);

/// For the compile that follows: soft limits, so that the next compile may have others.
void limit_resources(double max_seconds, std::size_t max_bytes);

}  // namespace warpbook::gpu
