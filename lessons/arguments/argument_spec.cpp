#include "lessons/arguments/argument_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

#include "gpu/text.h"
#include "lessons/arguments/argument_buffers.h"
#include "lessons/arguments/array_file.h"
#include "lessons/arguments/generators.h"

namespace warpbook::lessons {
namespace {

constexpr std::string_view examples =
    "Examples: int32=5, float32=0.25, int32[4096]=iota, float32[64x64]=uniform:0:1:7, float32[100]=@file.npy.";
constexpr std::string_view struct_example = "Example: {int32=16,int32=16,float32[16x16]=zeros}.";
constexpr int most_deep = 16;  // nesting of structs
constexpr std::string_view type_names = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64";

tl::unexpected<Error> refuse(std::string_view text, std::string_view why, std::string_view advice = examples) {
  return failure("usage", fmt::format("'{}' is no argument spec: {} {}", text, why, advice));
}

// Calls f with a value of the C++ type that corresponds to `type`.
template <class F>
auto with_type(gpu::ScalarType type, F&& f) {
  switch (type) {
    case gpu::ScalarType::int8:
      return f(std::int8_t{});
    case gpu::ScalarType::uint8:
      return f(std::uint8_t{});
    case gpu::ScalarType::int16:
      return f(std::int16_t{});
    case gpu::ScalarType::uint16:
      return f(std::uint16_t{});
    case gpu::ScalarType::int32:
      return f(std::int32_t{});
    case gpu::ScalarType::uint32:
      return f(std::uint32_t{});
    case gpu::ScalarType::int64:
      return f(std::int64_t{});
    case gpu::ScalarType::uint64:
      return f(std::uint64_t{});
    case gpu::ScalarType::float32:
      return f(float{});
    case gpu::ScalarType::float64:
      break;
  }
  return f(double{});
}

// Parses the whole of `text` as a T.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  if constexpr (std::is_integral_v<T>) {
    if (text.starts_with("0x") || text.starts_with("0X")) {
      const auto [at, error] = std::from_chars(text.data() + 2, end, value, 16);
      return error == std::errc{} && at == end && text.size() > 2 ? std::optional<T>(value) : std::nullopt;
    }
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && at == end && !text.empty() ? std::optional<T>(value) : std::nullopt;
}

// Parses "4096" or "2000x2000". No extent may be 0, and the size in bytes must not overflow.
Result<std::vector<std::size_t>> parse_shape(std::string_view whole, std::string_view text, gpu::ScalarType type) {
  std::vector<std::size_t> shape;
  std::size_t bytes = gpu::size_of(type);
  for (std::string_view rest = text;;) {
    const std::size_t cut = rest.find('x');
    const auto extent = parse_number<std::size_t>(rest.substr(0, cut));
    if (!extent || *extent == 0) {
      return refuse(whole, fmt::format("'{}' is no shape. A shape is a count, or counts with x between them.", text),
                    "Examples: int32[4096]=iota, float32[2000x2000]=zeros.");
    }
    if (bytes > std::numeric_limits<std::ptrdiff_t>::max() / *extent)
      return refuse(whole, "it needs more bytes than can be counted.");
    bytes *= *extent;
    shape.push_back(*extent);
    if (cut == std::string_view::npos) return shape;
    rest.remove_prefix(cut + 1);
  }
}

// Parses what follows the name in "uniform:0:1:7": two numbers and an optional seed.
Result<void> parse_distribution(ArgumentSpec& spec, std::string_view parameters) {
  std::vector<std::string_view> fields;
  for (std::string_view rest = parameters;;) {
    const std::size_t cut = rest.find(':');
    fields.push_back(rest.substr(0, cut));
    if (cut == std::string_view::npos) break;
    rest.remove_prefix(cut + 1);
  }
  const bool uniform = spec.content == ArgumentSpec::Content::uniform;
  const std::string_view form = uniform ? "uniform:LO:HI:SEED" : "normal:MEAN:SD:SEED";
  const std::string_view example = uniform ? "Example: float32[100]=uniform:0:1:7." : "Example: float32[100]=normal:0:1:7.";
  const auto first = parse_number<double>(fields[0]);
  const auto second = fields.size() > 1 ? parse_number<double>(fields[1]) : std::nullopt;
  const auto seed = fields.size() > 2 ? parse_number<std::uint64_t>(fields[2]) : std::optional<std::uint64_t>(0);
  if (!first || !second || !seed || fields.size() > 3 || !std::isfinite(*first) || !std::isfinite(*second)) {
    return refuse(spec.text, fmt::format("after '=' it should read {}, with numbers and a seed of 0 or more.", form), example);
  }
  if (uniform && !(*first < *second)) {
    return refuse(spec.text, fmt::format("{} is not below {}, so there is nothing between them.", fields[0], fields[1]), example);
  }
  if (!uniform && *second < 0) return refuse(spec.text, fmt::format("a standard deviation of {} is below 0.", fields[1]), example);
  spec.first = *first;
  spec.second = *second;
  spec.seed = *seed;
  return {};
}

// Rounds x to the nearest T, and clamps to the range of integer types. 2⁶³ and 2⁶⁴ are exact doubles, while their types' maxima are
// not.
template <class T>
T nearest(double x) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    const double rounded = std::round(x);
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(rounded);
  }
}

