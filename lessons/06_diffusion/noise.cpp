#include "lessons/06_diffusion/noise.h"

#include <array>
#include <bit>

namespace warpbook::lessons::heat {
namespace {

/// SeedSequence: spreads a number over a pool of four words, then derives the generator's 256 bits from the pool.
std::array<std::uint64_t, 4> spread(std::uint32_t seed) {
  std::uint32_t constant = 0x43b0d7e5;
  const auto scramble = [&constant](std::uint32_t value, std::uint32_t multiplier) {
    value ^= constant;
    constant *= multiplier;
    value *= constant;
    return value ^ value >> 16;
  };
  constexpr std::uint32_t while_filling = 0x931e8875, while_drawing = 0x58f38ded;

  std::array<std::uint32_t, 4> pool{};
  for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = scramble(i == 0 ? seed : 0, while_filling);
  for (std::size_t from = 0; from < pool.size(); ++from) {
    for (std::size_t to = 0; to < pool.size(); ++to) {
      if (from == to) continue;
      const std::uint32_t mixed = 0xca01f9dd * pool[to] - 0x4973f715 * scramble(pool[from], while_filling);
      pool[to] = mixed ^ mixed >> 16;
    }
  }

  constant = 0x8b51f9dd;
  std::array<std::uint64_t, 4> drawn{};
  for (std::size_t word = 0; word < 8; ++word) {
    drawn[word / 2] |= std::uint64_t{scramble(pool[word % 4], while_drawing)} << (word % 2 * 32);
  }
  return drawn;
}

}  // namespace

NumpyNoise::NumpyNoise(std::uint32_t seed) {
  const auto drawn = spread(seed);
  increment_ = ((uint128{drawn[2]} << 64 | drawn[3]) << 1) | 1;
  advance();
  state_ += uint128{drawn[0]} << 64 | drawn[1];
  advance();
}

void NumpyNoise::advance() {
  constexpr uint128 multiplier = uint128{0x2360ed051fc65da4} << 64 | 0x4385df649fccf645;
  state_ = state_ * multiplier + increment_;
}

float NumpyNoise::next() {
  std::uint32_t bits = 0;
  if (second_half_) {
    bits = *second_half_;
    second_half_.reset();
  } else {
    advance();
    const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
    const std::uint64_t both = std::rotr(high ^ low, static_cast<int>(high >> 58));
    bits = static_cast<std::uint32_t>(both);
    second_half_ = static_cast<std::uint32_t>(both >> 32);
  }
  return static_cast<float>(bits >> 8) * 0x1p-24F;
}

}  // namespace warpbook::lessons::heat
