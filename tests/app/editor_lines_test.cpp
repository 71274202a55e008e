// What the editor draws by and looks for: matches, brackets, and that a long text is worked through once and drawn in part.
#include "app/text/editor_lines.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::app {
namespace {

using Position = EditorText::Position;
using Lines = std::vector<std::string>;

TEST(EditorLines, small_letters_find_all_and_a_capital_only_its_own) {
  const Lines lines{"int Count = count;", "", "COUNT count"};
  EXPECT_EQ(find_all(lines, "count").size(), 4u);
  EXPECT_EQ(find_all(lines, "Count").size(), 1u);
  EXPECT_EQ(find_all(lines, "nothing").size(), 0u);
  EXPECT_EQ(find_all(lines, "").size(), 0u);
  EXPECT_EQ(find_all({"aaaa"}, "aa").size(), 2u) << "they do not overlap";
  EXPECT_EQ(find_all({"x µ y µ"}, "µ").size(), 2u);
  EXPECT_EQ(find_all(lines, "t = c").front().begin, (Position{0, 8}));
}

TEST(EditorLines, the_next_match_goes_around_both_ends) {
  const auto matches = find_all({"a b a", "a"}, "a");
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(next_match(matches, {0, 0}, 1), 0u);
  EXPECT_EQ(next_match(matches, {0, 1}, 1), 1u);
  EXPECT_EQ(next_match(matches, {1, 1}, 1), 0u);
  EXPECT_EQ(next_match(matches, {1, 0}, -1), 1u);
  EXPECT_EQ(next_match(matches, {0, 0}, -1), 2u);
}

TEST(EditorLines, brackets_match_over_lines_and_not_in_comments_or_strings) {
  const Lines lines{"void f(int a[2]) {  // }", "", "  g(\")\", (1));", "}"};
  const auto spans = highlight(lines);
  const auto partner = [&](Position at) {
    const auto pair = matching_brackets(lines, spans, at);
    return pair ? pair->second : Position{99, 99};
  };
  EXPECT_EQ(partner({0, 6}), (Position{0, 15}));
  EXPECT_EQ(partner({0, 16}), (Position{0, 6})) << "behind the bracket counts as at it";
  EXPECT_EQ(partner({0, 12}), (Position{0, 14}));
  EXPECT_EQ(partner({0, 17}), (Position{3, 0}));
  EXPECT_EQ(partner({3, 1}), (Position{0, 17}));
  EXPECT_EQ(partner({2, 3}), (Position{2, 12})) << "the one in the string is none";
  EXPECT_EQ(partner({2, 9}), (Position{2, 11}));
  EXPECT_EQ(partner({0, 23}), (Position{99, 99})) << "in a comment";
  EXPECT_FALSE(matching_brackets({"(("}, highlight({"(("}), {0, 0})) << "no partner";
  EXPECT_FALSE(matching_brackets({"", ""}, highlight({"", ""}), {1, 0}));
}

std::string long_kernel(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += "    const float value = sqrtf(x[" + std::to_string(10'000 + i) + "]);  // a comment\n";
  return text;
}

void show(test::Headless& window, const std::string& kernel) {
  window.book().open(*lessons::find_lesson("playground"));
  window.session().lesson().text.assign(kernel);
  for (int i = 0; i < 6; ++i) window.frame();
}

TEST(EditorLines, five_thousand_lines_cost_what_a_screenful_does) {
  test::Headless window;
  show(window, long_kernel(100));
  const int some = ImGui::GetDrawData()->TotalVtxCount;
  const auto made = window.session().lesson().editor_lines.made;
  show(window, long_kernel(5000));
  EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, some + 400) << "lines out of sight are drawn";
  EXPECT_EQ(window.session().lesson().editor_lines.made, made + 1) << "the same text is worked through again and again";
}

TEST(EditorLines, a_search_goes_through_a_text_once) {
  test::Headless window;
  show(window, long_kernel(5000));
  window.click("editor", 0.5F, 0.5F);
  window.key(KeyEvent::Key::f, false, true);
  ASSERT_NE(window.find("find"), nullptr);
  const auto scanned_by = [&](const std::string& letters) {
    std::uint64_t all = 0;
    for (const char c : letters) window.session().keys.push_back({.codepoint = static_cast<char32_t>(c)});
    for (int i = 0; i < 6; ++i) {
      window.frame();
      all += code_counters().scanned;  // of the frame
    }
    return all;
  };
  EXPECT_EQ(scanned_by("1"), 5001u) << "a letter is looked for once";
  EXPECT_EQ(scanned_by(""), 0u) << "what is marked already is looked for in every frame";
  EXPECT_EQ(scanned_by("2"), 5001u);
  EXPECT_EQ(window.session().lesson().text.selected(), "12");
}

}  // namespace
}  // namespace warpbook::app
