// tex, tex.level, suld.b, sust.b: every geometry, type and size against what the CUDA C++ Programming Guide ("Texture Fetching")
// and the PTX ISA say, worked out in float64 from the definitions of the addressing modes; the code under test works with float32
// and whole texels. The textures' descriptions lie with their texels behind the threads' slots of `in`.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "gpu/virtual/vm/ops/texture.h"
#include "tests/forms/prover.h"

namespace warpbook::gpu::test {
namespace {

using vm::Texture;
using Addressing = Texture::Addressing;

constexpr std::size_t threads = 240, block = 120, variants = 24;
constexpr std::uint32_t width = 7, height = 5, depth = 12;  // 12 layers are two cubes
constexpr std::size_t texel_room = std::size_t{width + 1} * width * depth * 16, room = sizeof(Texture) + 8 + texel_room;

struct Image {
  Texture texture;
  std::vector<std::byte> texels;

  [[nodiscard]] double channel(std::uint32_t x, std::uint32_t y, std::uint32_t z, unsigned c) const {
    const std::byte* const at =
        texels.data() + z * texture.slice + y * texture.pitch + x * texture.texel_bytes() + std::size_t{c} * texture.channel_bytes;
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, texture.channel_bytes);
    const unsigned all = 8U * texture.channel_bytes;
    if (texture.format == Texture::Format::floating) return std::bit_cast<float>(bits);
    double whole = bits;
    if (texture.format == Texture::Format::signed_integer && bits >> (all - 1)) whole -= std::ldexp(1.0, static_cast<int>(all));
    if (!texture.normalized_read) return whole;
    if (texture.format == Texture::Format::unsigned_integer) return whole / (std::ldexp(1.0, static_cast<int>(all)) - 1);
    return std::max(whole / (std::ldexp(1.0, static_cast<int>(all) - 1) - 1), -1.0);
  }
};

bool is_cube(const Spelling& s) { return s.has("cube") || s.has("acube"); }
bool is_layered(const Spelling& s) { return s.has("a1d") || s.has("a2d") || s.has("acube"); }
bool is_flat(const Spelling& s) { return s.has("1d") || s.has("a1d"); }

/// One of the textures that a spelling reads: formats, filters and addressing modes in turn.
Image image_of(const Spelling& s, std::size_t variant, std::mt19937_64& random) {
  Image image;
  Texture& t = image.texture;
  const bool floats = s.type == ptx::Type::f32;
  if (!floats) {
    t.format = s.type == ptx::Type::u32 ? Texture::Format::unsigned_integer : Texture::Format::signed_integer;
    t.channel_bytes = static_cast<std::uint8_t>(1U << variant % 3);
  } else if (variant % 3 > 0) {
    t.format = variant % 3 == 1 ? Texture::Format::unsigned_integer : Texture::Format::signed_integer;
    t.channel_bytes = variant % 2 ? 1 : 2;
    t.normalized_read = true;
  }
  t.channels = static_cast<std::uint8_t>(1U << variant / 3 % 3);
  t.width = width;
  t.height = is_flat(s) ? 1 : is_cube(s) ? width : height;
  t.depth = s.has("acube") ? 12 : is_cube(s) ? 6 : s.has("1d") || s.has("2d") ? 1 : 4;
  t.pitch = (width + variant % 2) * t.texel_bytes();  // with and without something behind each row
  t.slice = t.pitch * t.height;
  t.bytes = t.slice * t.depth;
  t.linear_filter = floats && variant % 4 > 1 && s.type2 == ptx::Type::f32;
  t.normalized_coordinates = variant / 2 % 2 || is_cube(s);
  for (std::size_t d = 0; d < 3; ++d) t.addressing[d] = static_cast<Addressing>((variant / 4 + d) % 4);
  for (float& border : t.border) border = static_cast<float>(random() % 100) / 64;
  image.texels.resize(t.bytes);
  for (std::byte& byte : image.texels) byte = static_cast<std::byte>(random());
  if (t.format == Texture::Format::floating)
    for (std::size_t at = 0; at + 4 <= t.bytes; at += 4) {
      const float value = static_cast<float>(random() % 4096) / 256 - 8;
      std::memcpy(image.texels.data() + at, &value, 4);
    }
  return image;
}

/// A texel along one side, by the definition of the mode: negative where the border is meant.
int texel_along(Addressing mode, bool normalized, double texel, int count) {
  const double at = texel / count;
  if (normalized && mode == Addressing::wrap) return static_cast<int>(std::lround((at - std::floor(at)) * count)) % count;
  if (normalized && mode == Addressing::mirror) {
    const double within = (texel + 0.5) / count, turns = std::floor(within), part = within - turns;
    return static_cast<int>(std::floor((std::fmod(turns, 2) == 0 ? part : 1 - part) * count));
  }
  if (mode == Addressing::border && (texel < 0 || texel >= count)) return -1;
  return static_cast<int>(std::min(std::max(texel, 0.0), count - 1.0));
}

struct Along {
  int first = 0, second = 0;
  double weight = 0;
};
Along along(const Texture& t, std::size_t dimension, double coordinate, std::uint32_t count, bool integers,
            std::optional<Addressing> forced = {}) {
  const Addressing mode = forced.value_or(t.addressing[dimension]);
  const bool normalized = t.normalized_coordinates && !integers;
  const double x = normalized ? coordinate * count : coordinate;
  const auto texel = [&](double of) { return texel_along(mode, normalized, of, static_cast<int>(count)); };
  if (!t.linear_filter) return {texel(std::floor(x)), 0, 0};
  const double fixed = std::floor((x - 0.5) * 256 + 0.5) / 256;  // 8 bits of fraction
  return {texel(std::floor(fixed)), texel(std::floor(fixed) + 1), fixed - std::floor(fixed)};
}

double mixed(const Image& image, const Along (&sides)[3], unsigned channel, std::size_t side, std::uint32_t (&at)[3]) {
  const auto with = [&](int texel, const auto& rest) {
    if (texel < 0) return static_cast<double>(image.texture.border[channel]);
    at[side] = static_cast<std::uint32_t>(texel);
    return rest();
  };
  const auto rest = [&] {
    return side == 0 ? image.channel(at[0], at[1], at[2], channel) : mixed(image, sides, channel, side - 1, at);
  };
  const double a = with(sides[side].first, rest);
  if (sides[side].weight == 0) return a;
  return a * (1 - sides[side].weight) + with(sides[side].second, rest) * sides[side].weight;
}

/// Where a direction meets the cube: face, and the place on it (the guide's table for cubemaps).
void meet(double x, double y, double z, int& face, double& s, double& t) {
  const double m = std::max({std::abs(x), std::abs(y), std::abs(z)});
  double sc = 0, tc = 0;
  if (m == std::abs(x)) {
    face = x < 0;
    sc = x < 0 ? z : -z;
    tc = -y;
  } else if (m == std::abs(y)) {
    face = 2 + (y < 0);
    sc = x;
    tc = y < 0 ? -z : z;
  } else {
    face = 4 + (z < 0);
    sc = z < 0 ? -x : x;
    tc = -y;
  }
  s = (sc / m + 1) / 2;
  t = (tc / m + 1) / 2;
}

/// What the thread must read, channel by channel.
std::vector<double> expected(const Spelling& s, const Image& image, std::span<const std::uint32_t> given) {
  const Texture& t = image.texture;
  const bool integers = s.type2 == ptx::Type::s32;
  const std::size_t first = is_layered(s) ? 1 : 0;
  const auto coordinate = [&](std::size_t c) {
    return integers ? static_cast<double>(static_cast<std::int32_t>(given[first + c])) : std::bit_cast<float>(given[first + c]);
  };
  Along sides[3];
  if (is_cube(s)) {
    int face = 0;
    double u = 0, v = 0;
    meet(coordinate(0), coordinate(1), coordinate(2), face, u, v);
    // On its face a coordinate is a float32.
    sides[0] = along(t, 0, static_cast<float>(u), t.width, false, Addressing::clamp);
    sides[1] = along(t, 1, static_cast<float>(v), t.height, false, Addressing::clamp);
    sides[2].first = face + (is_layered(s) ? 6 * static_cast<int>(std::min(given[0], t.depth / 6 - 1)) : 0);
  } else {
    sides[0] = along(t, 0, coordinate(0), t.width, integers);
    if (!is_flat(s)) sides[1] = along(t, 1, coordinate(1), t.height, integers);
    if (s.has("3d")) sides[2] = along(t, 2, coordinate(2), t.depth, integers);
    if (is_layered(s)) sides[2].first = static_cast<int>(std::min(given[0], t.depth - 1));
  }
  std::vector<double> channels;
  for (unsigned c = 0; c < t.channels; ++c) {
    std::uint32_t at[3] = {};
    const bool beyond = sides[0].first < 0 || sides[1].first < 0 || sides[2].first < 0;
    channels.push_back(!t.linear_filter && beyond && s.type != ptx::Type::f32 ? 0 : mixed(image, sides, c, 2, at));
  }
  return channels;
}

std::vector<std::uint32_t> coordinates_of(const Spelling& s, const Image& image, std::mt19937_64& random) {
  const Texture& t = image.texture;
  std::vector<std::uint32_t> given(4);
  const bool layered = is_layered(s);
  if (layered) given[0] = static_cast<std::uint32_t>(random() % 6);  // beyond the last layer, too
  for (std::size_t c = layered ? 1 : 0; c < 4; ++c) {
    const auto eighths = static_cast<double>(random() % 4096) / 4096 * 3.5 - 1.25;  // of the texture's size
    const std::uint32_t sizes[] = {t.width, t.height, t.depth};
    const std::uint32_t size = sizes[std::min<std::size_t>(c - (layered ? 1 : 0), 2)];
    if (s.type2 == ptx::Type::s32 && !is_cube(s)) {
      given[c] = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(eighths * size)));
    } else if (s.type2 == ptx::Type::s32) {
      given[c] = static_cast<std::uint32_t>(static_cast<std::int32_t>(random() % 17) - 8);
      if (given[c] == 0) given[c] = 9;
    } else {
      // Odd multiples of 1/64 of a texel: no rounding of hardware or ours decides which texel is meant.
      const double texels = (std::floor(eighths * size * 32) * 2 + 1) / 64;
      given[c] = std::bit_cast<std::uint32_t>(static_cast<float>(t.normalized_coordinates ? texels / size : texels));
    }
  }
  return given;
}

