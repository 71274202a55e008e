// The mathematics of clang's headers on the virtual GPU against the C library's long double: ulp_bounds.txt holds the largest
// errors that CUDA documents.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <sstream>

#include "tests/clang/by_clang.h"

namespace warpbook::gpu {
namespace {

using Long = long double;
constexpr Long pi = 3.14159265358979323846264338327950288L;

struct BoundedFunction {
  std::string name;
  double single_bound = 0, double_bound = 0, from = 0, to = 0;
};

std::vector<BoundedFunction> bounded_functions() {
  std::vector<BoundedFunction> all;
  std::ifstream file(std::string(WARPBOOK_ROOT) + "/tests/clang/ulp_bounds.txt");
  for (std::string line; std::getline(file, line);) {
    BoundedFunction f;
    if (std::istringstream words(line); line[0] != '#' && words >> f.name >> f.single_bound >> f.double_bound >> f.from >> f.to)
      all.push_back(f);
  }
  return all;
}

// What the C library lacks, from the definitions.
Long sine_of_turns(Long x) {  // sin(pi x) for |x| <= 1, small where it is small
  return std::fabs(x) > 0.5L ? std::copysign(std::sin(pi * (1 - std::fabs(x))), x) : std::sin(pi * x);
}
Long true_sinpi(Long x) {
  if (std::isinf(x)) return NAN;
  return x == std::round(x) ? std::copysign(0.0L, x) : sine_of_turns(x - 2 * std::round(x / 2));
}
Long true_cospi(Long x) {
  if (std::isinf(x)) return NAN;
  return std::fabs(x) > 1e18L ? 1 : sine_of_turns(0.5L - std::fabs(x - 2 * std::round(x / 2)));
}
Long true_erfcx(Long x) {
  if (x < 50) return std::exp(x * x) * std::erfc(x);
  const Long t = 1 / (2 * x * x);  // its asymptotic series
  return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t)))) / (x * std::sqrt(pi));
}
Long true_normcdf(Long x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }
/// The x where a falling function is y: halving, then nothing else, so that it shares no formula with ours.
template <class F>
Long where_it_falls_to(Long y, Long from, Long to, F function) {
  for (int i = 0; i < 200; ++i) {
    const Long middle = from + (to - from) / 2;
    (function(middle) > y ? from : to) = middle;
  }
  return from;
}
Long erfinv_near_zero(Long y) {
  const Long size = std::fabs(y);
  if (size < 1e-9L) return y * std::sqrt(pi) / 2 * (1 + pi * y * y / 12);
  return std::copysign(where_it_falls_to(-size, 0, 1, [](Long x) { return -std::erf(x); }), y);
}
Long true_erfcinv(Long y) {
  if (!(y > 0 && y < 2)) return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
  if (y >= 1.5L) return -true_erfcinv(2 - y);
  if (y > 0.5L) return erfinv_near_zero(1 - y);
  return where_it_falls_to(y, 0, 110, [](Long x) { return std::erfc(x); });
}
Long true_erfinv(Long y) {
  if (!(std::fabs(y) < 1)) return std::fabs(y) == 1 ? y * INFINITY : NAN;
  return std::fabs(y) <= 0.5L ? erfinv_near_zero(y) : std::copysign(true_erfcinv(1 - std::fabs(y)), y);
}
/// The sum of its series, all of whose terms are positive.
Long modified_bessel(int n, Long x) {
  const Long size = std::fabs(x), sign = n == 1 && x < 0 ? -1 : 1;
  if (std::isnan(x)) return x;
  if (size > 11000) return sign * INFINITY;
  Long term = n == 0 ? 1 : size / 2, sum = term;
  for (int k = 1; term > sum * 1e-21L; ++k) sum += term *= size * size / 4 / k / (k + n);
  return sign * sum;
}

