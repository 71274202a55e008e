// CompilerScratch: the scratch folder of a compiler that is a separate program. The child process (nvcc_child.cpp,
// clang/clang_child.cpp) makes a folder in /tmp, writes a request's files into it, and starts the compiler, which can reach only
// that folder and the files that it needs.
//
//     CompilerScratch scratch("nvcc", files);
//     scratch.clear();
//     if (scratch.write_sources(request)) Ran ran = scratch.run(words, reach, deadline, request.max_seconds, request.max_bytes);
//     std::string ptx = read_file(scratch.path() + "/kernel.ptx");
//
// The compiler runs in a process group of its own, which is killed at the deadline. If the parent has gone, the group is killed and
// this process exits.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler_protocol.h"
#include "gpu/confinement.h"

namespace warpbook::gpu {

/// The result of a program that has exited or was killed.
struct Ran {
  int exit_code = -1;  // −1: it was ended by a signal
  bool too_long = false;
  std::string log;  // standard output and standard error
};

class CompilerScratch {
 public:
  /// `name` is the compiler's; it becomes part of the folder's name. path() is empty if no folder could be made.
  CompilerScratch(std::string_view name, FileConfinement files);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The folder that holds the request's files. It is the working directory of what is run.
  [[nodiscard]] std::filesystem::path sources() const { return std::filesystem::path(path_) / "source"; }

  /// The folder for what outlives a request.
  [[nodiscard]] std::string kept() const { return path_ + "/kept"; }

  /// Empties it, except kept().
  void clear() const;
  void remove() const;
  /// Removes it and ends this process.
  [[noreturn]] void leave() const;

  /// Writes the request's text and headers. Returns false if a name leads out of the folder or a file cannot be written.
  [[nodiscard]] bool write_sources(const CompileRequest& request) const;

  /// Runs a program (full path, then arguments) that can reach what `reach` lists and path().
  [[nodiscard]] Ran run(const std::vector<std::string>& words, const ProgramsReach& reach, Deadline deadline, double max_seconds,
                        std::size_t max_bytes) const;

 private:
  [[noreturn]] void become(const std::vector<std::string>& words, const ProgramsReach& reach, const std::string& log,
                           double max_seconds, std::size_t max_bytes) const;

  FileConfinement files_;
  std::string path_;
};

[[nodiscard]] Deadline deadline_in(double seconds);
[[nodiscard]] std::string read_file(const std::filesystem::path& path);
[[nodiscard]] bool write_file(const std::filesystem::path& path, std::string_view text);
void replace_all(std::string& text, std::string_view what, std::string_view by);
/// Whether a compiler's output says that it ran out of memory.
[[nodiscard]] bool says_out_of_memory(std::string_view log);
/// A path with its links followed. Empty: there is no such file.
[[nodiscard]] std::string real_path(const std::filesystem::path& path);
/// The text of one of the request's files, by name. Empty: the request has no such file.
[[nodiscard]] std::string_view text_of_file(const CompileRequest& request, std::string_view file);

/// Tells the parent why this compiler is not available, and exits.
[[noreturn]] void refuse_to_compile(ChildHello& hello, std::string problem);

}  // namespace warpbook::gpu
