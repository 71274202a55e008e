// The number of trials of a random test. With sanitizers it is half, because they find most errors in few trials. With
// `script/test --all` (WARPBOOK_TEST_ALL) it is sixteen times as many, or with sanitizers twice. A test's own environment variable
// sets any number.
//
//     for (std::uint64_t seed = 0; seed < how_many("WARPBOOK_RANDOM_KERNELS", 200); ++seed)
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace warpbook::test {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// The seeds that a case is launched with; with sanitizers the first one is enough for a usual test.
inline std::vector<std::uint64_t> some_seeds(std::vector<std::uint64_t> seeds) {
  if (sanitized && std::getenv("WARPBOOK_TEST_ALL") == nullptr) seeds.resize(1);
  return seeds;
}

inline std::uint64_t how_many(const char* variable, std::uint64_t usual) {
  const bool all = std::getenv("WARPBOOK_TEST_ALL") != nullptr;
  return number_from(variable, sanitized ? all ? usual * 2 : usual / 2 : all ? usual * 16 : usual);
}

}  // namespace warpbook::test
