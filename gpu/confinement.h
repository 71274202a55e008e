// Confinement: restricts what the compiler's child processes can do. After NVRTC is loaded, the child can read the toolkit's
// headers and can do nothing else.
//
// Untrusted source makes NVRTC open files (#include "/etc/passwd") and could run code if it exploited NVRTC. The restrictions
// cannot be undone:
//   files    read-only below the toolkit's include folders and nowhere else (Landlock, or a mount namespace by bubblewrap)
//   system   no new programs, processes, sockets, tracing (seccomp); no core dumps; no files written
//   time     CPU seconds and address space, set anew for each compile
// The toolkit's nvcc is several programs, and clang is one. For them, confine_programs() permits starting those programs and
// writing into one scratch folder.
// Linux only. No privileges are needed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu {

/// How access to the file system is restricted, best first.
enum class FileConfinement {
  landlock,        // the kernel's own sandbox (Linux 5.13)
  landlock_early,  // the same, and a first Landlock is in force while libraries are loaded, because loading may start threads that
                   // a later Landlock would not bind. Such threads can read the system's libraries and the toolkit.
  bubblewrap,      // started in a mount namespace that holds only the system's libraries and the toolkit
  no_files         // neither is available: no file can be opened, so the toolkit's headers are missing
};
[[nodiscard]] std::string_view name_of(FileConfinement confinement);

/// The best kind that this machine has. WARPBOOK_CONFINEMENT=early|bubblewrap|no_files asks for another one, for tests.
[[nodiscard]] FileConfinement best_confinement();

/// The full path of bwrap. Empty: it is not installed.
[[nodiscard]] std::string bubblewrap_path();

/// Whether the calling process has a single thread. Waits for threads that are about to end.
[[nodiscard]] bool has_one_thread();

/// The first half of landlock_early, for good and for every program that the process executes: only what lies below `readable` can
/// be read (paths that do not exist are ignored). Returns an empty string, or what failed.
[[nodiscard]] std::string confine_before_loading(const std::vector<std::string>& readable);

/// Confines the calling process with its present and future threads. `readable`: the folders that stay readable; it may be empty.
/// Returns an empty string, or what failed; the caller must then give up.
[[nodiscard]] std::string confine(FileConfinement files, const std::vector<std::string>& readable);

/// What a process can reach that becomes a compiler program: clang, or nvcc, which starts the host's preprocessor and its own
/// passes. It can read headers and libraries of the system and the toolkit, start those programs, and write into one folder. All
/// else is denied as by confine(): no sockets and no other folder. It cannot leave its process group, so that killing the group
/// ends everything that it has started.
struct ProgramsReach {
  std::vector<std::string> readable;    // folders and files; those that do not exist are ignored
  std::vector<std::string> executable;  // likewise; these can be read as well
  std::string scratch;                  // a folder that can be written
};
/// With bubblewrap, the mount namespace alone decides what can be read. Fails with no_files, where no file can be opened.
[[nodiscard]] std::string confine_programs(FileConfinement files, const ProgramsReach& reach);

/// Sets soft limits for the next compile; a later call can set others. With sanitizers, which reserve terabytes, memory has none.
void limit_resources(double max_seconds, std::size_t max_bytes);
/// Sets the soft limit of memory, for a program that is started next.
void limit_memory(std::size_t max_bytes);

}  // namespace warpbook::gpu
