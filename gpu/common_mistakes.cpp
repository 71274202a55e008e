#include "gpu/common_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <vector>

#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

constexpr std::array<std::string_view, 4> indices{"threadIdx", "blockIdx", "blockDim", "gridDim"};

constexpr std::array<std::string_view, 40> cuda_names{"threadIdx",
                                                      "blockIdx",
                                                      "blockDim",
                                                      "gridDim",
                                                      "warpSize",
                                                      "__global__",
                                                      "__device__",
                                                      "__shared__",
                                                      "__constant__",
                                                      "__syncthreads",
                                                      "__syncwarp",
                                                      "__threadfence",
                                                      "__launch_bounds__",
                                                      "atomicAdd",
                                                      "atomicSub",
                                                      "atomicMax",
                                                      "atomicMin",
                                                      "atomicExch",
                                                      "atomicCAS",
                                                      "atomicAnd",
                                                      "atomicOr",
                                                      "atomicXor",
                                                      "atomicInc",
                                                      "atomicDec",
                                                      "__shfl_sync",
                                                      "__shfl_up_sync",
                                                      "__shfl_down_sync",
                                                      "__shfl_xor_sync",
                                                      "__ballot_sync",
                                                      "__any_sync",
                                                      "__all_sync",
                                                      "__activemask",
                                                      "__popc",
                                                      "__ffs",
                                                      "__clz",
                                                      "__syncthreads_or",
                                                      "__syncthreads_and",
                                                      "__syncthreads_count",
                                                      "__threadfence_block",
                                                      "__reduce_add_sync"};

/// How many letters must be changed, added or taken out.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// In small letters and without underscores at its ends.
std::string bare(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  return lowered(name);
}

std::string misspelt(std::string_view name) {
  const std::string plain = bare(name), today = std::string(name) + "_sync";
  if (std::ranges::find(cuda_names, today) != cuda_names.end())
    return fmt::format(
        "{} is not declared here. CUDA's function has been called {} since CUDA 9, and its first argument is the mask of the lanes "
        "that take part: 0xffffffff for a whole warp.",
        name, today);
  std::string_view nearest;
  std::size_t fewest = 3;
  for (const std::string_view known : cuda_names) {
    const std::string other = bare(known);
    const std::size_t distance = edit_distance(plain, other);
    if (distance >= fewest || 3 * distance >= other.size()) continue;
    nearest = known;
    fewest = distance;
  }
  if (nearest.empty()) return {};
  const bool only_capitals = lowered(name) == lowered(nearest);
  return fmt::format("{} is not declared here. Did you mean {}?{}", name, nearest, only_capitals ? " Capital letters count." : "");
}

/// threadIdx of "int i = threadIdx;", where no .x follows. Empty: there is none.
std::string_view index_without_part(std::string_view line) {
  for (const std::string_view index : indices)
    for (std::size_t at = line.find(index); at != std::string_view::npos; at = line.find(index, at + 1)) {
      std::size_t behind = at + index.size();
      if ((at > 0 && is_word(line[at - 1])) || (behind < line.size() && is_word(line[behind]))) continue;
      while (behind < line.size() && line[behind] == ' ') ++behind;
      if (behind >= line.size() || line[behind] != '.') return index;
    }
  return {};
}

/// A call of an atomic function whose first argument is an element and no address.
std::string atomic_without_address(std::string_view line) {
  const std::size_t at = line.find("atomic");
  const std::size_t open = line.find('(', at == std::string_view::npos ? line.size() : at);
  if (open == std::string_view::npos) return {};
  const std::string_view name = line.substr(at, open - at);
  int depth = 0;
  std::size_t end = open + 1;
  for (; end < line.size() && !(depth == 0 && (line[end] == ',' || line[end] == ')')); ++end)
    depth += line[end] == '(' || line[end] == '[' ? 1 : line[end] == ')' || line[end] == ']' ? -1 : 0;
  const std::string_view first = trimmed(line.substr(open + 1, end - open - 1));
  if (first.empty() || first.front() == '&' || !first.ends_with(']'))
    return fmt::format(
        "no {} takes these arguments. The first is the address of an int, unsigned int, float or another type that the function "
        "knows, and the second a value of that type.",
        name);
  return fmt::format("{} takes the address of what it changes: write &{} as its first argument.", name, first);
}

