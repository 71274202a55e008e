// Operands worth trying: of each type the edge values (NaN, infinities, subnormals, zeros of both signs, the ends of the range,
// shifts at and beyond the width), and random ones near each other, so that sums cancel and round.
#pragma once

#include <random>
#include <vector>

#include "tests/forms/number.h"

namespace warpbook::gpu::test {

[[nodiscard]] std::vector<u128> edges_of(ptx::Type type);  // bits
[[nodiscard]] u128 random_of(ptx::Type type, std::mt19937_64& random);

/// `count` operand lists of these types: all pairs of edges of the first two first, as far as they fit, then edges and random ones
/// mixed. Element [operand][lane].
[[nodiscard]] std::vector<std::vector<u128>> operands_of(const std::vector<ptx::Type>& types, std::size_t count);

}  // namespace warpbook::gpu::test
