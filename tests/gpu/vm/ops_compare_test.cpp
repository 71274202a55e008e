// Comparisons: every operator, by its definition in words, over values that include NaN and both zeros.
#include <gtest/gtest.h>

#include <limits>

#include "tests/gpu/vm/ops_oracle.h"

namespace {

using namespace ops_oracle;
using warpbook::gpu::ptx::Boolean;
using warpbook::gpu::ptx::Compare;

constexpr Compare ordered[] = {Compare::eq, Compare::ne, Compare::lt, Compare::le, Compare::gt, Compare::ge};
constexpr Compare unordered[] = {Compare::equ, Compare::neu, Compare::ltu, Compare::leu, Compare::gtu, Compare::geu};

/// Which of less, equal, greater the six ask for.
bool holds(int operation, bool less, bool equal, bool greater) {
  const bool table[] = {equal, less || greater, less, less || equal, greater, greater || equal};
  return table[operation];
}

template <class T>
void check_floats(const std::vector<T>& values, double (*value)(T)) {
  for (const T a : values)
    for (const T b : values) {
      const double x = value(a), y = value(b);
      const bool nan = std::isnan(x) || std::isnan(y);
      for (int i = 0; i < 6; ++i) {
        const bool numbers = !nan && holds(i, x<y, x == y, x> y);
        EXPECT_EQ(ops::compare(ordered[i], a, b), numbers) << x << " " << y << " operation " << i;
        EXPECT_EQ(ops::compare(unordered[i], a, b), nan || numbers) << x << " " << y << " operation " << i;
      }
      EXPECT_EQ(ops::compare(Compare::num, a, b), !nan);
      EXPECT_EQ(ops::compare(Compare::nan, a, b), nan);
    }
}

TEST(Compare, FloatsOrderedAndUnordered) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{0.0f, -0.0f, 1.0f, -1.0f, 1e-40f, -1e-40f, infinity, -infinity, nan, -nan};
  check_floats<float>(values, [](float a) { return static_cast<double>(a); });
  check_floats<double>({values.begin(), values.end()}, [](double a) { return a; });
  std::vector<f16> halves;
  std::vector<bf16> brains;
  for (const float a : values) {
    halves.push_back(ops::from_float<f16>(a));
    brains.push_back(ops::from_float<bf16>(a));
  }
  halves.push_back({0xfe00});
  check_floats<f16>(halves, [](f16 a) { return static_cast<double>(ops::to_float(a)); });
  check_floats<bf16>(brains, [](bf16 a) { return static_cast<double>(ops::to_float(a)); });
}

template <class T>
class CompareIntegers : public testing::Test {};
using ComparedTypes = testing::Types<u8, u16, u32, u64, s8, s16, s32, s64>;
TYPED_TEST_SUITE(CompareIntegers, ComparedTypes);

TYPED_TEST(CompareIntegers, SignedByTypeAndUnsignedByName) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  Operands operands(51);
  for (int i = 0; i < 5000; ++i) {
    const T a = operands.integer<T>(), b = i % 5 ? operands.integer<T>() : a;
    for (int n = 0; n < 6; ++n) ASSERT_EQ(ops::compare(ordered[n], a, b), holds(n, a < b, a == b, b < a));
    const U x = static_cast<U>(a), y = static_cast<U>(b);
    ASSERT_EQ(ops::compare(Compare::lo, a, b), x < y);
    ASSERT_EQ(ops::compare(Compare::ls, a, b), x <= y);
    ASSERT_EQ(ops::compare(Compare::hi, a, b), x > y);
    ASSERT_EQ(ops::compare(Compare::hs, a, b), x >= y);
  }
}

TEST(Compare, CombinesAndBecomesAValue) {
  for (const bool p : {false, true})
    for (const bool q : {false, true}) {
      EXPECT_EQ(ops::combine(Boolean::none, p, q), p);
      EXPECT_EQ(ops::combine(Boolean::and_, p, q), p && q);
      EXPECT_EQ(ops::combine(Boolean::or_, p, q), p || q);
      EXPECT_EQ(ops::combine(Boolean::xor_, p, q), p != q);
    }
  EXPECT_EQ(ops::set_value<u32>(true), 0xffffffffu);
  EXPECT_EQ(ops::set_value<s32>(true), -1);
  EXPECT_EQ(ops::set_value<u16>(true), 0xffff);
  EXPECT_EQ(ops::set_value<float>(true), 1.0f);
  EXPECT_EQ(ops::set_value<f16>(true).bits, 0x3c00);
  EXPECT_EQ(ops::set_value<bf16>(true).bits, 0x3f80);
  EXPECT_EQ(ops::set_value<u32>(false), 0u);
  EXPECT_TRUE(ops::slct_first(-0.0f));
  EXPECT_FALSE(ops::slct_first(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_TRUE(ops::slct_first(s32{0}));
  EXPECT_FALSE(ops::slct_first(s32{-1}));
}

}  // namespace