Long true_value(const std::string& name, Long x, Long y) {
  static const std::map<std::string, Long (*)(Long)> of_one{
      {"exp", [](Long a) { return std::exp(a); }},
      {"exp2", [](Long a) { return std::exp2(a); }},
      {"exp10", [](Long a) { return std::pow(10.0L, a); }},
      {"expm1", [](Long a) { return std::expm1(a); }},
      {"log", [](Long a) { return std::log(a); }},
      {"log2", [](Long a) { return std::log2(a); }},
      {"log10", [](Long a) { return std::log10(a); }},
      {"log1p", [](Long a) { return std::log1p(a); }},
      {"sin", [](Long a) { return std::sin(a); }},
      {"cos", [](Long a) { return std::cos(a); }},
      {"tan", [](Long a) { return std::tan(a); }},
      {"sinpi", true_sinpi},
      {"cospi", true_cospi},
      {"asin", [](Long a) { return std::asin(a); }},
      {"acos", [](Long a) { return std::acos(a); }},
      {"atan", [](Long a) { return std::atan(a); }},
      {"sinh", [](Long a) { return std::sinh(a); }},
      {"cosh", [](Long a) { return std::cosh(a); }},
      {"tanh", [](Long a) { return std::tanh(a); }},
      {"asinh", [](Long a) { return std::asinh(a); }},
      {"acosh", [](Long a) { return std::acosh(a); }},
      {"atanh", [](Long a) { return std::atanh(a); }},
      {"cbrt", [](Long a) { return std::cbrt(a); }},
      {"rcbrt", [](Long a) { return 1 / std::cbrt(a); }},
      {"rsqrt", [](Long a) { return 1 / std::sqrt(a); }},
      {"sqrt", [](Long a) { return std::sqrt(a); }},
      {"erf", [](Long a) { return std::erf(a); }},
      {"erfc", [](Long a) { return std::erfc(a); }},
      {"erfcx", true_erfcx},
      {"erfinv", true_erfinv},
      {"erfcinv", true_erfcinv},
      {"normcdf", true_normcdf},
      {"normcdfinv", [](Long a) { return -std::sqrt(2.0L) * true_erfcinv(2 * a); }},
      {"tgamma", [](Long a) { return std::tgamma(a); }},
      {"lgamma", [](Long a) { return std::lgamma(a); }},
      {"cyl_bessel_i0", [](Long a) { return modified_bessel(0, a); }},
      {"cyl_bessel_i1", [](Long a) { return modified_bessel(1, a); }},
      {"floor", [](Long a) { return std::floor(a); }},
      {"ceil", [](Long a) { return std::ceil(a); }},
      {"trunc", [](Long a) { return std::trunc(a); }},
      {"round", [](Long a) { return std::round(a); }},
      {"rint", [](Long a) { return std::rint(a); }}};
  static const std::map<std::string, Long (*)(Long, Long)> of_two{{"pow", [](Long a, Long b) { return std::pow(a, b); }},
                                                                  {"atan2", [](Long a, Long b) { return std::atan2(a, b); }},
                                                                  {"hypot", [](Long a, Long b) { return std::hypot(a, b); }},
                                                                  {"rhypot", [](Long a, Long b) { return 1 / std::hypot(a, b); }},
                                                                  {"fmod", [](Long a, Long b) { return std::fmod(a, b); }},
                                                                  {"remainder", [](Long a, Long b) { return std::remainder(a, b); }},
                                                                  {"fdim", [](Long a, Long b) { return std::fdim(a, b); }},
                                                                  {"fmax", [](Long a, Long b) { return std::fmax(a, b); }},
                                                                  {"fmin", [](Long a, Long b) { return std::fmin(a, b); }}};
  if (const auto one = of_one.find(name); one != of_one.end()) return one->second(x);
  return of_two.at(name)(x, y);
}
bool takes_two(const std::string& name) {
  return name == "pow" || name == "atan2" || name == "hypot" || name == "rhypot" || name == "fmod" || name == "remainder" ||
         name == "fdim" || name == "fmax" || name == "fmin";
}

