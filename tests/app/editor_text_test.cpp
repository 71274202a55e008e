// The editor's text: caret, selection, history, and that no step ever stands inside a character.
#include "app/text/editor_text.h"

#include <gtest/gtest.h>

#include <random>

namespace warpbook::app {
namespace {

using Position = EditorText::Position;
using Step = EditorText::Step;

TEST(EditorText, keeps_what_it_is_given) {
  EXPECT_EQ(EditorText("a\nb\n").str(), "a\nb\n");
  EXPECT_EQ(EditorText("").str(), "");
  EXPECT_EQ(EditorText("a\r\nb").str(), "a\nb");
  EXPECT_EQ(EditorText("a\n").lines().size(), 2u);
}

TEST(EditorText, typing_replaces_the_selection_and_one_undo_takes_a_word_back) {
  EditorText text("int one;");
  text.select_word({0, 5});
  EXPECT_EQ(text.selected(), "one");
  for (const char* letter : {"t", "w", "o"}) text.insert(letter);
  EXPECT_EQ(text.str(), "int two;");
  EXPECT_TRUE(text.undo());
  EXPECT_EQ(text.str(), "int one;");
  EXPECT_EQ(text.selected(), "one");
  EXPECT_FALSE(text.undo());
  EXPECT_TRUE(text.redo());
  EXPECT_EQ(text.str(), "int two;");
  EXPECT_FALSE(text.redo());
}

TEST(EditorText, steps_over_whole_characters) {
  EditorText text("µ²x");
  text.move(1, Step::character, false);
  EXPECT_EQ(text.caret(), (Position{0, 2}));
  text.move(1, Step::character, false);
  EXPECT_EQ(text.caret(), (Position{0, 4}));
  text.erase(-1, Step::character);
  EXPECT_EQ(text.str(), "µx");
  text.place({0, 1}, false);  // inside µ
  EXPECT_EQ(text.caret(), (Position{0, 0}));
}

TEST(EditorText, lines_keep_the_column_they_came_from) {
  EditorText text("long line\n\nlong line");
  text.place({0, 6}, false);
  text.move_lines(1, false);
  EXPECT_EQ(text.caret(), (Position{1, 0}));
  text.move_lines(1, false);
  EXPECT_EQ(text.caret(), (Position{2, 6}));
  text.move_lines(1, false);
  EXPECT_EQ(text.caret(), (Position{2, 9}));
}

TEST(EditorText, enter_keeps_the_indentation_and_a_brace_adds_to_it) {
  EditorText text("    if (x) {");
  text.move(1, Step::text_edge, false);
  text.new_line();
  EXPECT_EQ(text.str(), "    if (x) {\n        ");
  text.insert("y;");
  text.new_line();
  EXPECT_EQ(text.lines().back(), "        ");
  text.erase(-1, Step::character);
  EXPECT_EQ(text.lines().back(), "    ");
}

TEST(EditorText, tab_indents_selected_lines_as_one_step) {
  EditorText text("a\nb\nc");
  text.place({0, 0}, false);
  text.place({1, 1}, true);
  text.tab();
  EXPECT_EQ(text.str(), "    a\n    b\nc");
  EXPECT_TRUE(text.has_selection());
  text.untab();
  EXPECT_EQ(text.str(), "a\nb\nc");
  text.undo();
  EXPECT_EQ(text.str(), "    a\n    b\nc");
  text.undo();
  EXPECT_EQ(text.str(), "a\nb\nc");
}

TEST(EditorText, words_are_names_and_punctuation) {
  EditorText text("c[0] += one;");
  text.move(1, Step::word, false);
  EXPECT_EQ(text.caret().byte, 1u);
  text.move(1, Step::word, false);
  EXPECT_EQ(text.caret().byte, 2u);
  text.move(1, Step::text_edge, false);
  text.move(-1, Step::word, false);
  EXPECT_EQ(text.caret().byte, 11u);
  text.erase(-1, Step::word);
  EXPECT_EQ(text.str(), "c[0] += ;");
}

TEST(EditorText, home_goes_to_the_first_letter_first) {
  EditorText text("    x");
  text.move(1, Step::line_edge, false);
  text.home(false);
  EXPECT_EQ(text.caret().byte, 4u);
  text.home(false);
  EXPECT_EQ(text.caret().byte, 0u);
}

TEST(EditorText, a_brace_that_begins_its_line_goes_back_a_level) {
  EditorText text("{\n    ");
  text.place({1, 4}, false);
  text.insert("}");
  EXPECT_EQ(text.str(), "{\n}");
  text.undo();
  EXPECT_EQ(text.str(), "{\n    ");
  text.assign("    a ");
  text.place({0, 6}, false);
  text.insert("}");
  EXPECT_EQ(text.str(), "    a }");
}

TEST(EditorText, comments_come_and_go_for_all_selected_lines) {
  EditorText text("  if (a)\n\n      b();\nc();\n");
  text.place({0, 4}, false);
  text.place({3, 0}, true);
  text.toggle_comment();
  EXPECT_EQ(text.str(), "  // if (a)\n\n  //     b();\nc();\n") << "in one column; the line that is only touched is left alone";
  EXPECT_EQ(text.selection_begin(), (Position{0, 7}));
  text.toggle_comment();
  EXPECT_EQ(text.str(), "  if (a)\n\n      b();\nc();\n");
  text.undo();
  text.undo();
  EXPECT_EQ(text.str(), "  if (a)\n\n      b();\nc();\n");
  EXPECT_FALSE(text.undo());
  text.assign("//x\ny");
  text.select_all();
  text.toggle_comment();
  EXPECT_EQ(text.str(), "// //x\n// y") << "one line without is enough";
  text.assign("");
  text.toggle_comment();
  EXPECT_EQ(text.str(), "");
}

// Whatever is done, undoing it all gives the first text back and redoing it all the last; every position stays in the text.
TEST(EditorText, undo_and_redo_are_inverse_for_any_sequence) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto dice = [&](unsigned sides) { return random() % sides; };
    EditorText text("void f() {\n    µ = 1;\n}\n");
    const std::string first = text.str();
    for (int i = 0; i < 60; ++i) {
      switch (dice(11)) {
        case 9:
          text.toggle_comment();
          break;
        case 10:
          text.insert("}");
          break;
        case 0:
          text.insert("x");
          break;
        case 1:
          text.insert("²\nz");
          break;
        case 2:
          text.new_line();
          break;
        case 3:
          text.tab();
          break;
        case 4:
          text.untab();
          break;
        case 5:
          text.erase(dice(2) != 0 ? 1 : -1, dice(2) != 0 ? Step::word : Step::character);
          break;
        case 6:
          text.move(dice(2) != 0 ? 1 : -1, static_cast<Step>(dice(4)), dice(2) != 0);
          break;
        case 7:
          text.move_lines(static_cast<int>(dice(5)) - 2, dice(2) != 0);
          break;
        default:
          text.place({dice(6), dice(12)}, dice(2) != 0);
          break;
      }
      for (const Position p : {text.caret(), text.anchor()}) {
        ASSERT_LT(p.line, text.lines().size()) << "seed " << seed;
        ASSERT_LE(p.byte, text.lines()[p.line].size()) << "seed " << seed;
        const bool inside =
            p.byte < text.lines()[p.line].size() && (static_cast<unsigned char>(text.lines()[p.line][p.byte]) & 0xc0) == 0x80;
        ASSERT_FALSE(inside) << "seed " << seed;
      }
    }
    const std::string last = text.str();
    while (text.undo()) {
    }
    ASSERT_EQ(text.str(), first) << "seed " << seed;
    while (text.redo()) {
    }
    ASSERT_EQ(text.str(), last) << "seed " << seed;
  }
}

TEST(EditorText, TakesWhateverIsPasted) {
  using namespace std::string_literals;
  EditorText text;
  text.insert("a\r\nb\rc\n"s + "d\0e\x01\x7f\tf\n"s);
  EXPECT_EQ(text.str(), "a\nb\nc\nde\tf\n");
  text.assign("// \xce\xb1\xce\xb2 and a stray \xe4 byte, half of \xce");
  EXPECT_EQ(text.str(), "// \xce\xb1\xce\xb2 and a stray \xef\xbf\xbd byte, half of \xef\xbf\xbd");
  text.place({0, 4}, false);  // within α
  EXPECT_EQ(text.caret().byte, 3u);
  text.move(1, EditorText::Step::character, false);
  EXPECT_EQ(text.caret().byte, 5u);
  text.assign(std::string(1 << 20, 'x'));
  text.move(1, EditorText::Step::text_edge, false);
  text.insert("y");
  EXPECT_EQ(text.lines()[0].size(), (std::size_t{1} << 20) + 1);
  EXPECT_TRUE(text.undo());
}

}  // namespace
}  // namespace warpbook::app
