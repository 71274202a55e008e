// Noise: NumPy's random numbers, so that lesson 06 has the same initial field as the reference program in Python.
//
//     heat::NumpyNoise noise(3966789);      // numpy.random.default_rng(3966789)
//     float first = noise.next();           // .random(dtype=numpy.float32)
//
// NumPy's default generator: PCG64 (O'Neill, HMC-CS-2014-0905, XSL-RR with 128 bits of state), seeded through SeedSequence
// (NumPy's documentation, "Parallel random number generation"; after O'Neill's seed_seq_fe). The same on every machine.
#pragma once

#include <cstdint>
#include <optional>

namespace warpbook::lessons::heat {

class NumpyNoise {
 public:
  explicit NumpyNoise(std::uint32_t seed);
  /// Uniform in [0, 1), a multiple of 2^−24.
  [[nodiscard]] float next();

 private:
  __extension__ using uint128 = unsigned __int128;
  void advance();

  uint128 state_ = 0, increment_ = 0;
  std::optional<std::uint32_t> second_half_;  // the unused half of the last 64 bits
};

}  // namespace warpbook::lessons::heat
