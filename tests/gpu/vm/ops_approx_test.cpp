// Approximations against long double, with the error bounds that the PTX ISA states, and its tables of special inputs.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <numbers>

#include "tests/gpu/vm/ops_oracle.h"

namespace {

using namespace ops_oracle;

const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr u32 stride = 2003;  // of all 2^32 bit patterns: two million, every exponent among them

/// Distance in units of the last place of the correctly rounded value.
double ulps(float got, long double want) {
  const float nearest = static_cast<float>(want);
  if (got == nearest) return 0;
  const float next = std::nextafter(std::abs(nearest), infinity);
  return static_cast<double>(std::abs(got - want) / (next - std::abs(nearest)));
}

template <class Got, class Check>
void sweep(Got got, Check check) {
  for (u64 bits = 0; bits < 1ull << 32; bits += stride) {
    const float a = std::bit_cast<float>(static_cast<u32>(bits));
    if (!check(a, got(a))) {
      ADD_FAILURE() << "at " << a << ": " << got(a);
      return;
    }
  }
}
bool is_canonical(float d) { return raw(d) == 0x7fffffffu; }

TEST(Approx, Ex2IsWithinTwoUlp) {
  sweep([](float a) { return ops::ex2_approx(a); },
        [](float a, float d) {
          if (std::isnan(a)) return is_canonical(d);
          return ulps(d, std::exp2(static_cast<long double>(a))) <= 2;
        });
  for (const float zero : {0.0f, -0.0f, 1e-40f, -1e-40f}) EXPECT_EQ(ops::ex2_approx(zero, {.ftz = true}), 1.0f);
  EXPECT_EQ(raw(ops::ex2_approx(-infinity)), 0u);
  EXPECT_EQ(ops::ex2_approx(infinity), infinity);
  EXPECT_EQ(ops::ex2_approx(-149.0f), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(raw(ops::ex2_approx(-127.0f, {.ftz = true})), 0u);
  EXPECT_EQ(ops::ex2_approx(-126.0f, {.ftz = true}), std::numeric_limits<float>::min());
  for (int n = -149; n < 128; ++n) ASSERT_EQ(ops::ex2_approx(static_cast<float>(n)), std::ldexp(1.0f, n));
}

TEST(Approx, Lg2IsWithinTwoToMinus22) {
  sweep([](float a) { return ops::lg2_approx(a); },
        [](float a, float d) {
          if (std::isnan(a) || a < 0) return is_canonical(d);
          if (a == 0) return d == -infinity;
          if (std::isinf(a)) return d == infinity;
          const long double want = std::log2(static_cast<long double>(a)), error = std::abs(d - want);
          return error <= 0x1p-22L * (a > 0.5f && a < 2.0f ? 1.0L : std::abs(want));
        });
  EXPECT_EQ(ops::lg2_approx(-0.0f), -infinity);
  EXPECT_EQ(ops::lg2_approx(1e-40f, {.ftz = true}), -infinity);
  EXPECT_EQ(raw(ops::lg2_approx(1.0f)), 0u);
  for (int n = -149; n < 128; ++n) ASSERT_EQ(ops::lg2_approx(std::ldexp(1.0f, n)), static_cast<float>(n));
}

TEST(Approx, SineAndCosineAreWithinTheIsaBoundInOneTurn) {
  const auto bound = [](float a, float d, long double want) {
    if (!std::isfinite(a)) return is_canonical(d);
    const float angle = std::abs(a);
    if (angle > 6.2831855f) return d >= -1 && d <= 1;  // PTX states no bound out here
    return static_cast<double>(std::abs(d - want)) <= 0x1p-20;
  };
  sweep([](float a) { return ops::sin_approx(a); },
        [&](float a, float d) { return bound(a, d, std::sin(static_cast<long double>(a))); });
  sweep([](float a) { return ops::cos_approx(a); },
        [&](float a, float d) { return bound(a, d, std::cos(static_cast<long double>(a))); });
  for (int i = 0; i <= 200000; ++i) {  // within half a turn the bound is 2^−20.5
    const float a = static_cast<float>((i - 100000) * (std::numbers::pi / 100000));
    ASSERT_LE(std::abs(ops::sin_approx(a) - std::sin(static_cast<long double>(a))), std::exp2(-20.5L)) << a;
    ASSERT_LE(std::abs(ops::cos_approx(a) - std::cos(static_cast<long double>(a))), std::exp2(-20.5L)) << a;
  }
  EXPECT_EQ(raw(ops::sin_approx(-0.0f)), 0x80000000u);
  EXPECT_EQ(raw(ops::sin_approx(0.0f)), 0u);
  EXPECT_EQ(raw(ops::sin_approx(-1e-40f, {.ftz = true})), 0x80000000u);
  EXPECT_EQ(ops::cos_approx(0.0f), 1.0f);
  EXPECT_EQ(ops::cos_approx(-1e-40f, {.ftz = true}), 1.0f);
}

TEST(Approx, TanhIsWithinTwoToMinus11) {
  sweep([](float a) { return ops::tanh_approx(a); },
        [](float a, float d) {
          if (std::isnan(a)) return is_canonical(d);
          if (std::abs(a) < 1e-30f) return raw(d) == raw(a);  // small ones pass through, subnormals too
          const long double want = std::tanh(static_cast<long double>(a));
          return std::abs(d - want) <= 0x1p-20L * std::abs(want) && std::abs(d) <= 1;
        });
  EXPECT_EQ(ops::tanh_approx(-infinity), -1.0f);
  EXPECT_EQ(ops::tanh_approx(infinity), 1.0f);
  EXPECT_EQ(raw(ops::tanh_approx(-0.0f)), 0x80000000u);
}

TEST(Approx, ReciprocalsAndRoots) {
  sweep([](float a) { return ops::rcp_approx(a); },
        [](float a, float d) {
          if (std::isnan(a)) return is_canonical(d);
          return a == 0 ? std::isinf(d) && std::signbit(d) == std::signbit(a) : ulps(d, 1 / static_cast<long double>(a)) <= 1;
        });
  sweep([](float a) { return ops::sqrt_approx(a); },
        [](float a, float d) {
          if (std::isnan(a) || a < 0) return is_canonical(d);
          return d == std::sqrt(a) && std::signbit(d) == std::signbit(a);
        });
  sweep([](float a) { return ops::rsqrt_approx(a); },
        [](float a, float d) {
          if (std::isnan(a) || a < 0) return is_canonical(d);
          if (a == 0) return std::isinf(d) && std::signbit(d) == std::signbit(a);
          return ulps(d, 1 / std::sqrt(static_cast<long double>(a))) <= 1;
        });
  const ops::FloatMode ftz{.ftz = true};
  EXPECT_EQ(ops::rcp_approx(-1e-40f, ftz), -infinity);
  EXPECT_EQ(raw(ops::rcp_approx(-0x1p127f, ftz)), 0x80000000u);
  EXPECT_EQ(raw(ops::rcp_approx(-infinity)), 0x80000000u);
  EXPECT_EQ(raw(ops::sqrt_approx(-1e-40f, ftz)), 0x80000000u);
  EXPECT_EQ(ops::rsqrt_approx(-1e-40f, ftz), -infinity);
  EXPECT_EQ(raw(ops::rsqrt_approx(infinity)), 0u);
}

TEST(Approx, DivisionByHugeNumbersIsZeroOrNan) {
  Operands operands(31);
  for (int i = 0; i < 200000; ++i) {
    const float a = operands.real<float>(), b = operands.real<float>(), d = ops::div_approx(a, b);
    if (std::isnan(a) || std::isnan(b)) {
      ASSERT_TRUE(is_canonical(d));
    } else if (std::abs(b) > 0x1p126f) {
      if (std::isinf(a)) {
        ASSERT_TRUE(is_canonical(d));
      } else
        ASSERT_EQ(raw(d), std::signbit(a) != std::signbit(b) ? 0x80000000u : 0u) << a << " " << b;
    } else {
      ASSERT_EQ(raw(d), expected(a / b));
    }
    ASSERT_EQ(raw(ops::div_full(a, b)), expected(a / b));
  }
  EXPECT_EQ(ops::div_approx(1.0f, 0x1p126f), 0x1p-126f);
}

// CUDA's double division refines rcp.approx.ftz.f64 by Newton's steps; two must suffice from what it returns.
TEST(ApproxDouble, GivesTheUpperWordGoodEnoughToRefine) {
  Operands operands(32);
  for (int i = 0; i < 200000; ++i) {
    const double a = std::bit_cast<double>((operands.bits() & 0x000fffffffffffffull) | (1023 - 500 + operands.bits() % 1000) << 52);
    double d = ops::rcp_approx(a);
    ASSERT_EQ(raw(d) & 0xffffffffu, 0u);
    ASSERT_LE(std::abs(d * a - 1), 0x1p-19);
    for (int step = 0; step < 2; ++step) d = std::fma(std::fma(-a, d, 1.0), d, d);
    ASSERT_LE(std::abs(std::fma(d, a, -1.0)), 0x1p-52);
    double r = ops::rsqrt_approx_ftz(a);
    ASSERT_EQ(raw(r) & 0xffffffffu, 0u);
    ASSERT_LE(std::abs(r * r * a - 1), 0x1p-18);
  }
  const double big = std::numeric_limits<double>::infinity();
  EXPECT_EQ(raw(ops::rcp_approx(-big)), 0x8000000000000000u);
  EXPECT_EQ(ops::rcp_approx(-1e-310), -big);
  EXPECT_EQ(ops::rcp_approx(-0.0), -big);
  EXPECT_EQ(ops::rcp_approx(0.0), big);
  EXPECT_EQ(raw(ops::rcp_approx(1.7e308)), 0u);
  EXPECT_EQ(raw(ops::rcp_approx(std::nan(""))), 0x7fffffff00000000u);
  EXPECT_EQ(ops::rsqrt_approx_ftz(-1e-310), -big);
  EXPECT_EQ(ops::rsqrt_approx_ftz(4.0), 0.5);
  EXPECT_EQ(raw(ops::rsqrt_approx_ftz(big)), 0u);
  EXPECT_TRUE(std::isnan(ops::rsqrt_approx_ftz(-1.0)));
  EXPECT_EQ(ops::rsqrt_approx(0.25), 2.0);
}

}  // namespace
