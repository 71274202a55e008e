// Source tokens: splits CUDA C++ into tokens, for code that reads declarations without compiling them.
//
//     Tokens tokens = tokens_of("const float* a; // in");   // const, float, *, a, ;
//     joined(tokens);                                       // "const float* a;"
//
// The tokens are views of the text. Comments, the contents of literals and preprocessor lines are left out.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu {

using Tokens = std::vector<std::string_view>;

/// Words, numbers, "::", and single other characters.
[[nodiscard]] Tokens tokens_of(std::string_view text);
/// The tokens as text, with blanks only where two words would run together.
[[nodiscard]] std::string joined(const Tokens& tokens);

[[nodiscard]] bool is_word(char c);               // a letter, a digit, '_' or '$'
[[nodiscard]] bool word(std::string_view token);  // a name or a keyword
[[nodiscard]] bool one_of(std::string_view token, std::initializer_list<std::string_view> words);
[[nodiscard]] bool qualifier(std::string_view token);    // const, __restrict__, struct …: does not change a value's size
[[nodiscard]] bool fundamental(std::string_view token);  // a built-in type's word

/// The tokens from `begin` to before `end`, as far as there are any.
[[nodiscard]] Tokens part_of(const Tokens& tokens, std::size_t begin, std::size_t end);

/// The index after the bracket that closes the one at `open`. tokens.size(): it is not closed.
[[nodiscard]] std::size_t behind_bracket(const Tokens& tokens, std::size_t open);

/// The same for every opening bracket at once, in one pass. 0 for other tokens.
[[nodiscard]] std::vector<std::size_t> behind_brackets(const Tokens& tokens);

/// Splits at top-level commas. Angle brackets count as brackets: "Pair<int, int> p" is one part.
[[nodiscard]] std::vector<Tokens> split_at_commas(const Tokens& tokens);

}  // namespace warpbook::gpu
