// exp, log, powers and roots, hyperbolic functions.
#pragma once
#pragma clang system_header

#include <warpbook/math_parts.h>

namespace warpbook_parts {

/// exp(x + low) for any x, times 2^more.
template <class T>
WARPBOOK_DEVICE T exponential(T x, T low, int more = 0) {
  typedef number<T> N;
  if (x > N::huge_exponential - (T)more) return infinity<T>();
  if (x < N::tiny_exponential) return 0;
  int k;
  const pair<T> e = exp_parts(x, low, k);
  return scaled(e.high + e.low, k + more);
}

template <class T>
WARPBOOK_DEVICE T exp_of(T x) {
  typedef number<T> N;
  if constexpr (sizeof(T) == 8) return exponential(x, (T)0);
  if (x > N::huge_exponential) return infinity<T>();
  if (x < N::tiny_exponential) return 0;
  const T whole = rint(x * N::log2_e.high);
  const T r = fma(-whole, N::ln2.low, fma(-whole, N::ln2.high, x));
  return scaled(1 + fma(r * r, exp_tail(r), r), (int)whole);
}
template <class T>
WARPBOOK_DEVICE T exp2_of(T x) {
  typedef number<T> N;
  if (x >= N::exponent_bias + 1) return infinity<T>();
  if (x < -N::exponent_bias - N::fraction_bits - 1) return 0;
  const T whole = rint(x), r = x - whole;
  const pair<T> y = product(r, N::ln2.high);
  int k;
  const pair<T> e = exp_parts(y.high, fma(r, N::ln2.low, y.low), k);
  return scaled(e.high + e.low, k + (int)whole);
}
template <class T>
WARPBOOK_DEVICE T exp10_of(T x) {
  typedef number<T> N;
  if (x > (N::exponent_bias + 1) * (T)0.30103) return infinity<T>();
  if (x < -(N::exponent_bias + N::fraction_bits + 1) * (T)0.30103) return 0;
  const T whole = rint(x * N::log2_10);
  const T r = fma(-whole, N::log10_2.high, x), rest = -whole * N::log10_2.low;
  const pair<T> y = product(r, N::ln10.high);
  int k;
  const pair<T> e = exp_parts(y.high, fma(rest, N::ln10.high, fma(r, N::ln10.low, y.low)), k);
  return scaled(e.high + e.low, k + (int)whole);
}
/// exp(x + low) - 1 as a pair, for x below huge_exponential.
template <class T>
WARPBOOK_DEVICE pair<T> expm1_parts(T x, T low) {
  typedef number<T> N;
  const T whole = rint(x * N::log2_e.high);
  const T r = fma(-whole, N::ln2.high, x), rest = fma(-whole, N::ln2.low, low);
  const pair<T> reduced = quick_sum(r, rest);
  const T square = times(reduced.high, reduced.high);
  const pair<T> e = quick_sum(reduced.high, fma(square, exp_tail(reduced.high), reduced.low));
  if (whole == 0) return e;
  const int k = (int)whole;
  const T two_k = power_of_two<T>(k);
  // The larger of 2^k e and 2^k - 1 comes first.
  const pair<T> other = sum(two_k, (T)-1);
  pair<T> all = sum(other.high, times(two_k, e.high));
  all.low += other.low + two_k * e.low;
  return all;
}
template <class T>
WARPBOOK_DEVICE T expm1_of(T x) {
  typedef number<T> N;
  if (x != x || x == 0) return x;
  if (x > N::huge_exponential - 1) return exp_of(x);
  if (x < -45) return -1;
  const pair<T> e = expm1_parts(x, (T)0);
  return e.high + e.low;
}

/// What log and its kin answer where there is no logarithm; true: x is a positive finite number.
template <class T>
WARPBOOK_DEVICE bool has_log(T x, T& answer) {
  if (x > 0 && x < infinity<T>()) return true;
  answer = x == 0 ? -infinity<T>() : x < 0 ? not_a_number<T>() : x;
  return false;
}
template <class T>
WARPBOOK_DEVICE T log_of(T x) {
  T answer;
  if (!has_log(x, answer)) return answer;
  // log(1 + f) = f - s (f - R), s = f / (2 + f), R = s^2 (2/3 + ...)
  int k;
  const T f = split(x, k) - 1, s = f / (2 + f), z = s * s;
  const T rest = z * fma(z, log_tail(z), number<T>::two_thirds.high);
  const T part = f - fma(s, f - rest, -(T)k * number<T>::ln2.low);
  return fma((T)k, number<T>::ln2.high, part);
}
template <class T>
WARPBOOK_DEVICE T log2_of(T x) {
  T answer;
  if (!has_log(x, answer)) return answer;
  int k;
  const T m = split(x, k);
  const pair<T> all = product(log_of_fraction(m), number<T>::log2_e);
  const pair<T> with = k == 0 ? pair<T>{all.high, 0} : quick_sum((T)k, all.high);
  return with.high + (with.low + all.low);
}
template <class T>
WARPBOOK_DEVICE T log10_of(T x) {
  T answer;
  if (!has_log(x, answer)) return answer;
  int k;
  const T m = split(x, k);
  const pair<T> all = product(log_of_fraction(m), number<T>::log10_e), whole = product((T)k, number<T>::log10_2.high);
  const pair<T> with = k == 0 ? pair<T>{all.high, 0} : quick_sum(whole.high, all.high);
  return with.high + (with.low + fma((T)k, number<T>::log10_2.low, whole.low + all.low));
}
/// log(1 + x + low) as a pair, for 1 + x a positive finite number.
template <class T>
WARPBOOK_DEVICE pair<T> log1p_parts(T x, T low) {
  pair<T> u = sum((T)1, x);
  u.low += low;
  const pair<T> all = log_parts(u.high);
  const T part = u.low / u.high;
  return quick_sum(all.high, fma((T)-0.5 * part, part, all.low + part));
}
template <class T>
WARPBOOK_DEVICE T log1p_of(T x) {
  if (!(x > -1)) return x == -1 ? -infinity<T>() : not_a_number<T>();
  if (x == infinity<T>()) return x;
  if (__builtin_fabs((double)x) < (double)power_of_two<T>(-number<T>::fraction_bits - 2)) return x;
  return log1p_parts(x, (T)0).high;
}

/// Is a whole number y odd? (Beyond 2^fraction_bits+1 all are even.)
template <class T>
WARPBOOK_DEVICE bool is_odd(T y) {
  return fabs(y) < power_of_two<T>(number<T>::fraction_bits + 1) && ((long long)y & 1) != 0;
}
template <class T>
WARPBOOK_DEVICE T pow_of(T x, T y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  const T size = fabs(x);
  const bool whole = trunc(y) == y, odd = whole && is_odd(y);
  if (size == 1 && fabs(y) == infinity<T>()) return 1;
  if (fabs(y) == infinity<T>()) return (size > 1) == (y > 0) ? infinity<T>() : (T)0;
  if (x == 0 || size == infinity<T>()) {
    const T result = (x == 0) == (y < 0) ? infinity<T>() : (T)0;
    return odd ? copysign(result, x) : result;
  }
  if (x < 0 && !whole) return not_a_number<T>();
  const pair<T> log = log_parts(size);
  T power;
  if (fabs(y) >= power_of_two<T>(number<T>::fraction_bits + 13)) {  // |log(size)| is at least 2^-24 or 2^-53
    power = (log.high > 0) == (y > 0) ? infinity<T>() : (T)0;
    if (log.high == 0) power = 1;
  } else {
    const pair<T> exponent = product(y, log.high);
    power = exponential(exponent.high, fma(y, log.low, exponent.low));
  }
  return x < 0 && odd ? -power : power;
}

/// The cube root of m, 0.7 <= m < 6, by Halley's method from a third of the exponent, and at last a step of Newton's with a residual
/// of twice the precision.
template <class T>
WARPBOOK_DEVICE T cbrt_of_fraction(T m) {
  typedef number<T> N;
  constexpr typename N::bits third = sizeof(T) == 4 ? (typename N::bits)0x2a5119f2 : (typename N::bits)0x2a9f7893782da1cell;
  T y = from_bits<T>(bits_of(m) / 3 + third);
  for (int i = 0; i < (sizeof(T) == 4 ? 2 : 3); ++i) {
    const T cube = y * y * y;
    y = y * (cube + 2 * m) / (2 * cube + m);
  }
  const pair<T> square = product(y, y), cube = product(square, pair<T>{y, 0});
  return y + ((m - cube.high) - cube.low) / (3 * square.high);
}
/// A positive number as m 8^k, 0.7 <= m < 6.
template <class T>
WARPBOOK_DEVICE T split_in_eighths(T x, int& k) {
  int exponent;
  const T m = split(x, exponent);
  k = (exponent + 3 * 512) / 3 - 512;
  return m * power_of_two<T>(exponent - 3 * k);
}
template <class T>
WARPBOOK_DEVICE T cbrt_of(T x) {
  const T size = fabs(x);
  if (!(size > 0 && size < infinity<T>())) return x;
  int k;
  const T m = split_in_eighths(size, k);
  return copysign(cbrt_of_fraction(m) * power_of_two<T>(k), x);
}
template <class T>
WARPBOOK_DEVICE T rcbrt_of(T x) {
  const T size = fabs(x);
  if (x != x) return x;
  if (size == 0) return copysign(infinity<T>(), x);
  if (size == infinity<T>()) return copysign((T)0, x);
  int k;
  const T m = split_in_eighths(size, k), y = 1 / cbrt_of_fraction(m);
  const pair<T> square = product(y, y), cube = product(square, pair<T>{y, 0});
  const T residual = fma(-m, cube.high, (T)1) - m * cube.low;
  return copysign(fma(y * (T)0.33333333333333331, residual, y) * power_of_two<T>(-k), x);
}
WARPBOOK_DEVICE float rsqrt_of(float x) { return __nvvm_rsqrt_approx_f(x); }
WARPBOOK_DEVICE double rsqrt_of(double x) {
  const double y = 1 / sqrt(x);
  if (!(y > 0 && x > 0x1p-1022 && x < infinity<double>())) return y;
  const pair<double> h = product(x, y);
  return fma(0.5 * y, fma(-h.high, y, 1.0) - h.low * y, y);
}

template <class T>
WARPBOOK_DEVICE T sinh_of(T x) {
  const T size = fabs(x);
  if (size < 1) return fma(x * (x * x), sinh_tail(x * x), x);
  if (!(size < number<T>::huge_exponential + 1)) return x * infinity<T>();
  int k;
  const pair<T> e = exp_parts(size, (T)0, k);
  if (k > number<T>::fraction_bits) return copysign(scaled(e.high + e.low, k - 1), x);
  const T half = power_of_two<T>(k - 1);
  const T high = e.high * half, low = e.low * half;
  return copysign(high + (low - (T)0.25 / high), x);
}
template <class T>
WARPBOOK_DEVICE T cosh_of(T x) {
  const T size = fabs(x);
  if (!(size < number<T>::huge_exponential + 1)) return size * infinity<T>();
  int k;
  const pair<T> e = exp_parts(size, (T)0, k);
  if (k > number<T>::fraction_bits) return scaled(e.high + e.low, k - 1);
  const T half = power_of_two<T>(k - 1);
  const T high = e.high * half, low = e.low * half;
  return high + (low + (T)0.25 / (high + low));
}
template <class T>
WARPBOOK_DEVICE T tanh_of(T x) {
  const T size = fabs(x);
  if (!(size >= (T)0.6)) return fma(x * (x * x), tanh_tail(x * x), x);
  if (size > 22) return copysign((T)1, x);
  int k;
  const pair<T> e = exp_parts(2 * size, (T)0, k);
  const T two_k = power_of_two<T>(k);
  pair<T> t = sum(e.high * two_k, (T)1);
  t.low += e.low * two_k;
  const T q = 2 / t.high;
  const T rest = (fma(-q, t.high, (T)2) - q * t.low) / t.high;
  const pair<T> all = quick_sum((T)1, -q);
  return copysign(all.high + (all.low - rest), x);
}
template <class T>
WARPBOOK_DEVICE T asinh_of(T x) {
  const T size = fabs(x);
  if (!(size < infinity<T>()) || size < power_of_two<T>(-number<T>::fraction_bits)) return x;
  if (size > power_of_two<T>(number<T>::fraction_bits / 2 + 2)) {
    const pair<T> log = log_parts(size);
    return copysign(log.high + (log.low + number<T>::ln2.high), x);
  }
  const T square = size * size;
  return copysign(log1p_of(size + square / (1 + sqrt(square + 1))), x);
}
template <class T>
WARPBOOK_DEVICE T acosh_of(T x) {
  if (!(x >= 1)) return not_a_number<T>();
  if (x > power_of_two<T>(number<T>::fraction_bits / 2 + 2)) {
    if (x == infinity<T>()) return x;
    const pair<T> log = log_parts(x);
    return log.high + (log.low + number<T>::ln2.high);
  }
  const T t = x - 1;
  return log1p_of(t + sqrt(fma(t, t, 2 * t)));
}
template <class T>
WARPBOOK_DEVICE T atanh_of(T x) {
  const T size = fabs(x);
  if (size < power_of_two<T>(-number<T>::fraction_bits)) return x;
  if (!(size <= 1)) return not_a_number<T>();
  if (size == 1) return copysign(infinity<T>(), x);
  return copysign((T)0.5 * log1p_of(2 * size / (1 - size)), x);
}

}  // namespace warpbook_parts
