// What a warp's lanes do together: shfl, vote, match, redux, activemask, elect. All lanes take part, or those of a mask.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>

#include "tests/forms/lanewise.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

constexpr std::size_t threads = 500, block = 250;  // the last warp of a block has 26 lanes
using u32 = std::uint32_t;

/// What a warp's lanes give to the instruction, by lane.
struct Given {
  u32 members = 0;  // the lanes that take part; membermask
  u128 a[32] = {};
  u32 b[32] = {}, c[32] = {};
};

struct Got {
  u64 d = 0;
  bool p = false;
  bool defined = true;
};

/// The ISA's own pseudo-code.
Got shuffle(const Spelling& s, const Given& given, int lane) {
  const int bval = given.b[lane] & 31, cval = given.c[lane] & 31, mask = given.c[lane] >> 8 & 31;
  const int most = (lane & mask) | (cval & ~mask & 31), least = lane & mask;
  int j = s.has("up") ? lane - bval : s.has("down") ? lane + bval : s.has("bfly") ? lane ^ bval : least | (bval & ~mask & 31);
  const bool in_range = s.has("up") ? j >= most : j <= most;
  if (!in_range) j = lane;
  const bool there = j >= 0 && j < 32 && (given.members >> j & 1);
  return {static_cast<u64>(given.a[there ? j : lane]), in_range, there};
}

Got vote(const Spelling& s, const Given& given, int) {
  u32 yes = 0;
  for (int l = 0; l < 32; ++l)
    if (given.members >> l & 1) yes |= static_cast<u32>(given.a[l] & 1) << l;
  return {s.has("all") ? yes == given.members : s.has("any") ? yes != 0 : s.has("uni") ? yes == 0 || yes == given.members : yes};
}

Got match(const Spelling& s, const Given& given, int lane) {
  u32 equal = 0;
  for (int l = 0; l < 32; ++l) equal |= static_cast<u32>((given.members >> l & 1) && given.a[l] == given.a[lane]) << l;
  if (s.has("any")) return {equal};
  return {equal == given.members ? equal : 0, equal == given.members};
}

Got reduce(const Spelling& s, const Given& given, int lane) {
  s128 sum = 0, least = Arg{s.type, given.a[lane]}.integer(), most = least;
  u64 all = ~u64{0}, any = 0, parity = 0;
  for (int l = 0; l < 32; ++l) {
    if (!(given.members >> l & 1)) continue;
    const s128 x = Arg{s.type, given.a[l]}.integer();
    sum += x, least = std::min(least, x), most = std::max(most, x);
    all &= static_cast<u64>(given.a[l]), any |= static_cast<u64>(given.a[l]), parity ^= static_cast<u64>(given.a[l]);
  }
  return {s.has("add")   ? static_cast<u64>(sum)
          : s.has("min") ? static_cast<u64>(least)
          : s.has("max") ? static_cast<u64>(most)
          : s.has("and") ? all
          : s.has("or")  ? any
                         : parity};
}

Got active(const Spelling&, const Given& given, int) { return {given.members}; }

/// Which lane is elected is the machine's choice: here the first.
Got elected(const Spelling&, const Given& given, int lane) {
  const int first = std::countr_zero(given.members);
  return {static_cast<u64>(first), lane == first};
}

struct Row {
  std::string_view opcode;
  std::string_view operands;  // behind the destinations
  bool pair, alone;           // "d|p", "d"
  Got (*oracle)(const Spelling&, const Given&, int);
};
constexpr Row rows[] = {{"shfl", "%a, %b, %c, %mask", true, true, shuffle},
                        {"vote", "%pa, %mask", false, true, vote},
                        {"match", "%a, %mask", false, true, match},
                        {"redux", "%a, %mask", false, true, reduce},
                        {"activemask", "", false, true, active},
                        {"elect", "%mask", true, false, elected}};

/// Warp w of a block; w % 3: every lane, a random part of them, one.
Given given_to(const Spelling& s, std::size_t warp, std::mt19937_64& random) {
  Given given;
  const std::size_t in_block = warp % 8;
  const u32 born = in_block == 7 ? (1U << (block % 32)) - 1 : ~0U;
  given.members = warp % 3 == 0 ? born : warp % 3 == 1 ? static_cast<u32>(random()) & born : 1U << random() % 26;
  if (!given.members) given.members = 1;
  const u64 few = random() % 3;  // values that many lanes share, or all
  for (int l = 0; l < 32; ++l) {
    const u64 wide = random();
    given.a[l] = s.row->spelling == "vote"    ? (few == 0   ? 1
                                                 : few == 1 ? 0
                                                            : wide & 1)
                 : s.row->spelling == "match" ? (few ? wide % 3 : 7) << 30
                                              : wide;
    if (ptx::bytes_of(s.type) == 4) given.a[l] &= 0xffffffff;
    given.b[l] = static_cast<u32>(random() % 40);
    given.c[l] = static_cast<u32>(random() % 32 | (random() % 32) << 8);
    if (s.row->spelling == "shfl") given.c[l] = given.c[0];  // as kernels do: one segment size, one clamp
  }
  return given;
}

