// Generators: random values that depend only on the seed and are the same on every machine.
//
//     Random random(7);
//     double u = random.uniform();   // 0 ≤ u < 1
//     double z = random.normal();    // mean 0, standard deviation 1
//
// The engine is std::mt19937_64, whose sequence the C++ standard fixes; std::uniform_real_distribution and
// std::normal_distribution are not fixed, so these are ours:
//     uniform   the engine's upper 53 bits × 2⁻⁵³
//     normal    Marsaglia's polar method (SIAM Review 6, 1964), both values of a pair used, the first from the first coordinate;
//               its logarithm is computed with + − × ÷ alone, so that no C library's last digit shows.
#pragma once

#include <optional>
#include <random>

namespace warpbook::lessons {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] double uniform();
  [[nodiscard]] double normal();

 private:
  std::mt19937_64 engine_;
  std::optional<double> spare_;
};

}  // namespace warpbook::lessons
