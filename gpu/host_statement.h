// Host statement: helpers that read the tokens of one statement of a host program. For host_reader.cpp only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/source_tokens.h"

namespace warpbook::gpu {

/// The declared name: "a" in "float *a = nullptr" and in "int a[3]".
[[nodiscard]] std::string_view name_in(const Tokens& declarator);

/// The index of the token at which the declarator's initialiser begins ("=", "(", "[" or "{"), or of the end.
[[nodiscard]] std::size_t behind_name(const Tokens& tokens);

/// The variable or member that is named at this token, "p" or "p.data", written with "." for "->" too; `i` becomes the index of its
/// last token. Empty: the token is no name.
[[nodiscard]] std::string path_at(const Tokens& tokens, std::size_t& i);

/// The variable or member of an argument "p", "&p" or "p.data". Empty: another expression.
[[nodiscard]] std::string variable_given(const Tokens& argument);

/// Splits at top-level commas: "a << 2, b" has two parts, "f<a, b>(c)" has one.
[[nodiscard]] std::vector<Tokens> split_arguments(const Tokens& tokens);

/// With round brackets instead of braces: "{2, 3}" becomes "(2, 3)".
[[nodiscard]] Tokens braces_as_brackets(Tokens tokens);

[[nodiscard]] bool is_whole_type(const std::string& type);

/// Whether the expression can be an address: "d", "d + n", "&d[4]"; not "h[4]" or "sizeof(d)".
[[nodiscard]] bool points(const Tokens& tokens);

}  // namespace warpbook::gpu
