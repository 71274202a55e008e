// Integer arithmetic and bits, in 128-bit integers.
#include <algorithm>

#include "tests/forms/lanewise.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

unsigned width_of(Type type) { return 8 * ptx::bytes_of(type); }
Answer exact(s128 value) { return {.bits = static_cast<u128>(value)}; }
bool bit(u128 bits, unsigned at) { return bits >> at & 1; }

/// The element that a packed type (u16x2) is made of, and f applied to each.
template <class F>
Answer each_half(Args a, bool is_signed, F f) {
  u128 bits = 0;
  for (const unsigned shift : {0U, 16U}) {
    const auto part = [&](std::size_t o) { return Arg{is_signed ? Type::s16 : Type::u16, a[o].bits >> shift & 0xffff}.integer(); };
    bits |= (static_cast<u128>(f(part(0), part(1))) & 0xffff) << shift;
  }
  return {.bits = bits};
}
bool is_pair(Type type) { return type == Type::u16x2 || type == Type::s16x2; }

s128 clamp(s128 value, Type type) {
  const unsigned width = width_of(type);
  const s128 one = 1, least = ptx::is_signed(type) ? -(one << (width - 1)) : 0;
  return std::clamp(value, least, least + (one << width) - 1);
}

/// The product's part that the words ask for: .lo, .hi, .wide.
s128 product(const Spelling& s, Args a) {
  const s128 whole = static_cast<s128>(static_cast<u128>(a[0].integer()) * static_cast<u128>(a[1].integer()));
  if (!s.has("hi")) return whole;
  // Of 64-bit operands the unsigned product may use all 128 bits.
  return ptx::is_signed(s.type) ? whole >> width_of(s.type) : static_cast<s128>(static_cast<u128>(whole) >> width_of(s.type));
}

s128 product24(const Spelling& s, Args a) {
  const auto low = [&](const Arg& arg) {
    const s128 bits = static_cast<s128>(arg.bits & 0xffffff);
    return ptx::is_signed(s.type) && bits >> 23 ? bits - 0x1000000 : bits;
  };
  const s128 whole = low(a[0]) * low(a[1]);  // 48 bits: .lo is the low, .hi the high 32 of them
  const s128 part = s.has("hi") ? whole >> 16 : whole;
  return Arg{s.type, static_cast<u128>(part)}.integer();
}

Answer add_sub(const Spelling& s, Args a) {
  const int sign = s.row->spelling == "sub" ? -1 : 1;
  if (is_pair(s.type)) return each_half(a, ptx::is_signed(s.type), [&](s128 x, s128 y) { return x + sign * y; });
  const s128 sum = a[0].integer() + sign * a[1].integer();
  return exact(s.has("sat") ? clamp(sum, s.type) : sum);
}

/// add, sub, mad with .cc, addc, subc, madc: the carry that comes in is the last operand, and counts with the "c" opcodes only.
Answer carry_chain(const Spelling& s, Args a) {
  const unsigned width = width_of(s.type);
  const u128 all = (u128{1} << width) - 1, in = a.back().bits, taken = s.row->spelling.ends_with("c") ? in : 0;
  const bool subtracts = s.row->spelling.starts_with("sub"), multiplies = s.row->spelling.starts_with("mad");
  const u128 x = (multiplies ? static_cast<u128>(product(s, a)) : a[0].bits) & all, y = (multiplies ? a[2].bits : a[1].bits) & all;
  const u128 sum = subtracts ? x - y - taken : x + y + taken;
  const u128 out = s.has("cc") ? (sum >> width) & 1 : in;
  return {.bits = (sum & all) | out << 64};
}

Answer min_max(const Spelling& s, Args a) {
  const auto pick = [&](s128 x, s128 y) {
    const s128 chosen = s.row->spelling == "min" ? std::min(x, y) : std::max(x, y);
    return s.has("relu") ? std::max<s128>(chosen, 0) : chosen;
  };
  return is_pair(s.type) ? each_half(a, ptx::is_signed(s.type), pick) : exact(pick(a[0].integer(), a[1].integer()));
}

Answer divide(const Spelling& s, Args a) {
  const s128 x = a[0].integer(), y = a[1].integer();
  const bool quotient = s.row->spelling == "div";
  // By zero the ISA leaves the value to the machine; NVIDIA's give all ones for both.
  if (y == 0) return exact(-1);
  return exact(quotient ? x / y : x % y);
}

Answer shift(const Spelling& s, Args a) {
  const unsigned amount = static_cast<unsigned>(std::min<u128>(a[1].bits, width_of(s.type)));
  if (s.row->spelling == "shl") return {.bits = amount >= width_of(s.type) ? 0 : a[0].bits << amount};
  return exact(a[0].integer() >> amount);
}

