#include "gpu/types.h"

#include <gtest/gtest.h>

#include "gpu/report.h"

namespace warpbook::gpu {
namespace {

TEST(ScalarTypes, NamesAreNumPysAndReadBack) {
  struct Known {
    ScalarType type;
    const char* name;
    std::size_t bytes;
  };
  for (const Known& known : {Known{ScalarType::int8, "int8", 1},
                             {ScalarType::uint8, "uint8", 1},
                             {ScalarType::int16, "int16", 2},
                             {ScalarType::uint16, "uint16", 2},
                             {ScalarType::int32, "int32", 4},
                             {ScalarType::uint32, "uint32", 4},
                             {ScalarType::int64, "int64", 8},
                             {ScalarType::uint64, "uint64", 8},
                             {ScalarType::float32, "float32", 4},
                             {ScalarType::float64, "float64", 8}}) {
    EXPECT_EQ(name_of(known.type), known.name);
    EXPECT_EQ(size_of(known.type), known.bytes);
    EXPECT_EQ(scalar_type(known.name), known.type);
  }
}

TEST(ScalarTypes, OtherNamesAreNotTypes) {
  for (const char* name : {"", "int", "float", "Int32", "int32 ", "float16"}) EXPECT_FALSE(scalar_type(name).has_value()) << name;
}

TEST(Scalars, KeepTheirBitsAndNothingElse) {
  EXPECT_EQ(Scalar::of(std::int8_t{-1}).bits, 0xffu);
  EXPECT_EQ(Scalar::of(1.0f).bits, 0x3f800000u);
  EXPECT_EQ(Scalar::of(1.0).bits, 0x3ff0000000000000u);
  EXPECT_EQ(Scalar::of(std::uint64_t{1} << 63).type, ScalarType::uint64);
}

TEST(Shapes, CountWithoutOverflow) {
  EXPECT_EQ((Dim3{2147483647, 65535, 1}.count()), std::uint64_t{2147483647} * 65535);
  EXPECT_EQ((Dim3{.x = 0}.count()), 0u);
  EXPECT_EQ((Array{.name = "field", .type = ScalarType::float64, .shape = {3, 5}}.bytes()), 120u);
  EXPECT_EQ((Array{.name = "scalar", .type = ScalarType::int16, .shape = {}}.count()), 1u);
  EXPECT_EQ(to_string(Dim3{3, 0, 7}), "(3,0,7)");
}

TEST(Findings, AreNamedByTheWordsOfObserve) {
  const char* words[] = {"memory", "race", "init", "sync", "coalescing", "banks", "divergence"};
  static_assert(std::size(words) == finding_kinds);
  for (std::size_t i = 0; i < finding_kinds; ++i) EXPECT_EQ(name_of(static_cast<FindingKind>(i)), words[i]);
}

TEST(Observations, StartAsNotObserved) {
  Observations observed;
  EXPECT_EQ(observed[FindingKind::race], Observation::not_observed);
  observed[FindingKind::race] = Observation::none_found;
  EXPECT_EQ(observed[FindingKind::race], Observation::none_found);
  EXPECT_EQ(observed[FindingKind::init], Observation::not_observed);
}

}  // namespace
}  // namespace warpbook::gpu
