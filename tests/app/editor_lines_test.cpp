// What the editor draws by and looks for: matches, brackets, and that a long text is worked through once and drawn in part.
#include "app/panels/editor_lines.h"

#include <backends/imgui_impl_opengl3.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include "app/canvas.h"
#include "app/egl_context.h"
#include "app/offscreen.h"
#include "app/panels.h"
#include "app/views/views.h"
#include "app/workbook.h"
#include "lessons/catalog.h"

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

/// Vertices of a window with this kernel in its editor, after a few frames.
struct Drawn {
  int vertices = 0;
  std::uint64_t made = 0;
};
Drawn draw(const std::string& kernel) {
  const auto context = EglContext::open();
  if (!context) throw std::runtime_error(context.error().message);
  const Canvas canvas(1440, 900);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().DisplaySize = {1440, 900};
  ImGui_ImplOpenGL3_Init("#version 450");
  EXPECT_TRUE(load_theme(lessons::data_directory() / "assets/tokens.toml", Appearance::dark, 1));
  Drawn drawn;
  {
    Session session = make_session(*lessons::find_lesson("18"), Appearance::dark);
    session.lesson().text.assign(kernel);
    Workbook book(session, {.device = {.profile = "T4", .gpu = {}}, .wake = {}, .make_device = {}});
    for (int frame = 0; frame < 6; ++frame) {
      ImGui::GetIO().DeltaTime = 1.0F / 60;
      ImGui_ImplOpenGL3_NewFrame();
      ImGui::NewFrame();
      draw_workbook(session, book, ImGui::GetIO().DisplaySize);
      ImGui::Render();
      drawn.vertices = ImGui::GetDrawData()->TotalVtxCount;
    }
    drawn.made = session.lesson().editor_lines.made;
  }
  release_view_resources();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  return drawn;
}

TEST(EditorLines, five_thousand_lines_cost_what_a_screenful_does) {
  const auto kernel = [](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += "    const float value = sqrtf(x[" + std::to_string(10'000 + i) + "]);  // a comment\n";
    return text;
  };
  const Drawn some = draw(kernel(100)), many = draw(kernel(5000));
  EXPECT_LT(many.vertices, some.vertices + 400) << "lines out of sight are drawn";
  EXPECT_EQ(many.made, 1u) << "the same text is worked through again and again";
}

}  // namespace
}  // namespace warpbook::app
