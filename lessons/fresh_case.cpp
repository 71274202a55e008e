#include "lessons/fresh_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

#include "lessons/experiment.h"

namespace warpbook::lessons {
namespace {

constexpr std::size_t most_multiple = 4;  // of the length: values that an array has for each element

bool is_count(const ArgumentSpec& spec, std::size_t count) {
  using enum gpu::ScalarType;
  const bool integer = spec.type == int32 || spec.type == uint32 || spec.type == int64 || spec.type == uint64;
  return !spec.is_array && !spec.is_struct() && integer && spec.content == ArgumentSpec::Content::value && spec.value.bits == count;
}

/// The length of an array that an argument says, too; the longest of them.
std::optional<std::size_t> length_of(const Exercise::Case& one) {
  std::optional<std::size_t> longest;
  for (const ArgumentSpec& array : one.arguments) {
    if (!array.is_array || array.content == ArgumentSpec::Content::file) continue;
    const std::size_t length = array.shape.front();
    const bool said =
        std::any_of(one.arguments.begin(), one.arguments.end(), [&](const ArgumentSpec& each) { return is_count(each, length); });
    if (said && (!longest || length > *longest)) longest = length;
  }
  return longest;
}

void resize(ArgumentSpec& spec, std::size_t from, std::size_t to) {
  if (is_count(spec, from)) {
    spec.value.bits = to;
    return;
  }
  if (!spec.is_array) return;
  std::size_t& first = spec.shape.front();
  if (first % from == 0 && first / from <= most_multiple) first = first / from * to;
}

void give_other_values(ArgumentSpec& spec, std::mt19937_64& random) {
  spec.seed = random() >> 16;
  for (ArgumentSpec& member : spec.members) give_other_values(member, random);
}

/// Nothing where the sizes of a case cannot be told apart from its other numbers.
std::optional<Exercise::Case> resized(Exercise::Case one, std::mt19937_64& random) {
  const bool line = one.grid.y == 1 && one.grid.z == 1 && one.block.y == 1 && one.block.z == 1;
  const auto length = length_of(one);
  if (!line || !length) return std::nullopt;
  const std::size_t least = *length / 2 + 1, most = std::min<std::size_t>(*length * 2, one.grid.count() * one.block.count());
  if (most <= least) return std::nullopt;
  std::size_t other = least + static_cast<std::size_t>(uniform(random) * static_cast<double>(most - least + 1));
  if (other == *length) other = other > least ? other - 1 : other + 1;
  for (ArgumentSpec& spec : one.arguments) resize(spec, *length, other);
  return one;
}

}  // namespace

std::vector<Exercise::Case> fresh_cases(const Exercise& exercise, std::uint64_t seed) {
  if (exercise.kind != ExerciseKind::kernel) return {};
  std::mt19937_64 random(seed_of_trial(seed, 1));
  Exercise::Case one = exercise.cases[random() % exercise.cases.size()];
  one.name = "Made anew for this check";
  for (ArgumentSpec& spec : one.arguments) give_other_values(spec, random);
  std::vector<Exercise::Case> cases;
  if (auto other = resized(one, random)) cases.push_back(std::move(*other));
  cases.push_back(std::move(one));
  return cases;
}

}  // namespace warpbook::lessons
