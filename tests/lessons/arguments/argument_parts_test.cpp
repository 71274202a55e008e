// Where the members of a struct by value lie: against the structs that this compiler lays out.
#include "lessons/arguments/argument_parts.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "gpu/struct_members.h"

namespace warpbook::lessons {
namespace {

ArgumentSpec parsed(std::string_view text) {
  auto spec = parse_argument_spec(text);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec ? *spec : ArgumentSpec{};
}

const gpu::Parameter unknown{.name = "p", .type = "S", .element = {}};

std::vector<std::size_t> offsets(const std::vector<ArgumentPart>& parts) {
  std::vector<std::size_t> all;
  for (const ArgumentPart& part : parts) all.push_back(part.offset);
  return all;
}

TEST(ArgumentParts, LieAsTheCompilerLaysThemOut) {
  struct Inner {
    std::int8_t a;
    double b;
  };
  struct S {
    std::int8_t a;
    std::int64_t b;
    std::int16_t c;
    Inner d;
    float* e;
    std::int8_t f;
  };
  const ArgumentSpec spec = parsed("{int8=1,int64=2,int16=3,{int8=4,float64=5},float32[6]=zeros,int8=7}");
  EXPECT_EQ(offsets(parts_of(spec, unknown)),
            (std::vector<std::size_t>{offsetof(S, a), offsetof(S, b), offsetof(S, c), offsetof(S, d),
                                      offsetof(S, d) + offsetof(Inner, b), offsetof(S, e), offsetof(S, f)}));
  EXPECT_EQ(bytes_of(spec, unknown), sizeof(S));

  const gpu::Argument argument = make_argument(spec, unknown, std::vector{gpu::Buffer{.id = 9, .array = {}}});
  const auto& made = std::get<gpu::Struct>(argument);
  ASSERT_EQ(made.bytes.size(), sizeof(S));
  S seen;
  std::memcpy(&seen, made.bytes.data(), sizeof seen);
  EXPECT_EQ(seen.a, 1);
  EXPECT_EQ(seen.b, 2);
  EXPECT_EQ(seen.c, 3);
  EXPECT_EQ(seen.d.a, 4);
  EXPECT_EQ(seen.d.b, 5);
  EXPECT_EQ(seen.f, 7);
  ASSERT_EQ(made.pointers.size(), 1U);
  EXPECT_EQ(made.pointers[0].offset, offsetof(S, e));
  EXPECT_EQ(made.pointers[0].buffer.id, 9U);
}

TEST(ArgumentParts, CudasVectorsLieAtTheirOwnAlignment) {
  struct alignas(8) Float2 {
    float x, y;
  };
  struct S {
    std::int32_t n;
    Float2 v;
    double d;
  };
  gpu::Parameter parameter{.name = "p", .type = "S", .element = {}, .size = sizeof(S), .align = alignof(S)};
  const ArgumentSpec spec = parsed("{int32=1,{float32=2,float32=3},float64=4}");
  EXPECT_EQ(offsets(parts_of(spec, parameter)), (std::vector<std::size_t>{0, 4, 8, 16})) << "where only the spec is known";
  parameter.members = gpu::struct_members("struct S { int n; float2 v; double d; };", "S", sizeof(S), alignof(S));
  const auto parts = parts_of(spec, parameter);
  EXPECT_EQ(offsets(parts), (std::vector<std::size_t>{0, 8, 12, offsetof(S, d)}));
  EXPECT_EQ(bytes_of(spec, parameter), sizeof(S));
  EXPECT_EQ(parts[2].name, "p.v.y");
  EXPECT_EQ(parts[2].path, (std::vector<std::size_t>{1, 1}));
}

TEST(ArgumentParts, WhatIsNoStructIsItsOnlyPart) {
  const ArgumentSpec number = parsed("float32=2"), array = parsed("float32[3]=zeros");
  const auto parts = parts_of(array, unknown);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, "p");
  EXPECT_TRUE(parts[0].path.empty());
  EXPECT_EQ(bytes_of(array, unknown), 8U);
  EXPECT_EQ(bytes_of(number, unknown), 4U);
  EXPECT_EQ(std::get<gpu::Scalar>(make_argument(number, unknown, {})).bits, number.value.bits);
  EXPECT_EQ(std::get<gpu::Buffer>(make_argument(array, unknown, std::vector{gpu::Buffer{.id = 3, .array = {}}})).id, 3U);
}

TEST(ArgumentParts, AreNamedByTheirPlaceWhereTheSourceSaysNothing) {
  const ArgumentSpec spec = parsed("{int32=1,{float32[2]=zeros}}");
  EXPECT_EQ(parts_of(spec, unknown).back().name, "p.1.0");
}

}  // namespace
}  // namespace warpbook::lessons
