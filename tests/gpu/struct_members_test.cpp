// What a struct by value is made of, read from the source: what is said plainly, and near it what is not.
#include "gpu/struct_members.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gpu/launch_check.h"

namespace warpbook::gpu {
namespace {

// "int width at 0, float* elements at 8"
std::string printed(const std::vector<Parameter>& members) {
  const auto slots = parameter_slots(members);
  std::string text;
  for (std::size_t i = 0; i < members.size(); ++i) {
    text += fmt::format("{}{} {} at {}", i == 0 ? "" : ", ", members[i].type, members[i].name, slots[i].offset);
    if (!members[i].members.empty()) text += " {" + printed(members[i].members) + "}";
  }
  return text;
}

std::string read(std::string_view source, std::uint32_t size, std::uint32_t align, std::string_view type = "S") {
  return printed(struct_members(source, type, size, align));
}

TEST(StructMembers, BothWaysOfNamingAStruct) {
  const std::string_view members = "int width at 0, int height at 4, float* elements at 8";
  EXPECT_EQ(read("struct S { int width; int height; float* elements; };", 16, 8), members);
  EXPECT_EQ(read("typedef struct { int width, height; /* rows */ float* elements; } S;", 16, 8, "const S"), members);
  EXPECT_EQ(read("typedef struct tag { int width; int height; float *elements; } S;", 16, 8, "n::S"), members);
  EXPECT_EQ(read("struct __align__(16) S { float x, y, z; };", 16, 16, "struct S"), "float x at 0, float y at 4, float z at 8");
}

TEST(StructMembers, LieAsCLaysThemOut) {
  EXPECT_EQ(read("struct S { char a; long long b; short c; };", 24, 8), "char a at 0, long long b at 8, short c at 16");
  EXPECT_EQ(read("struct S { char* a, b; const float* const c; };", 24, 8),
            "char* a at 0, char b at 8, const float* const c at 16");
  EXPECT_EQ(read("struct S { char a; int b[2]; bool c; };", 16, 4), "char a at 0, int b[0] at 4, int b[1] at 8, bool c at 12");
  EXPECT_EQ(read("struct P { char a; double b; }; struct S { int n; P p; };", 24, 8),
            "int n at 0, P p at 8 {char a at 0, double b at 8}");
  EXPECT_EQ(read("struct S { int n; float2 v; double d; };", 24, 8),
            "int n at 0, float2 v at 8 {float x at 0, float y at 4}, double d at 16");
  EXPECT_EQ(read("struct S { char n; float3 v; };", 16, 4),
            "char n at 0, float3 v at 4 {float x at 0, float y at 4, float z at 8}");
  EXPECT_EQ(read("struct S { int n; __device__ int twice() const { return n + n; } float k; };", 8, 4), "int n at 0, float k at 4");
}

TEST(StructMembers, CudasVectorsAreKnownByName) {
  EXPECT_EQ(read("", 16, 16, "const float4"), "float x at 0, float y at 4, float z at 8, float w at 12");
  EXPECT_EQ(read("", 2, 2, "uchar2"), "unsigned char x at 0, unsigned char y at 1");
  EXPECT_EQ(read("", 12, 4, "dim3"), "unsigned int x at 0, unsigned int y at 4, unsigned int z at 8");
  EXPECT_EQ(read("", 4, 4, "float1"), "") << "a number";
  EXPECT_EQ(read("", 20, 4, "float5"), "");
}

TEST(StructMembers, WhatIsNotSaidPlainlyHasNone) {
  EXPECT_EQ(read("struct S { int a; };", 8, 8), "") << "another size than the compiler's: this is not the struct";
  EXPECT_EQ(read("struct B { int a; }; struct S : B { int b; };", 8, 4), "");
  EXPECT_EQ(read("struct S { int a : 4; int b : 28; };", 4, 4), "");
  EXPECT_EQ(read("struct S { S(int n); int n; };", 4, 4), "");
  EXPECT_EQ(read("struct S { __device__ S(int n) : n(n) {} int n; };", 4, 4), "");
  EXPECT_EQ(read("struct S { real a; };", 4, 4), "");
  EXPECT_EQ(read("struct S { int (*f)(int); };", 8, 8), "");
  EXPECT_EQ(read("struct S { int a[1000]; };", 4000, 4), "");
  EXPECT_EQ(read("union S { int a; float b; };", 4, 4), "");
  EXPECT_EQ(read("typedef union { int a; float b; } S;", 4, 4), "");
  EXPECT_EQ(read("struct S { S s; };", 4, 4), "") << "within itself";
  EXPECT_EQ(read("struct S { int a;", 4, 4), "");
  EXPECT_EQ(read("struct T { int a; };", 4, 4), "");
}

// "float32 x 6"
std::string numbers(std::string_view source, std::string_view type = "const S*") {
  const auto numbers = struct_numbers(source, type);
  return numbers ? fmt::format("{} x {}", name_of(numbers->type), numbers->count) : "";
}

TEST(StructNumbers, OneTypeIsThatManyOfIt) {
  EXPECT_EQ(numbers("struct S { float x, y, z; float v[3]; };"), "float32 x 6");
  EXPECT_EQ(numbers("typedef struct { double re, im; } S;", "S* __restrict__"), "float64 x 2");
  EXPECT_EQ(numbers("struct P { float3 at; }; struct S { P from, to; };"), "float32 x 6");
  EXPECT_EQ(numbers("", "const float4*"), "float32 x 4");
  EXPECT_EQ(numbers("", "uchar3 *"), "uint8 x 3");
}

TEST(StructNumbers, SeveralTypesAreIntegersAsWideAsTheAlignment) {
  EXPECT_EQ(numbers("struct S { float mass; int id; };"), "int32 x 2");
  EXPECT_EQ(numbers("struct S { char on; short n; };"), "uint16 x 2");
  EXPECT_EQ(numbers("struct S { char on; double x; int n; };"), "int64 x 3");
  EXPECT_EQ(numbers("struct S { float* next; float x; };"), "int64 x 2");
  EXPECT_EQ(numbers("struct S { float x; float4 v; };"), "int64 x 4") << "it lies at 16 bytes, and has a gap";
}

TEST(StructNumbers, WhatOnlyTheCompilerKnowsHasNone) {
  EXPECT_EQ(numbers("struct S { float x; };", "S"), "") << "no pointer";
  EXPECT_EQ(numbers("struct S { float x; };", "S**"), "");
  EXPECT_EQ(numbers("struct S { float x; };", "Pair<S>*"), "");
  EXPECT_EQ(numbers("struct __align__(16) S { float x, y, z; };"), "");
  EXPECT_EQ(numbers("struct S { virtual void f(); float x; };"), "");
  EXPECT_EQ(numbers("struct B { int a; }; struct S : B { int b; };"), "");
  EXPECT_EQ(numbers("struct T { int a; };"), "");
  EXPECT_EQ(numbers("", "void*"), "");
}

}  // namespace
}  // namespace warpbook::gpu
