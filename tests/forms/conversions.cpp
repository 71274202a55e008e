// cvt between every pair of types.
#include "tests/forms/lanewise.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2 || type == Type::e4m3x2 || type == Type::e5m2x2; }

/// The small formats lie in untyped registers, but are numbers.
bool is_real(Type type) { return ptx::is_float(type) || type == Type::e4m3x2 || type == Type::e5m2x2 || type == Type::tf32; }

/// To an integral value, by the word's definition: .rni to the nearest, ties to even.
Number integral(const Number& x, std::string_view word) {
  if (x.is_nan() || x.is_infinite() || x.is_zero()) return x;
  const f128 size = x.negative ? -x.value : x.value;
  if (size >= power_of_two(112)) return x;
  f128 whole = static_cast<f128>(static_cast<u128>(size));
  const f128 part = size - whole;
  const bool odd = static_cast<u128>(size) & 1;
  const bool up = word == "rzi"   ? false
                  : word == "rmi" ? x.negative && part > 0
                  : word == "rpi" ? !x.negative && part > 0
                                  : part > f128(0.5) || (part == f128(0.5) && odd);
  if (up) whole += 1;
  return {.negative = x.negative, .value = x.negative ? -whole : whole};
}

/// Floats saturate at the integer's ends. A NaN becomes 0; from f64, or in 64 bits, the top bit alone.
u128 to_integer(const Number& x, Type type, Type from) {
  const unsigned width = 8 * ptx::bytes_of(type);
  const s128 one = 1, least = ptx::is_signed(type) ? -(one << (width - 1)) : 0, most = least + (one << width) - 1;
  if (x.is_nan()) return width == 64 || from == Type::f64 ? u128{1} << (width - 1) : 0;
  const f128 value = x.is_infinite() ? power_of_two(200) * (x.negative ? -1 : 1) : x.value;
  if (value <= static_cast<f128>(least)) return static_cast<u128>(least);
  if (value >= static_cast<f128>(most)) return static_cast<u128>(most);
  return static_cast<u128>(static_cast<s128>(value));
}

u64 to_float(const Spelling& s, const Number& x, Format to) {
  std::string_view mode = "rn";
  for (const std::string_view word : {"rz", "rm", "rp", "rna"})
    if (s.has(word)) mode = word;
  if (s.has("satfinite") && x.is_infinite()) return (x.negative ? to.sign() : 0) | to.greatest();
  return round(x, to, mode, s.has("satfinite"));
}

Answer convert(const Spelling& s, Args a) {
  const Type from = s.type2, to = s.type;
  if (!is_real(from)) {
    const s128 value = a[0].integer();
    if (is_real(to)) {
      const u64 bits = to_float(s, Number::integer(value), format_of(to));
      return {.bits = s.has("sat") ? value < 0 ? 0 : std::min(bits, format_of(to).one()) : bits};
    }
    return {.bits = s.has("sat") ? to_integer(Number::integer(value), to, from) : static_cast<u128>(value)};
  }
  const Format source = format_of(from), format = format_of(to);
  std::string_view integral_word;
  for (const std::string_view word : {"rni", "rzi", "rmi", "rpi"})
    if (s.has(word)) integral_word = word;
  const auto number = [&](u64 bits) {
    if (s.has("ftz") && from == Type::f32) bits = source.flushed(bits);
    return integral_word.empty() ? Number::of(bits, source) : integral(Number::of(bits, source), integral_word);
  };
  if (!is_real(to)) return {.bits = to_integer(number(a[0].low()), to, from)};
  const auto element = [&](u64 x) {
    u64 bits = to_float(s, number(x), format);
    if (s.has("ftz") && to == Type::f32) bits = format.flushed(bits);
    if (s.has("sat")) bits = format.is_nan(bits) || bits & format.sign() ? 0 : std::min(bits, format.one());
    if (s.has("relu") && !format.is_nan(bits) && bits & format.sign()) bits = 0;
    return bits;
  };
  if (to == Type::tf32) {  // in the upper bits of an f32, whose canonical NaN it keeps
    const u64 bits = element(a[0].low());
    return {.bits = format.is_nan(bits) ? 0x7fffffff : bits << 13};
  }
  if (!is_pair(to)) {
    // Where nothing is rounded a NaN may stay as it is. To f64 the ISA leaves open which NaN it is.
    Answer answer{.bits = element(a[0].low()), .format = format};
    if (to == from || to == Type::f64 || (to == Type::f32 && from == Type::bf16)) answer.kind = Answer::Kind::any_nan;
    return answer;
  }
  const unsigned width = format.width(), half = source.width();
  const u64 low = a.size() > 1 ? a[1].low() : a[0].low() & ((u64{1} << half) - 1),
            high = a.size() > 1 ? a[0].low() : a[0].low() >> half;
  return {.bits = u128{element(high)} << width | element(low)};
}

}  // namespace

std::vector<Prover> conversion_provers() { return {{"conversions", "cvt", lanewise(convert)}}; }

}  // namespace warpbook::gpu::test
