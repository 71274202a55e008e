// Remainders, lengths, steps between neighbours, exponents.
#pragma once
#pragma clang system_header

#include <warpbook/math_exponential.h>

namespace warpbook_parts {

/// A positive finite number as mantissa 2^exponent, the mantissa a whole number with all its bits.
template <class T>
WARPBOOK_DEVICE unsigned long long whole_mantissa(T x, int& exponent) {
  typedef number<T> N;
  const unsigned long long bits = (typename N::unsigned_bits)bits_of(x);
  unsigned long long mantissa = bits & ((1ull << N::fraction_bits) - 1);
  exponent = (int)(bits >> N::fraction_bits);
  if (exponent == 0) {
    exponent = 1;
  } else {
    mantissa |= 1ull << N::fraction_bits;
  }
  return mantissa;
}
/// x mod y for finite x >= 0 and y > 0, and the lowest bits of the quotient: division as on paper, several bits a step.
template <class T>
WARPBOOK_DEVICE T modulo(T x, T y, unsigned int& quotient) {
  constexpr int step = 63 - number<T>::fraction_bits - 1;
  quotient = 0;
  if (x < y) return x;
  int of_x, of_y;
  unsigned long long rest = whole_mantissa(x, of_x);
  const unsigned long long divisor = whole_mantissa(y, of_y);
  int left = of_x - of_y;
  quotient = (unsigned int)(rest / divisor);
  rest %= divisor;
  while (left > 0) {
    const int now = left < step ? left : step;
    rest <<= now;
    quotient = (now >= 32 ? 0 : quotient << now) + (unsigned int)(rest / divisor);
    rest %= divisor;
    left -= now;
  }
  if (rest == 0) return 0;
  // rest 2^(of_y - bias - fraction bits), which is exact.
  T result = (T)(long long)rest;
  const int exponent = of_y - number<T>::exponent_bias - number<T>::fraction_bits;
  return scaled(scaled(result, exponent / 2), exponent - exponent / 2);
}
template <class T>
WARPBOOK_DEVICE T fmod_of(T x, T y) {
  const T size = fabs(x), divisor = fabs(y);
  if (!(size < infinity<T>()) || !(divisor > 0)) return not_a_number<T>();
  unsigned int quotient;
  return copysign(modulo(size, divisor, quotient), x);
}
/// x - n y, n the nearest whole number to x / y, halves to even.
template <class T>
WARPBOOK_DEVICE T remquo_of(T x, T y, int* quotient) {
  const T size = fabs(x), divisor = fabs(y);
  *quotient = 0;
  if (!(size < infinity<T>()) || !(divisor > 0)) return not_a_number<T>();
  if (divisor == infinity<T>()) return x;
  unsigned int whole;
  T rest = modulo(size, divisor, whole);
  const T other = divisor - rest;  // exact where it matters: near one half
  if (rest > other || (rest == other && (whole & 1))) {
    rest = rest - divisor;
    ++whole;
  }
  const int bits = (int)(whole & 0x7fffffff);
  *quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -bits : bits;
  return __builtin_signbit(x) ? -rest : rest;
}
template <class T>
WARPBOOK_DEVICE T remainder_of(T x, T y) {
  int quotient;
  return remquo_of(x, y, &quotient);
}

/// The sum of the squares as a pair, of numbers scaled so that none overflows; *k: their scale's exponent.
template <class T, class... Rest>
WARPBOOK_DEVICE pair<T> squares(int* k, T first, Rest... rest) {
  T largest = fabs(first);
  ((largest = fmax(largest, fabs(rest))), ...);
  int exponent;
  whole_mantissa(largest, exponent);
  *k = exponent - number<T>::exponent_bias;
  const T scale = power_of_two<T>(-*k / 2), again = power_of_two<T>(-*k - -*k / 2);
  pair<T> all = product(first * scale * again, first * scale * again);
  const auto add = [&](T next) WARPBOOK_LAMBDA {
    const pair<T> square = product(next * scale * again, next * scale * again);
    const pair<T> more = sum(all.high, square.high);
    all = {more.high, more.low + (all.low + square.low)};
  };
  (add(rest), ...);
  return quick_sum(all.high, all.low);
}
template <class T, class... Rest>
WARPBOOK_DEVICE T length(T first, Rest... rest) {
  if (fabs(first) == infinity<T>() || ((fabs(rest) == infinity<T>()) || ...)) return infinity<T>();
  if (first != first || ((rest != rest) || ...)) return not_a_number<T>();
  if (first == 0 && ((rest == 0) && ...)) return 0;
  int k;
  const pair<T> all = squares(&k, first, rest...);
  const T root = sqrt(all.high);
  return scaled(root + (fma(-root, root, all.high) + all.low) / (2 * root), k);
}
template <class T, class... Rest>
WARPBOOK_DEVICE T reciprocal_length(T first, Rest... rest) {
  if (fabs(first) == infinity<T>() || ((fabs(rest) == infinity<T>()) || ...)) return 0;
  if (first != first || ((rest != rest) || ...)) return not_a_number<T>();
  if (first == 0 && ((rest == 0) && ...)) return infinity<T>();
  int k;
  const pair<T> all = squares(&k, first, rest...);
  const T y = 1 / sqrt(all.high);
  const pair<T> h = product(all.high, y);
  const T residual = fma(-h.high, y, (T)1) - fma(h.low, y, all.low * y * y);
  return scaled(fma((T)0.5 * y, residual, y), -k);
}

template <class T>
WARPBOOK_DEVICE T nextafter_of(T x, T y) {
  typedef typename number<T>::bits bits;
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return copysign(from_bits<T>(1), y);
  const bits step = (x < y) == (x > 0) ? 1 : -1;
  return from_bits<T>(bits_of(x) + step);
}
template <class T>
WARPBOOK_DEVICE int ilogb_of(T x) {
  if (x == 0) return -2147483647 - 1;
  if (!(fabs(x) < infinity<T>())) return x != x ? -2147483647 - 1 : 2147483647;
  int exponent;
  const unsigned long long mantissa = whole_mantissa(fabs(x), exponent);
  return exponent - number<T>::exponent_bias - (__builtin_clzll(mantissa) - (63 - number<T>::fraction_bits));
}
template <class T>
WARPBOOK_DEVICE T logb_of(T x) {
  if (x == 0) return -infinity<T>();
  if (!(fabs(x) < infinity<T>())) return x * x;
  return (T)ilogb_of(x);
}
template <class T>
WARPBOOK_DEVICE T ldexp_of(T x, int k) {
  constexpr int far = 2 * number<T>::largest_exponent;
  k = k < -far ? -far : k > far ? far : k;
  // In three steps whose powers of two are numbers; to smaller ones only the last may round.
  typedef number<T> N;
  constexpr int most = N::exponent_bias, least = 2 - N::exponent_bias;
  for (int i = 0; i < 2 && k > most; ++i) {
    x *= power_of_two<T>(most);
    k -= most;
  }
  for (int i = 0; i < 3 && k < least; ++i) {
    const int now = least + N::fraction_bits + 1;  // leaves room, so that nothing is cut off twice
    x = times(x, power_of_two<T>(now));
    k -= now;
  }
  return k > most ? x * infinity<T>() : k < least ? x * (T)0 : times(x, power_of_two<T>(k));
}
template <class T>
WARPBOOK_DEVICE T frexp_of(T x, int* exponent) {
  *exponent = 0;
  if (x == 0 || !(fabs(x) < infinity<T>())) return x;
  *exponent = ilogb_of(x) + 1;
  return ldexp_of(x, -*exponent);
}
template <class T>
WARPBOOK_DEVICE T modf_of(T x, T* whole) {
  *whole = trunc(x);
  return copysign(fabs(x) == infinity<T>() ? (T)0 : x - *whole, x);
}

}  // namespace warpbook_parts
