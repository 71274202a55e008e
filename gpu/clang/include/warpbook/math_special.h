// The error function and its kin, the gamma function.
//
// Inverses begin with M. Giles, Approximating the erfinv function (GPU Computing Gems, 2011), and go on by Newton's method; gamma is
// Stirling's series (Abramowitz, Stegun: 6.1.40) above a threshold and recurrence and reflection (6.1.15, 6.1.17) below.
#pragma once
#pragma clang system_header

#include <warpbook/math_exponential.h>
#include <warpbook/math_trigonometric.h>

namespace warpbook_parts {

/// exp(x^2) erfc(x) for x >= 0.
template <class T>
WARPBOOK_DEVICE T erfcx_of_positive(T x) {
  if (x < (T)0.25) return exp_of(x * x) * (1 - fma(x, erf_tail(x * x), x));
  constexpr T k = sizeof(T) == 4 ? 2 : 4;
  const T q = x > (T)1e30 ? (T)1 : (x - k) / (x + k);
  return (T)0.5 * erfcx_scaled(q) / (x + (T)0.5);
}
/// erfc(x + low) for x >= 0.
template <class T>
WARPBOOK_DEVICE T erfc_of_positive(T x, T low) {
  if (x > (sizeof(T) == 4 ? (T)10.1 : (T)27.3)) return 0;
  const pair<T> square = product(x, x);
  int k;
  const pair<T> e = exp_parts(-square.high, -fma(2 * x, low, square.low), k);
  const T factor = erfcx_of_positive(x);
  return scaled(fma(e.high, factor, e.low * factor), k);
}
template <class T>
WARPBOOK_DEVICE T erf_of(T x) {
  const T size = fabs(x);
  if (!(size >= 1)) return fma(x, erf_tail(x * x), x);
  return copysign(1 - erfc_of_positive(size, (T)0), x);
}
template <class T>
WARPBOOK_DEVICE T erfc_of(T x, T low = 0) {
  if (x != x) return x;
  if (fabs(x) < (T)0.5) return 1 - (fma(x, erf_tail(x * x), x) + low);
  const T c = erfc_of_positive(fabs(x), x < 0 ? -low : low);
  return x < 0 ? 2 - c : c;
}
template <class T>
WARPBOOK_DEVICE T erfcx_of(T x) {
  if (x >= 0 || x != x) return x != x ? x : erfcx_of_positive(x);
  if (x < (sizeof(T) == 4 ? (T)-9.5 : (T)-26.7)) return infinity<T>();
  const pair<T> square = product(x, x);
  int k;
  const pair<T> e = exp_parts(square.high, square.low, k);
  return scaled(e.high + e.low, k + 1) - erfcx_of_positive(-x);
}
template <class T>
WARPBOOK_DEVICE T normcdf_of(T x) {
  typedef number<T> N;
  if (!(fabs(x) < 40)) return x != x ? x : x < 0 ? (T)0 : (T)1;
  const pair<T> t = product(-x, N::half_sqrt2.high);
  // Halved before it is rounded where it is small.
  if (x >= -1) return (T)0.5 * erfc_of(t.high, fma(-x, N::half_sqrt2.low, t.low));
  const T low = fma(-x, N::half_sqrt2.low, t.low);
  const pair<T> square = product(t.high, t.high);
  int k;
  const pair<T> e = exp_parts(-square.high, -fma(2 * t.high, low, square.low), k);
  const T factor = erfcx_of_positive(t.high);
  return k < -2 * N::exponent_bias + 2 ? (T)0 : scaled(fma(e.high, factor, e.low * factor), k - 1);
}

/// Giles' single-precision approximation: relative error 1e-6 or so. w = -log((1 - x)(1 + x)).
WARPBOOK_DEVICE float erfinv_first(float x, float w) {
  if (w < 5.0f) {
    return x * polynomial(w - 2.5f, 2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                          -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f);
  }
  return x * polynomial(__nvvm_sqrt_rn_f(w) - 3.0f, -0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                        -0.0076224613f, 0.00943887047f, 1.00167406f, 2.83297682f);
}
/// x with erf(x) = y.
template <class T>
WARPBOOK_DEVICE T erfinv_of(T y);
/// x with erfc(x) = y, y within 0 and 1: by the logarithm, which is all but straight.
template <class T>
WARPBOOK_DEVICE T erfcinv_of_small(T y) {
  const pair<T> log = log_parts(y);
  const float w = (float)-(log.high + log1p_of(1 - y));
  T x;
  if (w < 25) {
    x = erfinv_first((float)(1 - y), w);
  } else {  // the first terms of its asymptotic series
    const T l = -log.high;
    x = sqrt(l - (T)0.5 * log_of((T)3.14159265 * l));
  }
  for (int i = 0; i < (sizeof(T) == 4 ? 2 : 3); ++i) {
    // Newton's for log(erfcx(x)) - x^2 - log(y), with the square in parts.
    const T factor = erfcx_of_positive(x);
    const pair<T> square = product(x, x);
    const T residual = (-log.high - square.high) - (log.low + square.low) + log_of(factor);
    x += residual * factor * (T)0.88622692545275801;  // its derivative is -2 / (sqrt(pi) erfcx(x))
  }
  return x;
}
template <class T>
WARPBOOK_DEVICE T erfinv_of(T y) {
  const T size = fabs(y);
  if (!(size < 1)) return size == 1 ? copysign(infinity<T>(), y) : not_a_number<T>();
  if (size >= (T)0.75) return copysign(erfcinv_of_small(1 - size), y);
  if (size < power_of_two<T>(1 - number<T>::exponent_bias / 2)) return (T)0.88622692545275801 * y;
  T x = erfinv_first((float)1, (float)-log1p_of(-y * y)) * y;
  for (int i = 0; i < (sizeof(T) == 4 ? 1 : 2); ++i) {
    const T residual = fma(x, erf_tail(x * x), x - y);
    x -= residual * (T)0.88622692545275801 * exp_of(x * x);
  }
  return x;
}
template <class T>
WARPBOOK_DEVICE T erfcinv_of(T y) {
  if (!(y > 0 && y < 2)) return y == 0 ? infinity<T>() : y == 2 ? -infinity<T>() : not_a_number<T>();
  if (y <= (T)0.5) return erfcinv_of_small(y);
  if (y >= (T)1.5) return -erfcinv_of_small(2 - y);
  return erfinv_of(1 - y);
}
template <class T>
WARPBOOK_DEVICE T normcdfinv_of(T p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -infinity<T>() : p == 1 ? infinity<T>() : not_a_number<T>();
  return (T)-1.4142135623730951 * erfcinv_of(2 * p);
}

/// log(gamma(x)) as a pair, by Stirling's series: x >= 4 for float, >= 10 for double.
template <class T>
WARPBOOK_DEVICE pair<T> stirling(T x) {
  typedef number<T> N;
  const pair<T> log = log_parts(x);
  const T reciprocal = 1 / x;
  pair<T> all = product(pair<T>{x - (T)0.5, 0}, log);
  const pair<T> less = sum(all.high, -x);
  all = {less.high, less.low + all.low};
  const pair<T> more = sum(all.high, N::half_ln_2pi.high);
  all = {more.high, more.low + all.low + N::half_ln_2pi.low};
  const pair<T> end = quick_sum(all.high, fma(reciprocal, stirling_tail(reciprocal * reciprocal), all.low));
  return end;
}
template <class T>
WARPBOOK_DEVICE T gamma_of(T x) {
  constexpr T enough = sizeof(T) == 4 ? 4 : 10;
  if (x != x) return x;
  if (x == 0) return copysign(infinity<T>(), x);
  if (x < 0 && trunc(x) == x) return not_a_number<T>();
  if (x > 180) return infinity<T>();
  if (x < (T)-185) return is_odd(floor(x)) ? -(T)0 : (T)0;
  const T size = fabs(x);
  if (size < power_of_two<T>(-number<T>::fraction_bits - 1)) return 1 / x;
  // Up to where the series is exact: gamma(from) = gamma(from + n) / (from (from + 1) ... (from + n - 1)), all factors as pairs.
  const bool reflected = x < -enough;
  const T from = reflected ? -x : x;
  pair<T> y = {from, 0}, below = {1, 0};
  for (int i = 1; y.high < enough; ++i) {
    below = product(below, y);
    y = sum((T)i, from);
  }
  pair<T> log = stirling(y.high);
  log.low = fma(y.low, log_of(y.high), log.low);  // gamma'/gamma is all but the logarithm
  const T correction = 1 - below.low / below.high;
  if (!reflected) return exponential(log.high, log.low) / below.high * correction;
  // gamma(-s) = -pi / (s sin(pi s) gamma(s))
  return -number<T>::pi.high / (from * sinpi_of(from)) * exponential(-log.high, -log.low);
}
template <class T>
WARPBOOK_DEVICE T lgamma_of(T x) {
  constexpr T enough = sizeof(T) == 4 ? 5 : 12;
  if (x != x) return x;
  const T size = fabs(x);
  if (size == infinity<T>()) return size;
  if (x <= 0 && trunc(x) == x) return infinity<T>();
  T result;
  if (size < (T)0.7) {  // log(gamma(1 + size) / size)
    result = size < power_of_two<T>(-number<T>::fraction_bits - 4) ? -log_of(size)
             : size < (T)0.5 ? fma(size, log_gamma_at_one(size), -log_of(size))
                             : fma(size - 1, log_gamma_at_two(size - 1), 0) - log_of(size);
  } else if (size <= (T)1.5) {
    result = (size - 1) * log_gamma_at_one(size - 1);
  } else if (size < enough) {
    T y = size, below = 1;
    while (y > (T)2.5) {
      y -= 1;
      below *= y;
    }
    result = fma(y - 2, log_gamma_at_two(y - 2), below == 1 ? (T)0 : log_of(below));
  } else if (size > power_of_two<T>(number<T>::fraction_bits + 10)) {
    const T log = log_of(size);
    result = size * (log - 1);
  } else {
    const pair<T> log = stirling(size);
    result = log.high + log.low;
  }
  if (x > 0) return result;
  if (size < power_of_two<T>(-number<T>::fraction_bits - 4)) return result;
  return log_of(number<T>::pi.high / fabs(size * sinpi_of(size))) - result;
}

}  // namespace warpbook_parts
