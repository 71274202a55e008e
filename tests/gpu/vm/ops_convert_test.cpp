// cvt for every pair of types. Oracles: 128-bit integers, 113-bit floats, the host's rounding modes, and for the half formats
// a search over all their values.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <tuple>

#include "tests/gpu/vm/ops_oracle.h"

namespace {

using namespace ops_oracle;
using ops::ConvertMode;

constexpr int rounds = 20000;
constexpr std::array integral{Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi};

template <class T>
class ToInteger : public testing::Test {};
using IntegerTypes = testing::Types<u8, u16, u32, u64, s8, s16, s32, s64>;
TYPED_TEST_SUITE(ToInteger, IntegerTypes);

template <class D, class S>
void check_integers(Operands& operands) {
  for (int i = 0; i < rounds / 4; ++i) {
    const S a = operands.integer<S>();
    const s128 lowest = std::numeric_limits<D>::min(), highest = std::numeric_limits<D>::max();
    ASSERT_EQ(ops::convert<D>(a), static_cast<D>(a));
    ASSERT_EQ(ops::convert<D>(a, ConvertMode{}), static_cast<D>(a));
    ASSERT_EQ(ops::convert<D>(a, ConvertMode{.sat = true}), static_cast<D>(std::clamp<s128>(a, lowest, highest))) << +a;
  }
}
TYPED_TEST(ToInteger, FromIntegersTruncatesOrSaturates) {
  Operands operands(61);
  check_integers<TypeParam, u8>(operands);
  check_integers<TypeParam, u16>(operands);
  check_integers<TypeParam, u32>(operands);
  check_integers<TypeParam, u64>(operands);
  check_integers<TypeParam, s8>(operands);
  check_integers<TypeParam, s16>(operands);
  check_integers<TypeParam, s32>(operands);
  check_integers<TypeParam, s64>(operands);
}

/// The ISA's rule for NaN: 0, but 1 << (width − 1) from f64 or to 64 bits.
template <class D>
D of_nan(bool from_double) {
  return from_double || sizeof(D) == 8 ? static_cast<D>(u64{1} << (8 * sizeof(D) - 1)) : D{0};
}
template <class D>
D clamped(long double a, Rounding rounding) {
  a = rounding == Rounding::rmi   ? std::floor(a)
      : rounding == Rounding::rpi ? std::ceil(a)
      : rounding == Rounding::rni ? std::rint(a)
                                  : std::trunc(a);
  const long double lowest = static_cast<long double>(std::numeric_limits<D>::min()),
                    highest = static_cast<long double>(std::numeric_limits<D>::max());
  return a <= lowest ? std::numeric_limits<D>::min() : a >= highest ? std::numeric_limits<D>::max() : static_cast<D>(a);
}
template <class D, class S>
void check_float_to_integer(Operands& operands) {
  for (int i = 0; i < rounds; ++i) {
    S a = operands.real<S>();
    if (i % 3 == 0)
      a = static_cast<S>(static_cast<S>(operands.integer<s64>()) /
                         static_cast<S>(1 << operands.bits() % 4));  // near the limits, and ties
    if (i % 3 == 1) a = std::nextafter(static_cast<S>(operands.integer<D>()), operands.bits() & 1 ? S(1e30) : S(-1e30));
    for (const Rounding rounding : integral) {
      const D want = std::isnan(a) ? of_nan<D>(sizeof(S) == 8) : clamped<D>(static_cast<long double>(a), rounding);
      ASSERT_EQ(ops::convert<D>(a, {.rounding = rounding}), want) << a << " rounding " << int(rounding);
    }
    ASSERT_EQ(ops::convert<D>(a), ops::convert<D>(a, {.rounding = Rounding::rzi}));
  }
}
TYPED_TEST(ToInteger, FromFloatsRoundsAndClamps) {
  Operands operands(62);
  check_float_to_integer<TypeParam, float>(operands);
  check_float_to_integer<TypeParam, double>(operands);
}
template <class D, class S>
void check_half_to_integer() {
  for (u32 bits = 0; bits < 65536; ++bits) {
    const S a{static_cast<u16>(bits)};
    const long double value = (bits & 0x7fff) == (std::is_same_v<S, f16> ? 0x7c00 : 0x7f80)
                                  ? (bits & 0x8000 ? -HUGE_VALL : HUGE_VALL)
                                  : static_cast<long double>(half_value(a));
    for (const Rounding rounding : integral)
      ASSERT_EQ(ops::convert<D>(a, {.rounding = rounding}), nan_bits(a) ? of_nan<D>(false) : clamped<D>(value, rounding)) << bits;
  }
}
TYPED_TEST(ToInteger, FromHalvesExhaustively) {
  check_half_to_integer<TypeParam, f16>();
  check_half_to_integer<TypeParam, bf16>();
}

template <class S>
class FromInteger : public testing::Test {};
TYPED_TEST_SUITE(FromInteger, IntegerTypes);

TYPED_TEST(FromInteger, ToFloatsInEveryRounding) {
  using S = TypeParam;
  Operands operands(63);
  for (int i = 0; i < rounds; ++i) {
    const S a = i % 2 ? operands.integer<S>() : static_cast<S>(operands.bits());
    const volatile S va = a;
    for (const Rounding rounding : directed) {
      const ConvertMode mode{.rounding = rounding};
      // An exact zero is +0 in every direction; the host's own conversion says so too.
      ASSERT_EQ(raw(ops::convert<float>(a, mode)), raw(ops::round_exact<float>(ops::exact_integer(a), rounding)));
      if constexpr (sizeof(S) < 8 || std::is_signed_v<S>) {
        ASSERT_EQ(raw(ops::convert<float>(a, mode)),
                  raw(in_host_mode(rounding, [&] { return static_cast<float>(static_cast<s64>(va)); })))
            << +a;
        ASSERT_EQ(raw(ops::convert<double>(a, mode)),
                  raw(in_host_mode(rounding, [&] { return static_cast<double>(static_cast<s64>(va)); })))
            << +a;
      } else {
        // long double holds every u64; narrowing it obeys the host's mode.
        const volatile long double wide = static_cast<long double>(a);
        ASSERT_EQ(raw(ops::convert<float>(a, mode)), raw(in_host_mode(rounding, [&] { return static_cast<float>(wide); }))) << +a;
        ASSERT_EQ(raw(ops::convert<double>(a, mode)), raw(in_host_mode(rounding, [&] { return static_cast<double>(wide); }))) << +a;
      }
      ASSERT_EQ((ops::convert<f16>(a, mode).bits), half_nearest<f16>(static_cast<f128>(a), 0, rounding).bits)
          << +a << " " << int(rounding);
      ASSERT_EQ((ops::convert<bf16>(a, mode).bits), half_nearest<bf16>(static_cast<f128>(a), 0, rounding).bits)
          << +a << " " << int(rounding);
    }
    ASSERT_EQ(raw(ops::convert<float>(a)), raw(ops::convert<float>(a, {.rounding = Rounding::rn})));
  }
}

TEST(FloatToFloat, DoubleNarrowsInEveryRounding) {
  Operands operands(64);
  for (int i = 0; i < 200000; ++i) {
    double a = operands.real<double>();
    if (i % 2) a = static_cast<double>(operands.real<float>()) * (1 + static_cast<double>(operands.bits() % 5) * 0x1p-25);
    const volatile double va = a;
    for (const Rounding rounding : directed) {
      const ConvertMode mode{.rounding = rounding};
      ASSERT_EQ(raw(ops::convert<float>(a, mode)), expected(in_host_mode(rounding, [&] { return static_cast<float>(va); })))
          << a << int(rounding);
      if (std::isfinite(a)) {
        ASSERT_EQ(ops::convert<f16>(a, mode).bits & 0x7fff, half_nearest<f16>(a, 0, rounding).bits & 0x7fff) << a << int(rounding);
        ASSERT_EQ(ops::convert<bf16>(a, mode).bits & 0x7fff, half_nearest<bf16>(a, 0, rounding).bits & 0x7fff)
            << a << int(rounding);
      }
    }
  }
  EXPECT_EQ(raw(ops::convert<float>(1e300)), 0x7f800000u);
  EXPECT_EQ(raw(ops::convert<float>(-1e300, {.rounding = Rounding::rz})), 0xff7fffffu);
  EXPECT_EQ(raw(ops::convert<float>(std::nan(""))), 0x7fffffffu);
  EXPECT_EQ(ops::convert<f16>(std::nan("")).bits, 0x7fff);
  EXPECT_EQ(ops::convert<f16>(-HUGE_VAL, {.rounding = Rounding::rz}).bits, 0xfc00);
}

TEST(FloatToFloat, WideningIsExact) {
  for (u32 bits = 0; bits < 65536; ++bits) {
    const f16 a{static_cast<u16>(bits)};
    const bf16 b{static_cast<u16>(bits)};
    if (!nan_bits(a)) {
      ASSERT_EQ(ops::convert<double>(a), static_cast<double>(ops::to_float(a)));
    }
    if (!nan_bits(b)) {
      ASSERT_EQ(ops::convert<float>(b), ops::to_float(b));
    }
    ASSERT_EQ(ops::convert<f16>(a).bits, bits);  // same format: moved
    ASSERT_EQ(ops::convert<bf16>(b).bits, bits);
    if (!nan_bits(b) && (bits & 0x7fff) != 0x7f80) {
      ASSERT_EQ(ops::convert<f16>(b).bits & 0x7fff, half_nearest<f16>(half_value(b), 0, Rounding::rn).bits & 0x7fff);
    }
  }
  EXPECT_EQ(ops::convert<double>(1.5f), 1.5);
}

TEST(FloatToFloat, RoundsToIntegersInPlace) {
  Operands operands(65);
  for (int i = 0; i < rounds; ++i) {
    const double a = operands.real<double>();
    const float b = operands.real<float>();
    ASSERT_EQ(raw(ops::convert<double>(a, {.rounding = Rounding::rni})), expected(std::rint(a)));
    ASSERT_EQ(raw(ops::convert<float>(b, {.rounding = Rounding::rni})), expected(std::rint(b)));
    ASSERT_EQ(raw(ops::convert<float>(b, {.rounding = Rounding::rzi})), expected(std::trunc(b)));
    ASSERT_EQ(raw(ops::convert<float>(b, {.rounding = Rounding::rmi})), expected(std::floor(b)));
    ASSERT_EQ(raw(ops::convert<float>(b, {.rounding = Rounding::rpi})), expected(std::ceil(b)));
  }
  EXPECT_EQ(ops::convert<float>(2.5f, {.rounding = Rounding::rni}), 2.0f);
  EXPECT_EQ(raw(ops::convert<float>(-0.25f, {.rounding = Rounding::rpi})), 0x80000000u);
  EXPECT_EQ(ops::convert<f16>(f16{0x4100}, {.rounding = Rounding::rni}).bits, 0x4000);  // 2.5 → 2
}

TEST(ConvertModes, FtzSatRelu) {
  EXPECT_EQ(raw(ops::convert<float>(-1e-40, {.rounding = Rounding::rn, .ftz = true})), 0x80000000u);
  EXPECT_EQ(ops::convert<double>(1e-40f, {.ftz = true}), 0.0);
  EXPECT_EQ(ops::convert<s32>(1e-40f, {.rounding = Rounding::rpi}), 1);
  EXPECT_EQ(ops::convert<s32>(1e-40f, {.rounding = Rounding::rpi, .ftz = true}), 0);
  EXPECT_EQ(ops::convert<float>(1.5f, {.sat = true}), 1.0f);
  EXPECT_EQ(raw(ops::convert<float>(-1.5, {.rounding = Rounding::rn, .sat = true})), 0u);
  EXPECT_EQ(raw(ops::convert<float>(std::nan(""), {.rounding = Rounding::rn, .sat = true})), 0u);
  EXPECT_EQ(ops::convert<float>(s32{7}, {.rounding = Rounding::rn, .sat = true}), 1.0f);
  EXPECT_EQ(ops::convert<bf16>(-1.0f, {.rounding = Rounding::rn, .relu = true}).bits, 0);
  EXPECT_EQ(ops::convert<bf16>(std::nanf(""), {.rounding = Rounding::rz, .relu = true}).bits, 0x7fff);
}

TEST(Packing, PutsTheFirstOperandAbove) {
  EXPECT_EQ(ops::convert_pack<ops::f16x2>(1.0f, -2.0f, {.rounding = Rounding::rn}).bits, 0x3c00c000u);
  EXPECT_EQ(ops::convert_pack<ops::bf16x2>(1.0f, -2.0f, {.rounding = Rounding::rn, .relu = true}).bits, 0x3f800000u);
  EXPECT_EQ(ops::convert_pack_integer(40000, -40000, 0, 16, true), 0x7fff8000u);
  EXPECT_EQ(ops::convert_pack_integer(40000, -40000, 0, 16, false), 0x9c400000u);
  EXPECT_EQ(ops::convert_pack_integer(300, -5, 0xabcd1234u, 8, false), 0x1234ff00u);
  EXPECT_EQ(ops::convert_pack_integer(1, -9, 0x00ffffffu, 2, true), 0x0ffffff6u);
  EXPECT_EQ(ops::convert_tf32(std::bit_cast<float>(0x3f801000u)), 0x3f802000u);  // a tie goes away from zero
  EXPECT_EQ(ops::convert_tf32(std::bit_cast<float>(0x3f800fffu)), 0x3f800000u);
  EXPECT_EQ(ops::convert_tf32(-HUGE_VALF), 0xff800000u);
}

}  // namespace