// lo ≤ result < hi also after rounding to T. All integers in [lo, hi) are equally likely.
template <class T>
T uniform_value(Random& random, double lo, double hi) {
  const double x = lo + (hi - lo) * random.uniform();
  if constexpr (std::is_floating_point_v<T>) {
    const T value = static_cast<T>(x);
    return static_cast<double>(value) < hi ? value : std::nextafter(static_cast<T>(hi), static_cast<T>(lo));
  } else {
    return nearest<T>(std::floor(x));
  }
}

template <class T>
void generate(const ArgumentSpec& spec, std::span<std::byte> bytes) {
  Random random(spec.seed);
  const std::size_t count = bytes.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    T value{};
    switch (spec.content) {
      case ArgumentSpec::Content::iota:
        value = static_cast<T>(i);
        break;
      case ArgumentSpec::Content::uniform:
        value = uniform_value<T>(random, spec.first, spec.second);
        break;
      case ArgumentSpec::Content::normal:
        value = nearest<T>(spec.first + spec.second * random.normal());
        break;
      case ArgumentSpec::Content::list:
        std::memcpy(&value, &spec.elements[i].bits, sizeof value);
        break;
      case ArgumentSpec::Content::value:
      case ArgumentSpec::Content::file:
        std::memcpy(&value, &spec.value.bits, sizeof value);
        break;
    }
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof value);
  }
}

// Parses "4,8,15": a number for each element.
Result<void> parse_list(ArgumentSpec& spec, std::string_view content) {
  for (std::string_view rest = content;;) {
    const std::size_t cut = rest.find(',');
    auto value = parse_scalar(spec.type, trimmed(rest.substr(0, cut)));
    if (!value) return refuse(spec.text, value.error().message, "Example: int32[3]=4,8,15.");
    spec.elements.push_back(*value);
    if (cut == std::string_view::npos) break;
    rest.remove_prefix(cut + 1);
  }
  spec.content = ArgumentSpec::Content::list;
  const std::size_t count = spec.array().count();
  if (spec.elements.size() == count) return {};
  return refuse(spec.text, fmt::format("its shape has {} elements, and {} are listed.", count, spec.elements.size()),
                "Example: int32[3]=4,8,15.");
}

Result<ArgumentSpec> parse_spec(std::string_view text, int depth);

/// Whether the comma here separates two members: behind it stands a type or a struct. In "{float32[2]=1,2,int32=3}" the first does
/// not.
bool separates_members(std::string_view behind) {
  behind = trimmed(behind);
  if (behind.empty() || behind.front() == '{' || behind.front() == ',' || behind.front() == '}') return true;
  const std::size_t end = std::min(behind.find_first_of(",}"), behind.size());
  return !parse_number<double>(behind.substr(0, end));
}

Result<ArgumentSpec> parse_struct(std::string_view text, int depth) {
  if (depth == most_deep) return refuse(text, fmt::format("structs lie in structs, more than {} deep.", most_deep), struct_example);
  ArgumentSpec spec;
  spec.text = text;
  int open = 0;
  std::size_t begin = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++open;
    if (text[i] == '}') --open;
    if (!(open == 0 || (open == 1 && text[i] == ',' && separates_members(text.substr(i + 1))))) continue;
    const std::string_view words = trimmed(text.substr(begin, i - begin));
    if (words.empty()) return refuse(text, fmt::format("nothing says what its member {} is.", spec.members.size()), struct_example);
    auto member = parse_spec(words, depth + 1);
    if (!member) {
      return failure(member.error().code, fmt::format("Member {} of '{}': {}", spec.members.size(), text, member.error().message));
    }
    spec.members.push_back(std::move(*member));
    begin = i + 1;
    if (open > 0) continue;
    if (begin == text.size()) return spec;
    return refuse(text, fmt::format("'{}' stands behind the struct's end.", text.substr(begin)), struct_example);
  }
  return refuse(text, "the struct's '}' is missing.", struct_example);
}

std::string shape_text(const std::vector<std::size_t>& shape) { return fmt::format("[{}]", fmt::join(shape, "x")); }

