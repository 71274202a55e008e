// What the mathematical functions are made of: pairs of numbers of twice the precision, exponents, exp and log in parts.
//
// Sums and products of pairs: T. J. Dekker, A Floating-Point Technique for Extending the Available Precision (1971); D. E. Knuth,
// The Art of Computer Programming 2, 4.2.2. Their products must not be fused with a sum that follows, so they are instructions.
#pragma once
#pragma clang system_header

#include <warpbook/math_polynomials.h>

namespace warpbook_parts {

WARPBOOK_DEVICE float times(float x, float y) { return __nvvm_mul_rn_f(x, y); }
WARPBOOK_DEVICE double times(double x, double y) { return __nvvm_mul_rn_d(x, y); }

template <class T>
struct pair {
  T high, low;
};
/// |x| >= |y|, or x is 0.
template <class T>
WARPBOOK_DEVICE pair<T> quick_sum(T x, T y) {
  const T sum = x + y;
  return {sum, y - (sum - x)};
}
template <class T>
WARPBOOK_DEVICE pair<T> sum(T x, T y) {
  const T all = x + y, of_y = all - x;
  return {all, (x - (all - of_y)) + (y - of_y)};
}
template <class T>
WARPBOOK_DEVICE pair<T> product(T x, T y) {
  const T all = times(x, y);
  return {all, fma(x, y, -all)};
}
template <class T>
WARPBOOK_DEVICE pair<T> product(pair<T> x, pair<T> y) {
  const pair<T> all = product(x.high, y.high);
  return {all.high, all.low + fma(x.high, y.low, x.low * y.high)};
}

template <class T>
struct number;
template <>
struct number<float> {
  typedef int bits;
  typedef unsigned int unsigned_bits;
  static constexpr int fraction_bits = 23, exponent_bias = 127, largest_exponent = 255;
  static constexpr pair<float> ln2 = {0.693147182f, -1.90465421e-09f}, ln10 = {2.30258512f, -3.19754356e-08f};
  static constexpr pair<float> log2_e = {1.44269502f, 1.92596303e-08f}, log10_e = {0.434294492f, -1.010305e-08f};
  static constexpr pair<float> log10_2 = {0.30103001f, -1.43209888e-08f}, pi = {3.14159274f, -8.74227766e-08f};
  static constexpr pair<float> half_pi = {1.57079637f, -4.37113883e-08f}, two_thirds = {0.666666687f, -1.98682155e-08f};
  static constexpr pair<float> half_ln_2pi = {0.918938518f, 1.56341766e-08f}, half_sqrt2 = {0.707106769f, 1.21016175e-08f};
  static constexpr float half_pi_third = -1.71512451e-15f, ln2_third = -8.78318374e-17f, log2_10 = 3.32192802f;
  static constexpr float tiny_exponential = -104.0f, huge_exponential = 89.0f;  // exp is 0 below, infinite above
};
template <>
struct number<double> {
  typedef long long bits;
  typedef unsigned long long unsigned_bits;
  static constexpr int fraction_bits = 52, exponent_bias = 1023, largest_exponent = 2047;
  static constexpr pair<double> ln2 = {0.69314718055994529, 2.3190468138462996e-17}, ln10 = {2.3025850929940459, -2.1707562233822494e-16};
  static constexpr pair<double> log2_e = {1.4426950408889634, 2.0355273740931033e-17};
  static constexpr pair<double> log10_e = {0.43429448190325182, 1.0983196502167651e-17};
  static constexpr pair<double> log10_2 = {0.3010299956639812, -2.8037281277851704e-18};
  static constexpr pair<double> pi = {3.1415926535897931, 1.2246467991473532e-16};
  static constexpr pair<double> half_pi = {1.5707963267948966, 6.123233995736766e-17};
  static constexpr pair<double> two_thirds = {0.66666666666666663, 3.7007434154171883e-17};
  static constexpr pair<double> half_ln_2pi = {0.91893853320467278, -3.8782941580672414e-17};
  static constexpr pair<double> half_sqrt2 = {0.70710678118654757, -4.8336466567264567e-17};
  static constexpr double half_pi_third = -1.5407439555097887e-33, ln2_third = 5.7777898331617076e-34, log2_10 = 3.3219280948873622;
  static constexpr double tiny_exponential = -746.0, huge_exponential = 710.0;
};

template <class T>
WARPBOOK_DEVICE typename number<T>::bits bits_of(T x) {
  return __builtin_bit_cast(typename number<T>::bits, x);
}
template <class T>
WARPBOOK_DEVICE T from_bits(typename number<T>::bits x) {
  return __builtin_bit_cast(T, x);
}
template <class T>
WARPBOOK_DEVICE T infinity() {
  return (T)__builtin_inff();
}
template <class T>
WARPBOOK_DEVICE T not_a_number() {
  return (T)__builtin_nanf("");
}

/// 2^k for exponents of normal numbers.
template <class T>
WARPBOOK_DEVICE T power_of_two(int k) {
  return from_bits<T>((typename number<T>::bits)(k + number<T>::exponent_bias) << number<T>::fraction_bits);
}
/// x 2^k, rounded once; k as far as exponents of T reach, twice.
template <class T>
WARPBOOK_DEVICE T scaled(T x, int k) {
  const int half = k >> 1;
  return times(times(x, power_of_two<T>(half)), power_of_two<T>(k - half));
}
/// A positive number as m 2^k, m within sqrt(1/2) and sqrt(2).
template <class T>
WARPBOOK_DEVICE T split(T x, int& k) {
  typedef number<T> N;
  constexpr typename N::bits half = sizeof(T) == 4 ? (typename N::bits)0x3f3504f3 : (typename N::bits)0x3fe6a09e667f3bcdll;
  k = 0;
  if (x < power_of_two<T>(1 - N::exponent_bias)) {  // subnormal
    x *= power_of_two<T>(N::fraction_bits + 1);
    k = -(N::fraction_bits + 1);
  }
  const typename N::bits bits = bits_of(x);
  const int exponent = (int)((bits - half) >> N::fraction_bits);
  k += exponent;
  return from_bits<T>(bits - ((typename N::bits)exponent << N::fraction_bits));
}

/// exp(x + low) as a pair and a power of two, for |x| where 2^k is a number; low is small.
template <class T>
WARPBOOK_DEVICE pair<T> exp_parts(T x, T low, int& k) {
  typedef number<T> N;
  const T whole = rint(x * N::log2_e.high);
  k = (int)whole;
  const T r = fma(-whole, N::ln2.high, x), rest = fma(-whole, N::ln2.low, low);
  const pair<T> reduced = quick_sum(r, rest);
  const T tail = fma(times(reduced.high, reduced.high), exp_tail(reduced.high), reduced.low);
  const pair<T> e = quick_sum(reduced.high, tail);
  pair<T> result = quick_sum((T)1, e.high);
  result.low += e.low;
  return result;
}

/// log of a positive finite number as a pair: k ln(2) + 2 atanh(s), s = (m - 1) / (m + 1).
template <class T>
WARPBOOK_DEVICE pair<T> log_of_fraction(T m) {
  typedef number<T> N;
  const T f = m - 1;
  const pair<T> t = sum(m, (T)1);
  const T reciprocal = 1 / t.high, s = f * reciprocal;
  const T s_low = (fma(-s, t.high, f) - s * t.low) * reciprocal;
  const pair<T> s2 = product(s, s);
  const pair<T> z = {s2.high, fma(2 * s, s_low, s2.low)};
  pair<T> c = quick_sum(N::two_thirds.high, times(z.high, log_tail(z.high)));
  c.low += N::two_thirds.low;
  const pair<T> tail = product(product(pair<T>{s, s_low}, z), c);
  pair<T> all = quick_sum(2 * s, tail.high);
  all.low += fma((T)2, s_low, tail.low);
  return all;
}
template <class T>
WARPBOOK_DEVICE pair<T> log_parts(T x) {
  typedef number<T> N;
  int k;
  const T m = split(x, k);
  const pair<T> fraction = log_of_fraction(m), whole = product((T)k, N::ln2.high);
  pair<T> all = k == 0 ? pair<T>{fraction.high, 0} : quick_sum(whole.high, fraction.high);
  all.low += fma((T)k, N::ln2.low, whole.low + fraction.low);
  return quick_sum(all.high, all.low);
}

}  // namespace warpbook_parts
