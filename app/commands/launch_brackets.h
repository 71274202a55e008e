// Launches whose brackets are written with blanks, as Visual Studio's formatter leaves them: k << <1, 32 >> > (a).
//
//     std::optional<std::string> text = with_joined_brackets(source);   // k <<< 1, 32 >>>  (a); nullopt: nothing to join
//
// nvcc reads such brackets as those of a launch, and clang does not. In the text that is returned each has its brackets in one
// word; every other token keeps its line and column, so that compilers and line tables name the places that the learner sees.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::app {

[[nodiscard]] std::optional<std::string> with_joined_brackets(std::string_view source);

/// What clang is to read in place of a file.
struct Replacement {
  std::string path;  // of the file, from the root
  std::string text;
};
/// Of a source and the files that it includes in quotes, those with such brackets, or with alignas behind __shared__ (gpu/clang).
/// `folders`: where they are looked for (-I).
[[nodiscard]] std::vector<Replacement> texts_for_clang(const std::string& source, const std::vector<std::string>& folders);

}  // namespace warpbook::app