Answer funnel(const Spelling& s, Args a) {
  const u128 both = a[1].bits << 32 | a[0].bits;
  const unsigned n = static_cast<unsigned>(s.has("clamp") ? std::min<u128>(a[2].bits, 32) : a[2].bits & 31);
  return {.bits = s.row->spelling == "shf.l" ? both << n >> 32 : both >> n};
}

Answer count_bits(const Spelling& s, Args a) {
  const int msb = static_cast<int>(width_of(s.type)) - 1;
  u128 value = a[0].bits, ones = 0, reversed = 0, found = 0xffffffff;
  if (s.row->spelling == "bfind" && ptx::is_signed(s.type) && bit(value, static_cast<unsigned>(msb))) value = ~value;
  for (int i = 0; i <= msb; ++i) {
    if (!bit(value, static_cast<unsigned>(i))) continue;
    ++ones;
    found = static_cast<u128>(i);
    reversed |= u128{1} << (msb - i);
  }
  const u128 above = static_cast<u128>(msb) - found;
  if (s.row->spelling == "popc") return {.bits = ones};
  if (s.row->spelling == "brev") return {.bits = reversed};
  if (s.row->spelling == "clz") return {.bits = ones ? above : static_cast<u128>(msb + 1)};
  return {.bits = s.has("shiftamt") && ones ? above : found};
}

Answer extract(const Spelling& s, Args a) {
  const unsigned msb = width_of(s.type) - 1, pos = a[1].low() & 0xff, len = a[2].low() & 0xff;
  const bool sign = ptx::is_signed(s.type) && len && bit(a[0].bits, std::min(pos + len - 1, msb));
  u128 d = 0;
  for (unsigned i = 0; i <= msb; ++i) d |= u128{i < len && pos + i <= msb ? bit(a[0].bits, pos + i) : sign} << i;
  return {.bits = d};
}

Answer insert(const Spelling& s, Args a) {
  const unsigned msb = width_of(s.type) - 1, pos = a[2].low() & 0xff, len = a[3].low() & 0xff;
  u128 f = a[1].bits;
  for (unsigned i = 0; i < len && pos + i <= msb; ++i) f = (f & ~(u128{1} << (pos + i))) | u128{bit(a[0].bits, i)} << (pos + i);
  return {.bits = f};
}

Answer mask(const Spelling& s, Args a) {
  const bool clamped = s.has("clamp");
  const u64 from = clamped ? std::min<u64>(a[0].low(), 32) : a[0].low() & 31, width = clamped ? a[1].low() : a[1].low() & 31;
  u128 d = 0;
  for (u64 i = from; i < 32 && i - from < width; ++i) d |= u128{1} << i;
  return {.bits = d};
}

Answer extend(const Spelling& s, Args a) {
  const u64 bits = s.has("clamp") ? std::min<u64>(a[1].low(), 32) : a[1].low() & 31;
  const u64 field = a[0].low() & ((u64{1} << bits) - 1);
  const bool negative = ptx::is_signed(s.type) && bits && bit(field, static_cast<unsigned>(bits - 1));
  return exact(s128{field} - (negative ? s128{1} << bits : 0));
}

Answer nth_bit(const Spelling&, Args a) {
  if (a[1].low() > 31) return {.kind = Answer::Kind::undefined};
  const unsigned base = static_cast<unsigned>(a[1].low());
  const s128 offset = Arg{Type::s32, a[2].bits}.integer();
  if (offset == 0) return {.bits = bit(a[0].bits, base) ? base : 0xffffffff};
  s128 left = offset < 0 ? -offset : offset;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
    if (bit(a[0].bits, static_cast<unsigned>(at)) && --left == 0) return {.bits = static_cast<u128>(at)};
  return {.bits = 0xffffffff};
}

Answer dot(const Spelling& s, Args a) {
  const bool four = s.row->spelling == "dp4a";
  s128 d = static_cast<s128>(a[2].bits);
  const auto part = [](u128 bits, bool is_signed, bool byte, int n) {
    return byte ? Arg{is_signed ? Type::s8 : Type::u8, bits >> 8 * n & 0xff}.integer()
                : Arg{is_signed ? Type::s16 : Type::u16, bits >> 16 * n & 0xffff}.integer();
  };
  for (int i = 0; i < (four ? 4 : 2); ++i)
    d += part(a[0].bits, ptx::is_signed(s.type), four, i) * part(a[1].bits, ptx::is_signed(s.type2), true, s.has("hi") ? i + 2 : i);
  return exact(d);
}