std::string list(const std::string& name, std::size_t count) {
  std::string text = "{";
  for (std::size_t n = 0; n < count; ++n) text += fmt::format("{}{}{}", n ? ", " : "", name, n);
  return text + "}";
}

std::size_t coordinate_count(const Spelling& s) { return s.has("1d") ? 1 : s.has("2d") || s.has("a1d") ? 2 : 4; }

/// %h: the handle of this thread's texture, whose description has been given its texels' address.
std::string prologue() {
  return fmt::format(
      ".reg .b64 %h, %base, %offset2, %texels;\n.reg .b32 %which, %c<4>, %r<4>;\n"
      "ld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%in];\n"
      "ld.param.u64 %base, [in];\nadd.u64 %base, %base, {};\nrem.u32 %which, %i, {};\nmul.wide.u32 %offset2, %which, {};\n"
      "add.u64 %h, %base, %offset2;\nadd.u64 %texels, %h, {};\nst.global.b64 [%h+8], %texels;\nbar.sync 0;\n",
      threads * 16, variants, room, sizeof(Texture) + 8);
}

std::vector<u128> memory_of(const std::vector<Image>& images, std::span<const std::vector<std::uint32_t>> given) {
  std::vector<u128> in(threads + (images.size() * room + 15) / 16);
  for (std::size_t t = 0; t < given.size(); ++t) std::memcpy(&in[t], given[t].data(), 16);
  auto* const at = reinterpret_cast<std::byte*>(&in[threads]);
  for (std::size_t n = 0; n < images.size(); ++n) {
    std::memcpy(at + n * room, &images[n].texture, sizeof(Texture));
    std::memcpy(at + n * room + sizeof(Texture) + 8, images[n].texels.data(), images[n].texels.size());
  }
  return in;
}

