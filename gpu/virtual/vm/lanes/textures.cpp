// tex, suld and sust, lane by lane. A handle is the address of a Texture (ops/texture.h) in device memory; what a kernel passes is
// not trusted: the texels lie in one allocation, or the lane faults. Detectors do not see these accesses.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/code/place.h"
#include "gpu/virtual/vm/exec/worker.h"
#include "gpu/virtual/vm/lanes/handlers.h"
#include "gpu/virtual/vm/ops/texture.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Geometry;
using ptx::Opcode;

static_assert(sizeof(Texture) == ptx::texture_description_bytes);

/// A texture that the present instruction reads or writes, and where its texels lie in the host's memory.
struct Bound {
  std::uint64_t handle = 0;
  Texture texture;
  std::byte* texels = nullptr;
};

/// The layers, rows and texels that its numbers promise lie within its bytes.
bool consistent(const Texture& t) {
  if (t.magic != Texture::mark || t.channels == 0 || t.channels > 4 || !t.width || !t.height || !t.depth) return false;
  if (t.channel_bytes != 1 && t.channel_bytes != 2 && t.channel_bytes != 4) return false;
  const std::uint64_t row = std::uint64_t{t.width} * t.texel_bytes(), most = std::uint64_t{1} << 40;
  if (t.pitch > most || t.slice > most || row > most) return false;
  return (t.depth - 1) * t.slice + (t.height - 1) * t.pitch + row <= t.bytes;
}

/// An allocation, found again where the instruction accessed it last.
const Extent& find(Worker& worker, Extent& cached, std::uint64_t address, std::uint64_t bytes) {
  if (cached.heap || !cached.holds(address, bytes)) cached = worker.find(address);
  return cached;
}

constexpr ToSay no_texture = to_say("That is no texture object."), no_surface = to_say("That is no surface object.");

/// Why there is nothing to access, or nothing. cached: the instruction's two extents of Worker::extents, for the description and
/// for the texels.
ToSay bind(Worker& worker, std::uint64_t handle, bool surface, Extent* cached, Bound& bound) {
  if (bound.handle == handle && bound.texels) return {};
  bound = {};
  const Extent& at = find(worker, cached[0], handle, sizeof(Texture));
  if (!at.holds(handle, sizeof(Texture))) return surface ? no_surface : no_texture;
  std::memcpy(&bound.texture, at.at(handle), sizeof(Texture));
  if (!consistent(bound.texture) || bound.texture.surface != surface) return surface ? no_surface : no_texture;
  const Extent& texels = find(worker, cached[1], bound.texture.texels, bound.texture.bytes);
  if (!texels.holds(bound.texture.texels, bound.texture.bytes)) return to_say("Its memory is freed.");
  bound.handle = handle;
  bound.texels = texels.at(bound.texture.texels);
  return {};
}

void access_of(Warp& w, const Inst& i) {
  const ptx::Instruction& p = *i.ptx;
  const Extra& extra = w.frame->code->extras[i.extra];
  const std::size_t values = i.bytes, coordinates = extra.rows.size() - values;
  const bool surface = p.op == Opcode::suld || p.op == Opcode::sust;
  const unsigned element = ptx::bytes_of(p.type), bytes = element * p.vector;
  Bound bound;
  for (std::uint32_t left = w.exec; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t handle = w.row_of<std::uint64_t>(i.a)[l];
    const auto fault = [&](const ToSay& why) {
      const auto given = with("at"_a = place_of(p), "handle"_a = handle);
      Paragraph told = !surface               ? given.to_say("The kernel reads a texture{at} by the handle {handle:#x}.")
                       : p.op == Opcode::sust ? given.to_say("The kernel writes to a surface{at} by the handle {handle:#x}.")
                                              : given.to_say("The kernel reads a surface{at} by the handle {handle:#x}.");
      told.add(why);
      w.worker->fault(w, i, l, "cudaErrorIllegalAddress", std::move(told));
    };
    if (const ToSay why = bind(*w.worker, handle, surface, &w.extents[i.cache], bound); !why.empty()) return fault(why);
    Fetch fetch{p.geometry, p.type2 == ptx::Type::s32, {}};
    for (std::size_t c = 0; c < coordinates; ++c) fetch.at[c] = w.row_of<std::uint32_t>(extra.rows[values + c])[l];
    if (!surface) {
      const Texel texel = sample(bound.texture, bound.texels, fetch);
      for (std::size_t v = 0; v < values; ++v)
        if (extra.row_bytes[v]) w.row_of<std::uint32_t>(extra.rows[v])[l] = texel[v];
      continue;
    }
    const auto at = surface_offset(bound.texture, p.geometry, fetch.at, bytes, p.edge == ptx::Edge::clamp);
    if (!at && p.edge != ptx::Edge::zero) return fault(to_say("It has no texel at these coordinates."));
    if (at && *at % element != 0) return fault(to_say("These coordinates lead to an address that its type cannot have."));
    for (std::size_t v = 0; v < values; ++v) {
      const unsigned width = extra.row_bytes[v];
      std::byte* const reg = w.row(extra.rows[v]) + std::size_t{l} * width;
      if (p.op == Opcode::sust) {
        if (at) std::memcpy(bound.texels + *at + v * element, reg, element);
      } else if (width) {
        std::uint64_t value = 0;
        if (at) std::memcpy(&value, bound.texels + *at + v * element, element);
        std::memcpy(reg, &value, width);
      }
    }
  }
}

}  // namespace

Handler texture_handler(const ptx::Instruction& p) { return ptx::has(p.op, ptx::trait::texture) ? access_of : nullptr; }

}  // namespace warpbook::gpu::vm
