// sin, cos, tan and their inverses.
//
// Large arguments: M. H. Payne, R. N. Hanek, Radian Reduction for Trigonometric Functions (SIGNUM Newsletter 18, 1983); small ones:
// W. J. Cody, W. Waite, Software Manual for the Elementary Functions (1980), with fused multiply-adds.
#pragma once
#pragma clang system_header

#include <warpbook/math_parts.h>

namespace warpbook_parts {

/// 64 zeros and the bits of 2/pi behind the point, for arguments that small steps do not reach.
static __constant__ unsigned long long two_over_pi[21] = {
    0,
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

/// x = quadrant pi/2 + result, |result| <= pi/4, for finite x of at least 2^16: mantissa 2/pi, whole turns left out.
WARPBOOK_DEVICE pair<double> reduce_large(unsigned long long mantissa, int exponent, int& quadrant) {  // mantissa 2^exponent
  // Bits of 2/pi from `first` on count: those before give multiples of four quadrants.
  const int first = 64 + exponent - 2;
  const int word = first / 64, bit = first % 64;
  unsigned long long part[3];
  for (int i = 0; i < 3; ++i) {
    part[i] = two_over_pi[word + i] << bit;
    if (bit != 0) part[i] |= two_over_pi[word + i + 1] >> (64 - bit);
  }
  // The fraction of mantissa * part, 128 bits of it: its first two say the quadrant.
  const unsigned long long a = __umul64hi(mantissa, part[2]);
  const unsigned long long b = mantissa * part[1], c = __umul64hi(mantissa, part[1]), d = mantissa * part[0];
  unsigned long long low = a + b;
  unsigned long long high = d + c + (low < a ? 1 : 0);
  quadrant = (int)(high >> 62);
  high = high << 2 | low >> 62;
  low <<= 2;
  const bool negative = (long long)high < 0;  // the nearest quadrant
  if (negative) {
    quadrant += 1;
    low = ~low;
    high = ~high;
  }
  // A fraction of 128 bits, its leading zeros taken off.
  int zeros = high ? __builtin_clzll(high) : 64 + (low ? __builtin_clzll(low) : 63);
  if (zeros >= 64) {
    high = low;
    low = 0;
    high <<= zeros - 64;
  } else if (zeros > 0) {
    high = high << zeros | low >> (64 - zeros);
    low <<= zeros;
  }
  const double upper = (double)(high >> 11), lower = (double)((high & 0x7ff) << 42 | low >> 22);
  const double scale = power_of_two<double>(-53 - zeros);
  const pair<double> fraction = quick_sum(upper * scale, lower * (scale * 0x1p-53));
  pair<double> r = product(fraction, number<double>::half_pi);
  r = quick_sum(r.high, r.low);
  return negative ? pair<double>{-r.high, -r.low} : r;
}
WARPBOOK_DEVICE pair<double> reduce_far(double x, int& quadrant) {
  const unsigned long long bits = (unsigned long long)bits_of(x);
  const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
  pair<double> r = reduce_large((bits & 0xfffffffffffffull) | 0x10000000000000ull, exponent, quadrant);
  if (x < 0) {
    quadrant = -quadrant;
    r = {-r.high, -r.low};
  }
  return r;
}
WARPBOOK_DEVICE pair<float> reduce_far(float x, int& quadrant) {
  const unsigned int bits = (unsigned int)bits_of(x);
  pair<double> r = reduce_large((bits & 0x7fffff) | 0x800000, (int)(bits >> 23 & 0xff) - 150, quadrant);
  if (x < 0) {
    quadrant = -quadrant;
    r.high = -r.high;
  }
  return {(float)r.high, (float)(r.high - (float)r.high)};
}

/// |x| <= pi/4 + a multiple of pi/2, as a pair.
template <class T>
WARPBOOK_DEVICE pair<T> reduce(T x, int& quadrant) {
  typedef number<T> N;
  constexpr T far = sizeof(T) == 4 ? (T)100000 : (T)2147483000;
  if (!(fabs(x) < far)) {
    if (!(fabs(x) < infinity<T>())) {
      quadrant = 0;
      return {not_a_number<T>(), 0};
    }
    return reduce_far(x, quadrant);
  }
  constexpr T two_over_pi_near = (T)0.63661977236758138;
  const T turns = rint(x * two_over_pi_near);
  quadrant = (int)turns;
  // The first step is exact. The second is not: what it cuts off goes into the lower part.
  const T first = fma(-turns, N::half_pi.high, x);
  const pair<T> step = product(turns, N::half_pi.low);
  pair<T> r = sum(first, -step.high);
  r.low = fma(-turns, N::half_pi_third, r.low - step.low);
  return quick_sum(r.high, r.low);
}

template <class T>
WARPBOOK_DEVICE T sin_near(pair<T> r) {
  const T z = r.high * r.high;
  return r.high + fma(r.high * z, sin_tail(z), fma((T)-0.5 * z, r.low, r.low));
}
template <class T>
WARPBOOK_DEVICE T cos_near(pair<T> r) {
  const T z = r.high * r.high, half = (T)0.5 * z, near = 1 - half;
  return near + (((1 - near) - half) + fma(z * z, cos_tail(z), -r.high * r.low));
}
template <class T>
WARPBOOK_DEVICE T in_quadrant(pair<T> r, int quadrant) {
  const T value = (quadrant & 1) ? cos_near(r) : sin_near(r);
  return (quadrant & 2) ? -value : value;
}
template <class T>
WARPBOOK_DEVICE T sin_of(T x) {
  if (x == 0) return x;
  int quadrant;
  const pair<T> r = reduce(x, quadrant);
  return in_quadrant(r, quadrant);
}
template <class T>
WARPBOOK_DEVICE T cos_of(T x) {
  int quadrant;
  const pair<T> r = reduce(x, quadrant);
  return in_quadrant(r, quadrant + 1);
}
template <class T>
WARPBOOK_DEVICE void sincos_of(T x, T* sine, T* cosine) {
  int quadrant;
  const pair<T> r = reduce(x, quadrant);
  const T s = sin_near(r), c = cos_near(r);
  const T first = (quadrant & 1) ? c : s, second = (quadrant & 1) ? s : c;
  *sine = x == 0 ? x : (quadrant & 2) ? -first : first;
  *cosine = ((quadrant + 1) & 2) ? -second : second;
}
template <class T>
WARPBOOK_DEVICE T tan_of(T x) {
  if (x == 0) return x;
  int quadrant;
  const pair<T> r = reduce(x, quadrant);
  const T s = sin_near(r), c = cos_near(r);
  return (quadrant & 1) ? -c / s : s / c;
}
/// x pi, whole turns left out: exact in halves.
template <class T>
WARPBOOK_DEVICE pair<T> reduce_pi(T x, int& quadrant) {
  const T halves = rint(2 * x);
  const T rest = fma((T)-0.5, halves, x);
  quadrant = (int)(halves - 4 * floor((T)0.25 * halves));
  return product(pair<T>{rest, 0}, number<T>::pi);
}
template <class T>
WARPBOOK_DEVICE T sinpi_of(T x) {
  if (!(fabs(x) < infinity<T>())) return not_a_number<T>();
  if (fabs(x) >= power_of_two<T>(number<T>::fraction_bits)) return copysign((T)0, x);
  int quadrant;
  const pair<T> r = reduce_pi(x, quadrant);
  if (r.high == 0 && !(quadrant & 1)) return copysign((T)0, x);
  return in_quadrant(r, quadrant);
}
template <class T>
WARPBOOK_DEVICE T cospi_of(T x) {
  if (!(fabs(x) < infinity<T>())) return not_a_number<T>();
  if (fabs(x) >= power_of_two<T>(number<T>::fraction_bits + 1)) return 1;
  int quadrant;
  const pair<T> r = reduce_pi(x, quadrant);
  if (r.high == 0 && (quadrant & 1)) return 0;
  return in_quadrant(r, quadrant + 1);
}

template <class T>
WARPBOOK_DEVICE T atan_to_one(T x) {  // 0 <= x <= 1
  const T z = x * x;
  return fma(x * z, atan_tail(z), x);
}
template <class T>
WARPBOOK_DEVICE T atan_of(T x) {
  const T size = fabs(x);
  if (!(size > 1)) return fma(x * (x * x), atan_tail(x * x), x);
  return copysign(number<T>::half_pi.high - (atan_to_one(1 / size) - number<T>::half_pi.low), x);
}
template <class T>
WARPBOOK_DEVICE T atan2_of(T y, T x) {
  typedef number<T> N;
  if (x != x || y != y) return x + y;
  const T a = fabs(x), b = fabs(y);
  const bool steep = b > a, left = __builtin_signbit(x);
  T larger = steep ? b : a, smaller = steep ? a : b;
  T angle;
  if (larger == 0) {
    angle = 0;
  } else if (smaller == infinity<T>()) {
    angle = N::half_pi.high / 2;
  } else {
    angle = atan_to_one(smaller / larger);
  }
  if (steep) angle = N::half_pi.high - (angle - N::half_pi.low);
  if (left) angle = N::pi.high - (angle - N::pi.low);
  return copysign(angle, y);
}
template <class T>
WARPBOOK_DEVICE T asin_to_half(T x, T z) {
  return fma(x * z, asin_tail(z), x);
}
template <class T>
WARPBOOK_DEVICE T asin_of(T x) {
  const T size = fabs(x);
  if (!(size > (T)0.5)) return asin_to_half(x, x * x);
  if (size > 1) return not_a_number<T>();
  const T z = (1 - size) * (T)0.5, s = sqrt(z);
  return copysign(number<T>::half_pi.high - (2 * asin_to_half(s, z) - number<T>::half_pi.low), x);
}
template <class T>
WARPBOOK_DEVICE T acos_of(T x) {
  typedef number<T> N;
  const T size = fabs(x);
  if (!(size > (T)0.5)) return N::half_pi.high - (asin_to_half(x, x * x) - N::half_pi.low);
  if (size > 1) return not_a_number<T>();
  const T z = (1 - size) * (T)0.5, s = sqrt(z);
  if (z == 0) return x > 0 ? (T)0 : N::pi.high;
  const T rest = fma(-s, s, z) / (2 * s);  // what the root is too small by
  const T half = s + fma(s * z, asin_tail(z), rest);
  return x > 0 ? 2 * half : N::pi.high - (2 * half - N::pi.low);
}

}  // namespace warpbook_parts
