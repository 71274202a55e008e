#include "tests/forms/values.h"

namespace warpbook::gpu::test {
namespace {

using ptx::Type;

bool is_packed(Type type) {
  using enum Type;
  return type == f16x2 || type == bf16x2 || type == u16x2 || type == s16x2 || type == e4m3x2 || type == e5m2x2;
}

/// The type of one half of a packed type.
Type element_of(Type type) {
  return type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : ptx::bytes_of(type) == 2 ? Type::u8 : Type::u16;
}

std::vector<u128> float_edges(Format format) {
  const u64 one = format.one(), unit = u64{1} << format.fraction, infinity = format.infinity();
  const u64 positive[] = {0,
                          1,  // the least subnormal
                          unit - 1,
                          unit,  // the greatest subnormal, the least normal
                          one,
                          one + 1,
                          one - 1,
                          one - unit,
                          one + unit + unit / 2,  // 1, its neighbours, 1/2, 3
                          infinity - 1,
                          infinity};
  std::vector<u128> edges;
  for (const u64 bits : positive) {
    edges.push_back(bits);
    edges.push_back(bits | format.sign());
  }
  edges.push_back(infinity + 1);  // a signalling NaN
  edges.push_back(format.nan() | format.sign());
  return edges;
}

}  // namespace

std::vector<u128> edges_of(Type type) {
  if (type == Type::pred) return {0, 1};
  if (ptx::is_float(type) && !is_packed(type)) return float_edges(format_of(type));
  const unsigned width = 8 * ptx::bytes_of(type);
  const u128 all = width == 128 ? ~u128{0} : (u128{1} << width) - 1, top = (all >> 1) + 1;
  std::vector<u128> edges;
  if (is_packed(type)) {  // every edge of an element, beside another
    const std::vector<u128> parts = edges_of(element_of(type));
    for (std::size_t i = 0; i < parts.size(); ++i) edges.push_back(parts[i] << width / 2 | parts[(i * 7 + 3) % parts.size()]);
    return edges;
  }
  for (const u128 value :
       {u128{0},  u128{1},  u128{2},   u128{3},   u128{7},   u128{8}, u128{15}, u128{16}, u128{31}, u128{32}, u128{33},
        u128{63}, u128{64}, u128{127}, u128{128}, u128{255}, top - 1, top,      top + 1,  all - 1,  all})
    edges.push_back(value & all);
  return edges;
}

u128 random_of(Type type, std::mt19937_64& random) {
  if (type == Type::pred) return random() & 1;
  if (is_packed(type)) {
    const Type part = element_of(type);
    return random_of(part, random) << 4 * ptx::bytes_of(type) | random_of(part, random);
  }
  const unsigned width = 8 * ptx::bytes_of(type);
  const u128 all = width == 128 ? ~u128{0} : (u128{1} << width) - 1;
  const u128 bits = (u128{random()} << 64 | random()) & all;
  if (!ptx::is_float(type)) return random() % 3 ? bits : bits >> random() % width;
  const Format format = format_of(type);
  const u64 choice = random() % 8, fraction = (u64{1} << format.fraction) - 1;
  u64 low = static_cast<u64>(bits) & fraction;
  if (choice & 1) low &= ~(fraction >> random() % format.fraction);  // few bits: products and sums are exact, or ties
  if (choice < 2) return bits;
  const u64 reach = choice < 6 ? 4 : static_cast<u64>(format.fraction) + 4;
  const u64 field = static_cast<u64>(format.bias()) - reach / 2 + random() % reach;
  return (random() & 1 ? format.sign() : 0) | (field & ((u64{1} << format.exponent) - 1)) << format.fraction | low;
}

std::vector<std::vector<u128>> operands_of(const std::vector<Type>& types, std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::vector<u128>> edges, operands(types.size(), std::vector<u128>(count));
  for (const Type type : types) edges.push_back(edges_of(type));
  const std::size_t pairs = types.empty() ? 0 : edges[0].size() * (types.size() > 1 ? edges[1].size() : 1);
  for (std::size_t lane = 0; lane < count; ++lane)
    for (std::size_t o = 0; o < types.size(); ++o) {
      const std::size_t n = edges[o].size();
      if (lane < pairs && o < 2)
        operands[o][lane] = edges[o][o ? lane / edges[0].size() : lane % n];
      else
        operands[o][lane] = random() % 4 == 0 ? edges[o][random() % n] : random_of(types[o], random);
    }
  return operands;
}

}  // namespace warpbook::gpu::test
