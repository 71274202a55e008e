#include "gpu/runtime/arrays.h"

#include <algorithm>
#include <set>

#include "gpu/runtime/calls.h"

using namespace warpbook;
using cudart::Call;
using cudart::in_stream;
using cudart::known_array;
using cudart::runtime;

namespace warpbook::cudart {
namespace {

using gpu::vm::Texture;

std::set<cudaArray_t> arrays;

std::size_t texel_bytes(const cudaArray& array) { return array.texture.texel_bytes(); }

/// One end of a copy, with everything in bytes.
struct End {
  std::byte* at = nullptr;
  Plane plane;
};
End array_end(const cudaArray& array, cudaPos texel) {
  const Texture& t = array.texture;
  return {static_cast<std::byte*>(array.memory) + texel.z * t.slice + texel.y * t.pitch + texel.x * t.texel_bytes(),
          {t.pitch, t.height}};
}
End pitched_end(const cudaPitchedPtr& memory, cudaPos at) {
  return {static_cast<std::byte*>(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x, {memory.pitch, memory.ysize}};
}

bool within(const cudaArray& array, cudaPos at, cudaExtent box) {
  const Texture& t = array.texture;
  const auto fits = [](std::size_t from, std::size_t count, std::size_t of) { return from <= of && count <= of - from; };
  return fits(at.x, box.width, t.width) && fits(at.y, box.height, t.height) && fits(at.z, box.depth, t.depth);
}

/// cudaMemcpy2DToArray and its like give x and width in bytes.
cudaError_t copy_rows(cudaArray_t handle, std::size_t x, std::size_t y, void* memory, std::size_t pitch, std::size_t width,
                      std::size_t rows, cudaMemcpyKind kind, bool to_array) {
  const cudaArray* const array = known_array(handle);
  if (!array) return cudaErrorInvalidResourceHandle;
  const std::size_t row = array->texture.width * texel_bytes(*array);
  if (x > row || width > row - x || y > array->texture.height || rows > array->texture.height - y) return cudaErrorInvalidValue;
  if (rows > 1 && pitch < width) return cudaErrorInvalidPitchValue;
  End end = array_end(*array, {0, y, 0});
  end.at += x;
  return to_array ? copy_box(end.at, end.plane, memory, {pitch}, {width, rows, 1}, kind)
                  : copy_box(memory, {pitch}, end.at, end.plane, {width, rows, 1}, kind);
}

/// cudaMemcpyToArray and its like: `count` bytes that go on in the next row.
cudaError_t copy_run(cudaArray_t handle, std::size_t x, std::size_t y, void* memory, std::size_t count, cudaMemcpyKind kind,
                     bool to_array) {
  const cudaArray* const array = known_array(handle);
  if (!array) return cudaErrorInvalidResourceHandle;
  const std::size_t row = array->texture.width * texel_bytes(*array);
  if (x > row || y >= array->texture.height || count > (array->texture.height - y) * row - x) return cudaErrorInvalidValue;
  for (auto* bytes = static_cast<std::byte*>(memory); count > 0; x = 0, ++y) {
    const std::size_t here = std::min(count, row - x);
    if (const cudaError_t error = copy_rows(handle, x, y, bytes, row, here, 1, kind, to_array); error != cudaSuccess) return error;
    bytes += here;
    count -= here;
  }
  return cudaSuccess;
}

cudaError_t copy_between(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_t from, std::size_t from_x,
                         std::size_t from_y, std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
  const cudaArray* const source = known_array(from);
  if (!source) return cudaErrorInvalidResourceHandle;
  if (from_y > source->texture.height || rows > source->texture.height - from_y) return cudaErrorInvalidValue;
  const End end = array_end(*source, {0, from_y, 0});
  return copy_rows(to, to_x, to_y, end.at + from_x, end.plane.pitch, width, rows, kind, true);
}

}  // namespace

cudaArray* known_array(cudaArray_t handle) { return arrays.contains(handle) ? handle : nullptr; }

std::optional<Texture> texture_of(const cudaChannelFormatDesc& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  const bool known_bits = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
  const auto channels = std::find(std::begin(bits), std::end(bits), 0) - std::begin(bits);
  if (!known_bits || channels == 3 || !std::all_of(bits, bits + channels, [&](int b) { return b == bits[0]; })) return {};
  if (!std::all_of(bits + channels, std::end(bits), [](int b) { return b == 0; })) return {};
  if (format.f < 0 || format.f > cudaChannelFormatKindFloat || (format.f == cudaChannelFormatKindFloat && bits[0] == 8)) return {};
  Texture texture;
  texture.channels = static_cast<std::uint8_t>(channels);
  texture.channel_bytes = static_cast<std::uint8_t>(bits[0] / 8);
  texture.format = static_cast<Texture::Format>(format.f);
  return texture;
}

cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags) {
  constexpr unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  if (flags & ~known) not_run("An array whose flags are others than layered, cubemap, surface and gather is not here.");
  if (!array || extent.width == 0) return cudaErrorInvalidValue;
  const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
  if (layered && extent.depth == 0) return cudaErrorInvalidValue;
  if (!layered && extent.depth > 0 && extent.height == 0) return cudaErrorInvalidValue;
  if (cube && (extent.width != extent.height || extent.depth % 6 != 0 || extent.depth == 0 || (!layered && extent.depth != 6)))
    return cudaErrorInvalidValue;
  const auto texture = texture_of(format);
  if (!texture) return cudaErrorInvalidChannelDescriptor;
  auto made = std::make_unique<cudaArray>(cudaArray{format, extent, flags, nullptr, *texture});
  Texture& t = made->texture;
  t.width = static_cast<std::uint32_t>(extent.width);
  t.height = static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1));
  t.depth = static_cast<std::uint32_t>(std::max<std::size_t>(extent.depth, 1));
  t.pitch = t.width * t.texel_bytes();
  t.slice = t.pitch * t.height;
  t.bytes = t.slice * t.depth;
  if (const cudaError_t error = runtime().allocate(&made->memory, t.bytes, Allocation::Kind::device); error != cudaSuccess)
    return error;
  t.texels = reinterpret_cast<std::uint64_t>(made->memory);
  arrays.insert(*array = made.release());
  return cudaSuccess;
}

