// CompilerStore: what the compilers answered, kept in files. A text that was compiled once on this machine is not compiled again,
// by whichever process of this user asks; the compiler's child is then not even started.
//
//     keep_compiled_in(usual_compiled_folder());                    // main(), once; until then nothing is kept
//     if (auto kept = recall_answer(tool, hello, request)) use(kept->answer);
//     else keep_answer(tool, hello, request, {answer, hello.hidden_paths, compile_ms});
//
// Only what compiled is kept: what a source does to a compiler that refuses it is always seen anew. An answer belongs to the whole
// request (but for its limits), to the compiler's version, place and time of change, to its folders of headers as they were last
// changed, and to Warpbook's code around it (gpu/CMakeLists.txt). A file that is damaged, or somebody else's, is no answer. The
// folder holds at most 256 MB: what was not used for longest goes first. What cannot be read or written is no error: the compiler
// is there.
//
// Thread-safe. For compiler.cpp and for main().
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/compiler_protocol.h"

namespace warpbook::gpu {

/// Empty: nothing is kept, and nothing that was kept is used.
void keep_compiled_in(const std::filesystem::path& folder);

/// The environment's WARPBOOK_COMPILED, "off" for none; else $XDG_CACHE_HOME/warpbook/compiled, or ~/.cache/warpbook/compiled (XDG
/// Base Directory Specification); empty without a home.
[[nodiscard]] std::filesystem::path usual_compiled_folder();

struct KeptAnswer {
  CompileAnswer answer;
  std::vector<std::string> hidden_paths;  // of the child that gave it
  double compile_ms = 0;                  // as long as it took
};

[[nodiscard]] std::optional<KeptAnswer> recall_answer(Tool tool, const ChildHello& hello, const CompileRequest& request);
void keep_answer(Tool tool, const ChildHello& hello, const CompileRequest& request, KeptAnswer answer);

/// What a child that could compile said of itself when one was last started in these surroundings (what it finds its compiler by),
/// while that compiler's file is the same.
[[nodiscard]] std::optional<ChildHello> recall_hello(Tool tool, const std::vector<std::string>& surroundings);
void keep_hello(Tool tool, const std::vector<std::string>& surroundings, ChildHello hello);

}  // namespace warpbook::gpu
