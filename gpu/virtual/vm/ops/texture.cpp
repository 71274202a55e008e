#include "gpu/virtual/vm/ops/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/virtual/vm/ops/half.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Geometry;
using Addressing = Texture::Addressing;
using Values = std::array<float, 4>;

constexpr int fraction_bits = 8;  // of a coordinate, as the hardware keeps it
constexpr float fraction_steps = 256;

bool reads_floats(const Texture& t) { return t.format == Texture::Format::floating || t.normalized_read; }

std::uint32_t channel_bits(const Texture& t, const std::byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, t.channel_bytes);
  if (t.format != Texture::Format::signed_integer || t.channel_bytes == 4) return bits;
  return static_cast<std::uint32_t>(t.channel_bytes == 1 ? std::int32_t{static_cast<std::int8_t>(bits)}
                                                         : std::int32_t{static_cast<std::int16_t>(bits)});
}

float channel_value(const Texture& t, std::uint32_t bits) {
  if (t.format == Texture::Format::floating)
    return t.channel_bytes == 2 ? ops::to_float(ops::f16{static_cast<std::uint16_t>(bits)}) : std::bit_cast<float>(bits);
  // What one stands for: 8- or 16-bit integers.
  if (t.format == Texture::Format::unsigned_integer) return static_cast<float>(bits) / (t.channel_bytes == 1 ? 255.0F : 65535.0F);
  return std::max(static_cast<float>(static_cast<std::int32_t>(bits)) / (t.channel_bytes == 1 ? 127.0F : 32767.0F), -1.0F);
}

/// std::floor, without a call.
std::int64_t floor_of(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  return whole - (static_cast<double>(whole) > x ? 1 : 0);
}

/// A whole-numbered position along one side that has `count` texels. Empty: the border.
std::optional<std::uint32_t> place(Addressing mode, std::int64_t at, std::uint32_t count) {
  const auto n = static_cast<std::int64_t>(count);
  if (at >= 0 && at < n) return static_cast<std::uint32_t>(at);  // most are
  switch (mode) {
    case Addressing::wrap:
      if (at >= -n && at < 2 * n) return static_cast<std::uint32_t>(at < 0 ? at + n : at - n);  // dividing takes long
      return static_cast<std::uint32_t>((at % n + n) % n);
    case Addressing::mirror: {
      const std::int64_t turn = (at % (2 * n) + 2 * n) % (2 * n);
      return static_cast<std::uint32_t>(turn < n ? turn : 2 * n - 1 - turn);
    }
    case Addressing::border:
      return std::nullopt;
    case Addressing::clamp:
      break;
  }
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(at, 0, n - 1));
}

/// One side of the box of texels that a fetch needs: one or two positions and the second's weight.
struct Side {
  std::optional<std::uint32_t> at[2];
  float weight = 0;  // of at[1]
};

Side side_of(const Texture& t, Addressing mode, float coordinate, std::uint32_t count, bool normalized) {
  // Without normalised coordinates there is no wrapping (CUDA's guide); the edge stands for what is beyond.
  if (!normalized && (mode == Addressing::wrap || mode == Addressing::mirror)) mode = Addressing::clamp;
  double x = normalized ? static_cast<double>(coordinate) * count : static_cast<double>(coordinate);
  if (std::isnan(x)) x = 0;
  const double far = 4.0 * 1024 * 1024 * 1024;
  x = std::clamp(x, -far, far);
  Side side;
  if (!t.linear_filter) {
    side.at[0] = place(mode, floor_of(x), count);
    return side;
  }
  const std::int64_t steps = floor_of((x - 0.5) * fraction_steps + 0.5), whole = steps >> fraction_bits;
  side.weight = static_cast<float>(steps - (whole << fraction_bits)) / fraction_steps;
  side.at[0] = place(mode, whole, count);
  side.at[1] = side.weight == 0 ? side.at[0] : place(mode, whole + 1, count);
  return side;
}

struct Place {
  Side x, y, z;
};

