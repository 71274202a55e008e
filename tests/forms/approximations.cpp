// Approximate instructions: within the error that the ISA states of the true value, and its tables of special operands.
#include <cmath>

#include "tests/forms/lanewise.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

struct Bound {
  long double value = 0, relative = 0, absolute = 0;
};

Answer exact(u64 bits) { return {.bits = bits}; }

/// value ± error; with .ftz a subnormal may have become zero.
Answer near(const Spelling& s, Format format, const Bound& bound) {
  const f128 error = static_cast<f128>(std::abs(bound.value) * bound.relative + bound.absolute),
             value = static_cast<f128>(bound.value);
  Answer answer{.kind = Answer::Kind::between, .format = format, .least = value - error, .most = value + error};
  const f128 least_normal = power_of_two(1 - format.bias()), greatest = Number::of(format.infinity() - 1, format).value;
  if (s.has("ftz") && answer.least < least_normal && answer.most > -least_normal) {
    answer.least = std::min<f128>(answer.least, 0);
    answer.most = std::max<f128>(answer.most, 0);
  }
  if (answer.most > greatest) answer.most = power_of_two(16000);
  if (answer.least < -greatest) answer.least = -power_of_two(16000);
  return answer;
}

long double real(u64 bits, Format format) { return static_cast<long double>(Number::of(bits, format).value); }

/// What PTX tabulates: a special operand's result; others: the true value and the error allowed.
Answer element(const Spelling& s, Format format, u64 x, u64 y) {
  if (s.has("ftz") && format.exponent == 11) x &= ~u64{0xffffffff};  // rcp, rsqrt of f64 look at the upper word alone
  if (s.has("ftz")) x = format.flushed(x), y = format.flushed(y);
  const std::string_view opcode = s.row->spelling;
  const Number a = Number::of(x, format), b = Number::of(y, format);
  if (a.is_nan() || (opcode == "div" && b.is_nan())) return exact(format.nan());
  const long double v = real(x, format), infinite = std::numeric_limits<long double>::infinity();
  const long double ulp = std::ldexp(1.0L, -format.fraction);  // of the result, at most this times its value
  // Doubles have only their upper words computed; the ISA names no bound. Newton's steps need about 20 bits.
  const long double rough = format.exponent == 11 ? 0x1p-19L : 0;
  if (opcode == "rcp" || opcode == "rsqrt" || opcode == "sqrt") {
    const Number r = opcode == "sqrt" ? root(a) : quotient(Number::integer(1), opcode == "rcp" ? a : root(a));
    if (r.is_nan() || r.is_infinite() || r.is_zero()) return exact(round(r, format, "rn"));
    const long double error = rough > 0 ? rough : opcode == "rcp" ? ulp : opcode == "sqrt" ? 0x1p-23L : std::exp2(-22.9L);
    return near(s, format, {static_cast<long double>(r.value), error});
  }
  if (opcode == "div") {  // .full: 2 ulp; .approx too, for |b| up to 2^126; beyond it gives 0, or NaN for an infinity
    const Number q = quotient(a, b);
    const bool huge = !b.is_infinite() && std::abs(real(y, format)) > 0x1p126L;
    if (s.has("approx") && huge) return exact(a.is_infinite() ? format.nan() : q.negative ? format.sign() : 0);
    if (q.is_nan() || q.is_infinite() || q.is_zero()) return exact(round(q, format, "rn"));
    return near(s, format, {static_cast<long double>(q.value), 2 * ulp, 2 * std::ldexp(1.0L, 1 - format.bias() - format.fraction)});
  }
  if (opcode == "sin" || opcode == "cos") {
    if (a.is_infinite()) return exact(format.nan());
    if (a.is_zero()) return exact(opcode == "sin" ? x : format.one());
    const long double pi = 3.14159265358979323846L, angle = std::abs(v);
    const long double value = opcode == "sin" ? std::sin(v) : std::cos(v);
    if (angle > 100 * pi) return near(s, format, {0, 0, 1});  // no bound, but a sine
    return near(s, format, {value, 0, std::exp2(angle <= 2 * pi ? -20.5L : -14.7L)});
  }
  if (opcode == "lg2") {
    if (a.is_zero()) return exact(format.sign() | format.infinity());
    if (a.negative) return exact(format.nan());
    if (a.is_infinite()) return exact(x);
    return near(s, format, v > 0.5L && v < 2 ? Bound{std::log2(v), 0, 0x1p-22L} : Bound{std::log2(v), 0x1p-22L});
  }
  if (opcode == "ex2") {
    if (a.is_infinite()) return exact(a.negative ? 0 : x);
    if (a.is_zero()) return exact(format.one());
    const long double value = v > 20000 ? infinite : std::exp2(std::max(v, -16000.0L));
    if (v > 20000) return exact(format.infinity());
    if (format.fraction == 10) return near(s, format, {value, std::exp2(-9.9L), 0x1p-24L});
    if (format.fraction == 7) return near(s, format, {value, 0x1p-7L});
    return near(s, format, {value, 2 * ulp, 2 * 0x1p-149L});
  }
  if (a.is_infinite()) return exact((x & format.sign()) | format.one());
  if (a.is_zero()) return exact(x);
  if (format.fraction == 10) return near(s, format, {std::tanh(v), 0, std::exp2(-10.987L)});
  if (format.fraction == 7) return near(s, format, {std::tanh(v), 0, 0x1p-8L});
  return format.is_subnormal(x) ? exact(x) : near(s, format, {std::tanh(v), 0x1p-11L});
}

}  // namespace

Answer approximation(const Spelling& s, Args a) {
  const Format format = format_of(s.type);
  if (ptx::bytes_of(s.type) * 8 > format.width())
    return {.halves = {element(s, format, a[0].low() & 0xffff, 0), element(s, format, a[0].low() >> 16, 0)}};
  Answer answer = element(s, format, a[0].low(), a.size() > 1 ? a[1].low() : 0);
  // Which NaN an f64 is, the ISA leaves open.
  if (s.type == Type::f64 && answer.kind == Answer::Kind::exact) answer.kind = Answer::Kind::any_nan, answer.format = format;
  return answer;
}

std::vector<Prover> approximation_provers() { return {{"approximations", "rsqrt sin cos lg2 ex2 tanh", lanewise(approximation)}}; }

}  // namespace warpbook::gpu::test
