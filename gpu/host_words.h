// Host words: what the words of one host statement say by themselves. For host_reader.cpp alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/source_tokens.h"

namespace warpbook::gpu {

/// "a" of "float *a = nullptr" and of "int a[3]"
[[nodiscard]] std::string_view name_in(const Tokens& declarator);

/// The token before which the declarator's initialiser stands: "=", "(", "[", "{" or the end.
[[nodiscard]] std::size_t behind_name(const Tokens& tokens);

/// At top-level commas; "a << 2, b" are two, "f<a, b>(c)" is one.
[[nodiscard]] std::vector<Tokens> split_arguments(const Tokens& tokens);

/// "{2, 3}" as "(2, 3)".
[[nodiscard]] Tokens braces_as_brackets(Tokens tokens);

[[nodiscard]] bool is_whole_type(const std::string& type);

/// Whether these words can be an address: "d", "d + n", "&d[4]"; not "h[4]" or "sizeof(d)".
[[nodiscard]] bool points(const Tokens& tokens);

}  // namespace warpbook::gpu