/// An operator of integers between values that are none.
std::string operator_of_integers(std::string_view line) {
  if (has(line, "^"))
    return "in C++, ^ is the exclusive or of integers, and no power. Write x * x for a square, or powf(x, y) for x to the power of "
           "y.";
  if (has(line, "%")) return "% is the remainder of integers. Write fmodf(x, y) for the remainder of floats.";
  return {};
}

/// NVRTC tells of a missing semicolon at the beginning of the next statement.
std::string missing_semicolon(std::span<const std::string_view> lines, int line, int column) {
  const std::string_view text = lines[static_cast<std::size_t>(line) - 1];
  const std::size_t first = text.find_first_not_of(" \t");
  if (column < 1 || first == std::string_view::npos || static_cast<std::size_t>(column) - 1 != first) return {};
  for (int before = line - 1; before >= 1; --before)
    if (!trimmed(lines[static_cast<std::size_t>(before) - 1]).empty())
      return fmt::format("a semicolon is missing before this line. Look at the end of line {}.", before);
  return {};
}

bool has_word(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const std::size_t behind = at + name.size();
    if ((at == 0 || !is_word(line[at - 1])) && (behind == line.size() || !is_word(line[behind]))) return true;
  }
  return false;
}

/// A name of CUDA's C++ libraries, whose header is not included.
std::string missing_header(std::string_view message, std::string_view line) {
  const bool no_namespace = has(message, "must be a namespace name") || has(message, "must be a class or namespace name") ||
                            has(message, "expected namespace name");
  const auto is_of = [&](std::string_view name) {
    return no_namespace ? has_word(line, name) : message == fmt::format("identifier \"{}\" is undefined", name);
  };
  if (is_of("cooperative_groups") || is_of("cg"))
    return "the names of cooperative groups are declared in a header. Write #include <cooperative_groups.h> at the beginning of "
           "the file, and behind it namespace cg = cooperative_groups;";
  if (is_of("cuda") && has(line, "cuda::") && has(line, "atomic"))
    return "cuda:: belongs to CUDA's C++ library. Write #include <cuda/atomic> at the beginning of the file.";
  return {};
}

}  // namespace

std::string common_mistake(std::string_view message, std::span<const std::string_view> lines, int line, int column) {
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  const std::string_view text = lines[static_cast<std::size_t>(line) - 1];
  if (has(message, "for __shared__ variable"))
    return "a __shared__ variable cannot have a first value in its declaration, because all threads of the block share it. Let one "
           "thread store it, as in `if (threadIdx.x == 0) sum = 0;`, and call __syncthreads() behind that.";
  if (const std::string header = missing_header(message, text); !header.empty()) return header;
  if (message.ends_with("is undefined")) {
    const std::size_t open = message.find('"'), close = message.find('"', open + 1);
    return close == std::string_view::npos ? std::string() : misspelt(message.substr(open + 1, close - open - 1));
  }
  const bool wrong_operands =
      has(message, "matches these operands") || has(message, "invalid operands to binary") || has(message, "expression must have");
  if (wrong_operands || has(message, "no suitable conversion") || has(message, "no viable conversion"))
    if (const std::string_view index = index_without_part(text); !index.empty())
      return fmt::format("{0} has the parts x, y and z, and is no number itself. Write {0}.x in a launch of one dimension.", index);
  if (wrong_operands) return operator_of_integers(text);
  if (has(message, "overloaded function \"atomic") || has(message, "no matching function for call to 'atomic"))
    return atomic_without_address(text);
  if (has(message, "attribute list cannot appear here") && has(text, "alignas"))
    return "clang wants alignas at the beginning of the declaration: write alignas(16) __shared__ float tile[32], and not "
           "__shared__ alignas(16) float tile[32].";
  if (message == "expected a \";\"") return missing_semicolon(lines, line, column);
  if (has(message, "must be a modifiable lvalue") || has(message, "read-only variable is not assignable") ||
      has(message, "with const-qualified type"))
    return "this line stores to something that is const, which may only be read. Look at which array the result belongs to.";
  return {};
}

}  // namespace warpbook::gpu
