// Local headers: the files that `#include "…"` in a .cu file can include, from its own folder and below.
//
//     LocalHeaders local = local_headers(text, "project");
//     for (const Header& each : local.found) show(each.name, each.text);     // "helper.h", "sub/more.cuh"
//
// The compiler's child must not read the learner's files, so the parent reads the headers and sends them in memory. As with nvcc, a
// name is relative to the folder of the including file, and headers of headers are read as well. A name that leads out of the
// folder (../, an absolute path, a symbolic link) is refused. So is a program with more than most_headers headers or more than
// most_header_bytes in all. If a header does not exist, the compiler reports it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbook::gpu {

inline constexpr std::size_t most_headers = 128;
inline constexpr std::size_t most_header_bytes = std::size_t{4} << 20;

struct Header {
  std::string name;  // relative to the folder: "sub/more.cuh"
  std::string text;
};

struct LocalHeaders {
  std::vector<Header> found;                                 // in the order of their first inclusion
  std::vector<std::pair<std::string, std::string>> refused;  // the name as written between the quotes; a sentence with the reason

  [[nodiscard]] bool has(std::string_view name) const;
  /// The reason why this name was refused. Empty: it was not.
  [[nodiscard]] std::string_view why_not(std::string_view written) const;
};

/// An empty `folder` has no headers.
[[nodiscard]] LocalHeaders local_headers(std::string_view text, const std::filesystem::path& folder);

/// The header's name in the compiler's child, where a builtin header may have the same name.
[[nodiscard]] std::string name_for_compiler(std::string_view name);
/// Replaces the name in every `#include "…"` of a found header by name_for_compiler(). `of`: the header whose text it is; empty:
/// the .cu file.
[[nodiscard]] std::string with_names_for_compiler(std::string_view text, std::string_view of, const LocalHeaders& local);
/// Reverses name_for_compiler() everywhere in the compiler's output.
[[nodiscard]] std::string with_own_names(std::string text);

}  // namespace warpbook::gpu
