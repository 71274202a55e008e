// Video instructions, scalar ones with parts of registers (%r1.b2), those of pairs and quads with selections (%r1.h21) and masks.
// A spelling is tried with several choices of parts; they are the same in every run.
#include <fmt/format.h>

#include <algorithm>

#include "tests/forms/lanewise.h"
#include "tests/forms/values.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

constexpr std::size_t threads = 250;

/// The parts that one instruction names.
struct Parts {
  std::string d, a, b;  // as written: ".b2", ".h21", "" where left out
  bool third = false;   // a scalar one with c
};

s128 clamp(s128 value, bool is_signed, unsigned width) {
  const s128 one = 1, least = is_signed ? -(one << (width - 1)) : 0;
  return std::clamp(value, least, least + (one << width) - 1);
}
s128 extended(u64 bits, bool is_signed, unsigned width) {
  const s128 value = static_cast<s128>(bits & ((u64{1} << width) - 1));
  return is_signed && value >> (width - 1) ? value - (s128{1} << width) : value;
}
/// Where a selection like ".b2" lies.
std::pair<unsigned, unsigned> place(const std::string& part) {  // shift, width
  if (part.empty()) return {0, 32};
  const unsigned n = static_cast<unsigned>(part[2] - '0');
  return part[1] == 'b' ? std::pair{8 * n, 8U} : std::pair{16 * n, 16U};
}

s128 combined(const Spelling& s, std::string_view op, s128 a, s128 b, bool simd) {
  if (op == "add") return a + b;
  if (op == "sub") return a - b;
  if (op == "avrg") return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  if (op == "absdiff") return a < b ? b - a : a - b;
  if (op == "min") return std::min(a, b);
  if (op == "max") return std::max(a, b);
  if (op == "shl" || op == "shr") {
    const unsigned n = static_cast<unsigned>(s.has("wrap") ? b & 31 : std::min<s128>(b, 32));
    return op == "shl" ? a * (s128{1} << n) : a >> n;
  }
  const int order = a < b ? -1 : a > b ? 1 : 0;
  (void)simd;
  return s.has("eq")   ? order == 0
         : s.has("ne") ? order != 0
         : s.has("lt") ? order < 0
         : s.has("le") ? order <= 0
         : s.has("gt") ? order > 0
                       : order >= 0;
}

/// The types of result, a and b: vset names none of its result, which is unsigned.
struct Signs {
  bool d = false, a = false, b = false;
};
Signs signs(const Spelling& s) {
  if (s.row->spelling.starts_with("vset")) return {false, ptx::is_signed(s.type), ptx::is_signed(s.type2)};
  return {ptx::is_signed(s.type), ptx::is_signed(s.type2), ptx::is_signed(s.type3)};
}

u64 scalar(const Spelling& s, const Parts& parts, u64 a, u64 b, u64 c) {
  const std::string_view op = s.row->spelling.substr(1);
  const Signs sign = signs(s);
  const auto [a_at, a_width] = place(parts.a);
  const auto [b_at, b_width] = place(parts.b);
  const auto [d_at, d_width] = place(parts.d);
  s128 t = combined(s, op, extended(a >> a_at, sign.a, a_width), extended(b >> b_at, sign.b, b_width), false);
  if (s.has("sat")) t = clamp(t, sign.d, d_width);
  const u64 word = static_cast<u64>(t) & 0xffffffff;
  const s128 x = extended(word, sign.d, 32), y = extended(c, sign.d, 32);
  if (s.has("add")) return static_cast<u64>(x + y) & 0xffffffff;
  if (s.has("min")) return static_cast<u64>(std::min(x, y)) & 0xffffffff;
  if (s.has("max")) return static_cast<u64>(std::max(x, y)) & 0xffffffff;
  if (parts.d.empty()) return word;
  const u64 mask = ((u64{1} << d_width) - 1) << d_at;
  return (c & ~mask) | (word << d_at & mask);
}

