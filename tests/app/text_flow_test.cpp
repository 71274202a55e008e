// Running text broken into lines: measured, with the window's fonts.
#include "app/ui/text_flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "app/ui/draw.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

class TextFlow : public testing::Test {
 protected:
  TextFlow() { EXPECT_TRUE(window_.settle()); }

  [[nodiscard]] static float wide(const std::string& words) {
    const app::TextFlowStyle style = app::prose_style();
    float width = 0;
    for (const lessons::Span& span : app::inline_code(words))
      width += app::text_width(span.code ? style.code : style.plain, span.text);
    return std::ceil(width);
  }
  /// On how many lines `words` stand where a line has room for `room` and no more.
  [[nodiscard]] static long lines(const std::string& words, const std::string& room) {
    const app::TextFlowStyle style = app::prose_style();
    return std::lround(app::draw_text_flow(nullptr, app::inline_code(words), {}, wide(room), style) / style.line);
  }

  Headless window_;
};

TEST_F(TextFlow, ShortCodeStaysOnOneLine) {
  EXPECT_EQ(lines("the end of it `// here` nowhere", "the end of it `//`"), 3) << "all of the code begins the second line";
  EXPECT_EQ(lines("the end of it or here nowhere", "the end of it or"), 2) << "words that are no code go where there is room";
}

TEST_F(TextFlow, LongCodeBreaksAtABlank) {
  EXPECT_EQ(lines("as in `if (first < last && last < n) return;` so", "as in `if (first < last &&`"), 2);
}

TEST_F(TextFlow, ShortCodeBreaksWhereItWouldFillAWholeLine) {
  EXPECT_EQ(lines("`int i = threadIdx.x;`", "`int i =`"), 2) << "of a table, say";
}

}  // namespace
}  // namespace warpbook::test
