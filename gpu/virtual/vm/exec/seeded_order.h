// SeededOrder: the order of blocks and warps in a launch with a seed. The fast schedule takes them in turn; with a seed it picks
// the next block and the next warp at random and ends a warp's turn after a random number of instructions, so that results which
// depend on the order of threads differ from seed to seed. The same seed gives the same order.
//
//     SeededOrder order(machine.seed);
//     const std::size_t next = order.below(warps.size());
//     for (std::uint32_t left = order.turn(); left && warp.running; --left) …
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace warpbook::gpu::vm {

class SeededOrder {
 public:
  explicit SeededOrder(std::uint64_t seed) : random_(seed * 2 + 1), longest_(longest_turns[seed % longest_turns.size()]) {}

  /// One of 0 … n - 1; n is not 0.
  [[nodiscard]] std::size_t below(std::size_t n) { return random_() % n; }
  /// How many instructions a warp executes in one turn.
  [[nodiscard]] std::uint32_t turn() { return 1 + static_cast<std::uint32_t>(below(longest_)); }
  template <class T>
  void shuffle(std::vector<T>& some) {
    for (std::size_t n = some.size(); n > 1; --n) std::swap(some[n - 1], some[below(n)]);
  }

 private:
  // Some races show only in short turns, which interleave threads; others only in long ones, which let one thread run far ahead.
  static constexpr std::array<std::uint32_t, 4> longest_turns{400, 1u << 20, 12, 60};

  std::mt19937_64 random_;
  std::uint32_t longest_;
};

}  // namespace warpbook::gpu::vm
