// Variables as the source declares them, without a compiler: what is read, what is left out, and how an element is called.
#include "gpu/declared_variables.h"

#include <gtest/gtest.h>

#include "gpu/virtual/declarations.h"

namespace warpbook::gpu {
namespace {

using Where = DeclaredVariable::Where;

const DeclaredVariable* shared(const DeclaredVariables& variables, const char* name, const char* function = "k") {
  return variables.find(name, function, Where::shared);
}

TEST(DeclaredVariables, ExtentsAreNumbersAndNamesForThem) {
  const DeclaredVariables variables(
      "#define TILE 16\n"
      "constexpr int pad = TILE / 4;\n"
      "__global__ void k(int* out) {\n"
      "  __shared__ float tile[TILE][TILE + 1], row[2 * pad];\n"
      "  __shared__ char raw[0x100u];\n"
      "  __shared__ int total;\n"
      "  extern __shared__ double rest[];\n"
      "}\n");
  const auto* tile = shared(variables, "tile");
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->extents, (std::vector<std::uint64_t>{16, 17}));
  EXPECT_EQ(tile->element_bytes, 4u);
  EXPECT_EQ(tile->line, 4u);
  EXPECT_TRUE(takes(*tile, 16 * 17 * 4));
  EXPECT_FALSE(takes(*tile, 16 * 16 * 4)) << "then it is another variable, or was not understood";
  ASSERT_TRUE(shared(variables, "row"));
  EXPECT_EQ(shared(variables, "row")->extents, (std::vector<std::uint64_t>{8}));
  EXPECT_EQ(shared(variables, "raw")->extents, (std::vector<std::uint64_t>{256}));
  EXPECT_FALSE(shared(variables, "total")->is_array());
  EXPECT_TRUE(takes(*shared(variables, "rest"), 64));
  EXPECT_FALSE(takes(*shared(variables, "rest"), 60));
}

TEST(DeclaredVariables, WhatIsNotPlainIsLeftOut) {
  const DeclaredVariables variables(
      "template <class T, int N> __global__ void k(T* a) {\n"
      "  __shared__ T some[N];\n"
      "  a[3] = some[0];\n"
      "  return;\n"
      "}\n");
  const auto* some = shared(variables, "some");
  ASSERT_TRUE(some);
  EXPECT_FALSE(takes(*some, 128)) << "neither its type nor its extent is known";
  EXPECT_FALSE(variables.find("a", "k", Where::local));
}

TEST(DeclaredVariables, OneNameInTwoFunctions) {
  const DeclaredVariables variables(
      "__global__ void a() { __shared__ int s[4]; }\n"
      "__global__ void b() { __shared__ char s[8]; if (true) { int local[3]; local[0] = 1; } }\n");
  EXPECT_EQ(shared(variables, "s", "a")->element_bytes, 4u);
  EXPECT_EQ(shared(variables, "s", "b")->element_bytes, 1u);
  EXPECT_FALSE(shared(variables, "s", "c")) << "it could be either";
  ASSERT_TRUE(variables.find("local", "b", Where::local));
  EXPECT_EQ(variables.find("local", "b", Where::local)->extents, (std::vector<std::uint64_t>{3}));
}

TEST(DeclaredVariables, ElementsAreCalledAsTheSourceWouldCallThem) {
  const std::string source =
      "struct Point { float x, y; int tag; };\n"
      "__device__ Point points[8];\n"
      "__device__ float4 wide[2];\n"
      "__global__ void k() { __shared__ int grid[2][3]; __shared__ struct { int v; double w; } best; }\n";
  const DeclaredVariables variables(source);
  const auto* points = variables.find("points", "", Where::module);
  ASSERT_TRUE(points);
  EXPECT_EQ(element_text(*points, 3 * 12 + 4, 4), "points[3].y");
  EXPECT_EQ(element_text(*points, 8 * 12, 4), "points[8].x") << "past the end";
  EXPECT_EQ(element_text(*points, -12, 12), "points[-1]");
  EXPECT_EQ(element_text(*variables.find("wide", "", Where::module), 20, 4), "wide[1].y");
  EXPECT_EQ(element_text(*variables.find("wide", "", Where::module), 16, 16), "wide[1]");
  EXPECT_EQ(element_text(*shared(variables, "grid"), 4 * 4, 4), "grid[1][1]");
  EXPECT_EQ(element_text(*shared(variables, "grid"), 6 * 4, 4), "grid[2][0]");
  ASSERT_TRUE(shared(variables, "best"));
  EXPECT_EQ(element_text(*shared(variables, "best"), 8, 8), "best.w");
  const auto array = pointed_to(source, "p", "const Point*");
  ASSERT_TRUE(array);
  EXPECT_EQ(element_text(*array, 44, 4), "p[3].tag");
  EXPECT_FALSE(pointed_to(source, "p", "float*"));
}

TEST(DeclaredVariables, PiecesAreFoundWhereOnlyOneWayFits) {
  const DeclaredVariables variables(
      "__global__ void k() { __shared__ int few[2]; __shared__ struct { int v; double w; int u; } best; }\n");
  EXPECT_EQ(places_of_pieces(*shared(variables, "few"), {4, 4}), (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(places_of_pieces(*shared(variables, "few"), {4}), std::nullopt) << "the first or the second";
  EXPECT_EQ(places_of_pieces(*shared(variables, "best"), {4, 8, 4}), (std::vector<std::uint32_t>{0, 8, 16}));
  EXPECT_EQ(places_of_pieces(*shared(variables, "best"), {8}), (std::vector<std::uint32_t>{8}));
  EXPECT_EQ(places_of_pieces(*shared(variables, "best"), {8, 4}), (std::vector<std::uint32_t>{8, 16}));
  EXPECT_EQ(places_of_pieces(*shared(variables, "best"), {16}), std::nullopt);
}

TEST(ReadSymbol, NamesFunctionsAndPieces) {
  const SymbolName hits = read_symbol("_ZZ3onePiE4hits_$_0");
  EXPECT_EQ(hits.name, "hits");
  EXPECT_EQ(hits.function, "one");
  EXPECT_EQ(hits.piece, 0u);
  const SymbolName plain = read_symbol("table");
  EXPECT_EQ(plain.name, "table");
  EXPECT_EQ(plain.function, "");
  EXPECT_FALSE(plain.piece);
  const SymbolName of_template = read_symbol("_ZZ4blurIfEvPT_E4tile");
  EXPECT_EQ(of_template.name, "tile");
  EXPECT_EQ(of_template.function, "blur");
}

}  // namespace
}  // namespace warpbook::gpu
