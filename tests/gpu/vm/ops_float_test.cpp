// f32 and f64 arithmetic against the host's floating-point unit in its own rounding modes.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "tests/gpu/vm/ops_oracle.h"

namespace {

using namespace ops_oracle;
using warpbook::gpu::ptx::TestP;

constexpr int float_rounds = 60000;

template <class T>
class Floats : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatTypes);

TYPED_TEST(Floats, EveryRoundingAgreesWithTheHost) {
  using T = TypeParam;
  Operands operands(21);
  for (int i = 0; i < float_rounds; ++i) {
    const volatile T va = operands.real<T>(), vc = operands.real<T>();
    const volatile T vb = i % 16 == 0 ? static_cast<T>(-va) : operands.real<T>();
    const T a = va, b = vb, c = vc;
    for (const Rounding rounding : directed) {
      const ops::FloatMode mode{.rounding = rounding};
      const auto where = [&] {
        return testing::Message() << i << ": " << a << " " << b << " " << c << " rounding " << int(rounding);
      };
      ASSERT_EQ(raw(ops::add(a, b, mode)), expected(in_host_mode(rounding, [&] { return static_cast<T>(va + vb); }))) << where();
      ASSERT_EQ(raw(ops::sub(a, b, mode)), expected(in_host_mode(rounding, [&] { return static_cast<T>(va - vb); }))) << where();
      ASSERT_EQ(raw(ops::mul(a, b, mode)), expected(in_host_mode(rounding, [&] { return static_cast<T>(va * vb); }))) << where();
      ASSERT_EQ(raw(ops::div(a, b, mode)), expected(in_host_mode(rounding, [&] { return static_cast<T>(va / vb); }))) << where();
      ASSERT_EQ(raw(ops::rcp(a, mode)), expected(in_host_mode(rounding, [&] { return static_cast<T>(1 / va); }))) << where();
      ASSERT_EQ(raw(ops::sqrt(a, mode)), expected(in_host_mode(rounding, [&] { return std::sqrt(static_cast<T>(va)); })))
          << where();
      ASSERT_EQ(
          raw(ops::fma(a, b, c, mode)),
          expected(in_host_mode(rounding, [&] { return std::fma(static_cast<T>(va), static_cast<T>(vb), static_cast<T>(vc)); })))
          << where();
    }
    ASSERT_EQ(raw(ops::fma(a, b, c)), raw(ops::fma(a, b, c, ops::FloatMode{})));
    // The exact path rounds to nearest too: it must agree with the hot form.
    if (std::isfinite(a) && std::isfinite(b) && std::isfinite(c)) {
      ASSERT_EQ(raw(ops::fma_rounded(a, b, c, Rounding::rn)), raw(ops::fma(a, b, c)));
      ASSERT_EQ(raw(ops::add_rounded(a, b, Rounding::rn)), raw(ops::add(a, b)));
      ASSERT_EQ(raw(ops::sqrt_rounded(a, Rounding::rn)), raw(ops::sqrt(a)));
      ASSERT_EQ(raw(ops::div_rounded(a, b, Rounding::rn)), raw(ops::div(a, b)));
    }
  }
}

// Products that lie next to a tie of the sum: where rounding twice would show.
TEST(Fma, IsRoundedOnce) {
  Operands operands(22);
  for (int i = 0; i < 300000; ++i) {
    const float a = std::bit_cast<float>(0x3f800000u | (static_cast<u32>(operands.bits()) & 0x7fffffu));
    const float b = std::bit_cast<float>(0x3f800000u | (static_cast<u32>(operands.bits()) & 0x7fffffu));
    const float c = std::ldexp(operands.bits() & 1 ? -a : a, static_cast<int>(operands.bits() % 120) - 60);
    const f128 exact = static_cast<f128>(a) * b + c;  // exponents at most 60 apart: 48 + 60 < 113 bits
    ASSERT_EQ(ops::fma(a, b, c), static_cast<float>(exact)) << a << " " << b << " " << c;
  }
  EXPECT_EQ(ops::fma(0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f), 0x1p-46f);
}

TEST(Nan, ResultsAreCanonical) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::bit_cast<float>(0xffc12345u);
  for (const float d :
       {ops::add(nan, 1.0f), ops::sub(infinity, infinity), ops::mul(0.0f, infinity), ops::div(0.0f, 0.0f), ops::sqrt(-1.0f),
        ops::fma(infinity, 0.0f, nan), ops::min(nan, nan), ops::max(nan, nan), ops::min_nan(1.0f, nan)})
    EXPECT_EQ(raw(d), 0x7fffffffu);
  EXPECT_EQ(raw(ops::div(0.0, 0.0)), 0xfff8000000000000u);
}

TEST(Ftz, FlushesOperandsAndResultsKeepingTheSign) {
  const float tiny = std::numeric_limits<float>::denorm_min(), smallest = std::numeric_limits<float>::min();
  const ops::FloatMode ftz{.ftz = true};
  EXPECT_EQ(raw(ops::add(-tiny, -tiny, ftz)), 0x80000000u);
  EXPECT_EQ(raw(ops::mul(tiny, 0x1p100f, ftz)), 0u);
  EXPECT_EQ(raw(ops::mul(smallest, -0.5f, ftz)), 0x80000000u);
  EXPECT_EQ(raw(ops::mul(smallest, 0.5f)), 0x00400000u);
  EXPECT_EQ(raw(ops::rcp(-tiny, ftz)), 0xff800000u);
  EXPECT_EQ(raw(ops::fma(smallest, 1.0f, -smallest * 1.5f, ftz)), 0x80000000u);
  EXPECT_EQ(raw(ops::flush(-tiny)), 0x80000000u);
  EXPECT_EQ(ops::flush(smallest), smallest);
  EXPECT_TRUE(std::isnan(ops::flush(std::numeric_limits<float>::quiet_NaN())));
}

