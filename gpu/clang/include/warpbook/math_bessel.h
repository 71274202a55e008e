// Bessel functions, in double precision for float as well.
//
// Abramowitz, Stegun, Handbook of Mathematical Functions: backward recurrence after J. C. P. Miller (9.12, example 1) with Neumann's
// series for the second kind (9.1.88, 9.1.89) below 25, Hankel's asymptotic expansions (9.2.5 to 9.2.10, 9.7.1) above. Errors are
// some 1e-15 of the function's largest values: near its zeros the last places are wrong.
#pragma once
#pragma clang system_header

#include <warpbook/math_special.h>

namespace warpbook_parts {

struct bessel {
  double j0, j1, y0, y1;
};
/// For 0 < x < 25.
WARPBOOK_DEVICE bessel bessel_near(double x) {
  const int start = 2 * (((int)x + 44) / 2);  // where J is too small to matter
  double above = 0, here = 1e-300, sum = 0, even = 0, odd = 0;
  for (int k = start; k > 0; --k) {
    // here is J_k, but for a factor.
    const double half = (k / 2) & 1 ? 1.0 : -1.0;
    if (k & 1) {
      if (k > 1) odd += half * k * here / ((k - 1) / 2 * ((k + 1) / 2.0));
    } else {
      sum += 2 * here;
      even += half * here / (k / 2);
    }
    const double below = 2 * k / x * here - above;
    above = here;
    here = below;
  }
  const double scale = 1 / (sum + here), j0 = here * scale, j1 = above * scale;
  constexpr double gamma = 0.57721566490153286, two_over_pi_near = 0.63661977236758138;
  const double logarithm = log_of(0.5 * x) + gamma;
  const double y0 = two_over_pi_near * (logarithm * j0 + 2 * even * scale);
  const double y1 = two_over_pi_near * ((logarithm - 1) * j1 - j0 / x + odd * scale);
  return {j0, j1, y0, y1};
}
/// Modulus and phase of order n for x >= 25, by the first terms of Hankel's expansions.
WARPBOOK_DEVICE void hankel(int n, double x, double& j, double& y) {
  const double mu = 4.0 * n * n, z = 8 * x;
  double p = 1, q = 0, term = 1;
  for (int k = 1; k < 24; ++k) {
    const double odd = 2 * k - 1;
    term *= (mu - odd * odd) / (k * z);
    (k & 1) ? q += ((k / 2) & 1 ? -term : term) : p += ((k / 2) & 1 ? -term : term);
    if (fabs(term) < 1e-18) break;
  }
  double sine, cosine;
  sincos_of(x, &sine, &cosine);
  // cos and sin of x - pi/4 (n = 0) or x - 3 pi/4 (n = 1).
  constexpr double root = 0.70710678118654757;
  const double c = n == 0 ? root * (cosine + sine) : root * (sine - cosine);
  const double s = n == 0 ? root * (sine - cosine) : -root * (sine + cosine);
  const double size = sqrt(0.63661977236758138 / x);
  j = size * (p * c - q * s);
  y = size * (p * s + q * c);
}
WARPBOOK_DEVICE bessel bessel_of(double x) {
  if (x < 25) return bessel_near(x);
  bessel all;
  hankel(0, x, all.j0, all.y0);
  hankel(1, x, all.j1, all.y1);
  return all;
}
WARPBOOK_DEVICE double j0_of(double x) {
  const double size = fabs(x);
  return size != size ? x : size < 1e-9 ? 1 : size == infinity<double>() ? 0 : bessel_of(size).j0;
}
WARPBOOK_DEVICE double j1_of(double x) {
  const double size = fabs(x);
  return size != size ? x : size < 1e-9 ? 0.5 * x : size == infinity<double>() ? copysign(0.0, x) : copysign(1.0, x) * bessel_of(size).j1;
}
WARPBOOK_DEVICE double y0_of(double x) {
  if (!(x > 0)) return x == 0 ? -infinity<double>() : not_a_number<double>();
  if (x < 1e-9) return 0.63661977236758138 * (log_of(0.5 * x) + 0.57721566490153286);
  return x == infinity<double>() ? 0 : bessel_of(x).y0;
}
WARPBOOK_DEVICE double y1_of(double x) {
  if (!(x > 0)) return x == 0 ? -infinity<double>() : not_a_number<double>();
  return x < 1e-9 ? -0.63661977236758138 / x : x == infinity<double>() ? 0 : bessel_of(x).y1;
}
WARPBOOK_DEVICE double yn_of(int n, double x) {
  if (n < 0) return not_a_number<double>();
  double here = y0_of(x), above = y1_of(x);
  if (n == 0) return here;
  for (int k = 1; k < n && above > -infinity<double>(); ++k) {
    const double next = 2 * k / x * above - here;
    here = above;
    above = next;
  }
  return above;
}
/// Upwards where that is stable, else downwards from where J is all but nothing.
WARPBOOK_DEVICE double jn_of(int n, double x) {
  if (n < 0 || x != x) return not_a_number<double>();
  if (n == 0) return j0_of(x);
  const double size = fabs(x);
  double result;
  if (size == 0 || size == infinity<double>()) {
    result = 0;
  } else if (n <= size) {
    const bessel all = bessel_of(size);
    double here = all.j0, above = all.j1;
    for (int k = 1; k < n; ++k) {
      const double next = 2 * k / size * above - here;
      here = above;
      above = next;
    }
    result = above;
  } else {
    double above = 0, here = 1e-300, sum = 0, wanted = 0;
    for (int k = 2 * ((n + 40 + (int)sqrt(40.0 * n)) / 2); k > 0; --k) {
      if (k == n) wanted = here;
      if (!(k & 1)) sum += 2 * here;
      const double below = 2 * k / size * here - above;
      above = here;
      here = below;
      if (fabs(here) > 1e250) here *= 1e-250, above *= 1e-250, sum *= 1e-250, wanted *= 1e-250;
    }
    result = wanted / (sum + here);
  }
  return x < 0 && (n & 1) ? -result : result;
}

/// The modified ones: all terms of their series are positive.
template <int N>
WARPBOOK_DEVICE double modified_bessel(double x) {
  const double size = fabs(x), sign = N == 1 && x < 0 ? -1.0 : 1.0;
  if (x != x) return x;
  if (size < 30) {
    // In pairs: the rounding of each step would add up.
    const pair<double> square = product(size, 0.25 * size);
    pair<double> term = {N == 0 ? 1.0 : 0.5 * size, 0}, all = term;
    for (int k = 1; term.high > 1e-18 * all.high; ++k) {
      const double divisor = (double)k * (k + N);
      term = product(term, square);
      const double high = term.high / divisor;
      term = {high, (fma(-high, divisor, term.high) + term.low) / divisor};
      const pair<double> more = warpbook_parts::sum(all.high, term.high);
      all = {more.high, more.low + (all.low + term.low)};
    }
    return sign * (all.high + all.low);
  }
  if (size > 720) return sign * infinity<double>();
  double term = 1, sum = 1;
  for (int k = 1; k < 30 && fabs(term) > 1e-18; ++k) {
    const double odd = 2 * k - 1;
    term *= -(4.0 * N * N - odd * odd) / (k * 8 * size);
    sum += term;
  }
  // exp(x / 2) twice: exp(x) overflows first.
  const double half = exp_of(0.5 * size);
  return sign * (half / sqrt(6.2831853071795862 * size) * sum) * half;
}

}  // namespace warpbook_parts

