// Integer and bit instructions against definitions written bit by bit, or one integer size up.
#include <gtest/gtest.h>

#include <bit>
#include <type_traits>

#include "tests/gpu/vm/ops_oracle.h"

namespace {

using namespace ops_oracle;
using warpbook::gpu::ptx::Prmt;

constexpr int integer_rounds = 30000;

template <class T>
class Integers : public testing::Test {};
using IntegerTypes = testing::Types<u8, u16, u32, u64, s8, s16, s32, s64>;
TYPED_TEST_SUITE(Integers, IntegerTypes);
template <class T>
class WordIntegers : public testing::Test {};
using WordTypes = testing::Types<u32, u64, s32, s64>;
TYPED_TEST_SUITE(WordIntegers, WordTypes);

TYPED_TEST(Integers, ArithmeticWrapsAsTheWideResultDoes) {
  using T = TypeParam;
  constexpr int width = 8 * sizeof(T);
  Operands operands(1);
  for (int i = 0; i < integer_rounds; ++i) {
    const T a = operands.integer<T>(), b = operands.integer<T>(), c = operands.integer<T>();
    const s128 x = a, y = b, z = c;
    const u128 product = static_cast<u128>(x) * static_cast<u128>(y);  // modulo 2^128 it serves both signs
    const s128 high = std::is_signed_v<T> ? static_cast<s128>(product) >> width : static_cast<s128>(product >> width);
    ASSERT_EQ(ops::add(a, b), static_cast<T>(x + y));
    ASSERT_EQ(ops::sub(a, b), static_cast<T>(x - y));
    ASSERT_EQ(ops::mul_lo(a, b), static_cast<T>(product));
    ASSERT_EQ(ops::mul_hi(a, b), static_cast<T>(high)) << +a << " " << +b;
    ASSERT_TRUE(ops::mul_wide(a, b) == static_cast<ops::wide_of<T>>(product));
    ASSERT_EQ(ops::mad_lo(a, b, c), static_cast<T>(product + static_cast<u128>(z)));
    ASSERT_EQ(ops::mad_hi(a, b, c), static_cast<T>(high + z));
    ASSERT_EQ(ops::neg(a), static_cast<T>(-x));
    ASSERT_EQ(ops::abs(a), static_cast<T>(x < 0 ? -x : x));
    ASSERT_EQ(ops::min(a, b), static_cast<T>(x < y ? x : y));
    ASSERT_EQ(ops::max(a, b), static_cast<T>(x < y ? y : x));
    ASSERT_EQ(ops::relu(a), static_cast<T>(x < 0 ? 0 : x));
    ASSERT_EQ(ops::sad(a, b, c), static_cast<T>(z + (x < y ? y - x : x - y)));
    ASSERT_EQ(ops::and_(a, b), static_cast<T>(x & y));
    ASSERT_EQ(ops::or_(a, b), static_cast<T>(x | y));
    ASSERT_EQ(ops::xor_(a, b), static_cast<T>(x ^ y));
    ASSERT_EQ(ops::not_(a), static_cast<T>(~x));
    ASSERT_EQ(ops::cnot(a), static_cast<T>(x == 0 ? 1 : 0));
  }
}

TYPED_TEST(Integers, DivisionNeverTraps) {
  using T = TypeParam;
  Operands operands(2);
  for (int i = 0; i < integer_rounds; ++i) {
    const T b = operands.integer<T>();
    T a = operands.integer<T>();
    if (i % 2)
      a = static_cast<T>(static_cast<u64>(a / 2 + 1) / 3 * static_cast<u64>(b) - operands.bits() % 3);  // beside a multiple
    if (b == 0) {
      ASSERT_EQ(ops::div(a, b), static_cast<T>(-1));
      ASSERT_EQ(ops::rem(a, b), static_cast<T>(-1));
    } else {
      ASSERT_EQ(ops::div(a, b), static_cast<T>(s128{a} / b));
      ASSERT_EQ(ops::rem(a, b), static_cast<T>(s128{a} % b));
    }
  }
  constexpr T lowest = std::numeric_limits<T>::min();
  if (std::is_signed_v<T>) {
    EXPECT_EQ(ops::div(lowest, static_cast<T>(-1)), lowest);
    EXPECT_EQ(ops::rem(lowest, static_cast<T>(-1)), 0);
  }
}

TYPED_TEST(Integers, ShiftsStopAtTheWidth) {
  using T = TypeParam;
  constexpr u32 width = 8 * sizeof(T);
  Operands operands(3);
  for (int i = 0; i < integer_rounds; ++i) {
    const T a = operands.integer<T>();
    const u32 amount = i % 3 ? static_cast<u32>(operands.bits() % (2 * width + 2)) : operands.integer<u32>();
    const s128 x = a;
    ASSERT_EQ(ops::shl(a, amount), amount >= width ? T{0} : static_cast<T>(static_cast<u128>(x) << amount));
    ASSERT_EQ(ops::shr(a, amount), static_cast<T>(x >> std::min(amount, width)));
  }
}

TYPED_TEST(Integers, CarriesChainToTheSumTwiceAsWide) {
  using T = TypeParam;
  constexpr int width = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  Operands operands(4);
  for (int i = 0; i < integer_rounds; ++i) {
    const T a = operands.integer<T>(), b = operands.integer<T>(), c = operands.integer<T>();
    const bool carry = operands.bits() & 1;
    const u128 sum = u128{static_cast<U>(a)} + static_cast<U>(b) + carry;
    const auto add = ops::add_carry(a, b, carry);
    ASSERT_EQ(add.value, static_cast<T>(sum));
    ASSERT_EQ(add.carry, (sum >> width) != 0);
    const s128 difference = static_cast<s128>(static_cast<U>(a)) - static_cast<U>(b) - carry;
    const auto sub = ops::sub_borrow(a, b, carry);
    ASSERT_EQ(sub.value, static_cast<T>(difference));
    ASSERT_EQ(sub.carry, difference < 0);
    const u128 low = u128{static_cast<U>(ops::mul_lo(a, b))} + static_cast<U>(c) + carry;
    const auto mad_lo = ops::mad_lo_carry(a, b, c, carry);
    ASSERT_EQ(mad_lo.value, static_cast<T>(low));
    ASSERT_EQ(mad_lo.carry, (low >> width) != 0);
    const u128 high = u128{static_cast<U>(ops::mul_hi(a, b))} + static_cast<U>(c) + carry;
    const auto mad_hi = ops::mad_hi_carry(a, b, c, carry);
    ASSERT_EQ(mad_hi.value, static_cast<T>(high));
    ASSERT_EQ(mad_hi.carry, (high >> width) != 0);
  }
}

TEST(Saturating, ClampsToTheRangeOfS32) {
  Operands operands(5);
  for (int i = 0; i < integer_rounds; ++i) {
    const s32 a = operands.integer<s32>(), b = operands.integer<s32>(), c = operands.integer<s32>();
    const auto clamp = [](s64 x) { return static_cast<s32>(std::clamp<s64>(x, INT32_MIN, INT32_MAX)); };
    ASSERT_EQ(ops::add_sat(a, b), clamp(s64{a} + b));
    ASSERT_EQ(ops::sub_sat(a, b), clamp(s64{a} - b));
    ASSERT_EQ(ops::mad_hi_sat(a, b, c), clamp((s64{a} * b >> 32) + c));
  }
}

TEST(Mul24, UsesTheLow24Bits) {
  Operands operands(6);
  for (int i = 0; i < integer_rounds; ++i) {
    const u32 a = operands.integer<u32>(), b = operands.integer<u32>();
    const u64 product = u64{a & 0xffffff} * (b & 0xffffff);
    ASSERT_EQ(ops::mul24_lo(a, b), static_cast<u32>(product));
    ASSERT_EQ(ops::mul24_hi(a, b), static_cast<u32>(product >> 16));
    const auto extend = [](u32 x) { return s64{x & 0xffffff} - ((x & 0x800000) ? 0x1000000 : 0); };
    const s64 signed_product = extend(a) * extend(b);
    const s32 x = static_cast<s32>(a), y = static_cast<s32>(b);
    ASSERT_EQ(ops::mul24_lo(x, y), static_cast<s32>(signed_product));
    ASSERT_EQ(ops::mul24_hi(x, y), static_cast<s32>(signed_product >> 16));
    ASSERT_EQ(ops::mad24_lo(x, y, 5), static_cast<s32>(static_cast<u32>(signed_product) + 5));
    ASSERT_EQ(ops::mad24_hi_sat(x, y, INT32_MAX),
              static_cast<s32>(std::min<s64>(static_cast<s32>(signed_product >> 16) + s64{INT32_MAX}, INT32_MAX)));
  }
}

TYPED_TEST(WordIntegers, BitsAreCountedAndFound) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  constexpr int width = 8 * sizeof(T);
  Operands operands(7);
  for (int i = 0; i < integer_rounds; ++i) {
    const T a = i < width ? static_cast<T>(U{1} << i) : i == width ? T{0} : operands.integer<T>();
    const U bits = static_cast<U>(a);
    u32 count = 0, leading = width, found = 0xffffffff;
    U reversed = 0;
    for (int bit = 0; bit < width; ++bit) {
      const bool set = bits >> bit & 1;
      count += set;
      if (set) leading = static_cast<u32>(width - 1 - bit), reversed |= U{1} << (width - 1 - bit);
      const bool differs = a < 0 ? !set : set;
      if (differs) found = static_cast<u32>(bit);
    }
    ASSERT_EQ(ops::popc(bits), count);
    ASSERT_EQ(ops::clz(bits), leading);
    ASSERT_EQ(ops::brev(bits), reversed);
    ASSERT_EQ(ops::bfind(a), found);
    ASSERT_EQ(ops::bfind_shiftamt(a), found == 0xffffffff ? found : width - 1 - found);
  }
}

