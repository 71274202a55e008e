// Local headers: what `#include "…"` in a .cu file means in the folder where the file lies, and below.
//
//     LocalHeaders local = local_headers(text, "project");
//     for (const Header& each : local.found) show(each.name, each.text);     // "helper.h", "sub/more.cuh"
//
// The compiler's child may read nothing of the learner's, so headers are read here and go to it in memory. A name counts from the
// folder of the file that includes it, as nvcc has it; what a header includes is read as well. What leads out of the folder (../,
// a path from the root, a symbolic link) is refused, and so is what no program of a learner's has: more than most_headers, or more
// than most_header_bytes in all. What is not there is left for the compiler to say.
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
  std::string name;  // from the folder: "sub/more.cuh"
  std::string text;
};

struct LocalHeaders {
  std::vector<Header> found;                                 // in the order in which they are first included
  std::vector<std::pair<std::string, std::string>> refused;  // as written between the quotes; why, as a sentence

  [[nodiscard]] bool has(std::string_view name) const;
  /// Empty: it was not refused.
  [[nodiscard]] std::string_view why_not(std::string_view written) const;
};

/// An empty folder has nothing.
[[nodiscard]] LocalHeaders local_headers(std::string_view text, const std::filesystem::path& folder);

/// A header's name as the compiler's child has it: a builtin header may be called the same.
[[nodiscard]] std::string name_for_compiler(std::string_view name);
/// The same text with every `#include "…"` of a header that was found naming it so. `of`: the header that it is of; empty: the .cu.
[[nodiscard]] std::string with_names_for_compiler(std::string_view text, std::string_view of, const LocalHeaders& local);
/// name_for_compiler() taken back, wherever it stands in what the compiler wrote.
[[nodiscard]] std::string with_own_names(std::string text);

}  // namespace warpbook::gpu
