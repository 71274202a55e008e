// CodeLook: what is worked out for a text of code once, when it changes, and not in every frame. Pure: no drawing.
//
//     keep_up(look, text, CodeLanguage::cuda);
//     look.spans[line];
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/text/editor_text.h"
#include "app/text/highlight.h"

namespace warpbook::app {

/// What is worked out once for a text and not in every frame.
struct CodeLook {
  std::uint64_t revision = ~std::uint64_t{0};
  std::vector<std::vector<CodeSpan>> spans;
  std::size_t columns = 0;  // of the widest line
};
void keep_up(CodeLook& look, const EditorText& text, CodeLanguage language);

/// Columns that the bytes take: one a character, four a tab.
[[nodiscard]] std::size_t columns_of(std::string_view bytes);

/// Code that is read and not written.
struct CodeView {
  EditorText text;
  CodeLook look;
  float scroll_x = 0, scroll_y = 0;
  std::size_t marked = 0;     // a line, from 1; 0: none
  bool bring_marked = false;  // for one frame
};

/// Lines drawn, and lines gone through for other reasons, since the program began: what a test holds against the lines that show.
struct CodeWork {
  std::uint64_t drawn = 0, scanned = 0;
};
[[nodiscard]] CodeWork& code_work();

}  // namespace warpbook::app
