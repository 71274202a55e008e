#include "gpu/device_side.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace warpbook::gpu {
namespace {

struct SideCase {
  std::string what, source;
  std::vector<std::string> left_out;  // all else stays
};
void PrintTo(const SideCase& one, std::ostream* out) { *out << one.what; }

class DeviceSideOf : public testing::TestWithParam<SideCase> {};

/// What is left out is blank, to the letter; every other word stays where it was.
TEST_P(DeviceSideOf, LeavesOutTheHosts) {
  const auto& [what, source, names] = GetParam();
  const DeviceSide side = device_side(source);
  std::vector<std::string> left_out;
  for (const DeviceSide::LeftOut& each : side.left_out) left_out.push_back(each.name);
  EXPECT_EQ(left_out, names);
  EXPECT_EQ(std::count(side.text.begin(), side.text.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  if (names.empty()) {
    EXPECT_EQ(side.text, source);
  }
  EXPECT_EQ(side.text.find("HOST"), std::string::npos) << side.text;
  const auto kept = [](const std::string& text) {
    std::size_t times = 0;
    for (auto at = text.find("DEVICE"); at != std::string::npos; at = text.find("DEVICE", at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(kept(side.text), kept(source)) << side.text;
}

const std::vector<SideCase> side_cases{
    {"nothing of the host's", "__global__ void DEVICE(int* a) { a[0] = 1; }\n__constant__ float DEVICE2[4];\n", {}},
    {"main", "__global__ void DEVICE() {}\nint main() {\n  HOST<<<1, 1>>>(); HOST();\n}\n", {"main()"}},
    {"both sides", "__host__ __device__ int DEVICE(int a) { return a; }\n__host__ int HOST(int a) { return a; }\n", {"HOST()"}},
    {"a macro for __device__",
     "#define HD __host__ __device__\n#define FN HD inline\nFN float DEVICE(float a) { return a; }\n",
     {}},
    {"constants", "const int DEVICE = 3;\nconstexpr float DEVICE2[] = {1, 2};\nstatic const double DEVICE3 = 1;\n", {}},
    {"variables", "float *HOST1, *HOST2;\nstatic int HOST3 = 4;\nconst char* HOST4 = \"}\";\n", {"HOST1", "HOST3", "HOST4"}},
    {"prototypes", "__device__ int DEVICE(int);\nvoid HOST(int a = (1 + 2));\n", {"HOST()"}},
    {"structs", "struct DEVICE { float x, y; };\nenum DEVICE2 { DEVICE3 };\nunion DEVICE4 { int i; float f; };\n", {}},
    {"a forward declaration", "struct DEVICE;\nenum class DEVICE2 : int;\n", {}},
    {"a variable of a struct", "struct S { int DEVICE; };\nstruct S HOST = {1};\n", {"HOST"}},
    {"a variable behind its struct", "struct DEVICE { int a; } HOST;\n", {"HOST"}},
    {"an aligned struct", "struct alignas(16) DEVICE { float x; };\nstruct __align__(8) DEVICE2 { int a, b; };\n", {}},
    {"methods",
     "struct DEVICE { int a; __device__ int DEVICE2() { return a; } int HOST() { return a; } int DEVICE3; };\n",
     {"HOST()"}},
    {"constructors", "struct S { int a, b; S() : a{1}, b(2) { HOST(); } ~S() { HOST(); } int DEVICE; };\n", {"S()", "S()"}},
    {"defaulted constructors", "struct DEVICE { DEVICE() = default; DEVICE(const DEVICE&) = delete; };\n", {}},
    {"operators",
     "struct S { bool operator==(const S& HOST) const { return true; } int operator()(int HOST) { return 1; } };\n"
     "__device__ S operator+(S DEVICE, S b) { return DEVICE; }\nbool operator<(S HOST, S) { return true; }\n",
     {"an operator", "an operator", "an operator"}},
    {"templates",
     "template <class T> __global__ void DEVICE(T* a) {}\ntemplate <typename T, int N = (2 > 1)> T HOST(T a) { return a; }\n"
     "template <> __device__ int DEVICE2<int>(int a) { return a; }\ntemplate __global__ void DEVICE<int>(int*);\n",
     {"HOST()"}},
    {"namespaces",
     "namespace a::b {\n__device__ int DEVICE;\nint HOST() { return 1; }\n}\nnamespace DEVICE2 = a::b;\n",
     {"HOST()"}},
    {"extern C",
     "extern \"C\" {\n__global__ void DEVICE() {}\nvoid HOST() {}\n}\nextern \"C\" void HOST2() {}\n",
     {"HOST()", "HOST2()"}},
    {"attributes",
     "[[nodiscard]] __device__ int DEVICE() { return 1; }\n__global__ void __launch_bounds__(256) DEVICE2() {}\n",
     {}},
    {"trailing return types",
     "__device__ auto DEVICE() -> int { return 1; }\nauto HOST(int a) -> decltype(a) { return a; }\n",
     {"HOST()"}},
    {"types of the host's library",
     "using HOST = std::vector<int>;\ntypedef float DEVICE;\nusing namespace std;\nstruct S { std::string HOST2; };\n",
     {"S"}},
    {"headers",
     "#include <iostream>\n#include <cuda_fp16.h>  // DEVICE\n  #  include \"curand.h\"\n",
     {"<iostream>", "\"curand.h\""}},
    {"conditions stay", "int main() {\n#ifdef DEVICE\n  HOST();\n#else\n  HOST2();\n#endif\n}\n", {"main()"}},
    {"a kernel from a macro",
     "#define KERNEL(T) __global__ void k##T(T* a) {}\nKERNEL(DEVICE)\nint main() { HOST(); }\n",
     {"main()"}},
    {"a slip", "__gloabl__ void DEVICE(int* a) {}\n__globalx DEVICE2() {}\nvoid HOST() {}\n", {"HOST()"}},
    {"brackets in words",
     "void HOST() { char c = '}'; const char* s = \"{\\\"\"; /* } */ }  // }\n__device__ int DEVICE;\n",
     {"HOST()"}},
    {"raw strings", "const char* HOST = R\"x(\" } )\" {)x\";\n__device__ int DEVICE;\n", {"HOST"}},
    {"brackets that do not match", "#include <vector>\nint main() { DEVICE(;\n", {"<vector>"}},
};
INSTANTIATE_TEST_SUITE_P(Source, DeviceSideOf, testing::ValuesIn(side_cases));

/// Whatever a learner is typing: it ends, and keeps the lines where they are.
TEST(DeviceSide, ReadsWhateverIsThere) {
  std::ifstream in(WARPBOOK_ROOT "/tests/cases/compile/whole_program.cu");
  const std::string program(std::istreambuf_iterator<char>(in), {});
  ASSERT_GT(program.size(), 1000U);
  std::mt19937 random(1);
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  for (int mutant = 0; mutant < 2000; ++mutant) {
    std::string text = program;
    for (unsigned change = random() % 8; change-- > 0;) {
      const std::size_t at = random() % text.size(), other = random() % text.size(), size = random() % 40;
      if (random() % 2 == 0)
        text.erase(at, size);
      else
        text.insert(at, text.substr(other, size));
    }
    const DeviceSide side = device_side(text, {"book.h"});
    ASSERT_EQ(lines(side.text), lines(text)) << text;
    std::vector<std::string> names;
    for (const DeviceSide::LeftOut& each : side.left_out) names.push_back(each.name);
    (void)without_host_code(text, names);
  }
  // Long enough that work which grows with the square would be felt.
  std::string deep, compared = "int main() { return ";
  for (int i = 0; i < 250000; ++i) compared += "a<";
  EXPECT_EQ(device_side(compared + "b; }").left_out.size(), 1U);
  for (int i = 0; i < 100000; ++i) deep += "namespace a{";
  EXPECT_EQ(device_side(deep + std::string(100000, '}')).left_out.size(), 0U);
}

TEST(DeviceSide, AConstexprFunctionIsBothSides) {
  EXPECT_EQ(device_side("template <int N>\nconstexpr int twice() { return 2 * N; }\n").text,
            "template <int N>\n__device__ constexpr int twice() { return 2 * N; }\n");
}

TEST(DeviceSide, FindsTheTemplatesThatTheHostLaunches) {
  const DeviceSide side = device_side(
      "int main() {\n  a<int><<<1, 2>>>(); b<<<1, 2>>>(); if (1 < 2) a<int><<<2, 2>>>();\n"
      "  c<std::pair<int, float>, (4 > 3)> <<<dim3(1), 2, 0, s>>>(x < y, y >> 3);\n}\n");
  EXPECT_EQ(side.launches, (std::vector<std::string>{"a<int>", "c<std::pair<int, float>, (4>3)>"}));
}

TEST(DeviceSide, LeavesOutHeadersThatAreNamed) {
  const DeviceSide side = device_side("#include \"mine.h\"\n__device__ int a;\n", {"mine.h"});
  EXPECT_EQ(side.text, "                 \n__device__ int a;\n");
}

TEST(DeviceSide, KnowsWhatItLacks) {
  const DeviceSide side = device_side("\n\nint twice(int a) { return 2 * a; }\nint* h;\n");
  ASSERT_EQ(side.left_out.size(), 2U);
  EXPECT_EQ(side.left_out[0].line, 3);
  EXPECT_TRUE(side.lacks("twice"));
  EXPECT_TRUE(side.lacks("h"));
  EXPECT_FALSE(side.lacks("a"));
}

}  // namespace
}  // namespace warpbook::gpu
