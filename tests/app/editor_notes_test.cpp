// What stands under which line of the kernel.
#include "app/session/editor_notes.h"

#include <gtest/gtest.h>

namespace warpbook::app {
namespace {

LessonState with_text(const char* text) {
  LessonState state;
  state.text.assign(text);
  return state;
}

std::shared_ptr<const Compiled> not_compiled(const std::string& text, std::vector<gpu::Diagnostic> diagnostics) {
  auto compiled = std::make_shared<Compiled>();
  compiled->text = text;
  compiled->failure = gpu::CompileFailure{.message = "does not compile", .diagnostics = std::move(diagnostics), .log = {}};
  return compiled;
}

std::shared_ptr<const Snapshot> found(const std::string& text, std::vector<gpu::Finding> findings) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->text = text;
  snapshot->outcome.emplace();
  snapshot->outcome->report.findings = std::move(findings);
  return snapshot;
}

gpu::Finding race_at(std::uint32_t line) {
  gpu::Finding finding;
  finding.kind = gpu::FindingKind::race;
  finding.message = as_it_is("two threads");
  finding.at.line = line;
  return finding;
}

TEST(EditorNotes, a_compile_error_underlines_the_word_at_its_column) {
  LessonState state = with_text("void f() {\n  c += one;\n}");
  state.compiled = not_compiled(state.text.str(), {{.file = "a.cu", .line = 2, .column = 8, .message = "undefined"}});
  const auto notes = notes_of(state);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].line, 1u);
  EXPECT_EQ(state.text.lines()[1].substr(notes[0].begin, notes[0].end - notes[0].begin), "one");
  EXPECT_FALSE(notes[0].kind);
}

TEST(EditorNotes, an_error_past_the_end_belongs_to_the_last_line) {
  LessonState state = with_text("void f() {");
  state.compiled = not_compiled(state.text.str(), {{.file = "a.cu", .line = 9, .column = 40, .message = "expected a }"}});
  ASSERT_EQ(notes_of(state).size(), 1u);
  EXPECT_EQ(notes_of(state)[0].line, 0u);
}

TEST(EditorNotes, warnings_and_other_texts_have_none) {
  LessonState state = with_text("int a;");
  state.compiled = not_compiled("int b;", {{.file = "a.cu", .line = 1, .message = "error of another text"}});
  EXPECT_TRUE(notes_of(state).empty());
  state.compiled =
      not_compiled("int a;", {{.severity = gpu::Diagnostic::Severity::warning, .file = "a.cu", .line = 1, .message = "unused"}});
  EXPECT_TRUE(notes_of(state).empty());
  state.compiled.reset();
  state.reported = state.shown = found("int b;", {race_at(1)});
  EXPECT_TRUE(notes_of(state).empty());
}

TEST(EditorNotes, findings_come_by_line_once_a_kind_and_the_first_two_open) {
  LessonState state = with_text("a\nb\nc\n");
  state.reported = state.shown = found(state.text.str(), {race_at(3), race_at(1), race_at(1), race_at(2), race_at(0), race_at(99)});
  const auto notes = notes_of(state);
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0].line, 0u);
  EXPECT_EQ(notes[2].line, 2u);
  EXPECT_TRUE(notes[2].open_at_first);  // found first
  EXPECT_TRUE(notes[0].open_at_first);
  EXPECT_FALSE(notes[1].open_at_first);
}

TEST(EditorNotes, what_is_in_a_header_stands_at_the_line_that_brings_it_in) {
  LessonState state = with_text("// in a.h\n#include <cmath>\n  # include \"a.h\"\n#include \"sub/b.h\"\nint c;");
  const std::vector<gpu::Header> headers{{"a.h", ""}, {"sub/b.h", ""}, {"sub/of_b.h", ""}};
  state.compiled = not_compiled(state.text.str(), {{.file = "sub/b.h", .line = 7, .column = 2, .message = "undefined"}});
  auto failed = std::make_shared<Compiled>(*state.compiled);
  failed->failure->headers = headers;
  state.compiled = failed;
  auto notes = notes_of(state);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].line, 3u);
  EXPECT_EQ(notes[0].message, "sub/b.h line 7: undefined");

  state.compiled.reset();
  auto finding = race_at(70);
  finding.at.file = "sub/of_b.h";
  auto reported = std::make_shared<Snapshot>(*found(state.text.str(), {finding, race_at(5)}));
  auto program = std::make_shared<gpu::Program>();
  program->headers = headers;
  reported->program = program;
  state.reported = state.shown = reported;
  notes = notes_of(state);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].line, 2u);  // no line names it: the first that may have brought it
  EXPECT_EQ(notes[0].message, "sub/of_b.h line 70: two threads");
  EXPECT_EQ(notes[1].line, 4u);
}

TEST(EditedLines, marks_what_is_new_and_nothing_else) {
  using Lines = std::vector<std::string>;
  using Marks = std::vector<bool>;
  const Lines before = {"a", "b", "", "c"};
  EXPECT_EQ(edited_lines(before, before), (Marks{false, false, false, false}));
  EXPECT_EQ(edited_lines({"a", "x", "", "c"}, before), (Marks{false, true, false, false}));
  EXPECT_EQ(edited_lines({"a", "x", "b", "y", "", "c"}, before), (Marks{false, true, false, true, false, false}));
  EXPECT_EQ(edited_lines({"a", "c"}, before), (Marks{false, false}));
  EXPECT_EQ(edited_lines({}, before), Marks{});
}

}  // namespace
}  // namespace warpbook::app
