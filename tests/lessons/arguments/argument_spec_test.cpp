// --arg specs: what each means, and what each wrong one is told.
#include "lessons/arguments/argument_spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "lessons/arguments/generators.h"

namespace warpbook::lessons {
namespace {

ArgumentSpec parsed_spec(std::string_view text) {
  auto spec = parse_argument_spec(text);
  EXPECT_TRUE(spec) << text << ": " << (spec ? "" : spec.error().message);
  return spec ? *spec : ArgumentSpec{};
}

template <class T>
std::vector<T> values(std::string_view text) {
  auto bytes = initial_bytes(parsed_spec(text));
  EXPECT_TRUE(bytes) << text;
  std::vector<T> out(bytes ? bytes->size() / sizeof(T) : 0);
  if (bytes) std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

std::string refused(std::string_view text) {
  auto spec = parse_argument_spec(text);
  EXPECT_FALSE(spec) << text << " was accepted";
  return spec ? std::string() : spec.error().message;
}

TEST(ArgumentSpec, Scalars) {
  EXPECT_EQ(values<std::int32_t>("int32=5"), std::vector{5});
  EXPECT_EQ(values<std::int32_t>("int32=-2147483648"), std::vector{std::numeric_limits<std::int32_t>::min()});
  EXPECT_EQ(values<std::uint32_t>("uint32=0xff"), std::vector{255u});
  EXPECT_EQ(values<std::uint64_t>("uint64=18446744073709551615"), std::vector{~std::uint64_t{0}});
  EXPECT_EQ(values<float>("float32=0.25"), std::vector{0.25f});
  EXPECT_EQ(values<float>("float32=0.1"), std::vector{0.1f});  // rounded once, from the text
  EXPECT_EQ(values<double>("float64=1e-300"), std::vector{1e-300});
  EXPECT_TRUE(std::isnan(values<float>("float32=nan").at(0)));
  EXPECT_EQ(values<double>("float64=-inf"), std::vector{-std::numeric_limits<double>::infinity()});
  EXPECT_FALSE(parsed_spec("int32=5").is_array);
  EXPECT_EQ(parsed_spec("int32=5").type_text(), "int32");
}

TEST(ArgumentSpec, ArraysAndShapes) {
  const ArgumentSpec spec = parsed_spec("float32[3x4]=zeros");
  EXPECT_TRUE(spec.is_array);
  EXPECT_EQ(spec.shape, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(spec.type_text(), "float32[3x4]");
  EXPECT_EQ(values<float>("float32[3x4]=zeros"), std::vector<float>(12, 0));
  EXPECT_EQ(values<std::int16_t>("int16[2]=ones"), (std::vector<std::int16_t>{1, 1}));
  EXPECT_EQ(values<std::int32_t>("int32[2]=7"), (std::vector<std::int32_t>{7, 7}));
  EXPECT_EQ(values<double>("float64[2]=-0.5"), (std::vector<double>{-0.5, -0.5}));
}

TEST(ArgumentSpec, StructsAreTheirMembersInOrder) {
  const ArgumentSpec spec = parsed_spec("{int32=16, int32=8,float32[8x16]=uniform:0:1:7}");
  EXPECT_TRUE(spec.is_struct());
  EXPECT_FALSE(spec.is_array);
  ASSERT_EQ(spec.members.size(), 3U);
  EXPECT_EQ(spec.members[1].value.bits, 8U);
  EXPECT_EQ(spec.members[2].shape, (std::vector<std::size_t>{8, 16}));
  EXPECT_EQ(spec.members[2].seed, 7U);
  EXPECT_EQ(spec.type_text(), "{int32, int32, float32[8x16]}");
  const ArgumentSpec nested = parsed_spec("{ { int8=1 } ,{float32=2,{float64=3}}}");
  EXPECT_EQ(nested.type_text(), "{{int8}, {float32, {float64}}}");
  EXPECT_FALSE(parsed_spec("int32=5").is_struct());
}

TEST(ArgumentSpec, IotaWrapsToItsType) {
  EXPECT_EQ(values<std::int32_t>("int32[4]=iota"), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(values<float>("float32[3]=iota"), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(values<std::int32_t>("int32[2x2]=4, -8,0x10,1"), (std::vector<std::int32_t>{4, -8, 16, 1}));
  EXPECT_EQ(values<double>("float64[2]=1e3,-0.5"), (std::vector<double>{1000, -0.5}));
  const auto bytes = values<std::uint8_t>("uint8[258]=iota");
  EXPECT_EQ(bytes[255], 255);
  EXPECT_EQ(bytes[256], 0);
  EXPECT_EQ(values<std::int8_t>("int8[130]=iota")[128], -128);
  EXPECT_EQ(values<std::uint16_t>("uint16[65537]=iota")[65536], 0);
}

TEST(Generators, SameNumbersOnEveryMachine) {
  // Seed 7's first three, from the engine's published recurrence in Python's integers.
  Random random(7);
  EXPECT_EQ(random.uniform(), 0x1.823eca63d6cdbp-1);
  EXPECT_EQ(random.uniform(), 0x1.e60acea8f4698p-1);
  EXPECT_EQ(random.uniform(), 0x1.e0edcc1206960p-4);
  // Pinned to the last bit: a compiler that fuses a * b + c, or another logarithm, would change it.
  Random normal(7);
  EXPECT_EQ(normal.normal(), -0x1.f1f3c2f1a30bfp-1);
  EXPECT_EQ(normal.normal(), 0x1.bed1e6a2baf15p-1);
  EXPECT_EQ(normal.normal(), 0x1.74868e51a143dp+0);
}

TEST(Generators, NormalFollowsThePolarMethod) {
  Random random(3);
  std::mt19937_64 raw(3);
  const auto draw = [&] { return 2 * (static_cast<double>(raw() >> 11) * 0x1p-53) - 1; };
  for (int pair = 0; pair < 1000; ++pair) {
    double u = 0, v = 0, s = 2;
    while (s >= 1 || s == 0) {
      u = draw();
      v = draw();
      s = u * u + v * v;
    }
    const double factor = std::sqrt(-2 * std::log(s) / s);  // the C library's logarithm agrees to the last digits
    EXPECT_NEAR(random.normal(), u * factor, 1e-14 * std::abs(u * factor) + 1e-300);
    EXPECT_NEAR(random.normal(), v * factor, 1e-14 * std::abs(v * factor) + 1e-300);
  }
}

TEST(Generators, UniformStaysInItsRange) {
  const auto floats = values<float>("float32[100000]=uniform:-1:3:11");
  double sum = 0;
  for (const float x : floats) {
    ASSERT_GE(x, -1.0f);
    ASSERT_LT(x, 3.0f);
    sum += x;
  }
  EXPECT_NEAR(sum / 1e5, 1.0, 0.02);  // 5 standard errors of 4/√12/√100000
  std::vector<int> seen(6, 0);
  for (const std::int32_t x : values<std::int32_t>("int32[60000]=uniform:0:6:2")) {
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 6);
    ++seen[static_cast<std::size_t>(x)];
  }
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);
}

TEST(Generators, NormalHasItsMomentsAndIntegersClamp) {
  double sum = 0, squares = 0;
  const auto draws = values<double>("float64[200000]=normal:2:0.5:5");
  for (const double x : draws) {
    sum += x;
    squares += (x - 2) * (x - 2);
  }
  EXPECT_NEAR(sum / 2e5, 2, 0.006);
  EXPECT_NEAR(squares / 2e5, 0.25, 0.005);
  for (const std::uint8_t x : values<std::uint8_t>("uint8[100]=normal:-1000:1:1")) EXPECT_EQ(x, 0);
  EXPECT_EQ(values<float>("float32[5]=normal:3:0:1"), std::vector<float>(5, 3.0f));
}

TEST(Generators, SeedsDifferAndMayBeLeftOut) {
  EXPECT_EQ(values<float>("float32[9]=uniform:0:1"), values<float>("float32[9]=uniform:0:1:0"));
  EXPECT_NE(values<float>("float32[9]=uniform:0:1:1"), values<float>("float32[9]=uniform:0:1:2"));
}

struct Refusal {
  const char* spec;
  const char* names;  // what the sentence must contain besides the spec
};
class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithTheOffendingTextAndAWayOn) {
  const auto [spec, names] = GetParam();
  const std::string sentence = refused(spec);
  EXPECT_NE(sentence.find(names), std::string::npos) << sentence;
  EXPECT_NE(sentence.find(spec), std::string::npos) << sentence;
  EXPECT_TRUE(sentence.find("Example") != std::string::npos || sentence.find("may be") != std::string::npos) << sentence;
}

INSTANTIATE_TEST_SUITE_P(
    ArgumentSpec, Refused,
    ::testing::Values(Refusal{"", "''"}, Refusal{"int=5", "'int'"}, Refusal{"int32", "missing"}, Refusal{"int32=", "''"},
                      Refusal{"int32=five", "'five'"}, Refusal{"int32=1.5", "'1.5'"}, Refusal{"int8=300", "from -128 to 127"},
                      Refusal{"uint8=-1", "from 0 to 255"}, Refusal{"int32=5 ", "'5 '"}, Refusal{"int32=0x", "'0x'"},
                      Refusal{"float32=1..2", "'1..2'"}, Refusal{"int32=iota", "'iota'"}, Refusal{"int32[]=iota", "no shape"},
                      Refusal{"int32[0]=iota", "'0'"}, Refusal{"int32[4x]=iota", "'4x'"}, Refusal{"int32[4,4]=iota", "'4,4'"},
                      Refusal{"int32[-4]=iota", "'-4'"}, Refusal{"int32[4=iota", "']'"}, Refusal{"int32[4]", "missing"},
                      Refusal{"int32[4]=ramp", "'ramp'"}, Refusal{"int32[4]=@", "after '@'"},
                      Refusal{"int32[99999999999x99999999999]=zeros", "bytes"}, Refusal{"float32[4]=uniform", "uniform:LO:HI:SEED"},
                      Refusal{"float32[4]=uniform:1", "uniform:LO:HI:SEED"},
                      Refusal{"float32[4]=uniform:0:1:2:3", "uniform:LO:HI:SEED"},
                      Refusal{"float32[4]=uniform:0:1:-2", "uniform:LO:HI:SEED"}, Refusal{"float32[4]=uniform:1:0:1", "not below"},
                      Refusal{"float32[4]=normal:0:-1:1", "below 0"}, Refusal{"float32[4]=normal:a:1:1", "normal:MEAN:SD:SEED"},
                      Refusal{"{}", "its member 0"}, Refusal{"{int32=1,}", "its member 1"}, Refusal{"{int32=1", "'}' is missing"},
                      Refusal{"{int32=1}}", "'}' stands behind"}, Refusal{"{int32=1},", "',' stands behind"},
                      Refusal{"{int32=1,{int=2}}", "'int'"}, Refusal{"{int32=1,int32=x}", "Member 1 of"},
                      Refusal{"{{{{{{{{{{{{{{{{{int32=1}}}}}}}}}}}}}}}}}", "16 deep"},
                      Refusal{"int32[3]=1,2", "3 elements, and 2 are listed"}, Refusal{"int32[2]=1,2,3", "and 3 are listed"},
                      Refusal{"int32[2]=1,", "''"}, Refusal{"int8[2]=1,300", "'300'"}, Refusal{"int32=1,2", "'1,2'"}));

}  // namespace
}  // namespace warpbook::lessons