// The ISA's own pseudo-code, a bit at a time.
TYPED_TEST(WordIntegers, BitFieldsFollowTheIsa) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  constexpr u32 top = 8 * sizeof(T) - 1;
  Operands operands(8);
  for (int i = 0; i < integer_rounds; ++i) {
    const T a = operands.integer<T>(), b = operands.integer<T>();
    const u32 b_field = i % 4 ? static_cast<u32>(operands.bits() % (top + 4)) : operands.integer<u32>();
    const u32 c_field = i % 4 ? static_cast<u32>(operands.bits() % (top + 4)) : operands.integer<u32>();
    const u32 position = b_field & 0xff, length = c_field & 0xff;
    const U x = static_cast<U>(a);
    const bool sign = std::is_signed_v<T> && length != 0 && (x >> std::min(position + length - 1, top) & 1);
    U extracted = 0, inserted = static_cast<U>(b);
    for (u32 bit = 0; bit <= top; ++bit) {
      const bool inside = bit < length && position + bit <= top;
      if (inside ? (x >> (position + bit) & 1) != 0 : sign) extracted |= U{1} << bit;
      if (inside) {
        inserted &= static_cast<U>(~(U{1} << (position + bit)));
        inserted |= (x >> bit & 1) << (position + bit);
      }
    }
    ASSERT_EQ(ops::bfe(a, b_field, c_field), static_cast<T>(extracted)) << position << " " << length;
    ASSERT_EQ(ops::bfi(a, b, b_field, c_field), static_cast<T>(inserted)) << position << " " << length;
  }
}

