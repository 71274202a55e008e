#include "lessons/fresh_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

#include "lessons/experiment.h"

namespace warpbook::lessons {
namespace {

constexpr std::size_t few = 8;            // most different lengths
constexpr std::size_t most_multiple = 4;  // an array may have this many values for each element of the length

bool is_count(const ArgumentSpec& spec, std::size_t count) {
  using enum gpu::ScalarType;
  const bool integer = spec.type == int32 || spec.type == uint32 || spec.type == int64 || spec.type == uint64;
  return !spec.is_array && !spec.is_struct() && integer && spec.content == ArgumentSpec::Content::value && spec.value.bits == count;
}

/// The longest array length that is also an integer argument.
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

/// The present length, and the lengths that it can change to.
struct Lengths {
  std::size_t now = 0, least = 0, most = 0;
};
/// Empty if the case's sizes cannot be distinguished from its other numbers, or if there are hardly any other lengths.
std::optional<Lengths> lengths_of(const Exercise::Case& one) {
  const bool line = one.grid.y == 1 && one.grid.z == 1 && one.block.y == 1 && one.block.z == 1;
  const auto length = length_of(one);
  if (!line || !length) return std::nullopt;
  const Lengths lengths{*length, *length / 2 + 1, std::min<std::size_t>(*length * 2, one.grid.count() * one.block.count())};
  if (lengths.most < lengths.least + few) return std::nullopt;
  return lengths;
}

Exercise::Case resized(Exercise::Case one, const Lengths& lengths, std::mt19937_64& random) {
  std::size_t other =
      lengths.least + static_cast<std::size_t>(uniform(random) * static_cast<double>(lengths.most - lengths.least + 1));
  if (other == lengths.now) other = other > lengths.least ? other - 1 : other + 1;
  for (ArgumentSpec& spec : one.arguments) resize(spec, lengths.now, other);
  return one;
}

/// The cases whose size can change; if there are none, all cases.
std::vector<const Exercise::Case*> best_to_vary(const Exercise& exercise) {
  std::vector<const Exercise::Case*> best, all;
  for (const Exercise::Case& one : exercise.cases) {
    all.push_back(&one);
    if (lengths_of(one)) best.push_back(&one);
  }
  return best.empty() ? all : best;
}

}  // namespace

std::uint64_t seed_by_the_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) % 1'000'000;
}

std::vector<Exercise::Case> fresh_cases(const Exercise& exercise, std::uint64_t seed) {
  if (exercise.kind != ExerciseKind::kernel) return {};
  std::mt19937_64 random(seed_of_trial(seed, 1));
  const std::vector<const Exercise::Case*> from = best_to_vary(exercise);
  Exercise::Case one = *from[random() % from.size()];
  one.name = "Made anew for this check";
  for (ArgumentSpec& spec : one.arguments) give_other_values(spec, random);
  std::vector<Exercise::Case> cases;
  if (const auto lengths = lengths_of(one)) cases.push_back(resized(one, *lengths, random));
  cases.push_back(std::move(one));
  return cases;
}

}  // namespace warpbook::lessons
