// f16 and bf16 against a search for the nearest value among all 65536, exactly, in 113-bit arithmetic.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "tests/gpu/vm/ops_oracle.h"

namespace {

using namespace ops_oracle;
using ops::bf16x2, ops::f16x2;

template <class T>
class Halves : public testing::Test {};
using HalfTypes = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(Halves, HalfTypes);

template <class T>
constexpr u16 half_infinity = std::is_same_v<T, f16> ? 0x7c00 : 0x7f80;
template <class T>
bool is_infinite(T a) {
  return (a.bits & 0x7fff) == half_infinity<T>;
}
template <class T>
bool is_finite(T a) {
  return !nan_bits(a) && !is_infinite(a);
}
template <class T>
double value(T a) {
  return is_infinite(a) ? (a.bits & 0x8000 ? -HUGE_VAL : HUGE_VAL)
         : nan_bits(a)  ? std::nan("")
                        : static_cast<double>(half_value(a));
}
/// What an operation on special values gives; the finite ones are left to the exact oracle.
template <class T>
u16 special(double d) {
  return std::isnan(d) ? 0x7fff : static_cast<u16>(half_infinity<T> | (std::signbit(d) ? 0x8000 : 0));
}

TYPED_TEST(Halves, EveryValueGoesToFloatAndBack) {
  using T = TypeParam;
  for (u32 bits = 0; bits < 65536; ++bits) {
    const T a{static_cast<u16>(bits)};
    const float wide = ops::to_float(a);
    if (nan_bits(a)) {
      ASSERT_TRUE(std::isnan(wide));
      ASSERT_EQ(ops::from_float<T>(wide).bits, 0x7fff);
      if (std::is_same_v<T, f16>) {
        ASSERT_EQ(raw(wide), 0x7fffffffu);
      }
    } else {
      ASSERT_EQ(static_cast<double>(wide), value(a)) << bits;
      ASSERT_EQ(std::signbit(wide), (bits & 0x8000) != 0);
      ASSERT_EQ(ops::from_float<T>(wide).bits, bits);
      ASSERT_EQ(ops::from_double<T>(static_cast<double>(wide)).bits, bits);
    }
  }
}

// At, just below and just above every boundary between two neighbours: where rounding can go wrong.
TYPED_TEST(Halves, FloatAndDoubleRoundCorrectlyAtEveryBoundary) {
  using T = TypeParam;
  for (u32 bits = 0; bits < half_infinity<T>; ++bits) {
    const double low = value(T{static_cast<u16>(bits)});
    const double high =
        bits + 1 == half_infinity<T> ? 2 * low - value(T{static_cast<u16>(bits - 1)}) : value(T{static_cast<u16>(bits + 1)});
    const double middle = (low + high) / 2;
    for (const double sign : {1.0, -1.0})
      for (const double at :
           {low, std::nextafter(low, 1e300), std::nextafter(middle, 0.0), middle, std::nextafter(middle, 1e300)}) {
        const double x = sign * at;
        ASSERT_EQ(ops::from_double<T>(x).bits, half_nearest<T>(at, 0, Rounding::rn).bits | (sign < 0 ? 0x8000 : 0)) << x;
        const float narrow = static_cast<float>(x);
        for (const float y : {narrow, std::nextafter(narrow, 0.0f), std::nextafter(narrow, std::copysign(INFINITY, narrow))}) {
          if (!std::isfinite(y)) continue;
          const u16 want = half_nearest<T>(static_cast<f128>(std::abs(y)), 0, Rounding::rn).bits;
          ASSERT_EQ(ops::from_float<T>(y).bits, want | (std::signbit(y) ? 0x8000 : 0)) << y;
          for (const Rounding rounding : directed) {
            const u16 got = ops::convert<T>(y, {.rounding = rounding}).bits;
            const T rounded = half_nearest<T>(static_cast<f128>(y), 0, rounding);
            ASSERT_EQ(got & 0x7fff, rounded.bits & 0x7fff) << y << " rounding " << int(rounding);
          }
        }
      }
  }
  EXPECT_EQ(ops::from_float<T>(INFINITY).bits, half_infinity<T>);
  EXPECT_EQ(ops::from_float<T>(-std::numeric_limits<float>::max()).bits, half_infinity<T> | 0x8000);
}

template <class T>
T random_half(Operands& operands) {
  const u64 bits = operands.bits();
  if (bits % 4 == 0) return T{static_cast<u16>(bits >> 8)};  // any bits
  constexpr int fraction = std::is_same_v<T, f16> ? 10 : 7, bias = std::is_same_v<T, f16> ? 15 : 127;
  const u64 exponent = bias - 6 + (bits >> 32) % 12, low = (bits >> 8) & ((1u << fraction) - 1);
  const u64 subnormal = bits % 64 == 1 ? 0 : exponent;
  return T{static_cast<u16>((bits >> 63) << 15 | subnormal << fraction | low)};
}

template <class T>
void check(T got, f128 exact, f128 rest, bool negative_zero, const char* name, T a, T b) {
  const T want = half_nearest<T>(exact, rest, Rounding::rn);
  const u16 zero_sign = exact == 0 && negative_zero ? 0x8000 : 0;
  ASSERT_EQ(got.bits, want.bits | zero_sign) << name << " " << a.bits << " " << b.bits;
}

TYPED_TEST(Halves, ArithmeticIsRoundedOnce) {
  using T = TypeParam;
  Operands operands(41);
  for (int i = 0; i < 300000; ++i) {
    const T a = random_half<T>(operands), b = random_half<T>(operands), c = random_half<T>(operands);
    const double x = value(a), y = value(b), z = value(c);
    if (!is_finite(a) || !is_finite(b)) {
      if (!std::isfinite(x + y)) {
        ASSERT_EQ(ops::add(a, b).bits, special<T>(x + y));
      }
      if (!std::isfinite(x - y)) {
        ASSERT_EQ(ops::sub(a, b).bits, special<T>(x - y));
      }
      if (!std::isfinite(x * y)) {
        ASSERT_EQ(ops::mul(a, b).bits, special<T>(x * y));
      }
      if (!std::isfinite(x * y + z)) {
        ASSERT_EQ(ops::fma(a, b, c).bits, special<T>(x * y + z));
      }
      continue;
    }
    const f128 p = half_value(a), q = half_value(b);
    // Two numbers of 11 bits whose exponents lie up to 265 apart: the rest is what 113 bits cannot hold (TwoSum).
    const auto rest_of = [](f128 u, f128 v) {
      const f128 sum = u + v, part = sum - u;
      return (u - (sum - part)) + (v - part);
    };
    check(ops::add(a, b), p + q, rest_of(p, q), std::signbit(x) && std::signbit(y), "add", a, b);
    check(ops::sub(a, b), p - q, rest_of(p, -q), std::signbit(x) && !std::signbit(y), "sub", a, b);
    const bool product_sign = std::signbit(x) != std::signbit(y);
    const T product = ops::mul(a, b);
    ASSERT_EQ(product.bits & 0x7fff, half_nearest<T>(p * q, 0, Rounding::rn).bits & 0x7fff) << a.bits << " " << b.bits;
    ASSERT_EQ((product.bits & 0x8000) != 0, product_sign);
    if (is_finite(c)) {
      const f128 sum = p * q + half_value(c), rest = rest_of(p * q, half_value(c));
      const T got = ops::fma(a, b, c), want = half_nearest<T>(sum, rest, Rounding::rn);
      ASSERT_EQ(got.bits & 0x7fff, want.bits & 0x7fff) << a.bits << " " << b.bits << " " << c.bits;
      const bool negative = sum < 0 || (sum == 0 && product_sign && std::signbit(z));
      ASSERT_EQ((got.bits & 0x8000) != 0, negative);
    } else {
      ASSERT_EQ(ops::fma(a, b, c).bits, special<T>(z));
    }
    const u16 min_bits = x == y  ? a.bits | b.bits
                         : x < y ? a.bits
                                 : b.bits,
              max_bits = x == y  ? a.bits & b.bits
                         : x < y ? b.bits
                                 : a.bits;
    ASSERT_EQ(ops::min(a, b).bits, min_bits);
    ASSERT_EQ(ops::max(a, b).bits, max_bits);
  }
}

// A product halfway between two values, and the smallest addend there is: rounding twice would lose it.
TYPED_TEST(Halves, ATinyAddendBreaksATie) {
  using T = TypeParam;
  constexpr bool is_f16 = std::is_same_v<T, f16>;
  const auto number = [](float a) { return ops::from_float<T>(a); };
  const T tiny{0x0001}, minus_tiny{0x8001}, zero{0};
  // Neighbours lie 2 apart from 2^8 (bf16) or 2^11 (f16) on: 261 = 9·29 and 2049 = 3·683 go down to even, 259 = 7·37 and
  // 2051 = 7·293 up.
  const T a = number(is_f16 ? 3 : 9), b = number(is_f16 ? 683 : 29), c = number(7), d = number(is_f16 ? 293 : 37);
  const float down = is_f16 ? 2049 : 261, up = is_f16 ? 2051 : 259;
  EXPECT_EQ(value(ops::fma(a, b, zero)), down - 1);
  EXPECT_EQ(value(ops::fma(a, b, tiny)), down + 1);
  EXPECT_EQ(value(ops::fma(a, b, minus_tiny)), down - 1);
  EXPECT_EQ(value(ops::fma(c, d, zero)), up + 1);
  EXPECT_EQ(value(ops::fma(c, d, minus_tiny)), up - 1);
  EXPECT_EQ(value(ops::fma(ops::neg(a), b, minus_tiny)), -down - 1);
}

TYPED_TEST(Halves, ModesFlushSaturateAndCutOff) {
  using T = TypeParam;
  const T one = ops::from_float<T>(1.0f), three_quarters = ops::from_float<T>(0.75f), tiny{0x0001}, minus_tiny{0x8001};
  const ops::FloatMode ftz{.ftz = true}, sat{.sat = true};
  EXPECT_EQ(ops::add(minus_tiny, minus_tiny, ftz).bits, 0x8000);
  EXPECT_EQ(ops::add(tiny, tiny).bits, 2);
  EXPECT_EQ(ops::add(one, three_quarters, sat).bits, one.bits);
  EXPECT_EQ(ops::sub(three_quarters, one, sat).bits, 0);
  EXPECT_EQ(ops::fma(T{0x7fff}, one, one, sat).bits, 0);
  EXPECT_EQ(ops::relu(ops::neg(one)).bits, 0);
  EXPECT_EQ(ops::relu(T{0xffff}).bits, 0x7fff);
  EXPECT_EQ(ops::relu(one).bits, one.bits);
  EXPECT_EQ(ops::min(T{0x7fff}, one).bits, one.bits);
  EXPECT_EQ(ops::min(T{0x7fff}, one, {.nan = true}).bits, 0x7fff);
  EXPECT_EQ(ops::max(ops::neg(one), three_quarters, {.xorsign = true, .abs = true}).bits, ops::neg(one).bits);
}

TYPED_TEST(Halves, ApproximationsStayWithinTheirBounds) {
  using T = TypeParam;
  constexpr bool is_f16 = std::is_same_v<T, f16>;
  for (u32 bits = 0; bits < 65536; ++bits) {
    const T a{static_cast<u16>(bits)};
    const T power = ops::ex2_approx(a), tangent = ops::tanh_approx(a);
    if (nan_bits(a)) {
      ASSERT_EQ(power.bits, 0x7fff);
      ASSERT_EQ(tangent.bits, 0x7fff);
      continue;
    }
    const double want = std::exp2(value(a)), smallest = is_f16 ? 0x1p-14 : 0x1p-126, largest = is_f16 ? 65504 : 0x1.fep127;
    if (want >= smallest && want <= largest) {
      ASSERT_LE(std::abs(value(power) - want), want * (is_f16 ? std::exp2(-9.9) : 0x1p-7)) << bits;
    }
    ASSERT_LE(std::abs(value(tangent) - std::tanh(value(a))), is_f16 ? std::exp2(-10.987) : 0x1p-8) << bits;
  }
  EXPECT_EQ(ops::ex2_approx(T{0x8000}).bits, ops::from_float<T>(1.0f).bits);
  EXPECT_EQ(ops::ex2_approx(T{static_cast<u16>(half_infinity<T> | 0x8000)}).bits, 0);
  EXPECT_EQ(ops::tanh_approx(T{0x8001}).bits, 0x8001);  // subnormals pass through
}

template <class P, class T>
void check_packed() {
  Operands operands(42);
  for (int i = 0; i < 2000; ++i) {
    const P a{static_cast<u32>(operands.bits())}, b{static_cast<u32>(operands.bits())}, c{static_cast<u32>(operands.bits())};
    const auto part = [](P p, int n) { return T{static_cast<u16>(p.bits >> 16 * n)}; };
    for (int n = 0; n < 2; ++n) {
      ASSERT_EQ(part(ops::add(a, b), n).bits, ops::add(part(a, n), part(b, n)).bits);
      ASSERT_EQ(part(ops::sub(a, b), n).bits, ops::sub(part(a, n), part(b, n)).bits);
      ASSERT_EQ(part(ops::mul(a, b), n).bits, ops::mul(part(a, n), part(b, n)).bits);
      ASSERT_EQ(part(ops::fma(a, b, c), n).bits, ops::fma(part(a, n), part(b, n), part(c, n)).bits);
      ASSERT_EQ(part(ops::min(a, b), n).bits, ops::min(part(a, n), part(b, n)).bits);
      ASSERT_EQ(part(ops::max(a, b, {.nan = true}), n).bits, ops::max(part(a, n), part(b, n), {.nan = true}).bits);
      ASSERT_EQ(part(ops::fma(a, b, c, {.sat = true}), n).bits, ops::fma(part(a, n), part(b, n), part(c, n), {.sat = true}).bits);
      ASSERT_EQ(part(ops::neg(a), n).bits, part(a, n).bits ^ 0x8000);
      ASSERT_EQ(part(ops::abs(a), n).bits, part(a, n).bits & 0x7fff);
      ASSERT_EQ(part(ops::relu(a), n).bits, ops::relu(part(a, n)).bits);
      ASSERT_EQ(part(ops::ex2_approx(a), n).bits, ops::ex2_approx(part(a, n)).bits);
    }
  }
}
TEST(PackedHalves, WorkOnEachElement) {
  check_packed<f16x2, f16>();
  check_packed<bf16x2, bf16>();
}

}  // namespace