std::string wrong_texel(const Spelling& s, const Image& image, std::span<const std::uint32_t> given, const u128& got) {
  const std::vector<double> want = expected(s, image, given);
  std::uint32_t bits[4];
  std::memcpy(bits, &got, sizeof bits);
  for (unsigned c = 0; c < 4; ++c) {
    const bool floats = s.type == ptx::Type::f32;
    const double value = floats                     ? std::bit_cast<float>(bits[c])
                         : s.type == ptx::Type::s32 ? static_cast<double>(static_cast<std::int32_t>(bits[c]))
                                                    : bits[c];
    const double wanted = c < want.size() ? want[c] : c == 3 ? 1 : 0;
    // Eight corners, each with a rounding or two.
    if (std::abs(value - wanted) > (floats ? 4e-6 * (1 + std::abs(wanted)) : 0))
      return fmt::format("{}: channel {} is {}, not {}", s.text, c, value, wanted);
  }
  return {};
}

Outcome prove_reads(Bench& bench, std::span<const Spelling> spellings) {
  Outcome outcome;
  for (const Spelling& s : spellings) {
    std::mt19937_64 random(11);
    std::vector<Image> images;
    for (std::size_t v = 0; v < variants; ++v) images.push_back(image_of(s, v, random));
    std::vector<std::vector<std::uint32_t>> given;
    for (std::size_t t = 0; t < threads; ++t) given.push_back(coordinates_of(s, images[t % variants], random));
    KernelText kernel{.threads = threads, .block = block, .in_slots = 1, .out_slots = 1};
    kernel.body =
        prologue() + fmt::format("{} {}, [%h, {}]{};\nst.global.v4.b32 [%out], {{%r0, %r1, %r2, %r3}};\n", s.text, list("%r", 4),
                                 list("%c", coordinate_count(s)), s.text.starts_with("tex.level") ? ", 0f00000000" : "");
    const auto out = bench.run(kernel, memory_of(images, given));
    std::string wrong = out ? std::string() : s.text + ": " + out.error().message;
    for (std::size_t t = 0; t < threads && wrong.empty(); ++t) wrong = wrong_texel(s, images[t % variants], given[t], (*out)[t]);
    (wrong.empty() ? outcome.agreed : outcome.wrong).push_back(wrong.empty() ? s.text : wrong);
  }
  return outcome;
}

