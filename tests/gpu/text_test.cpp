#include "gpu/text.h"

#include <gtest/gtest.h>

namespace warpbook {
namespace {

TEST(Text, TrimmedKeepsWhatIsBetween) {
  EXPECT_EQ(trimmed(" \t a  b\v\f\r\n"), "a  b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, TrimmedIsAPartOfWhatWasGiven) {
  const std::string_view text = "  warp ";
  EXPECT_EQ(trimmed(text).data(), text.data() + 2);
}

TEST(Text, LoweredLeavesOtherAlphabetsAlone) {
  EXPECT_EQ(lowered("AZaz09_[`"), "azaz09_[`");
  EXPECT_EQ(lowered("ÄWarp"), "Äwarp");
}

TEST(Text, ACharacterOfUtf8BeginsOnce) {
  for (const std::string_view text : {"w", "ä", "→", "𝄞"}) {
    for (std::size_t i = 0; i < text.size(); ++i) EXPECT_EQ(continues_character(text[i]), i > 0) << text << " at " << i;
  }
}

}  // namespace
}  // namespace warpbook
