// Markdown: converts md4c's events to the blocks of a page. For page.cpp only; page.h describes blocks and directives.
//
//     std::vector<Block> blocks;
//     if (!read_markdown("# Title\n\nSome *text*.", blocks)) return;      // a heading and a paragraph
#pragma once

#include <string_view>
#include <vector>

#include "lessons/page.h"

namespace warpbook::lessons {

/// Appends the blocks of a piece of Markdown without directives. False: md4c cannot parse it.
[[nodiscard]] bool read_markdown(std::string_view markdown, std::vector<Block>& blocks);

}  // namespace warpbook::lessons