/// A surface of two-byte texels that each thread accesses at a place of its own, some of them beyond the edge.
struct Reach {
  std::int64_t x = 0, y = 0, z = 0;  // x in bytes
  bool inside = true;
};

constexpr std::uint32_t surface_width = 40, surface_height = 15, surface_depth = 16, surface_texel = 2;

Reach reach_of(const Spelling& s, std::size_t thread, std::size_t bytes) {
  Reach at;
  // Each thread has a row, a layer, or a part of a row for itself.
  const auto number = static_cast<std::int64_t>(thread);
  const std::int64_t row = surface_width * surface_texel;
  const bool apart = !s.has("1d");
  if (s.has("1d")) return {number % 4 * static_cast<std::int64_t>(bytes), 0, 0, true};
  at.x = number % 3 * static_cast<std::int64_t>(bytes);
  if (s.has("a1d"))
    at.z = number % surface_depth;
  else if (s.has("2d"))
    at.y = number % surface_height;
  else
    at.y = number % surface_height, at.z = number / surface_height % surface_depth;
  if (apart && !s.has("trap") && number % 5 == 4) at.x = row + 8 * number, at.inside = false;
  if (apart && !s.has("trap") && number % 7 == 6) at.x = -64, at.inside = false;
  return at;
}

struct SurfaceForm {
  const Spelling& spelling;
  bool store;
  unsigned count, element, bytes;  // values in braces, bytes of each, of all
  std::size_t used;                // threads

  explicit SurfaceForm(const Spelling& s)
      : spelling(s),
        store(s.text.starts_with("sust")),
        count(s.has("v4")   ? 4
              : s.has("v2") ? 2
                            : 1),
        element(ptx::bytes_of(s.type)),
        bytes(count * element),
        used(s.has("1d") ? 4 : 15) {}
};

Image surface_image(const Spelling& s, std::mt19937_64& random) {
  Image image;
  Texture& t = image.texture;
  t.format = Texture::Format::unsigned_integer;
  t.channel_bytes = surface_texel;
  t.width = s.has("1d") ? 64 : surface_width;
  t.height = is_flat(s) ? 1 : surface_height;
  t.depth = s.has("1d") || s.has("2d") ? 1 : surface_depth;
  t.pitch = t.width * t.texel_bytes();
  t.slice = t.pitch * t.height;
  t.bytes = t.slice * t.depth;
  t.surface = true;
  image.texels.resize(t.bytes);
  for (std::byte& byte : image.texels) byte = static_cast<std::byte>(random());
  return image;
}

/// The offset of the bytes that an access reaches, or would reach if it were clamped.
std::int64_t offset_of(const Texture& t, const Reach& reach, unsigned bytes) {
  const std::int64_t most = static_cast<std::int64_t>(t.pitch) - bytes;
  return reach.z * static_cast<std::int64_t>(t.slice) + reach.y * static_cast<std::int64_t>(t.pitch) +
         std::min(std::max<std::int64_t>(reach.x, 0), most);
}

/// A thread's coordinates; for a store also the offset that it looks at afterwards, in the fourth.
std::array<std::int32_t, 4> coordinates_of(const SurfaceForm& form, const Texture& t, const Reach& reach) {
  const auto x = static_cast<std::int32_t>(reach.x), y = static_cast<std::int32_t>(reach.y), z = static_cast<std::int32_t>(reach.z);
  const auto offset = form.store ? static_cast<std::int32_t>(offset_of(t, reach, form.bytes)) : 0;
  if (is_layered(form.spelling)) return {z, x, y, offset};
  return {x, y, z, offset};
}