TEST(BitFields, MasksAndExtensionsFollowTheIsa) {
  Operands operands(9);
  for (int i = 0; i < integer_rounds; ++i) {
    const u32 a = i % 2 ? static_cast<u32>(operands.bits() % 40) : operands.integer<u32>();
    const u32 b = i % 3 ? static_cast<u32>(operands.bits() % 40) : operands.integer<u32>();
    for (const bool clamp : {false, true}) {
      const u32 start = clamp ? std::min(a, 32u) : a & 31, length = clamp ? std::min(b, 32u) : b & 31;
      u32 mask = 0;
      for (u32 bit = start; bit < 32 && bit < start + length; ++bit) mask |= 1u << bit;
      ASSERT_EQ(clamp ? ops::bmsk_clamp(a, b) : ops::bmsk_wrap(a, b), mask) << a << " " << b;
      const u32 x = operands.integer<u32>();
      const s64 field = length == 0 ? 0 : static_cast<s64>(x & (length == 32 ? ~0u : (1u << length) - 1));
      const s64 extended = length && (field >> (length - 1) & 1) ? field - (s64{1} << length) : field;
      ASSERT_EQ(clamp ? ops::szext_clamp(x, b) : ops::szext_wrap(x, b), static_cast<u32>(field));
      const s32 signed_x = static_cast<s32>(x);
      ASSERT_EQ(clamp ? ops::szext_clamp(signed_x, b) : ops::szext_wrap(signed_x, b), static_cast<s32>(extended)) << x << " " << b;
    }
  }
}