cudaError_t free_array(cudaArray_t array) {
  if (!array) return runtime().lost();
  if (arrays.erase(array) == 0) return cudaErrorInvalidValue;
  const cudaError_t error = runtime().release(array->memory, false);
  delete array;
  return error;
}

cudaError_t copy_arrays(const cudaMemcpy3DParms& p) {
  const cudaArray* const to = known_array(p.dstArray);
  const cudaArray* const from = known_array(p.srcArray);
  if ((p.dstArray && !to) || (p.srcArray && !from)) return cudaErrorInvalidResourceHandle;
  if ((to && p.dstPtr.ptr) || (from && p.srcPtr.ptr)) return cudaErrorInvalidValue;  // one or the other
  if (to && from && texel_bytes(*to) != texel_bytes(*from)) return cudaErrorInvalidValue;
  if ((to && !within(*to, p.dstPos, p.extent)) || (from && !within(*from, p.srcPos, p.extent))) return cudaErrorInvalidValue;
  const End there = to ? array_end(*to, p.dstPos) : pitched_end(p.dstPtr, p.dstPos),
            here = from ? array_end(*from, p.srcPos) : pitched_end(p.srcPtr, p.srcPos);
  cudaExtent box = p.extent;
  box.width *= texel_bytes(to ? *to : *from);
  return copy_box(there.at, there.plane, here.at, here.plane, box, p.kind);
}

}  // namespace warpbook::cudart

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return {x, y, z, w, f}; }

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags) {
  const Call call(__func__);
  return call.done(format ? cudart::make_array(array, *format, extent, flags) : cudaErrorInvalidValue);
}
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width, std::size_t height,
                            unsigned flags) {
  const Call call(__func__);
  if (!format || flags & (cudaArrayLayered | cudaArrayCubemap)) return call.done(cudaErrorInvalidValue);
  return call.done(cudart::make_array(array, *format, {width, height, 0}, flags));
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  const Call call(__func__);
  return call.done(cudart::free_array(array));
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t handle) {
  const Call call(__func__);
  const cudaArray* const array = known_array(handle);
  if (!array) return call.done(cudaErrorInvalidResourceHandle);
  if (format) *format = array->format;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return call.done();
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_t array) {
  const Call call(__func__);
  return call.done(format ? cudaArrayGetInfo(format, nullptr, nullptr, array) : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                     std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemcpy,
                             [=] { return cudart::copy_rows(to, x, y, const_cast<void*>(from), pitch, width, rows, kind, true); }));
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, rows, kind, nullptr));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y,
                                       std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemcpy,
                             [=] { return cudart::copy_rows(from, x, y, to, pitch, width, rows, kind, false); }));
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_t from, std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t rows, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, rows, kind, nullptr));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_t from, std::size_t from_x,
                                     std::size_t from_y, std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudart::copy_between(to, to_x, to_y, from, from_x, from_y, width, rows, kind));
}
// Deprecated since CUDA 10.1, and still used much.
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemcpy,
                             [=] { return cudart::copy_run(to, x, y, const_cast<void*>(from), count, kind, true); }));
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t count,
                              cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudaMemcpyToArrayAsync(to, x, y, from, count, kind, nullptr));
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_t from, std::size_t x, std::size_t y, std::size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(
      in_stream(stream, cudaGraphNodeTypeMemcpy, [=] { return cudart::copy_run(from, x, y, to, count, kind, false); }));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_t from, std::size_t x, std::size_t y, std::size_t count, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudaMemcpyFromArrayAsync(to, from, x, y, count, kind, nullptr));
}

}  // extern "C"

CUDART_PER_THREAD(cudaMemcpy2DToArray, ptds)
CUDART_PER_THREAD(cudaMemcpy2DToArrayAsync, ptsz)
CUDART_PER_THREAD(cudaMemcpy2DFromArray, ptds)
CUDART_PER_THREAD(cudaMemcpy2DFromArrayAsync, ptsz)
CUDART_PER_THREAD(cudaMemcpy2DArrayToArray, ptds)
CUDART_PER_THREAD(cudaMemcpyToArray, ptds)
CUDART_PER_THREAD(cudaMemcpyToArrayAsync, ptsz)
CUDART_PER_THREAD(cudaMemcpyFromArray, ptds)
CUDART_PER_THREAD(cudaMemcpyFromArrayAsync, ptsz)
