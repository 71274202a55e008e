// Damage to PTX that leaves most of it well-formed, so that it gets past the parser: lines moved, doubled and dropped, instructions
// of the opcode table put in, names and numbers of one place put into another; and now and then a byte that is simply wrong.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace warpbook::gpu::test {

[[nodiscard]] std::string mutated(std::string_view text, std::mt19937_64& random);

}  // namespace warpbook::gpu::test
