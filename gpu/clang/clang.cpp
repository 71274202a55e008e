#include "gpu/clang/clang.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <regex>

#include "gpu/compiler_scratch.h"

namespace warpbook::gpu {
namespace {

// The version that is tested most comes first. Versions before 16 lack features that our headers use.
constexpr std::array<int, 5> tried_versions{19, 20, 18, 17, 16};
constexpr int least_version = 16;
constexpr int least_architecture = 50;  // the oldest profile of the virtual GPU; clang calls older ones deprecated

int leading_number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The folder of clang's own headers: /usr/lib/llvm-19/lib/clang/19 for /usr/lib/llvm-19/bin/clang; others use lib/clang/19.1.7 or
/// lib64.
std::string resources_of(const std::string& program) {
  const std::filesystem::path root = std::filesystem::path(program).parent_path().parent_path();
  std::string newest;
  int newest_version = 0;
  for (const char* library : {"lib", "lib64"}) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(root / library / "clang", missing)) {
      const int version = leading_number(entry.path().filename().string());
      if (version <= newest_version || !std::filesystem::exists(entry.path() / "include", missing)) continue;
      newest = real_path(entry.path());
      newest_version = version;
    }
  }
  return newest;
}

std::optional<Clang> clang_at(const std::filesystem::path& program) {
  std::string path = real_path(program);
  if (path.empty() || access(path.c_str(), X_OK) != 0) return std::nullopt;
  std::string resources = resources_of(path);
  return Clang{.path = std::move(path), .resources = std::move(resources)};
}

}  // namespace

std::vector<std::string> clang_kernel_options(int architecture, bool debug, bool lines) {
  std::vector<std::string> words{fmt::format("--cuda-gpu-arch=sm_{}", architecture), "-Xclang", "-target-feature", "-Xclang",
                                 fmt::format("+{}", ptx_feature(architecture))};
  if (debug) {
    words.insert(words.end(), {"-O0", "-g"});
  } else {
    // Match NVIDIA's compiler in two ways. Loops over a thread's arrays are unrolled, because an array that is indexed by constants
    // only is kept in registers. The two sides of a branch are not merged into selects.
    words.insert(words.end(), {"-O3", "-mllvm", "-unroll-threshold=1000", "-mllvm", "-sink-common-insts=false"});
    if (lines) words.emplace_back("-gline-tables-only");
  }
  return words;
}

std::vector<std::string> Clang::words(const CompileRequest& request, int architecture, const Headers& headers,
                                      const std::string& output) const {
  std::vector<std::string> words{path, "-x", "cuda", "--cuda-path=/nonexistent", "--cuda-device-only", "-nocudainc", "-nocudalib",
                                 // The same options as for NVRTC, which contracts a * b + c to one rounding as well.
                                 "-std=c++20", "-ffp-contract=fast", "-S", "-fno-verbose-asm"};
  const auto options = clang_kernel_options(architecture, request.device_debug, request.line_info);
  words.insert(words.end(), options.begin(), options.end());
  // One line per message with its position in front; no colours and no crash reproducer. Spelling corrections are off, because
  // clang would continue with its guess and report more errors.
  words.insert(words.end(), {"-fno-caret-diagnostics", "-fno-color-diagnostics", "-fno-diagnostics-show-option",
                             "-fno-crash-diagnostics", "-fno-spell-checking", "-ferror-limit=100", "-Wno-unknown-cuda-version",
                             "-Wno-unused-command-line-argument", "-Wunused-variable", "-Wunused-but-set-variable"});
  words.insert(words.end(), {"-iquote", ".", "-isystem", headers.folder});
  if (headers.precompiled.empty())
    words.insert(words.end(), {"-include", "warpbook_cuda.h"});
  else
    words.insert(words.end(),
                 {"-DWARPBOOK_PRECOMPILED", "-Xclang", "-include-pch", "-Xclang", headers.precompiled, "-include", "new"});
  for (const std::string& define : request.defines) words.push_back("-D" + define);
  words.insert(words.end(), {"-o", output, request.name});
  return words;
}

std::vector<std::string> Clang::precompile_words(const CompileRequest& request, int architecture, const Headers& headers,
                                                 const std::string& output) const {
  std::vector<std::string> made = words(request, architecture, headers, output);
  made.insert(made.end(), {"-DWARPBOOK_PRECOMPILED", "-Xclang", "-emit-pch"});
  return made;
}

ProgramsReach Clang::reach() const {
  ProgramsReach reach{
      .readable = {"/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"},
      .executable = {path},
      .scratch = {}};
  if (!resources.empty()) reach.readable.push_back(resources);
  for (const char* loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"})
    if (const std::string real = real_path(loader); !real.empty()) reach.executable.push_back(real);
  return reach;
}

std::optional<Clang> find_clang() {
  std::vector<std::filesystem::path> candidates;
  for (const int version : tried_versions) {
    candidates.emplace_back(fmt::format("/usr/bin/clang-{}", version));
    candidates.emplace_back(fmt::format("/usr/lib/llvm-{}/bin/clang", version));
    candidates.emplace_back(fmt::format("/usr/local/bin/clang-{}", version));
  }
  for (const char* plain : {"/usr/bin/clang", "/usr/local/bin/clang"}) candidates.emplace_back(plain);
  for (const auto& candidate : candidates) {
    auto found = clang_at(candidate);
    if (!found) continue;
    const int version = leading_number(std::filesystem::path(found->resources).filename().string());
    if (version >= least_version) return found;
  }
  return std::nullopt;
}

std::string clang_advice() { return "clang compiles CUDA C++, too, and is every distribution's: install the package clang-19."; }

std::string clang_version_in(std::string_view told) {
  constexpr std::string_view word = "clang version ";
  const std::size_t at = told.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = told.substr(at + word.size());
  const std::size_t dot = rest.find('.');
  if (dot == std::string_view::npos) return {};
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789", dot + 1)));
}

std::vector<int> clang_architectures_in(std::string_view listed) {
  constexpr std::string_view prefix = "sm_";
  std::vector<int> all;
  for (std::size_t at = listed.find(prefix); at != std::string_view::npos; at = listed.find(prefix, at + 1)) {
    const std::string_view word = listed.substr(at + prefix.size(), listed.find_first_of(" \n", at) - at - prefix.size());
    if (word.find_first_not_of("0123456789") != std::string_view::npos) continue;  // sm_90a is for a single GPU only
    if (const int value = leading_number(word); value >= least_architecture) all.push_back(value);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string_view ptx_feature(int architecture) {
  struct Since {
    int architecture;
    std::string_view feature;
  };
  // PTX ISA, "Release Notes": the PTX version that introduced each target.
  constexpr std::array<Since, 8> table{
      {{120, "ptx87"}, {100, "ptx86"}, {89, "ptx78"}, {87, "ptx74"}, {86, "ptx71"}, {80, "ptx70"}, {75, "ptx63"}, {0, "ptx63"}}};
  for (const Since& each : table)
    if (architecture >= each.architecture) return each.feature;
  return "ptx63";
}

std::string with_alignment_anywhere(const std::string& text) {
  if (text.find("alignas") == std::string::npos) return text;
  static const std::regex behind(R"((\b__(?:shared|constant|device|managed)__\s+(?:(?:static|const|volatile)\s+)*)alignas\b)");
  return std::regex_replace(text, behind, "$1_Alignas");
}

}  // namespace warpbook::gpu