TEST(FunnelShift, MovesThroughBothWords) {
  Operands operands(10);
  for (int i = 0; i < integer_rounds; ++i) {
    const u32 a = operands.integer<u32>(), b = operands.integer<u32>();
    const u32 c = i % 2 ? static_cast<u32>(operands.bits() % 70) : operands.integer<u32>();
    const u128 both = u128{b} << 32 | a;
    const u32 clamped = std::min(c, 32u), wrapped = c & 31;
    ASSERT_EQ(ops::shf_l_clamp(a, b, c), static_cast<u32>(both << clamped >> 32));
    ASSERT_EQ(ops::shf_l_wrap(a, b, c), static_cast<u32>(both << wrapped >> 32));
    ASSERT_EQ(ops::shf_r_clamp(a, b, c), static_cast<u32>(both >> clamped));
    ASSERT_EQ(ops::shf_r_wrap(a, b, c), static_cast<u32>(both >> wrapped));
  }
}

TEST(Lop3, IsTheTableOfAllFunctions) {
  Operands operands(11);
  for (u32 lut = 0; lut < 256; ++lut) {
    const u32 a = operands.integer<u32>(), b = operands.integer<u32>(), c = operands.integer<u32>();
    u32 want = 0;
    for (int bit = 0; bit < 32; ++bit) {
      const u32 index = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
      want |= (lut >> index & 1) << bit;
    }
    ASSERT_EQ(ops::lop3(a, b, c, lut), want);
  }
  // The ISA's way to find a table: the function applied to 0xF0, 0xCC, 0xAA.
  EXPECT_EQ(ops::lop3(0x1234u, 0x5678u, 0x9abcu, (0xf0 & 0xcc) ^ 0xaa), (0x1234u & 0x5678u) ^ 0x9abcu);
}

TEST(Fns, FindsTheNthSetBitBothWays) {
  Operands operands(12);
  for (int i = 0; i < integer_rounds; ++i) {
    const u32 mask = operands.integer<u32>(), base = static_cast<u32>(operands.bits() % 32);
    const s32 offset = static_cast<s32>(operands.bits() % 70) - 35;
    std::vector<u32> found;
    if (offset >= 0)
      for (u32 bit = base; bit < 32; ++bit)
        if (mask >> bit & 1) found.push_back(bit);
    if (offset < 0)
      for (s32 bit = static_cast<s32>(base); bit >= 0; --bit)
        if (mask >> bit & 1) found.push_back(static_cast<u32>(bit));
    const std::size_t nth = static_cast<std::size_t>(std::abs(offset));
    u32 want = 0xffffffff;
    if (offset == 0)
      want = mask >> base & 1 ? base : want;
    else if (nth <= found.size())
      want = found[nth - 1];
    ASSERT_EQ(ops::fns(mask, base, offset), want);
  }
  EXPECT_EQ(ops::fns(~0u, 0, INT32_MIN), 0xffffffffu);
}

