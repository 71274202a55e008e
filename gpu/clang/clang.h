// Clang: a second compiler of CUDA C++, which every distribution has: clang with its NVPTX back end. It needs nothing of NVIDIA's.
//
//     std::optional<Clang> clang = find_clang();
//     if (clang) run(clang->words(request, 75, "/tmp/x/include", "/tmp/x/kernel.ptx"));
//     std::string log = clang_as_nvrtc_writes(log_of_clang, text_of_file);        // for compiler_log.h
//
// What CUDA C++ gives a kernel comes from headers of ours (headers.h), its mathematics too. clang parses whole programs with their
// host's part in place. It tells no registers: only NVIDIA's assembler knows those.
//
// It is run by the compiler's child process alone (clang_child.cpp), which lets it reach what reach() says and nothing else.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler_protocol.h"
#include "gpu/confinement.h"

namespace warpbook::gpu {

struct Clang {
  std::string path;       // of the program, its links followed
  std::string resources;  // the folder of its own headers; empty: it was not found

  /// The command that compiles a request's file to PTX. `headers`: the folder of ours.
  [[nodiscard]] std::vector<std::string> words(const CompileRequest& request, int architecture, const std::string& headers,
                                               const std::string& output) const;
  /// What it must reach; its scratch folder is left to whoever runs it.
  [[nodiscard]] ProgramsReach reach() const;
};

/// Looks for clang-19, then 20, 18, 17 and 16, then for a plain clang that is no older, where distributions put them. Nothing:
/// there is none.
[[nodiscard]] std::optional<Clang> find_clang();

/// What to install where there is none.
[[nodiscard]] std::string clang_advice();

/// Of `clang --version`: "19.1"; empty: it does not say.
[[nodiscard]] std::string clang_version_in(std::string_view told);
/// Of `clang --print-supported-cpus --target=nvptx64-nvidia-cuda`: 50, 52 … 90, ascending.
[[nodiscard]] std::vector<int> clang_architectures_in(std::string_view listed);

/// The oldest version of PTX with all that an architecture has, as clang's target feature: "ptx63" for 75.
[[nodiscard]] std::string_view ptx_feature(int architecture);

/// What clang wrote becomes what NVRTC writes: "k.cu:3:8: error: text" with the source line and a caret, the way from a template's
/// use to an error in it, and NVRTC's own words where the rest of Warpbook goes by them. `text_of`: a file's text, by its name.
[[nodiscard]] std::string clang_as_nvrtc_writes(std::string_view log,
                                                const std::function<std::string_view(std::string_view)>& text_of);

/// The child's side: never returns (compiler_child.cpp).
[[noreturn]] void serve_clang(FileConfinement files);

}  // namespace warpbook::gpu