/// The error in units in the last place; a NaN for another answer, or the reverse, is infinitely wrong.
template <class T>
double error_of(T got, Long wanted) {
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  const T rounded = static_cast<T>(wanted);
  if (got == rounded) return got == wanted || std::isinf(got) ? 0 : 0.5;  // rounded correctly
  if (std::isinf(wanted) || wanted == 0) return INFINITY;
  const int exponent = std::max(std::ilogb(wanted), std::numeric_limits<T>::min_exponent - 1);
  const Long unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1);
  // Beyond the largest number infinity counts as what would come next.
  const Long value =
      std::isinf(got) ? std::copysign(std::ldexp(1.0L, std::numeric_limits<T>::max_exponent), static_cast<Long>(got)) : got;
  return static_cast<double>(std::fabs(value - wanted) / unit);
}

template <class T>
std::vector<T> arguments_for(const BoundedFunction& f, std::size_t count, unsigned seed) {
  using N = std::numeric_limits<T>;
  std::vector<T> all{0,
                     T(-0.0),
                     1,
                     -1,
                     2,
                     -2,
                     T(0.5),
                     T(-0.5),
                     3,
                     10,
                     T(-2.5),
                     N::min(),
                     -N::min(),
                     N::denorm_min(),
                     -N::denorm_min(),
                     N::max(),
                     -N::max(),
                     N::infinity(),
                     -N::infinity(),
                     N::quiet_NaN(),
                     std::nextafter(T(1), T(0)),
                     std::nextafter(T(1), T(2)),
                     T(1.5707963267948966),
                     T(3.1415926535897931),
                     T(1e6),
                     T(-1e22),
                     T(88.7),
                     T(-104)};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> within(f.from, f.to);
  std::uniform_int_distribution<int> exponent(-30, 0);
  while (all.size() < count) {
    T any;
    const std::uint64_t bits = random();
    std::memcpy(&any, &bits, sizeof any);
    all.push_back(any);
    all.push_back(static_cast<T>(within(random)));
    all.push_back(static_cast<T>(std::ldexp(within(random), exponent(random))));
    all.push_back(static_cast<T>(within(random)));
  }
  all.resize(count);
  return all;
}

constexpr std::size_t how_many = 4096;

std::string math_source(const std::vector<BoundedFunction>& functions) {
  std::string source;
  for (const auto& f : functions) {
    const char* arguments = takes_two(f.name) ? "x[i], y[i]" : "x[i]";
    for (const auto& [type, suffix] : {std::pair{"float", "f"}, std::pair{"double", ""}})
      source += fmt::format(
          "extern \"C\" __global__ void of_{0}{1}(const {2}* x, const {2}* y, {2}* z) {{\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  z[i] = {0}{1}({3});\n}}\n",
          f.name, suffix, type, arguments);
  }
  return source;
}

template <class T>
std::vector<T> run_function(Device& device, const ProgramPtr& program, const std::string& kernel, const std::vector<T>& x,
                            const std::vector<T>& y) {
  std::vector<T> z(x.size());
  std::vector<Buffer> buffers;
  for (const auto* values : {&x, &y, &std::as_const(z)}) {
    buffers.push_back(*device.allocate({.name = "v", .type = scalar_type_of<T>(), .shape = {values->size()}}));
    EXPECT_TRUE(device.write(buffers.back(), std::as_bytes(std::span(*values))));
  }
  LaunchRequest request;
  request.program = program;
  request.kernel = kernel;
  request.grid = {static_cast<unsigned>(x.size() / 128), 1, 1};
  request.block = {128, 1, 1};
  request.arguments = {buffers[0], buffers[1], buffers[2]};
  const LaunchReport report = device.launch(request);
  EXPECT_EQ(report.status, "ok") << kernel << ": " << say(report.message);
  EXPECT_TRUE(device.read(buffers[2], std::as_writable_bytes(std::span(z))));
  for (const Buffer& buffer : buffers) device.release(buffer);
  return z;
}