TEST(Prmt, PicksBytesAndSigns) {
  const u32 a = 0x03020100, b = 0x87868584;  // byte n of {b, a} is n, upper ones with their sign set
  EXPECT_EQ(ops::prmt(a, b, 0x3210), a);
  EXPECT_EQ(ops::prmt(a, b, 0x7654), b);
  EXPECT_EQ(ops::prmt(a, b, 0x0123), 0x00010203u);
  EXPECT_EQ(ops::prmt(a, b, 0xfc80), 0xffff0000u);
  const u32 table[6][4] = {{0x03020100, 0x84030201, 0x85840302, 0x86858403},   // f4e
                           {0x85868700, 0x86870001, 0x87000102, 0x00010203},   // b4e
                           {0x00000000, 0x01010101, 0x02020202, 0x03030303},   // rc8
                           {0x03020100, 0x03020101, 0x03020202, 0x03030303},   // ecl
                           {0x00000000, 0x01010100, 0x02020100, 0x03020100},   // ecr
                           {0x01000100, 0x03020302, 0x01000100, 0x03020302}};  // rc16
  const Prmt modes[] = {Prmt::f4e, Prmt::b4e, Prmt::rc8, Prmt::ecl, Prmt::ecr, Prmt::rc16};
  for (int mode = 0; mode < 6; ++mode)
    for (u32 c = 0; c < 8; ++c) EXPECT_EQ(ops::prmt(modes[mode], a, b, c), table[mode][c & 3]) << mode << " " << c;
}

template <class A, class B>
void check_dot_products() {
  Operands operands(13);
  for (int i = 0; i < 2000; ++i) {
    const u32 a = operands.integer<u32>(), b = operands.integer<u32>(), c = operands.integer<u32>();
    s64 four = c, two_low = c, two_high = c;
    for (int n = 0; n < 4; ++n) four += s64{static_cast<A>(a >> 8 * n)} * static_cast<B>(b >> 8 * n);
    using A16 = std::conditional_t<std::is_signed_v<A>, s16, u16>;
    for (int n = 0; n < 2; ++n) {
      two_low += s64{static_cast<A16>(a >> 16 * n)} * static_cast<B>(b >> 8 * n);
      two_high += s64{static_cast<A16>(a >> 16 * n)} * static_cast<B>(b >> (16 + 8 * n));
    }
    ASSERT_EQ((ops::dp4a<A, B>(a, b, c)), static_cast<u32>(four));
    ASSERT_EQ((ops::dp2a_lo<A16, B>(a, b, c)), static_cast<u32>(two_low));
    ASSERT_EQ((ops::dp2a_hi<A16, B>(a, b, c)), static_cast<u32>(two_high));
  }
}
TEST(DotProducts, MixSignedAndUnsignedBytes) {
  check_dot_products<u8, u8>();
  check_dot_products<u8, s8>();
  check_dot_products<s8, u8>();
  check_dot_products<s8, s8>();
}

TEST(PackedIntegers, WorkOnEachHalf) {
  const auto add16 = [](s16 a, s16 b) { return ops::add(a, b); };
  EXPECT_EQ(ops::packed<s16>(0x7fffffffu, 0x00010001u, add16), 0x80000000u);
  const auto min16 = [](s16 a, s16 b) { return ops::min(a, b); };
  EXPECT_EQ(ops::packed<s16>(0x8000'0005u, 0x0001'ffffu, min16), 0x8000'ffffu);
}

}  // namespace