TEST(Sat, ClampsToZeroAndOne) {
  const float infinity = std::numeric_limits<float>::infinity();
  const ops::FloatMode sat{.sat = true};
  EXPECT_EQ(ops::add(0.75f, 0.5f, sat), 1.0f);
  EXPECT_EQ(ops::mul(0.5f, 0.5f, sat), 0.25f);
  EXPECT_EQ(raw(ops::sub(0.5f, 0.75f, sat)), 0u);
  EXPECT_EQ(raw(ops::mul(-0.0f, 1.0f, sat)), 0u);
  EXPECT_EQ(raw(ops::sub(infinity, infinity, sat)), 0u);  // NaN → +0
  EXPECT_EQ(ops::fma(infinity, 1.0f, 0.0f, sat), 1.0f);
}

template <class T>
void check_order(T a, T b, bool maximum, T want, bool nan_mode) {
  const ops::OrderMode mode{.nan = nan_mode};
  ASSERT_EQ(raw(maximum ? ops::max(a, b, mode) : ops::min(a, b, mode)), expected(want))
      << a << " " << b << " " << maximum << nan_mode;
}
TYPED_TEST(Floats, MinAndMaxOrderZerosAndSkipNan) {
  using T = TypeParam;
  Operands operands(23);
  for (int i = 0; i < float_rounds; ++i) {
    const T a = operands.real<T>(), b = i % 8 ? operands.real<T>() : static_cast<T>(-a);
    for (const bool maximum : {false, true}) {
      T want;
      if (std::isnan(a) || std::isnan(b))
        want = std::isnan(a) ? b : a;
      else if (a == b)
        want = std::signbit(a) != maximum ? a : b;  // the zeros: min the negative, max the positive one
      else
        want = (a < b) != maximum ? a : b;
      check_order(a, b, maximum, want, false);
      if (std::isnan(a) || std::isnan(b)) want = std::numeric_limits<T>::quiet_NaN();
      check_order(a, b, maximum, want, true);
      ASSERT_EQ(raw(maximum ? ops::max_nan(a, b) : ops::min_nan(a, b)), expected(want));
    }
  }
}

TEST(MinMax, XorsignAbsAndThreeInputs) {
  const ops::OrderMode xorsign{.xorsign = true, .abs = true};
  EXPECT_EQ(ops::max(-3.0f, 2.0f, xorsign), -3.0f);
  EXPECT_EQ(ops::max(-3.0f, -4.0f, xorsign), 4.0f);
  EXPECT_EQ(ops::min(3.0f, -2.0f, xorsign), -2.0f);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ops::min(nan, -2.0f, xorsign), -2.0f);  // the NaN's sign counts: + ^ −
  EXPECT_EQ(raw(ops::min(nan, nan, xorsign)), 0x7fffffffu);
  EXPECT_EQ(ops::max(-3.0f, 1.0f, 2.0f, {}), 2.0f);
  EXPECT_EQ(ops::max(-3.0f, 1.0f, 2.0f, {.abs = true}), 3.0f);
  EXPECT_EQ(ops::min(3.0f, nan, 2.0f, {}), 2.0f);
  EXPECT_EQ(raw(ops::min(3.0f, nan, 2.0f, {.nan = true})), 0x7fffffffu);
  EXPECT_EQ(raw(ops::max(-1e-40f, -1.0f, {.ftz = true})), 0x80000000u);
}

TEST(SignBits, AbsNegCopysign) {
  EXPECT_EQ(raw(ops::abs(-0.0f)), 0u);
  EXPECT_EQ(raw(ops::neg(0.0)), 0x8000000000000000u);
  EXPECT_EQ(ops::copysign(-1.0f, 5.0f), -5.0f);  // PTX: the sign of the first operand
  EXPECT_EQ(ops::copysign(1.0, -5.0), 5.0);
  EXPECT_EQ(raw(ops::abs(std::bit_cast<double>(0xfff8000000000123u))), 0x7ff8000000000123u);
}

TEST(TestP, ClassifiesWithZerosAsNormal) {
  struct Row {
    float value;
    bool finite, infinite, number, normal, subnormal;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const Row rows[] = {{0.0f, true, false, true, true, false},      {-0.0f, true, false, true, true, false},
                      {1.0f, true, false, true, true, false},      {-1e-40f, true, false, true, false, true},
                      {infinity, false, true, true, false, false}, {std::nanf(""), false, false, false, false, false}};
  for (const Row& row : rows) {
    EXPECT_EQ(ops::testp(TestP::finite, row.value), row.finite);
    EXPECT_EQ(ops::testp(TestP::infinite, row.value), row.infinite);
    EXPECT_EQ(ops::testp(TestP::number, row.value), row.number);
    EXPECT_EQ(ops::testp(TestP::notanumber, row.value), !row.number);
    EXPECT_EQ(ops::testp(TestP::normal, row.value), row.normal);
    EXPECT_EQ(ops::testp(TestP::subnormal, row.value), row.subnormal);
  }
}

}  // namespace