/// Where CUDA documents no bound, or where the C library's own double has none: lgamma between its zeros.
bool has_bound(const BoundedFunction& f, Long x) {
  if (f.name == "lgamma") return x > 0 || std::isnan(x);
  if (f.name == "tgamma") return !(x < 0 && x == std::trunc(x));  // a pole: NaN or infinity
  return true;
}

template <class T>
void check_function(Device& device, const ProgramPtr& program, const BoundedFunction& f) {
  const bool single = sizeof(T) == 4;
  const std::string name = f.name + (single ? "f" : "");
  const auto x = arguments_for<T>(f, how_many, 1);
  auto y = arguments_for<T>(f, how_many, 2);
  std::shuffle(y.begin(), y.end(), std::mt19937_64(3));
  const auto z = run_function(device, program, "of_" + name, x, y);
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!has_bound(f, x[i])) continue;
    const double error = error_of(z[i], true_value(f.name, x[i], y[i]));
    if (error > worst) worst = error, at = i;
  }
  const double bound = single ? f.single_bound : f.double_bound;
  // The oracle's own error: long double has 11 bits more than double.
  EXPECT_LE(worst, bound + (single ? 1e-6 : 0.003))
      << fmt::format("{}({:.17g}, {:.17g}) is {:.17g}, not {:.17g}", name, x[at], y[at], z[at],
                     static_cast<double>(true_value(f.name, x[at], y[at])));
}

TEST(ClangMathematics, ErrorsAreWithinCudasBounds) {
  if (std::numeric_limits<Long>::digits < 64) GTEST_SKIP() << "long double is no wider than double here: there is no oracle.";
  WARPBOOK_WITH_CLANG();
  const auto functions = bounded_functions();
  ASSERT_GT(functions.size(), 40U);
  auto device = make_virtual_device(compiler());
  ASSERT_TRUE(device);
  const auto program = test::compile_patiently({.file = "mathematics.cu", .text = math_source(functions)});
  ASSERT_TRUE(program) << program.error().message << '\n' << program.error().log;
  for (const auto& f : functions) {
    check_function<float>(**device, *program, f);
    check_function<double>(**device, *program, f);
  }
}

// CUDA bounds these by their size beyond 8, and by their last places below, where ours are as exact but for the zeros.
TEST(ClangMathematics, BesselFunctionsAreExactToTheSizeOfTheirLargestValues) {
  WARPBOOK_WITH_CLANG();
  auto device = make_virtual_device(compiler());
  ASSERT_TRUE(device);
  const auto program =
      test::compile_patiently({.file = "bessel.cu",
                               .text = "extern \"C\" __global__ void all(const double* x, const double* unused, double* z) {\n"
                                       "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                       "  const double a = x[i / 6 * 6];\n"
                                       "  const int which = i % 6;\n"
                                       "  z[i] = which == 0 ? j0(a) : which == 1 ? j1(a) : which == 2 ? y0(a) : which == 3 ? y1(a) "
                                       ": which == 4 ? jn(3, a) : yn(3, a);\n"
                                       "}\n"});
  ASSERT_TRUE(program) << program.error().message << '\n' << program.error().log;
  std::vector<double> x(1536);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.02 + 0.11 * static_cast<double>(i);
  const auto z = run_function(**device, *program, "all", x, x);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const Long a = x[i / 6 * 6];
    const Long wanted[6] = {j0l(a), j1l(a), y0l(a), y1l(a), jnl(3, a), ynl(3, a)};
    EXPECT_NEAR(z[i], static_cast<double>(wanted[i % 6]), 1e-14 * std::max(1.0, std::fabs(static_cast<double>(wanted[i % 6]))))
        << "function " << i % 6 << " of " << static_cast<double>(a);
  }
}

}  // namespace
}  // namespace warpbook::gpu
