// Texture: what a texture's or surface's handle points to in device memory, and what reading and writing it means, as pure
// functions on its texels.
//
//     const Texel texel = sample(texture, texels, {Geometry::d2, false, coordinates});
//     const auto at = surface_offset(texture, Geometry::d2, coordinates, 4, Edge::trap);   // bytes from the first texel
//
// Texels lie in rows: a texel at (x, y) of layer or slice z begins z * slice + y * pitch + x * texel_bytes() bytes behind the
// first. Source: the CUDA C++ Programming Guide, "Texture Fetching" (filtering with 8 bits of fraction, addressing modes), and the
// PTX ISA
// ("tex", "suld", "sust").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

struct Texture {
  enum class Format : std::uint8_t { signed_integer, unsigned_integer, floating };
  enum class Addressing : std::uint8_t { wrap, clamp, mirror, border };  // CUDA's numbers
  static constexpr std::uint64_t mark = 0x6572757478655421;              // at the beginning of each

  std::uint64_t magic = mark;
  std::uint64_t texels = 0;  // the first texel's address
  std::uint64_t bytes = 0;   // of all texels
  std::uint64_t pitch = 0, slice = 0;
  std::uint32_t width = 1, height = 1, depth = 1;  // in texels; depth: slices, layers, or faces
  std::uint8_t channels = 1, channel_bytes = 4;
  Format format = Format::floating;
  Addressing addressing[3] = {Addressing::clamp, Addressing::clamp, Addressing::clamp};
  bool linear_filter = false;
  bool normalized_coordinates = false;
  bool normalized_read = false;  // integers are read as 0 to 1, or -1 to 1
  bool surface = false;
  std::uint8_t unused[6] = {};
  float border[4] = {};

  [[nodiscard]] std::size_t texel_bytes() const { return std::size_t{channels} * channel_bytes; }
};
static_assert(std::is_trivially_copyable_v<Texture> && sizeof(Texture) == 88);

using Texel = std::array<std::uint32_t, 4>;  // as `tex` writes it into its registers
using Coordinates = std::array<std::uint32_t, 4>;

struct Fetch {
  ptx::Geometry geometry = ptx::Geometry::d2;
  bool integers = false;  // coordinates count texels; else they are float32
  Coordinates at{};
};

/// What `tex` reads. Integers that are not normalised are extended to 32 bits; all others are float32.
[[nodiscard]] Texel sample(const Texture& texture, const std::byte* texels, const Fetch& fetch);

/// Where a surface access of `bytes` bytes lies. x counts bytes. Empty: beyond the edge, and not `clamp`.
[[nodiscard]] std::optional<std::uint64_t> surface_offset(const Texture& texture, ptx::Geometry geometry, const Coordinates& at,
                                                          std::uint32_t bytes, bool clamp);

}  // namespace warpbook::gpu::vm
