#include "lessons/arguments/generators.h"

#include <cmath>
#include <numbers>

namespace warpbook::lessons {
namespace {

// ln x for a normal x > 0, to about an ulp: x = m·2ᵉ with m in [√½, √2), ln m = 2·artanh((m − 1)/(m + 1)) as a series in s².
double natural_logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;  // at most 0.0295: 12 terms leave less than 2⁻⁵³
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * s2 + 1.0 / k;
  return exponent * std::numbers::ln2 + 2 * s * series;
}

}  // namespace

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

double Random::normal() {
  if (spare_) {
    const double value = *spare_;
    spare_.reset();
    return value;
  }
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s < 0x1p-100) continue;  // outside the circle, or too near its centre for 1/s
    const double factor = std::sqrt(-2 * natural_logarithm(s) / s);
    spare_ = v * factor;
    return u * factor;
  }
}

}  // namespace warpbook::lessons
