// The launched function alone, as it was compiled.
#include "app/text/kernel_lines.h"

#include <gtest/gtest.h>

#include <sstream>

namespace warpbook::app {
namespace {

std::string lines_of(const std::string& text, std::string_view kernel, const Defines& defines = {}) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::string numbers;
  for (const std::size_t line : kernel_lines(lines, kernel, defines)) numbers += std::to_string(line + 1) + " ";
  return numbers;
}

TEST(KernelLines, one_function_of_several) {
  const std::string text =
      "__device__ int f(int a)\n{\n  return a;\n}\n\n__global__ void add_all(int* p) { p[0] = f(1); }\n"
      "__global__ void add(int* p)\n{\n  if (p) {\n    p[0] = 1;\n  }\n}\nvoid after() {}\n";
  EXPECT_EQ(lines_of(text, "add"), "7 8 9 10 11 12 ");
  EXPECT_EQ(lines_of(text, "add_all"), "6 ");
  EXPECT_EQ(lines_of(text, "f"), "") << "not launched";
}

TEST(KernelLines, what_is_left_out_and_what_only_comments_does_not_count) {
  const std::string text =
      "extern \"C\" __global__ void count(int* c)\n{\n#if ATOMIC\n  atomicAdd(c, 1);  // no }\n#else\n  c[0] += 1;\n#endif\n"
      "  // a } of a comment\n\n  c[1] = '}';\n}\nint x;\n";
  EXPECT_EQ(lines_of(text, "count", {{"ATOMIC", "1"}}), "1 2 4 10 11 ");
  EXPECT_EQ(lines_of(text, "count", {{"ATOMIC", "0"}}), "1 2 6 10 11 ");
}

TEST(KernelLines, blanks_at_the_end_of_a_line_make_it_no_comment) {
  EXPECT_EQ(lines_of("__global__ void k(int* p)\n{\n  ++p;  // on          \n  // off          \n}\n", "k"), "1 2 3 5 ");
}

TEST(KernelLines, the_name_may_stand_below_the_qualifier) {
  EXPECT_EQ(lines_of("__global__ void\n__launch_bounds__(256)\nsum(float* p)\n{\n}\n", "sum"), "1 2 3 4 5 ");
}

TEST(KernelLines, what_is_left_out_between_qualifier_and_name_does_not_count) {
  const std::string text =
      "extern \"C\" __global__ void\n#if BOUNDS  // registers\n__launch_bounds__(64, BOUNDS)\n#endif\nwork(float* p)\n{\n}\n";
  EXPECT_EQ(lines_of(text, "work", {{"BOUNDS", "0"}}), "1 5 6 7 ");
  EXPECT_EQ(lines_of(text, "work", {{"BOUNDS", "2"}}), "1 3 5 6 7 ");
}

}  // namespace
}  // namespace warpbook::app
