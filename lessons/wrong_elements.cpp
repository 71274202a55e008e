#include "lessons/wrong_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "gpu/elements.h"
#include "lessons/arguments/argument_buffers.h"
#include "lessons/element_words.h"

namespace warpbook::lessons {
namespace {

bool same(gpu::ScalarType type, std::span<const std::byte> expected, std::span<const std::byte> got, std::size_t i,
          double tolerance) {
  const std::size_t size = gpu::size_of(type);
  if (type != gpu::ScalarType::float32 && type != gpu::ScalarType::float64)
    return std::memcmp(expected.data() + i * size, got.data() + i * size, size) == 0;
  const double right = gpu::element_value(type, expected, i), is = gpu::element_value(type, got, i);
  if (std::isnan(right)) return std::isnan(is);
  if (std::isinf(right)) return is == right;
  return is == right || std::abs(is - right) <= tolerance * std::abs(right);
}

gpu::Scalar element(gpu::ScalarType type, std::span<const std::byte> bytes, std::size_t i) {
  gpu::Scalar scalar{.type = type};
  std::memcpy(&scalar.bits, bytes.data() + i * gpu::size_of(type), gpu::size_of(type));
  return scalar;
}

gpu::Dim3 unfolded(std::uint32_t linear, const gpu::Dim3& size) {
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

/// An element's place: "out[195] (row 3, column 3)".
std::string place_of(const Checks::Wrong& wrong, std::size_t index) {
  const std::string flat = fmt::format("{}[{}]", wrong.array, index);
  if (wrong.shape.size() != 2) return flat;
  return fmt::format("{} (row {}, column {})", flat, index / wrong.shape[1], index % wrong.shape[1]);
}

/// A sentence with the expected value, the actual value, and the writer of one element.
std::string sentence_about_element(const std::string& place, const Checks::Wrong::Element& one, const ArgumentSpec& spec) {
  const std::string expected = text_of(one.expected), got = text_of(one.got);
  const auto before = initial_bytes(spec);
  const bool untouched = before && element(one.got.type, *before, one.index).bits == one.got.bits;
  if (!one.writes) {
    if (!untouched) return fmt::format("{} should be {} and is {}.", place, expected, got);
    return fmt::format("{} should be {} and is {}, as it was before the launch: has any thread stored to it?", place, expected,
                       got);
  }
  if (one.writes->count == 0)
    return fmt::format("{} should be {} and is {}, as it was before the launch: no thread wrote it.", place, expected, got);
  const gpu::Place& last = *one.writes->last;
  const std::string thread = gpu::to_string(last.thread), block = gpu::to_string(last.block);
  if (one.writes->count > 1) {
    return fmt::format("{} should be {} and is {}: it was written {} times, the last time by thread {} of block {} in line {}.",
                       place, expected, got, one.writes->count, thread, block, last.line);
  }
  return fmt::format("{} should be {} and is {}: thread {} of block {} wrote it in line {}.", place, expected, got, thread, block,
                     last.line);
}

}  // namespace

std::optional<Checks::Wrong> compare(const ArrayAfter& expected, const ArrayAfter& got, double tolerance) {
  const gpu::ScalarType type = expected.spec->type;
  Checks::Wrong wrong{.argument = got.argument,
                      .array = got.name,
                      .shape = got.spec->shape,
                      .first = {},
                      .read_only = expected.read_only,
                      .wrong = 0,
                      .elements = got.spec->array().count()};
  for (std::size_t i = 0; i < wrong.elements; ++i) {
    if (same(type, expected.bytes, got.bytes, i, tolerance)) continue;
    if (wrong.wrong++ >= most_told_elements) continue;
    wrong.first.push_back(
        {.index = i, .expected = element(type, expected.bytes, i), .got = element(type, got.bytes, i), .writes = {}});
  }
  return wrong.wrong > 0 ? std::optional(std::move(wrong)) : std::nullopt;
}

void find_writers(Checks::Wrong& wrong, const gpu::LaunchReport& traced) {
  if (traced.trace_truncated) return;
  for (Checks::Wrong::Element& one : wrong.first) one.writes.emplace();
  const auto bytes = static_cast<std::uint32_t>(gpu::size_of(wrong.first.front().got.type));
  for (const gpu::AccessRecord& record : traced.trace) {
    if (record.kind == gpu::AccessRecord::Kind::load || record.shared) continue;
    const std::int64_t wide = std::max(record.bytes / bytes, 1U);  // an access to a vector covers several elements
    for (std::uint32_t rest = record.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::int64_t from = record.index[lane];
      for (Checks::Wrong::Element& one : wrong.first) {
        const auto index = static_cast<std::int64_t>(one.index);
        if (index < from || index >= from + wide) continue;
        ++one.writes->count;
        one.writes->last = gpu::Place{.file = {},
                                      .line = record.line,
                                      .column = 0,
                                      .block = unfolded(record.block, traced.grid),
                                      .thread = unfolded(record.warp * 32 + lane, traced.block)};
      }
    }
  }
}

std::string sentence_about(const Checks::Wrong& wrong, const ArgumentSpec& spec) {
  const Checks::Wrong::Element& first = wrong.first.front();
  if (wrong.read_only) {
    return fmt::format("{} was {} and is {}: the kernel has written to {}, which is only to be read.", place_of(wrong, first.index),
                       text_of(first.expected), text_of(first.got), wrong.array);
  }
  const std::string sentence = sentence_about_element(place_of(wrong, first.index), first, spec);
  if (wrong.wrong == 1) return sentence;
  if (wrong.wrong == wrong.elements) return sentence + fmt::format(" All {} elements are wrong.", wrong.elements);
  return sentence + fmt::format(" It is the first of {} wrong elements of {}.", wrong.wrong, wrong.elements);
}

}  // namespace warpbook::lessons