Answer table3(const Spelling& s, Args a) {
  u128 d = 0;
  for (unsigned i = 0; i < 32; ++i)
    d |= u128{bit(a[3].bits, (bit(a[0].bits, i) ? 4U : 0U) + (bit(a[1].bits, i) ? 2U : 0U) + (bit(a[2].bits, i) ? 1U : 0U))} << i;
  const bool any = d != 0;
  if (s.has("or")) d |= u128{any || a[4].bits} << 64;
  if (s.has("and")) d |= u128{any && a[4].bits} << 64;
  return {.bits = d};
}

Answer permute(const Spelling& s, Args a) {
  const u64 c = a[2].low(), n = c & 3;
  // Which byte of {b, a} each byte of the result is, from the top: the ISA's tables of the modes.
  static constexpr struct {
    std::string_view mode;
    unsigned bytes[4][4];
  } tables[] = {{"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
                {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
                {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
                {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
                {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
                {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}};
  const u128 source = a[1].bits << 32 | a[0].bits;
  u128 d = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned from = c >> 4 * i & 7;
    bool sign = c >> (4 * i + 3) & 1;
    for (const auto& table : tables)
      if (s.has(table.mode)) from = table.bytes[n][3 - i], sign = false;
    const u128 byte = source >> 8 * from & 0xff;
    d |= (sign ? (byte & 0x80 ? u128{0xff} : 0) : byte) << 8 * i;
  }
  return {.bits = d};
}

Answer pack(const Spelling& s, Args a) {
  const unsigned width = width_of(s.type);
  const auto part = [&](std::size_t o) {
    return static_cast<u128>(clamp(Arg{s.type2, a[o].bits}.integer(), s.type)) & ((u128{1} << width) - 1);
  };
  const u128 pair = part(0) << width | part(1);
  return {.bits = s.type3 == Type::none ? pair : a[2].bits << 2 * width | pair};
}

}  // namespace

Answer integer_arithmetic(const Spelling& s, Args a) {
  const std::string_view opcode = s.row->spelling;
  if (s.has("cc") || opcode == "addc" || opcode == "subc" || opcode == "madc") return carry_chain(s, a);
  if (opcode == "add" || opcode == "sub") return add_sub(s, a);
  if (opcode == "min" || opcode == "max") return min_max(s, a);
  if (opcode == "mul") return exact(product(s, a));
  if (opcode == "mad") {
    // .hi adds to the high part, which has the type's width.
    const s128 part = s.has("wide") ? product(s, a) : Arg{s.type, static_cast<u128>(product(s, a))}.integer();
    return exact(s.has("sat") ? clamp(part + a[2].integer(), s.type) : part + a[2].integer());
  }
  const s128 x = a[0].integer();
  if (opcode == "neg") return exact(-x);
  if (opcode == "abs") return exact(x < 0 ? -x : x);
  return divide(s, a);
}

std::vector<Prover> integer_provers() {
  constexpr std::string_view file = "integers";
  const auto row = [&](std::string_view opcodes, Oracle oracle) { return Prover{file, opcodes, lanewise(std::move(oracle))}; };
  return {
      row("mul24", [](const Spelling& s, Args a) { return exact(product24(s, a)); }),
      row("mad24",
          [](const Spelling& s, Args a) {
            const s128 sum = product24(s, a) + a[2].integer();
            return exact(s.has("sat") ? clamp(sum, s.type) : sum);
          }),
      row("sad",
          [](const Spelling&, Args a) {
            const s128 x = a[0].integer(), y = a[1].integer();
            return exact(a[2].integer() + (x < y ? y - x : x - y));
          }),
      row("addc subc madc rem", integer_arithmetic),
      row("popc clz bfind brev", count_bits),
      row("bfe", extract),
      row("bfi", insert),
      row("bmsk", mask),
      row("szext", extend),
      row("fns", nth_bit),
      row("dp4a dp2a", dot),
      row("lop3", table3),
      row("prmt", permute),
      row("shl shr", shift),
      row("shf.l shf.r", funnel),
      row("cvt.pack.sat", pack),
      row("and", [](const Spelling&, Args a) { return Answer{a[0].bits & a[1].bits}; }),
      row("or", [](const Spelling&, Args a) { return Answer{a[0].bits | a[1].bits}; }),
      row("xor", [](const Spelling&, Args a) { return Answer{a[0].bits ^ a[1].bits}; }),
      row("not", [](const Spelling& s, Args a) { return Answer{s.type == Type::pred ? u128{!a[0].bits} : ~a[0].bits}; }),
      row("cnot", [](const Spelling&, Args a) { return Answer{u128{a[0].bits == 0}}; }),
      row("selp", [](const Spelling&, Args a) { return Answer{a[2].bits ? a[0].bits : a[1].bits}; }),
  };
}

}  // namespace warpbook::gpu::test
