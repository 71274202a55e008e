// What the editor colours, and which lines it dims.
#include "app/text/highlight.h"

#include <gtest/gtest.h>

namespace warpbook::app {
namespace {

/// "keyword:int number:1"
std::string spelled(const std::string& line, const std::vector<CodeSpan>& spans) {
  constexpr const char* names[] = {"plain", "keyword", "qualifier", "builtin", "number", "string", "comment", "macro"};
  std::string all;
  for (const CodeSpan& span : spans) {
    if (!all.empty()) all += ' ';
    all += std::string(names[static_cast<std::size_t>(span.kind)]) + ":" + line.substr(span.begin, span.end - span.begin);
  }
  return all;
}

std::string spelled(const std::string& line) { return spelled(line, highlight({line})[0]); }

TEST(Highlight, names_what_cuda_gives_a_meaning) {
  EXPECT_EQ(spelled("extern \"C\" __global__ void f(int n)"),
            "keyword:extern string:\"C\" qualifier:__global__ keyword:void keyword:int");
  EXPECT_EQ(spelled("i = blockIdx.x * 4 + threadIdx.y;"), "builtin:blockIdx.x number:4 builtin:threadIdx.y");
  EXPECT_EQ(spelled("__syncthreads(); atomicAdd(&c[0], 1);"), "qualifier:__syncthreads builtin:atomicAdd number:0 number:1");
}

TEST(Highlight, numbers_end_where_c_ends_them) {
  EXPECT_EQ(spelled("1.5e-3f+0x1F"), "number:1.5e-3f number:0x1F");
  EXPECT_EQ(spelled("a.x + .5"), "number:.5");
  EXPECT_EQ(spelled("x1 = 2"), "number:2");
}

TEST(Highlight, strings_and_comments_hide_what_is_in_them) {
  EXPECT_EQ(spelled("f(\"// \\\" int\"); // int"), "string:\"// \\\" int\" comment:// int");
  EXPECT_EQ(spelled("a /* int */ int"), "comment:/* int */ keyword:int");
  EXPECT_EQ(spelled("#include <math.h> // x"), "macro:#include string:<math.h> comment:// x");
}

TEST(Highlight, a_comment_goes_on_over_lines) {
  const std::vector<std::string> lines = {"int /* a", "int", "b */ int"};
  const auto spans = highlight(lines);
  EXPECT_EQ(spelled(lines[0], spans[0]), "keyword:int comment:/* a");
  EXPECT_EQ(spelled(lines[1], spans[1]), "comment:int");
  EXPECT_EQ(spelled(lines[2], spans[2]), "comment:b */ keyword:int");
}

std::string dimmed(const std::vector<std::string>& lines, const Defines& defines) {
  std::string all;
  const auto inactive = inactive_lines(lines, defines);
  for (const bool off : inactive) all += off ? '-' : '+';
  return all;
}

TEST(InactiveLines, follow_the_defines) {
  const std::vector<std::string> code = {"#if SYNC", "a", "#else", "b", "#endif", "c"};
  EXPECT_EQ(dimmed(code, {{"SYNC", "1"}}), "+++-++");
  EXPECT_EQ(dimmed(code, {{"SYNC", "0"}}), "+-++++");
  EXPECT_EQ(dimmed(code, {}), "+-++++");
}

TEST(InactiveLines, nest_and_chain) {
  const std::vector<std::string> code = {"#if A == 1", "a",     "#if B", "b",     "#endif", "#elif A >= 2 && defined(B)",
                                         "c",          "#else", "d",     "#endif"};
  EXPECT_EQ(dimmed(code, {{"A", "1"}, {"B", "0"}}), "+++-++-+-+");
  EXPECT_EQ(dimmed(code, {{"A", "2"}, {"B", "0"}}),
            "+----++"
            "+-+");
  EXPECT_EQ(dimmed(code, {{"A", "3"}}), "+----+-+++");
}

TEST(InactiveLines, dim_nothing_that_they_cannot_judge) {
  EXPECT_EQ(dimmed({"#if SIZE(3) > 2", "a", "#else", "b", "#endif"}, {}), "+++++");
  EXPECT_EQ(dimmed({"#else", "a", "#endif", "#endif"}, {}), "++++");
}

TEST(InactiveLines, know_what_the_text_itself_defines) {
  EXPECT_EQ(dimmed({"#define N 4 // size", "#if N > 3", "a", "#endif", "#undef N", "#ifdef N", "b", "#endif"}, {}), "++++++-+");
  EXPECT_EQ(dimmed({"#ifndef N", "#define N 1", "#endif", "#if N", "a", "#endif"}, {{"N", "0"}}), "+-++-+");
}

TEST(HighlightPython, TokensAndStringsThatSpanLines) {
  const std::vector<std::string> lines{"@cuda.jit  # once",   "def add(a, n):", "    i = cuda.grid(1) + 1.5e-3",
                                       "    s = f\"{n}: #\"", "    t = '''a",   "if ''' and b"};
  const auto spans = highlight_python(lines);
  const auto kind_at = [&](std::size_t line, const std::string& words) {
    const std::size_t at = lines[line].find(words);
    for (const CodeSpan& span : spans[line])
      if (span.begin <= at && at < span.end) return span.kind;
    return CodeKind::plain;
  };
  EXPECT_EQ(kind_at(0, "@cuda"), CodeKind::qualifier);
  EXPECT_EQ(kind_at(0, "# once"), CodeKind::comment);
  EXPECT_EQ(kind_at(1, "def"), CodeKind::keyword);
  EXPECT_EQ(kind_at(1, "add"), CodeKind::plain);
  EXPECT_EQ(kind_at(2, "cuda.grid"), CodeKind::builtin);
  EXPECT_EQ(kind_at(2, "1.5e-3"), CodeKind::number);
  EXPECT_EQ(kind_at(2, "3"), CodeKind::number) << "the exponent's, too";
  EXPECT_EQ(kind_at(3, "#"), CodeKind::string) << "no comment within a string";
  EXPECT_EQ(kind_at(5, "if"), CodeKind::string) << "the string goes on";
  EXPECT_EQ(kind_at(5, "and"), CodeKind::keyword);
}

}  // namespace
}  // namespace warpbook::app