#define WARPBOOK_BESSEL(NAME, EXPRESSION)                                 \
  WARPBOOK_DEVICE float NAME##f(float x) { return (float)(EXPRESSION); }  \
  WARPBOOK_DEVICE double NAME(double x) { return EXPRESSION; }
WARPBOOK_BESSEL(j0, warpbook_parts::j0_of((double)x))
WARPBOOK_BESSEL(j1, warpbook_parts::j1_of((double)x))
WARPBOOK_BESSEL(y0, warpbook_parts::y0_of((double)x))
WARPBOOK_BESSEL(y1, warpbook_parts::y1_of((double)x))
WARPBOOK_BESSEL(cyl_bessel_i0, warpbook_parts::modified_bessel<0>((double)x))
WARPBOOK_BESSEL(cyl_bessel_i1, warpbook_parts::modified_bessel<1>((double)x))
#undef WARPBOOK_BESSEL
WARPBOOK_DEVICE float jnf(int n, float x) { return (float)warpbook_parts::jn_of(n, (double)x); }
WARPBOOK_DEVICE double jn(int n, double x) { return warpbook_parts::jn_of(n, x); }
WARPBOOK_DEVICE float ynf(int n, float x) { return (float)warpbook_parts::yn_of(n, (double)x); }
WARPBOOK_DEVICE double yn(int n, double x) { return warpbook_parts::yn_of(n, x); }
