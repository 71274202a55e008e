// Shared by the printers of host programs (host_code.cpp, host_code_numba.cpp): how values are written, and which calls repeat.
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

inline constexpr std::size_t few = 16;               // up to so many values are printed one by one
inline constexpr std::size_t literals_in_main = 16;  // longer lists are written after main(), so that main() stays readable
inline constexpr std::size_t literals_a_line = 8;

enum class Language { cuda, numba };

/// How a program makes these values: a constant, counting up from 0, or a list. If none is set, there are too many values to list.
struct WrittenValues {
  std::optional<std::string> constant;
  bool counts_up = false;
  std::vector<std::string> elements;

  [[nodiscard]] bool needs_file() const { return !constant && !counts_up && elements.empty(); }
};
[[nodiscard]] WrittenValues written_values(gpu::ScalarType type, std::span<const std::byte> bytes, Language language);

/// Rows of `literals_a_line` elements, with a comma after each element.
[[nodiscard]] std::vector<std::string> rows_of(const std::vector<std::string>& elements);

/// A valid identifier in both languages: "a and b" becomes "a_and_b".
[[nodiscard]] std::string identifier(std::string_view name);

/// The names of all macros that a kernel's text or the compiler's options define.
[[nodiscard]] std::set<std::string, std::less<>> macros_of(std::string_view kernel_text,
                                                           const std::vector<std::pair<std::string, std::string>>& defines);

/// A repetition in the calls from `at` on: `period` launches, `times` times.
struct Repeat {
  std::size_t period = 1, times = 1;
};
[[nodiscard]] Repeat repeat_at(const std::vector<HostCall>& calls, std::size_t at);

/// nullptr: there is no launch.
[[nodiscard]] const HostCall* first_launch(const std::vector<HostCall>& calls);

/// Adds an input file with the bytes of a copy. Returns its unique name.
[[nodiscard]] std::string add_input(HostCode& code, std::string_view stem, const HostCall& call);

[[nodiscard]] Error nothing_launched();
[[nodiscard]] Error untold_struct(const HostCall& launch);
[[nodiscard]] Error too_large(const HostCall& call);

}  // namespace warpbook::lessons::host_code_parts
