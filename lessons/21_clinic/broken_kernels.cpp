#include "lessons/21_clinic/broken_kernels.h"

#include <algorithm>

namespace warpbook::lessons {
namespace {

using Integers = std::vector<std::int32_t>;

Integers doubled(const Integers& x) {
  Integers right;
  for (const std::int32_t value : x) right.push_back(2 * value);
  return right;
}

Integers reversed_by_256(const Integers& x) {
  Integers right = x;
  for (auto block = right.begin(); block != right.end(); block += 256) std::reverse(block, block + 256);
  return right;
}

Integers steps_by_256(const Integers& x) {
  Integers right;
  for (std::size_t i = 0; i < x.size(); ++i) right.push_back(i % 256 == 0 ? 0 : x[i] - x[i - 1]);
  return right;
}

Integers with_the_next(const Integers& x) {
  Integers right;
  for (std::size_t i = 0; i < x.size(); ++i) right.push_back(x[i] + (i + 1 < x.size() ? x[i + 1] : 0));
  return right;
}

template <std::size_t block>
Integers block_sums(const Integers& x) {
  Integers right(x.size() / block);
  for (std::size_t i = 0; i < x.size(); ++i) right[i / block] += x[i];
  return right;
}

Integers negative_image(const Integers& x) {
  Integers right;
  for (const std::int32_t value : x) right.push_back(256 - value);
  return right;
}

Integers thousandths_of_4096(const Integers& x) {
  Integers right;
  for (const std::int32_t value : x) right.push_back(static_cast<std::int32_t>(std::int64_t{1000} * value / 4096));
  return right;
}

Integers millionths_of_the_sum(const Integers& x) {
  std::int32_t sum = 0;
  for (const std::int32_t value : x) sum += value;
  Integers right;
  for (const std::int32_t value : x) right.push_back(1'000'000 * value / sum);
  return right;
}

Integers even_values_reversed_by_250(const Integers& x) {
  Integers right;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int32_t other = x[i / 250 * 250 + 249 - i % 250];
    right.push_back(other % 2 != 0 ? 0 : other);
  }
  return right;
}

Integers sums_on_a_ring(const Integers& x) {
  const std::size_t n = x.size();
  Integers right;
  for (std::size_t i = 0; i < n; ++i) right.push_back(x[(i + n - 1) % n] + x[i] + x[(i + 1) % n]);
  return right;
}

Integers sums_on_a_ring_twice(const Integers& x) { return sums_on_a_ring(sums_on_a_ring(x)); }

/// (most − x) + (x − least).
Integers ranges_of_256(const Integers& x) {
  Integers right;
  for (auto block = x.begin(); block != x.end(); block += 256) {
    const auto [least, most] = std::minmax_element(block, block + 256);
    right.insert(right.end(), 256, *most - *least);
  }
  return right;
}

constexpr std::array<BrokenKernel, broken_count> kernels{{
    {.id = "index",
     .symptom = "Only the first 256 values are computed",
     .grid = {4},
     .block = {256},
     .n = 1024,
     .results = 1024,
     .right = doubled},
    {.id = "barrier",
     .symptom = "Right with 32 threads, wrong with 256",
     .grid = {4},
     .block = {256},
     .n = 1024,
     .results = 1024,
     .right = reversed_by_256},
    {.id = "branch",
     .symptom = "Right, and yet it stops on another GPU",
     .grid = {4},
     .block = {256},
     .n = 1000,
     .results = 1000,
     .right = steps_by_256},
    {.id = "beyond",
     .symptom = "Each block's last sum is wrong",
     .grid = {4},
     .block = {256},
     .n = 1024,
     .results = 1024,
     .right = with_the_next},
    {.id = "unset",
     .symptom = "It was right for weeks, and now it is not",
     .grid = {4},
     .block = {256},
     .n = 1024,
     .results = 4,
     .right = block_sums<256>},
    {.id = "swapped",
     .symptom = "Right for square images only",
     .grid = {3, 4},
     .block = {16, 8},
     .n = 1536,
     .results = 1536,
     .right = negative_image},
    {.id = "overflow",
     .symptom = "Large values become negative",
     .grid = {4},
     .block = {256},
     .n = 1024,
     .results = 1024,
     .right = thousandths_of_4096},
    {.id = "tail",
     .symptom = "Right with 256 threads, wrong with 250",
     .grid = {4},
     .block = {250},
     .n = 1000,
     .results = 4,
     .right = block_sums<250>},
    {.id = "grid",
     .symptom = "It never ends, but only with many blocks",
     .grid = {700},
     .block = {32},
     .n = 1024,
     .results = 1024,
     .extra = 2,
     .mended_blocks = 20,
     .right = millionths_of_the_sum},
    {.id = "misaligned",
     .symptom = "Right with 256 threads, an error with 250",
     .grid = {4},
     .block = {250},
     .shared_bytes = 1252,
     .n = 1000,
     .results = 1000,
     .right = even_values_reversed_by_250},
    {.id = "halo",
     .symptom = "Wrong only beside another block",
     .grid = {16},
     .block = {64},
     .n = 1024,
     .results = 1024,
     .right = sums_on_a_ring_twice},
    {.id = "reused",
     .symptom = "Other results in every run",
     .grid = {4},
     .block = {256},
     .n = 1024,
     .results = 1024,
     .right = ranges_of_256},
}};

}  // namespace

const std::array<BrokenKernel, broken_count>& broken_kernels() { return kernels; }

std::vector<std::int32_t> values_of(const BrokenKernel& kernel) {
  const bool large = kernel.id == "overflow";
  std::vector<std::int32_t> x;
  for (std::size_t i = 0; i < kernel.n; ++i) {
    // A wave between 28 and 228, so that it can be shown as a picture. Its period is not a multiple of any block.
    const auto phase = static_cast<std::int32_t>(3 * i % 400), wave = 28 + std::min(phase, 400 - phase);
    x.push_back(large ? 16000 * wave : wave);
  }
  return x;
}

}  // namespace warpbook::lessons