Outcome prove(Bench& bench, std::span<const Spelling> spellings) {
  Outcome outcome;
  const Row& row =
      *std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.opcode == spellings.front().row->spelling; });
  for (const Spelling& s : spellings) {
    std::mt19937_64 random(11);
    std::vector<Given> warps;
    std::vector<u128> in(4 * threads);
    for (std::size_t w = 0; w < 2 * 8; ++w) {
      warps.push_back(given_to(s, w, random));
      for (std::size_t l = 0; l < 32 && w % 8 * 32 + l < block; ++l) {
        const std::size_t t = w / 8 * block + w % 8 * 32 + l;
        in[t] = warps[w].a[l], in[threads + t] = warps[w].b[l], in[2 * threads + t] = warps[w].c[l],
        in[3 * threads + t] = warps[w].members;
      }
    }
    const bool predicate = s.type == Type::pred, wide = ptx::bytes_of(s.type) == 8;
    const bool all_pair = s.row->spelling == "match" && s.has("all");
    KernelText kernel{.module = {}, .parameters = {}, .in_slots = 4, .out_slots = 2, .last_parameter = {}};
    kernel.body = fmt::format(
        ".reg .b{0} %a;\n.reg .b32 %b, %c, %mask, %d, %t;\n.reg .pred %in_it, %pa, %p, %q;\nld.global.b{0} %a, [%in];\n"
        "ld.global.b32 %b, [%in+{1}];\nld.global.b32 %c, [%in+{2}];\nld.global.b32 %mask, [%in+{3}];\n"
        "ld.global.b32 %t, [%in];\nsetp.ne.u32 %pa, %t, 0;\n"
        "mov.u32 %t, %lanemask_eq;\nand.b32 %t, %t, %mask;\nsetp.ne.u32 %in_it, %t, 0;\n",
        wide ? 64 : 32, threads * 16, threads * 32, threads * 48);
    const std::string d = predicate ? "%q" : "%d", comma = row.operands.empty() ? "" : ", ";
    for (const bool pair : {true, false}) {
      if (!(pair ? row.pair || all_pair : row.alone)) continue;
      const std::size_t slot = pair ? 0 : threads * 16;
      kernel.body += fmt::format("@%in_it {} {}{}{}{};\n", s.text, d, pair ? "|%p" : "", comma, row.operands);
      if (predicate) kernel.body += "selp.u32 %d, 1, 0, %q;\n";
      kernel.body += fmt::format("@%in_it st.global.b32 [%out+{}], %d;\n", slot);
      if (pair) kernel.body += fmt::format("selp.u32 %t, 1, 0, %p;\n@%in_it st.global.b32 [%out+{}], %t;\n", slot + 8);
    }
    const auto out = bench.run(kernel, in);
    std::string wrong = out ? "" : s.text + ": " + out.error().message;
    for (std::size_t t = 0; t < threads && wrong.empty(); ++t) {
      const Given& given = warps[t / block * 8 + t % block / 32];
      const int lane = static_cast<int>(t % block % 32);
      if (!(given.members >> lane & 1)) continue;
      const Got want = row.oracle(s, given, lane);
      for (const bool pair : {true, false}) {
        if (!(pair ? row.pair || all_pair : row.alone)) continue;
        const u128 got = (*out)[(pair ? 0 : threads) + t];
        const u64 value = static_cast<u64>(got) & 0xffffffff;
        if ((want.defined && value != (want.d & 0xffffffff)) || (pair && static_cast<u64>(got >> 64 & 1) != want.p))
          wrong = fmt::format("{} in lane {} of {:#x} gave {:#x}, not {:#x}", s.text, lane, given.members, value, want.d);
      }
    }
    (wrong.empty() ? outcome.agreed : outcome.wrong).push_back(wrong.empty() ? s.text : wrong);
  }
  return outcome;
}

}  // namespace

std::vector<Prover> warp_provers() { return {{"warps", "shfl vote match redux activemask elect", prove}}; }

}  // namespace warpbook::gpu::test
