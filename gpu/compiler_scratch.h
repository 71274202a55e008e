// CompilerScratch: where a compiler that is a program of its own works. Its child process (nvcc_child.cpp, clang/clang_child.cpp)
// makes a folder in /tmp, writes a request's files into it, and starts the compiler confined to that folder and to what it needs.
//
//     CompilerScratch scratch("nvcc", files);
//     scratch.clear();
//     if (scratch.write_sources(request)) Ran ran = scratch.run(words, reach, deadline, request.max_seconds, request.max_bytes);
//     std::string ptx = read_file(scratch.path() + "/kernel.ptx");
//
// What it starts is a process group that is killed as one: at the deadline, and when the parent has gone, where this process ends
// as well.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler_protocol.h"
#include "gpu/confinement.h"

namespace warpbook::gpu {

/// A program that has ended, or was ended.
struct Ran {
  int exit_code = -1;  // −1: a signal ended it
  bool too_long = false;
  std::string log;  // both of its outputs
};

class CompilerScratch {
 public:
  /// `name`: of the compiler, for the folder's name. path() is empty where no folder could be made.
  CompilerScratch(std::string_view name, FileConfinement files);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The folder of the request's files, in which programs run.
  [[nodiscard]] std::filesystem::path sources() const { return std::filesystem::path(path_) / "source"; }

  /// Empties it.
  void clear() const;
  void remove() const;
  /// Removes it and ends this process.
  [[noreturn]] void leave() const;

  /// The request's text and headers. False: a name leads elsewhere, or nothing can be written.
  [[nodiscard]] bool write_sources(const CompileRequest& request) const;

  /// Runs a program (its full path, its arguments) that can reach what `reach` says and path().
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
/// Whether a compiler's words say that it could not allocate.
[[nodiscard]] bool says_out_of_memory(std::string_view log);
/// A path with its links followed; empty: there is no such thing.
[[nodiscard]] std::string real_path(const std::filesystem::path& path);
/// The text of one of the request's files, by its name; empty: it has no such file.
[[nodiscard]] std::string_view text_of_file(const CompileRequest& request, std::string_view file);

/// Tells the parent why there is no such compiler, and ends this process.
[[noreturn]] void refuse_to_compile(ChildHello& hello, std::string problem);

}  // namespace warpbook::gpu
