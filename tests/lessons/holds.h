// holds("all of it", "of"): whether the words stand in the text.
#pragma once

#include <string>

namespace warpbook::lessons {

inline bool holds(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace warpbook::lessons