/// Each thread makes one access. After a store it reads back from where the bytes must have gone.
KernelText surface_kernel(const SurfaceForm& form) {
  const std::string data = list("%v", form.count), coordinates = list("%c", coordinate_count(form.spelling));
  const unsigned bits = 8 * form.element;
  KernelText kernel{.threads = threads, .block = threads, .in_slots = 2, .out_slots = 1};
  kernel.body = fmt::format(
      ".reg .pred %few;\n.reg .b64 %h, %texels, %slot, %wide;\n.reg .b32 %c<4>;\n.reg .b{0} %v<4>;\n"
      "ld.param.u64 %h, [in];\nadd.u64 %h, %h, {1};\nadd.u64 %texels, %h, {2};\nst.global.b64 [%h+8], %texels;\nbar.sync 0;\n"
      "setp.ge.u32 %few, %i, {3};\n@%few bra DONE;\nld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%in];\n",
      std::max(16U, bits), threads * 32, sizeof(Texture) + 8, form.used);
  for (unsigned e = 0; e < form.count; ++e)
    kernel.body += fmt::format("ld.global.b{} %v{}, [%in+{}];\n", bits, e, threads * 16 + e * form.element);
  if (!form.store) {
    kernel.body += fmt::format("{} {}, [%h, {}];\n", form.spelling.text, data, coordinates);
  } else {
    kernel.body += fmt::format("{} [%h, {}], {};\n", form.spelling.text, coordinates, data);
    kernel.body += "ld.global.b32 %c3, [%in+12];\nmul.wide.u32 %wide, %c3, 1;\nadd.u64 %texels, %texels, %wide;\n";
    for (unsigned e = 0; e < form.count; ++e)
      kernel.body += fmt::format("ld.global.b{} %v{}, [%texels+{}];\n", bits, e, e * form.element);
  }
  for (unsigned e = 0; e < form.count; ++e)
    kernel.body += fmt::format("st.global.b{} [%out+{}], %v{};\n", bits, e * form.element, e);
  kernel.body += "DONE:\n";
  return kernel;
}

Outcome prove_surfaces(Bench& bench, std::span<const Spelling> spellings) {
  Outcome outcome;
  for (const Spelling& s : spellings) {
    const SurfaceForm form(s);
    std::mt19937_64 random(5);
    const Image image = surface_image(s, random);
    const Texture& t = image.texture;
    std::vector<u128> in(threads * 2 + (room * 1 + t.bytes + 15) / 16 + 64);
    std::vector<u128> values(threads);
    for (std::size_t n = 0; n < form.used; ++n) {
      const auto given = coordinates_of(form, t, reach_of(s, n, form.bytes));
      std::memcpy(&in[n], given.data(), sizeof given);
      values[n] = static_cast<u128>(random()) << 64 | random();
      in[threads + n] = values[n];
    }
    auto* const at = reinterpret_cast<std::byte*>(&in[2 * threads]);
    std::memcpy(at, &t, sizeof t);
    std::memcpy(at + sizeof(Texture) + 8, image.texels.data(), t.bytes);
    const auto out = bench.run(surface_kernel(form), in);
    std::string wrong = out ? std::string() : s.text + ": " + out.error().message;
    for (std::size_t n = 0; n < form.used && wrong.empty(); ++n) {
      const Reach reach = reach_of(s, n, form.bytes);
      std::byte want[16] = {};
      const bool left_alone = !reach.inside && s.has("zero");
      if (form.store && !left_alone)
        std::memcpy(want, &values[n], form.bytes);
      else if (form.store || !left_alone)
        std::memcpy(want, image.texels.data() + offset_of(t, reach, form.bytes), form.bytes);
      if (std::memcmp(want, &(*out)[n], form.bytes) != 0) wrong = fmt::format("{}: thread {} finds other bytes", s.text, n);
    }
    (wrong.empty() ? outcome.agreed : outcome.wrong).push_back(wrong.empty() ? s.text : wrong);
  }
  return outcome;
}

}  // namespace

std::vector<Prover> texture_provers() {
  return {{"textures", "tex tex.level", prove_reads}, {"textures", "suld.b sust.b", prove_surfaces}};
}

}  // namespace warpbook::gpu::test
