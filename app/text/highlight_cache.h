// HighlightCache: a text's tokens, computed once when the text changes and not in every frame.
//
//     update(cache, text, CodeLanguage::cuda);
//     cache.spans[line];
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/text/editor_text.h"
#include "app/text/highlight.h"

namespace warpbook::app {

struct HighlightCache {
  std::uint64_t revision = ~std::uint64_t{0};
  std::vector<std::vector<CodeSpan>> spans;
  std::size_t columns = 0;  // of the widest line
};
void update(HighlightCache& cache, const EditorText& text, CodeLanguage language);

/// Columns that the bytes take: one a character, four a tab.
[[nodiscard]] std::size_t columns_of(std::string_view bytes);

/// Code that is shown and cannot be edited.
struct CodeView {
  EditorText text;
  HighlightCache highlighting;
  float scroll_x = 0, scroll_y = 0;
  std::size_t marked = 0;     // a line, from 1; 0: none
  bool bring_marked = false;  // for one frame
};

/// Lines drawn, and lines read for other reasons, in this frame. A test compares them with the lines that are visible.
struct CodeCounters {
  std::uint64_t drawn = 0, scanned = 0;
};
[[nodiscard]] CodeCounters& code_counters();

}  // namespace warpbook::app
