// The driver's arrays and texture objects: the runtime's, under the driver's names and with its structs.
// Source: the CUDA Driver API's reference manual, "Data types used by CUDA driver".
#include <algorithm>
#include <optional>

#include "gpu/runtime/arrays.h"
#include "gpu/runtime/calls.h"

using namespace warpbook;
using cudart::Call;
using cudart::known_array;

namespace warpbook::cudart {
namespace {

using CUresult = int;

struct ArrayDescriptor {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct Array3dDescriptor {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

enum class MemoryType : int { host = 1, device = 2, array = 3, unified = 4 };
struct CopyEnd {
  std::size_t x, y;  // x in bytes
  MemoryType type;
  void *host, *device;
  cudaArray_t array;
  std::size_t pitch;
};
struct Copy2d {
  CopyEnd from, to;
  std::size_t width, height;  // width in bytes
};

struct ResourceDescriptor {
  int type;
  union {
    cudaArray_t array;
    struct {
      void* memory;
      int format;
      unsigned channels;
      std::size_t bytes_or_width, height, pitch;  // of linear memory: bytes alone
    } memory;
    int reserved[32];
  };
  unsigned flags;
};
struct TextureDescriptor {
  int address_mode[3], filter_mode;
  unsigned flags, most_anisotropy;
  int mipmap_filter_mode;
  float mipmap_bias, mipmap_least, mipmap_most, border[4];
  int reserved[12];
};
static_assert(sizeof(Copy2d) == 128 && sizeof(ResourceDescriptor) == 144 && sizeof(TextureDescriptor) == 104);

constexpr unsigned read_as_integer = 1, normalized_coordinates = 2, as_srgb = 16;

/// CUarray_format as the runtime's description of a texel.
std::optional<cudaChannelFormatDesc> format_of(int format, unsigned channels) {
  struct Row {
    int format, bits;
    cudaChannelFormatKind kind;
  };
  constexpr Row rows[] = {{1, 8, cudaChannelFormatKindUnsigned},  {2, 16, cudaChannelFormatKindUnsigned},
                          {3, 32, cudaChannelFormatKindUnsigned}, {8, 8, cudaChannelFormatKindSigned},
                          {9, 16, cudaChannelFormatKindSigned},   {10, 32, cudaChannelFormatKindSigned},
                          {16, 16, cudaChannelFormatKindFloat},   {32, 32, cudaChannelFormatKindFloat}};
  const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.format == format; });
  if (found == std::end(rows) || (channels != 1 && channels != 2 && channels != 4)) return {};
  const auto bits = [&](unsigned channel) { return channel < channels ? found->bits : 0; };
  return cudaChannelFormatDesc{bits(0), bits(1), bits(2), bits(3), found->kind};
}

CUresult make(cudaArray_t* array, int format, unsigned channels, cudaExtent extent, unsigned flags) {
  const auto texel = format_of(format, channels);
  return texel ? make_array(array, *texel, extent, flags) : cudaErrorInvalidValue;
}

struct Place {
  std::byte* at = nullptr;
  Plane plane;
};
std::optional<Place> place_of(const CopyEnd& end, std::size_t width, std::size_t height) {
  if (end.type != MemoryType::array) {
    auto* const memory = static_cast<std::byte*>(end.type == MemoryType::host ? end.host : end.device);
    const std::size_t pitch = end.pitch ? end.pitch : width;
    return Place{memory + end.y * pitch + end.x, {pitch}};
  }
  const cudaArray* const array = known_array(end.array);
  if (!array) return {};
  const auto& t = array->texture;
  if (end.x + width > t.width * t.texel_bytes() || end.y + height > t.height) return {};
  return Place{static_cast<std::byte*>(array->memory) + end.y * t.pitch + end.x, {t.pitch}};
}

CUresult copy_2d(const Copy2d& p) {
  const auto from = place_of(p.from, p.width, p.height), to = place_of(p.to, p.width, p.height);
  if (!from || !to) return cudaErrorInvalidValue;
  return copy_box(to->at, to->plane, from->at, from->plane, {p.width, p.height, 1}, cudaMemcpyDefault);
}

}  // namespace
}  // namespace warpbook::cudart

using namespace warpbook::cudart;

extern "C" {

CUresult cuArrayCreate_v2(cudaArray_t* array, const ArrayDescriptor* p) {
  const Call call("cuArrayCreate");
  return make(array, p->format, p->channels, {p->width, p->height, 0}, 0);
}
CUresult cuArray3DCreate_v2(cudaArray_t* array, const Array3dDescriptor* p) {
  const Call call("cuArray3DCreate");
  return make(array, p->format, p->channels, {p->width, p->height, p->depth}, p->flags);
}
CUresult cuArrayDestroy(cudaArray_t array) {
  const Call call(__func__);
  return known_array(array) ? free_array(array) : cudaErrorInvalidResourceHandle;
}
CUresult cuMemcpy2DAsync_v2(const Copy2d* p, cudaStream_t stream) {
  const Call call("cuMemcpy2D");
  return in_stream(stream, cudaGraphNodeTypeMemcpy, [kept = *p] { return copy_2d(kept); });
}
CUresult cuMemcpy2D_v2(const Copy2d* p) { return cuMemcpy2DAsync_v2(p, nullptr); }
CUresult cuMemcpy2DUnaligned_v2(const Copy2d* p) { return cuMemcpy2DAsync_v2(p, nullptr); }

CUresult cuTexObjectCreate(cudaTextureObject_t* object, const ResourceDescriptor* p, const TextureDescriptor* how, const void*) {
  const Call call(__func__);
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  resource.resType = p->type;
  bool small_integers = false;
  const auto note = [&](const cudaChannelFormatDesc& format) {
    small_integers = format.f != cudaChannelFormatKindFloat && format.x < 32;
    return format;
  };
  if (p->type == cudaResourceTypeArray) {
    const cudaArray* const array = known_array(p->array);
    if (!array) return cudaErrorInvalidValue;
    resource.res.array.array = p->array;
    note(array->format);
  } else {
    const auto format = format_of(p->memory.format, p->memory.channels);
    if (!format) return cudaErrorInvalidValue;
    note(*format);
    if (p->type == cudaResourceTypeLinear)
      resource.res.linear = {p->memory.memory, *format, p->memory.bytes_or_width};
    else
      resource.res.pitch2D = {p->memory.memory, *format, p->memory.bytes_or_width, p->memory.height, p->memory.pitch};
  }
  std::copy(std::begin(how->address_mode), std::end(how->address_mode), texture.addressMode);
  std::copy(std::begin(how->border), std::end(how->border), texture.borderColor);
  texture.filterMode = how->filter_mode;
  texture.normalizedCoords = (how->flags & normalized_coordinates) != 0;
  texture.readMode = small_integers && !(how->flags & read_as_integer);  // 32-bit integers are always read as integers
  texture.sRGB = (how->flags & as_srgb) != 0;
  return make_texture(object, resource, texture);
}
CUresult cuTexObjectDestroy(cudaTextureObject_t object) {
  const Call call(__func__);
  return free_object(object);
}

}  // extern "C"
