// What the printers of host programs share (host_code.cpp, host_code_numba.cpp): how values are written, and which calls repeat.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/host.h"
#include "lessons/host_code.h"

namespace warpbook::lessons::host_code_parts {

inline constexpr std::size_t few = 16;               // values that are printed one by one
inline constexpr std::size_t literals_in_main = 16;  // more stand after main(), out of the reader's way
inline constexpr std::size_t literals_a_line = 8;

enum class Language { cuda, numba };

/// How a host program would come by these values: a constant, counting up from 0, else its elements; neither: too many to write
/// out.
struct WrittenValues {
  std::optional<std::string> constant;
  bool counts_up = false;
  std::vector<std::string> elements;

  [[nodiscard]] bool needs_file() const { return !constant && !counts_up && elements.empty(); }
};
[[nodiscard]] WrittenValues written_values(gpu::ScalarType type, std::span<const std::byte> bytes, Language language);

/// Rows of `literals_a_line` elements, each element followed by a comma.
[[nodiscard]] std::vector<std::string> rows_of(const std::vector<std::string>& elements);

/// "a and b" → "a_and_b": a name that both languages take.
[[nodiscard]] std::string identifier(std::string_view name);

/// The names of all macros that a kernel's text or its compiler's options define.
[[nodiscard]] std::set<std::string, std::less<>> macros_of(std::string_view kernel_text,
                                                           const std::vector<std::pair<std::string, std::string>>& defines);

/// The calls from `at` on that repeat: `period` launches, `times` over.
struct Repeat {
  std::size_t period = 1, times = 1;
};
[[nodiscard]] Repeat repeat_at(const std::vector<HostCall>& calls, std::size_t at);

/// nullptr: there is none.
[[nodiscard]] const HostCall* first_launch(const std::vector<HostCall>& calls);

/// A file beside the program for what the call copied, with a name of its own; the name.
[[nodiscard]] std::string add_input(HostCode& code, std::string_view stem, const HostCall& call);

[[nodiscard]] Error nothing_launched();
[[nodiscard]] Error untold_struct(const HostCall& launch);
[[nodiscard]] Error too_large(const HostCall& call);

}  // namespace warpbook::lessons::host_code_parts
