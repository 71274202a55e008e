// Mutates PTX so that most of it stays well-formed and passes the parser: moves, duplicates and removes lines, inserts instructions
// of the opcode table, and replaces names and numbers by others of the text. Sometimes it changes a random byte.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace warpbook::gpu::test {

[[nodiscard]] std::string mutated(std::string_view text, std::mt19937_64& random);

}  // namespace warpbook::gpu::test