u64 simd(const Spelling& s, const Parts& parts, u64 a, u64 b, u64 c) {
  const std::string_view name = s.row->spelling;
  const unsigned count = static_cast<unsigned>(name.back() - '0'), width = 32 / count;
  const std::string_view op = name.substr(1, name.size() - 2);
  const Signs sign = signs(s);
  const u64 both = b << 32 | a, ones = (u64{1} << width) - 1;
  // Selections are written from the top: ".h21": element 1 is half 2, element 0 is half 1 of {b, a}.
  const auto element = [&](const std::string& part, unsigned i, unsigned otherwise, bool is_signed) {
    const unsigned from = part.empty() ? otherwise : static_cast<unsigned>(part[part.size() - 1 - i] - '0');
    return extended(both >> width * from, is_signed, width);
  };
  u64 d = s.has("add") ? c : 0;
  for (unsigned i = 0; i < count; ++i) {
    s128 t = combined(s, op, element(parts.a, i, i, sign.a), element(parts.b, i, count + i, sign.b), true);
    if (s.has("sat")) t = clamp(t, sign.d, width);
    const bool chosen = parts.d.empty() || parts.d.find(static_cast<char>('0' + i), 2) != std::string::npos;
    // An accumulated element has as many bits as its sum needs; a merged one has the element's.
    if (s.has("add"))
      d += chosen ? static_cast<u64>(t) : 0;
    else
      d |= (chosen ? static_cast<u64>(t) & ones : c >> width * i & ones) << width * i;
  }
  return d & 0xffffffff;
}

std::vector<Parts> choices(const Spelling& s) {
  const char last = s.row->spelling.back();
  const bool op2 = s.has("add") || s.has("min") || s.has("max");
  if (last == '2')
    return {{"", "", "", true}, {".h0", ".h00", ".h32", true}, {".h1", ".h13", ".h01", true}, {".h10", ".h21", ".h20", true}};
  if (last == '4')
    return {
        {"", "", "", true}, {".b0", ".b3210", ".b7654", true}, {".b310", ".b7777", "", true}, {".b3210", ".b0246", ".b1357", true}};
  if (op2) return {{"", "", "", true}, {"", ".b0", ".h1", true}, {"", ".h0", ".b3", true}};
  return {{"", "", "", false},
          {"", ".b1", ".h0", false},
          {".b2", ".h1", "", true},
          {".h0", "", ".b2", true},
          {".b0", ".b3", ".b1", true}};
}

Outcome prove(Bench& bench, std::span<const Spelling> spellings) {
  const auto operands = operands_of({Type::u32, Type::u32, Type::u32}, threads);
  std::vector<u128> in;
  for (const auto& operand : operands) in.insert(in.end(), operand.begin(), operand.end());
  Outcome outcome;
  for (const Spelling& s : spellings) {
    const std::vector<Parts> all = choices(s);
    KernelText kernel{
        .module = {}, .parameters = {}, .threads = threads, .in_slots = 3, .out_slots = all.size(), .last_parameter = {}};
    kernel.body = fmt::format(
        ".reg .b32 %a, %b, %c, %d;\nld.global.b32 %a, [%in];\nld.global.b32 %b, [%in+{}];\nld.global.b32 %c, [%in+{}];\n",
        threads * 16, threads * 32);
    for (std::size_t n = 0; n < all.size(); ++n)
      kernel.body += fmt::format("{} %d{}, %a{}, %b{}{};\nst.global.b32 [%out+{}], %d;\n", s.text, all[n].d, all[n].a, all[n].b,
                                 all[n].third ? ", %c" : "", n * threads * 16);
    const auto out = bench.run(kernel, in);
    std::string wrong = out ? "" : s.text + ": " + out.error().message;
    for (std::size_t n = 0; n < all.size() && wrong.empty(); ++n)
      for (std::size_t t = 0; t < threads && wrong.empty(); ++t) {
        const u64 a = static_cast<u64>(operands[0][t]), b = static_cast<u64>(operands[1][t]), c = static_cast<u64>(operands[2][t]);
        const bool many = s.row->spelling.back() == '2' || s.row->spelling.back() == '4';
        const u64 want = many ? simd(s, all[n], a, b, c) : scalar(s, all[n], a, b, c),
                  got = static_cast<u64>((*out)[n * threads + t]) & 0xffffffff;
        if (got != want)
          wrong = fmt::format("{} d{}, {:#x}{}, {:#x}{}, {:#x} gave {:#x}, not {:#x}", s.text, all[n].d, a, all[n].a, b, all[n].b,
                              c, got, want);
      }
    (wrong.empty() ? outcome.agreed : outcome.wrong).push_back(wrong.empty() ? s.text : wrong);
  }
  return outcome;
}

}  // namespace

std::vector<Prover> video_provers() {
  return {
      {"video",
       "vadd vsub vabsdiff vmin vmax vshl vshr vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 "
       "vmin4 vmax4 vset4",
       prove}};
}

}  // namespace warpbook::gpu::test
