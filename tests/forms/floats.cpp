// Floating-point arithmetic that PTX defines exactly: the exact value, rounded once (number.h), then .ftz, .sat, .relu.
#include "tests/forms/lanewise.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

std::string_view rounding(const Spelling& s) {
  for (const std::string_view mode : {"rz", "rm", "rp"})
    if (s.has(mode)) return mode;
  return "rn";
}

/// Behind the rounding: .ftz, .sat (NaN becomes +0), .relu (NaN becomes canonical).
u64 finished(const Spelling& s, Format format, u64 bits) {
  if (s.has("ftz")) bits = format.flushed(bits);
  if (s.has("sat")) {
    if (format.is_nan(bits) || bits & format.sign()) return 0;
    return std::min(bits, format.one());
  }
  if (s.has("relu")) {
    if (format.is_nan(bits)) return format.nan();
    if (bits & format.sign()) return 0;
  }
  return bits;
}

u64 lesser_or_greater(const Spelling& s, Format format, u64 a, u64 b) {
  const u64 sign = (a ^ b) & format.sign();
  if (s.has("xorsign.abs")) a &= ~format.sign(), b &= ~format.sign();
  const bool a_nan = format.is_nan(a), b_nan = format.is_nan(b);
  if ((a_nan && b_nan) || (s.has("NaN") && (a_nan || b_nan))) return format.nan();
  const auto place = [&](u64 bits) {  // −0 lies below +0
    return bits & format.sign() ? -static_cast<s128>(bits & (format.sign() - 1)) - 1 : static_cast<s128>(bits);
  };
  const bool first = b_nan || (!a_nan && (s.row->spelling == "min") == (place(a) < place(b)));
  return (first ? a : b) | (s.has("xorsign.abs") ? sign : 0);
}

/// One element.
u64 element(const Spelling& s, Format format, std::span<const u64> given) {
  u64 x[3] = {};
  for (std::size_t o = 0; o < given.size(); ++o) x[o] = s.has("ftz") ? format.flushed(given[o]) : given[o];
  const std::string_view opcode = s.row->spelling, mode = rounding(s);
  const Number a = Number::of(x[0], format), b = Number::of(x[1], format);
  if (opcode == "min" || opcode == "max") return lesser_or_greater(s, format, x[0], x[1]);
  if (opcode == "neg") return x[0] ^ format.sign();
  if (opcode == "abs") return x[0] & ~format.sign();
  if (opcode == "copysign") return (x[0] & format.sign()) | (x[1] & ~format.sign());
  const Number one = Number::integer(1);
  const Number exact = opcode == "add"    ? exact_sum(a, b, mode)
                       : opcode == "sub"  ? exact_sum(a, b.negated(), mode)
                       : opcode == "mul"  ? exact_product(a, b)
                       : opcode == "div"  ? quotient(a, b)
                       : opcode == "rcp"  ? quotient(one, a)
                       : opcode == "sqrt" ? root(a)
                                          : exact_sum(exact_product(a, b), Number::of(x[2], format), mode);  // fma, mad
  return finished(s, format, round(exact, format, mode));
}

Answer test_property(const Spelling& s, Args a) {
  const Format format = format_of(s.type);
  const u64 x = a[0].low();
  const bool nan = format.is_nan(x), infinite = format.is_infinite(x), subnormal = format.is_subnormal(x);
  const bool holds = s.has("finite")       ? !nan && !infinite
                     : s.has("infinite")   ? infinite
                     : s.has("number")     ? !nan
                     : s.has("notanumber") ? nan
                     : s.has("subnormal")  ? subnormal
                                           : !nan && !infinite && !subnormal;  // zero counts as normal
  return {.bits = u128{holds}};
}

}  // namespace

Answer float_arithmetic(const Spelling& s, Args a) {
  const Format format = format_of(s.type);
  const unsigned total = 8 * ptx::bytes_of(s.type), width = format.width();
  Answer answer{.format = format};
  for (unsigned at = 0; at < total; at += width) {
    u64 x[3] = {};
    for (std::size_t o = 0; o < a.size(); ++o) x[o] = static_cast<u64>(a[o].bits >> at) & (2 * format.sign() - 1);
    answer.bits |= u128{element(s, format, std::span(x, a.size()))} << at;
  }
  // Which NaN comes out is said for f32 and the halves, but for the sign instructions not even there.
  if (s.type == Type::f64 || s.row->spelling == "abs" || s.row->spelling == "neg") answer.kind = Answer::Kind::any_nan;
  return answer;
}

std::vector<Prover> float_provers() {
  constexpr std::string_view file = "floats";
  return {{file, "add sub mul mad div min max neg abs fma copysign rcp sqrt", lanewise([](const Spelling& s, Args a) {
             return !ptx::is_float(s.type)             ? integer_arithmetic(s, a)
                    : s.has("approx") || s.has("full") ? approximation(s, a)
                                                       : float_arithmetic(s, a);
           })},
          {file, "testp", lanewise(test_property)}};
}

}  // namespace warpbook::gpu::test
