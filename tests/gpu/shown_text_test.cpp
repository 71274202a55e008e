// What strangers write, as it is shown: nothing moves a terminal's cursor, and no sentence is lost in a name.
#include "gpu/shown_text.h"

#include <gtest/gtest.h>

#include "gpu/compiler.h"
#include "gpu/report.h"

namespace warpbook {
namespace {

TEST(ShownText, ControlsAreEscapesAndTextStays) {
  EXPECT_EQ(without_controls("\x1b[31mred\a\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(without_controls("a\tb\nc\r\nd"), "a\tb\nc\r\nd");
  EXPECT_EQ(without_controls("50 %\rdone"), "50 %\\x0ddone");
  EXPECT_EQ(without_controls("Wärme → 𝄞"), "Wärme → 𝄞");
  EXPECT_EQ(without_controls(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(ShownText, BytesThatAreNoUtf8AreEscapes) {
  EXPECT_EQ(without_controls("caf\xe9!"), "caf\\xe9!");
  EXPECT_EQ(without_controls("\xff"), "\\xff");
  EXPECT_EQ(without_controls("\xc3"), "\\xc3");                             // its second byte is missing
  EXPECT_EQ(without_controls("\xc0\xaf"), "\\xc0\\xaf");                    // a slash, spelt too long
  EXPECT_EQ(without_controls("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair of UTF-16
  EXPECT_EQ(without_controls("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
}

TEST(ShownText, WhatTurnsLettersRoundIsAnEscape) {
  EXPECT_EQ(without_controls("a\u202eb\u2066c"), "a\\u202eb\\u2066c");
  EXPECT_EQ(without_controls("a\u009bb"), "a\\u009bb");
}

TEST(ShownText, ACutTextSaysSo) {
  EXPECT_EQ(cut("name", 4), "name");
  EXPECT_EQ(cut("names", 4), "nam…");
  EXPECT_EQ(cut("ärger", 4), "ärg…");
  EXPECT_EQ(listed({"a", "b", "c"}, 2), "a, b, c");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

TEST(ShownText, ASentenceKeepsItsBeginningAndItsEnd) {
  const std::string name(3000, 'v');
  const std::string shown = in_sentences("k.cu line 1: " + name + " is not declared here. Look for a typing mistake.");
  EXPECT_LE(characters_in(shown), 400u);
  EXPECT_TRUE(shown.starts_with("k.cu line 1: vvvv")) << shown;
  EXPECT_NE(shown.find("vvv…vvv"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with(" is not declared here. Look for a typing mistake.")) << shown;
}

TEST(ShownText, ALongListIsCutBetweenWords) {
  std::string list;
  for (int i = 0; i < 500; ++i) list += "kernel" + std::to_string(i) + ", ";
  const std::string shown = in_sentences("There is no kernel k among " + list + "and that is all. Choose one of these.");
  EXPECT_LE(characters_in(shown), 2 * longest_sentence);
  EXPECT_NE(shown.find(", … kernel"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with("and that is all. Choose one of these.")) << shown;
}

TEST(ShownText, WhatIsShortEnoughStaysAsItIs) {
  const std::string long_message = "This is a sentence of an ordinary length, as there are many of them in a message. ";
  std::string message;
  for (int i = 0; i < 20; ++i) message += long_message;  // long as a whole, and no sentence of it
  EXPECT_EQ(in_sentences(message), message);
  EXPECT_EQ(in_sentences(""), "");
}

TEST(ShownText, AllThatAReportAndAFailureSay) {
  const std::string hostile = "\x1b[2J" + std::string(5000, 'n');
  gpu::LaunchReport report;
  report.message = as_it_is(hostile);
  report.remarks = {as_it_is(hostile)};
  report.findings.resize(1);
  report.findings[0].message = as_it_is(hostile);
  put_in_sentences(report);
  for (const std::string& words : {say(report.message), in_english(report.remarks[0]), in_english(report.findings[0].message)}) {
    EXPECT_LE(characters_in(words), longest_sentence);
    EXPECT_TRUE(words.starts_with("\\x1b[2J")) << words;
  }
  gpu::CompileFailure failure{.message = hostile, .diagnostics = {gpu::Diagnostic{.file = {}, .message = hostile}}, .log = {}};
  put_in_sentences(failure);
  EXPECT_LE(characters_in(failure.message), longest_sentence);
  EXPECT_LE(characters_in(failure.diagnostics[0].message), longest_sentence);
}

TEST(ShownText, ALineOfASourceAroundItsColumn) {
  const ShownLine plain = shown_line("\tint x = y;", 10);
  EXPECT_EQ(plain.text, "\tint x = y;");
  EXPECT_EQ(plain.before_caret, "\t        ");
  const ShownLine escape = shown_line("a\x1b[0m b", 7);
  EXPECT_EQ(escape.text, "a\\x1b[0m b");
  EXPECT_EQ(escape.before_caret.size(), 9u);  // below the b
  const ShownLine accents = shown_line("äöü x", 8);
  EXPECT_EQ(accents.before_caret, "    ");
  const std::string line = std::string(1'000'000, 'a') + "WRONG" + std::string(1'000'000, 'b');
  const ShownLine around = shown_line(line, 1'000'001);
  EXPECT_LE(characters_in(around.text), 170u);
  EXPECT_NE(around.text.find("WRONG"), std::string::npos);
  EXPECT_EQ(around.text.substr(around.before_caret.size() + std::string("…").size() - 1, 5), "WRONG");
}

}  // namespace
}  // namespace warpbook