Result<ArgumentSpec> parse_spec(std::string_view text, int depth) {
  if (text.starts_with('{')) return parse_struct(text, depth);
  ArgumentSpec spec;
  spec.text = text;
  const std::size_t equals = text.find('=');
  const std::string_view left = text.substr(0, equals);
  const std::size_t bracket = left.find('[');
  const std::string_view type_name = left.substr(0, bracket);
  const auto type = gpu::scalar_type(type_name);
  if (!type) return refuse(text, fmt::format("'{}' is not one of the types {}.", type_name, type_names));
  spec.type = *type;
  if (equals == std::string_view::npos) return refuse(text, "nothing says what it holds: '=' and a value are missing.");
  const std::string_view content = text.substr(equals + 1);

  if (bracket != std::string_view::npos) {
    if (!left.ends_with(']')) return refuse(text, "the shape's ']' is missing before '='.");
    auto shape = parse_shape(text, left.substr(bracket + 1, left.size() - bracket - 2), *type);
    if (!shape) return failure(shape.error());
    spec.is_array = true;
    spec.shape = std::move(*shape);
  }

  constexpr std::string_view uniform = "uniform", normal = "normal";
  if (spec.is_array && content == "iota") {
    spec.content = ArgumentSpec::Content::iota;
  } else if (spec.is_array && (content.starts_with(uniform) || content.starts_with(normal))) {
    spec.content = content.starts_with(uniform) ? ArgumentSpec::Content::uniform : ArgumentSpec::Content::normal;
    std::string_view parameters = content.substr(content.starts_with(uniform) ? uniform.size() : normal.size());
    if (parameters.starts_with(':')) parameters.remove_prefix(1);
    if (auto done = parse_distribution(spec, parameters); !done) return failure(done.error());
  } else if (spec.is_array && content.starts_with('@')) {
    spec.content = ArgumentSpec::Content::file;
    spec.file = content.substr(1);
    if (spec.file.empty()) return refuse(text, "the file's name is missing after '@'.", "Example: float32[100]=@file.npy.");
  } else if (spec.is_array && content.find(',') != std::string_view::npos) {
    if (auto done = parse_list(spec, content); !done) return failure(done.error());
  } else {
    const bool named = spec.is_array && (content == "zeros" || content == "ones");
    auto value = parse_scalar(*type, named ? (content == "zeros" ? "0" : "1") : content);
    if (!value && spec.is_array) {
      return refuse(text, fmt::format("an array cannot start as '{}'.", content),
                    fmt::format("It may be iota, uniform:LO:HI:SEED, normal:MEAN:SD:SEED, zeros, ones, a {}, one for each "
                                "element with commas between them, or @file.npy.",
                                gpu::name_of(*type)));
    }
    if (!value) return refuse(text, value.error().message);
    spec.value = *value;
  }
  return spec;
}

}  // namespace

std::string ArgumentSpec::type_text() const {
  if (is_struct()) {
    std::string types;
    for (const ArgumentSpec& member : members) types += (types.empty() ? "" : ", ") + member.type_text();
    return "{" + types + "}";
  }
  return fmt::format("{}{}", gpu::name_of(type), is_array ? shape_text(shape) : std::string());
}

Result<gpu::Scalar> parse_scalar(gpu::ScalarType type, std::string_view text) {
  return with_type(type, [&](auto zero) -> Result<gpu::Scalar> {
    using T = decltype(zero);
    if (const auto value = parse_number<T>(text)) return gpu::Scalar::of(*value);
    if constexpr (std::is_integral_v<T>) {
      // The plus sign turns an int8_t into an int, so that it is not printed as a character.
      return failure("usage", fmt::format("'{}' is no {}: that is a whole number from {} to {}.", text, gpu::name_of(type),
                                          std::numeric_limits<T>::min() + 0, std::numeric_limits<T>::max() + 0));
    } else {
      return failure("usage",
                     fmt::format("'{}' is no {}: that is a number such as 0.25, 1e-3, inf or nan.", text, gpu::name_of(type)));
    }
  });
}

Result<ArgumentSpec> parse_argument_spec(std::string_view text) {
  const std::string_view words = trimmed(text);
  return parse_spec(words.starts_with('{') ? words : text, 0);
}

Result<std::vector<std::byte>> initial_bytes(const ArgumentSpec& spec) {
  const gpu::Array array = spec.array();
  if (auto fits = check_initial_bytes(spec); !fits) return failure(fits.error());
  std::vector<std::byte> bytes;
  try {
    bytes.resize(array.bytes());
  } catch (const std::bad_alloc&) {
    return failure("cudaErrorMemoryAllocation",
                   fmt::format("'{}' needs {} bytes, more than this machine can give.", spec.text, array.bytes()));
  }
  if (auto made = make_initial_bytes(spec, bytes); !made) return failure(made.error());
  return bytes;
}

Result<void> check_initial_bytes(const ArgumentSpec& spec) {
  if (spec.content != ArgumentSpec::Content::file) return {};
  return check_array_file(spec.file, spec.type, spec.shape);
}

Result<void> make_initial_bytes(const ArgumentSpec& spec, std::span<std::byte> bytes) {
  if (spec.content == ArgumentSpec::Content::file) return read_array_file(spec.file, spec.type, spec.shape, bytes);
  with_type(spec.type, [&](auto zero) { generate<decltype(zero)>(spec, bytes); });
  return {};
}

}  // namespace warpbook::lessons
