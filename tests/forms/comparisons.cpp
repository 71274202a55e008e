// set, setp, slct, and mov from register to register.
#include "tests/forms/lanewise.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

/// One comparison by its word, of one element.
bool compare(const Spelling& s, Type type, u64 a, u64 b) {
  bool less = false, equal = false, nan = false;
  if (ptx::is_float(type)) {
    const Format format = format_of(type);
    if (s.has("ftz")) a = format.flushed(a), b = format.flushed(b);
    nan = format.is_nan(a) || format.is_nan(b);
    const auto value = [&](u64 bits) {
      const Number x = Number::of(bits, format);
      return x.is_infinite() ? power_of_two(16000) * (x.negative ? -1 : 1) : x.value;
    };
    less = !nan && value(a) < value(b);
    equal = !nan && value(a) == value(b);
  } else {
    const s128 x = Arg{type, a}.integer(), y = Arg{type, b}.integer();
    less = x < y;
    equal = x == y;
  }
  const bool greater = !nan && !less && !equal;
  const std::pair<std::string_view, bool> words[] = {{"eq", equal},
                                                     {"ne", less || greater},
                                                     {"lt", less},
                                                     {"le", less || equal},
                                                     {"gt", greater},
                                                     {"ge", !less && !nan},
                                                     {"lo", less},
                                                     {"ls", less || equal},
                                                     {"hi", greater},
                                                     {"hs", greater || equal},
                                                     {"equ", equal || nan},
                                                     {"neu", !equal},
                                                     {"ltu", less || nan},
                                                     {"leu", !greater},
                                                     {"gtu", greater || nan},
                                                     {"geu", !less},
                                                     {"num", !nan},
                                                     {"nan", nan}};
  for (const auto& [word, holds] : words)
    if (s.has(word)) return holds;
  return false;
}

bool combine(const Spelling& s, bool t, bool c) { return s.has("and") ? t && c : s.has("or") ? t || c : s.has("xor") ? t != c : t; }

bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

Answer set_predicates(const Spelling& s, Args a) {
  const bool c = a.size() > 2 && a[2].bits;
  if (is_pair(s.type)) {
    const bool low = compare(s, s.type, a[0].low() & 0xffff, a[1].low() & 0xffff),
               high = compare(s, s.type, a[0].low() >> 16, a[1].low() >> 16);
    return {.bits = u128{combine(s, low, c)} | u128{combine(s, high, c)} << 64};
  }
  const bool t = compare(s, s.type, a[0].low(), a[1].low());
  return {.bits = u128{combine(s, t, c)} | u128{combine(s, !t, c)} << 64};
}

Answer set_value(const Spelling& s, Args a) {
  const bool c = a.size() > 2 && a[2].bits;
  const auto value = [&](Type type, bool holds) {
    return !holds ? u128{0} : ptx::is_float(type) ? u128{format_of(type).one()} : ~u128{0} >> (128 - 8 * ptx::bytes_of(type));
  };
  if (!is_pair(s.type2)) return {.bits = value(s.type, combine(s, compare(s, s.type2, a[0].low(), a[1].low()), c))};
  const Type half = is_pair(s.type) ? s.type : Type::u16;
  u128 bits = 0;
  for (const int at : {0, 16}) {
    const bool t = combine(s, compare(s, s.type2, a[0].low() >> at & 0xffff, a[1].low() >> at & 0xffff), c);
    bits |= (t ? is_pair(s.type) ? u128{format_of(half).one()} : u128{0xffff} : 0) << at;
  }
  return {.bits = bits};
}

Answer select(const Spelling& s, Args a) {
  bool first = Arg{Type::s32, a[2].bits}.integer() >= 0;
  if (s.type2 == Type::f32) {  // −0 and (.ftz) subnormals count as zero, NaN selects b
    const u64 c = s.has("ftz") ? f32.flushed(a[2].low()) : a[2].low();
    first = !f32.is_nan(c) && (!(c & f32.sign()) || f32.is_zero(c));
  }
  return {.bits = first ? a[0].bits : a[1].bits};
}

}  // namespace

std::vector<Prover> comparison_provers() {
  constexpr std::string_view file = "comparisons";
  return {{file, "set", lanewise(set_value)},
          {file, "setp", lanewise(set_predicates)},
          {file, "slct", lanewise(select)},
          {file, "mov", lanewise([](const Spelling&, Args a) { return Answer{a[0].bits}; })}};
}

}  // namespace warpbook::gpu::test
