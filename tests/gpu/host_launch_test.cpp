// Walks tests/cases/launches (its README says what stands in a case), and what a list of launches is asked.
#include "gpu/host_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

std::string printed(const std::optional<Dim3>& dim) { return dim ? fmt::format("{},{},{}", dim->x, dim->y, dim->z) : "?"; }

std::string printed(const HostArgument& argument);

std::string printed(const std::vector<HostMember>& members) {
  std::string text;
  for (const HostMember& member : members) text += (text.empty() ? "" : ", ") + member.name + ": " + printed(member.value);
  return text;
}

std::string printed(const HostArgument& argument) {
  if (argument.number) return fmt::format("{:g}", *argument.number);
  if (!argument.members.empty()) return "{" + printed(argument.members) + "}";
  if (!argument.array) return "?";
  std::string text = argument.array->bytes ? fmt::format("{} bytes", *argument.array->bytes) : "? bytes";
  switch (argument.array->content) {
    case HostArray::Content::none:
      return text;
    case HostArray::Content::unknown:
      return text + " of what is not known";
    case HostArray::Content::value:
      return text + fmt::format(" of {:g}", argument.array->value);
    case HostArray::Content::iota:
      return text + " of 0 1 2";
    case HostArray::Content::random:
      return text + " of random numbers";
    case HostArray::Content::list:
      return text + fmt::format(" of [{}]", fmt::join(argument.array->elements, " "));
  }
  return text;
}

std::string printed(const HostLaunch& launch) {
  std::string text = fmt::format("{}<<<{}; {}; ", launch.kernel, printed(launch.grid), printed(launch.block));
  text += launch.dynamic_shared_bytes ? fmt::format("{}>>>(", *launch.dynamic_shared_bytes) : "?>>>(";
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) text += (i == 0 ? "" : ", ") + printed(launch.arguments[i]);
  text += ")";
  return launch.variables.empty() ? text : text + " with " + printed(launch.variables);
}

class LaunchesCase : public testing::TestWithParam<fs::path> {};

TEST_P(LaunchesCase, AreReadAsTheFileExpects) {
  std::ifstream file(GetParam());
  std::ostringstream text;
  text << file.rdbuf();
  std::map<int, std::string> expected, found;  // by the launch's line
  std::istringstream lines(text.str());
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    constexpr std::string_view mark = "// launch: ";
    if (const std::size_t at = line.find(mark); at != std::string::npos) expected[number + 1] = line.substr(at + mark.size());
  }
  ASSERT_FALSE(expected.empty());
  for (const HostLaunch& launch : host_launches(text.str())) found[launch.line] = printed(launch);
  EXPECT_EQ(found, expected);
}

std::vector<fs::path> launches_files() {
  std::vector<fs::path> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(WARPBOOK_ROOT) / "tests/cases/launches"))
    if (entry.path().extension() == ".cu") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}
INSTANTIATE_TEST_SUITE_P(Files, LaunchesCase, testing::ValuesIn(launches_files()),
                         [](const auto& one) { return one.param.stem().string(); });

TEST(HostLaunches, AreInTheOrderOfTheRun) {
  const auto all = host_launches(
      "__global__ void a() {} __global__ void b() {}\nvoid later() { a<<<1, 1>>>(); }\n"
      "int main() { b<<<2, 1>>>(); later(); }");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].kernel, "b");
  EXPECT_EQ(all[1].kernel, "a");
  EXPECT_EQ(all[1].line, 2);
}

TEST(HostLaunches, MacrosOfHeadersAndOfTheCompilerCount) {
  const auto all =
      host_launches("int main() { k<<<BLOCKS, THREADS>>>(); }", {"#pragma once\n#define BLOCKS (2 * 3)\n"}, {{"THREADS", "64"}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(printed(all[0]), "k<<<6,1,1; 64,1,1; 0>>>()");
  EXPECT_TRUE(all[0].complete());
}

TEST(HostLaunches, AreFoundByTheKernelsName) {
  const auto all = host_launches("int main() { scale<float><<<1, 32>>>(); scale<double><<<2, 32>>>(); n::add<<<3, 32>>>(); }");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(launch_of(all, "scale<double>"), &all[1]);
  EXPECT_EQ(launch_of(all, "scale<int>"), &all[0]) << "another of its template";
  EXPECT_EQ(launch_of(all, "n::add"), &all[2]);
  EXPECT_EQ(launch_of(all, "absent"), nullptr);
}

TEST(HostLaunches, ReadWhateverIsThere) {
  for (const char* text : {"<<<", "k<<<>>>()", "k<<<1", "int main() { k<<<(((>>>(); }", "int main() { for (;;) k<<<1,1>>>( }",
                           "#define A A\nint main() { k<<<A, A>>>(A); }", "int f() { return f(); } int main() { k<<<f(), 1>>>(); }",
                           "void r() { r(); r(); } int main() { r(); k<<<1 / 0, 1 % 0>>>(1 << 99); }", "}}}} k<<<1,1>>>();"})
    for (const HostLaunch& launch : host_launches(text)) EXPECT_FALSE(launch.kernel.empty()) << text;
}

/// Sources that were written to be read for ever, or to overflow the stack; the reader is no child process that could be killed.
TEST(HostLaunches, HostileSourcesAreReadInTime) {
  const auto many = [](std::string_view words, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += words;
    return text;
  };
  std::string doubling = "#define A0 1\n";
  for (int i = 1; i <= 60; ++i)
    doubling += fmt::format("#define A{0} (A{1} + A{1})\n#define F{0}(x) (F{1}(x) + F{1}(x))\n", i, i - 1);
  constexpr std::size_t lots = 50'000;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& text :
       {doubling + "int main() { k<<<A60, F60(2)>>>(); }", "int main() { k<<<" + many("- ", lots) + "1, 1>>>(); }",
        "int main() { int n = " + many("- ", lots) + "1; k<<<n, 1>>>(); }",
        "int main() { int n = " + many("(", lots) + "1" + many(")", lots) + "; k<<<n, 1>>>(); }",
        "int main() { int n = " + many("a ? b : ", lots) + "1; k<<<n, 1>>>(); }",
        "int main() { int n = " + many("(int)", lots) + "1; k<<<n, 1>>>(); }",
        "int main() {" + many("{", lots) + "k<<<1, 1>>>();" + many("}", lots) + "}",
        "int main() {" + many("if (a) ", lots) + "k<<<1, 1>>>();" + many(" else ;", lots) + "}",
        "int main() {" + many("if (a) ; else ", lots) + "k<<<1, 1>>>(); }",
        many("namespace n {", lots) + "int k<<<1;" + many("}", lots), "int main() { x(" + many("k<<<", lots) + "); }",
        "int main() { " + many("cudaMalloc(", lots) + "k<<<1, 1>>>(); }", "int main() { k<<<1, 1>>>(); " + many("f(", lots) + "}",
        "int main() { int a; f(" + many("&a, g(", lots) + "k<<<1, 1>>>(); }",
        "int main() { P p = " + many("{1, ", lots) + "k<<<1, 1>>>(); }",
        "int main() { int h[] = {" + many("1, ", lots) + "}; " + many("P p = {1, 2}; h[0] = 3; ", 5000) + "k<<<1, 1>>>(h, p); }",
        many("int f() { return f(", 20'000) + "k<<<1, 1>>>();"})
    (void)host_launches(text);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 30);
}

}  // namespace
}  // namespace warpbook::gpu