/// The face that a direction points at, and where on it, from 0 to 1.
struct OnFace {
  std::uint32_t face = 0;
  float s = 0, t = 0;
};
OnFace on_face(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float s = 0, t = 0, m = 1;
  std::uint32_t face = 0;
  if (ax >= ay && ax >= az)
    face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  else if (ay >= az)
    face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  else
    face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

/// Layers are chosen by a whole number, which is clamped.
Side layer_side(const Texture& t, std::uint32_t layer, std::uint32_t times = 1, std::uint32_t plus = 0) {
  Side side;
  const std::uint32_t layers = std::max(t.depth / times, 1U);
  side.at[0] = std::min(layer, layers - 1) * times + plus;
  return side;
}

Place place_of(const Texture& t, const Fetch& fetch) {
  const auto coordinate = [&](std::size_t c) {
    return fetch.integers ? static_cast<float>(static_cast<std::int32_t>(fetch.at[c])) : std::bit_cast<float>(fetch.at[c]);
  };
  const auto side = [&](std::size_t c, std::size_t dimension, std::uint32_t count) {
    if (!fetch.integers) return side_of(t, t.addressing[dimension], coordinate(c), count, t.normalized_coordinates);
    const auto at = static_cast<std::int32_t>(fetch.at[c]);  // a float would lose the last bits of large numbers
    const bool wraps = t.addressing[dimension] == Addressing::wrap || t.addressing[dimension] == Addressing::mirror;
    Side whole;
    whole.at[0] = place(wraps ? Addressing::clamp : t.addressing[dimension], at, count);
    return whole;
  };
  Side only;
  only.at[0] = 0;
  const auto face_sides = [&](std::size_t first, std::uint32_t layer, bool layered) -> Place {
    const OnFace on = on_face(coordinate(first), coordinate(first + 1), coordinate(first + 2));
    return {side_of(t, Addressing::clamp, on.s, t.width, true), side_of(t, Addressing::clamp, on.t, t.height, true),
            layered ? layer_side(t, layer, 6, on.face) : layer_side(t, on.face)};
  };
  switch (fetch.geometry) {
    case Geometry::d1:
      return {side(0, 0, t.width), only, only};
    case Geometry::d3:
      return {side(0, 0, t.width), side(1, 1, t.height), side(2, 2, t.depth)};
    case Geometry::array_1d:
      return {side(1, 0, t.width), only, layer_side(t, fetch.at[0])};
    case Geometry::array_2d:
      return {side(1, 0, t.width), side(2, 1, t.height), layer_side(t, fetch.at[0])};
    case Geometry::cube:
      return face_sides(0, 0, false);
    case Geometry::array_cube:
      return face_sides(1, fetch.at[0], true);
    default:
      return {side(0, 0, t.width), side(1, 1, t.height), only};
  }
}

/// The texel at a corner of the box, or nullptr: the border.
const std::byte* texel_at(const Texture& t, const std::byte* texels, const Place& place, unsigned x, unsigned y, unsigned z) {
  if (!place.x.at[x] || !place.y.at[y] || !place.z.at[z]) return nullptr;
  return texels + *place.z.at[z] * t.slice + *place.y.at[y] * t.pitch + *place.x.at[x] * t.texel_bytes();
}

}  // namespace

Texel sample(const Texture& t, const std::byte* texels, const Fetch& fetch) {
  const Place place = place_of(t, fetch);
  const bool floats = reads_floats(t);
  Texel result{0, 0, 0, floats ? std::bit_cast<std::uint32_t>(1.0F) : 1U};
  if (!floats || !t.linear_filter || fetch.integers) {
    const std::byte* const texel = texel_at(t, texels, place, 0, 0, 0);
    for (unsigned c = 0; c < t.channels; ++c) {
      const std::uint32_t bits = texel ? channel_bits(t, texel + std::size_t{c} * t.channel_bytes) : 0;
      result[c] = !floats ? bits : std::bit_cast<std::uint32_t>(texel ? channel_value(t, bits) : t.border[c]);
    }
    return result;
  }
  Values sum{};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const unsigned x = corner & 1U, y = corner >> 1U & 1U, z = corner >> 2U;
    if ((x && place.x.weight == 0) || (y && place.y.weight == 0) || (z && place.z.weight == 0)) continue;
    const auto part = [](const Side& side, unsigned which) { return which ? side.weight : 1 - side.weight; };
    const float weight = part(place.x, x) * part(place.y, y) * part(place.z, z);
    const std::byte* const texel = texel_at(t, texels, place, x, y, z);
    for (unsigned c = 0; c < t.channels; ++c)
      sum[c] += weight * (texel ? channel_value(t, channel_bits(t, texel + std::size_t{c} * t.channel_bytes)) : t.border[c]);
  }
  for (unsigned c = 0; c < t.channels; ++c) result[c] = std::bit_cast<std::uint32_t>(sum[c]);
  return result;
}

std::optional<std::uint64_t> surface_offset(const Texture& t, Geometry geometry, const Coordinates& at, std::uint32_t bytes,
                                            bool clamp) {
  const bool layered = geometry == Geometry::array_1d || geometry == Geometry::array_2d;
  const bool flat = geometry == Geometry::d1 || geometry == Geometry::array_1d;
  const std::size_t first = layered ? 1 : 0;
  const auto row_bytes = static_cast<std::int64_t>(t.width * t.texel_bytes());
  std::int64_t x = static_cast<std::int32_t>(at[first]);
  std::int64_t y = flat ? 0 : static_cast<std::int32_t>(at[first + 1]);
  std::int64_t z = layered ? static_cast<std::int32_t>(at[0]) : geometry == Geometry::d3 ? static_cast<std::int32_t>(at[2]) : 0;
  if (clamp) {
    x = std::clamp<std::int64_t>(x, 0, row_bytes - bytes);
    y = std::clamp<std::int64_t>(y, 0, std::int64_t{t.height} - 1);
    z = std::clamp<std::int64_t>(z, 0, std::int64_t{t.depth} - 1);
  }
  if (x < 0 || x + bytes > row_bytes || y < 0 || y >= t.height || z < 0 || z >= t.depth) return std::nullopt;
  return static_cast<std::uint64_t>(z) * t.slice + static_cast<std::uint64_t>(y) * t.pitch + static_cast<std::uint64_t>(x);
}

}  // namespace warpbook::gpu::vm
