// CompilerStore: the disk cache of compiles. A source that was compiled once on this machine is not compiled again by any process
// of the same user, and the compiler's child is not even started.
//
//     keep_compiled_in(usual_compiled_folder());                    // main(), once; until then nothing is kept
//     if (auto kept = recall_answer(tool, hello, request)) use(kept->answer);
//     else keep_answer(tool, hello, request, {answer, hello.hidden_paths, compile_ms});
//
// Only successful compiles are stored, so that every failure is seen anew. The key is the whole request (except its limits), the
// compiler's version, path and modification time, the modification times of its header folders, and Warpbook's own code for
// compiling (gpu/CMakeLists.txt). A damaged file, or a file of another user, is ignored. The folder holds at most 256 MB; the least
// recently used files are removed first. Read and write errors are ignored, because the compiler can always be asked again.
//
// Thread-safe. For compiler.cpp and for main().
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/compiler_protocol.h"

namespace warpbook::gpu {

/// Empty: the cache is neither read nor written.
void keep_compiled_in(const std::filesystem::path& folder);

/// The environment variable WARPBOOK_COMPILED ("off": no cache), else $XDG_CACHE_HOME/warpbook/compiled, else
/// ~/.cache/warpbook/compiled (XDG Base Directory Specification). Empty without a home directory.
[[nodiscard]] std::filesystem::path usual_compiled_folder();

struct KeptAnswer {
  CompileAnswer answer;
  std::vector<std::string> hidden_paths;  // of the child that compiled it
  double compile_ms = 0;                  // how long the compile took
};

[[nodiscard]] std::optional<KeptAnswer> recall_answer(Tool tool, const ChildHello& hello, const CompileRequest& request);
void keep_answer(Tool tool, const ChildHello& hello, const CompileRequest& request, KeptAnswer answer);

/// The hello of the last child that could compile in these surroundings (CompilerProcess::surroundings), as long as its compiler's
/// file has not changed.
[[nodiscard]] std::optional<ChildHello> recall_hello(Tool tool, const std::vector<std::string>& surroundings);
void keep_hello(Tool tool, const std::vector<std::string>& surroundings, ChildHello hello);

}  // namespace warpbook::gpu
