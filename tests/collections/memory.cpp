// cudaMalloc, cudaMemcpy, cudaMemset and their kin. Host and device addresses are the same memory: a copy is a memmove between
// places that hold that many bytes.
#include <cstring>

#include "runtime.h"

using namespace warpbook;
using cudart::remember;
using cudart::runtime;

namespace {

struct Plane {
  std::size_t pitch = 0, rows = 1;  // bytes from row to row; rows from slice to slice
};

/// depth slices of `rows` rows of `width` bytes.
cudaError_t copy(void* to, Plane to_plane, const void* from, Plane from_plane, std::size_t width, std::size_t rows,
                 std::size_t depth) {
  if (width == 0 || rows == 0 || depth == 0) return cudaSuccess;
  const std::lock_guard lock(runtime().mutex);
  if (const cudaError_t lost = runtime().lost(); lost != cudaSuccess) return remember(lost);
  const auto spanned = [&](const Plane& plane) { return ((depth - 1) * plane.rows + rows - 1) * plane.pitch + width; };
  if (!runtime().holds(to, spanned(to_plane), true) || !runtime().holds(from, spanned(from_plane), false))
    return remember(cudaErrorInvalidValue);
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < rows; ++y)
      std::memmove(static_cast<std::byte*>(to) + (z * to_plane.rows + y) * to_plane.pitch,
                   static_cast<const std::byte*>(from) + (z * from_plane.rows + y) * from_plane.pitch, width);
  return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes) { return copy(to, {}, from, {}, bytes, 1, 1); }

cudaError_t fill(void* at, Plane plane, int value, std::size_t width, std::size_t rows, std::size_t depth) {
  if (width == 0 || rows == 0 || depth == 0) return cudaSuccess;
  const std::lock_guard lock(runtime().mutex);
  if (const cudaError_t lost = runtime().lost(); lost != cudaSuccess) return remember(lost);
  if (!runtime().holds(at, ((depth - 1) * plane.rows + rows - 1) * plane.pitch + width, true))
    return remember(cudaErrorInvalidValue);
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < rows; ++y)
      std::memset(static_cast<std::byte*>(at) + (z * plane.rows + y) * plane.pitch, value, width);
  return cudaSuccess;
}

/// Where `bytes` from `offset` on of a __device__ variable lie; nullptr, and an error to remember.
void* place(const void* symbol, std::size_t offset, std::size_t bytes, cudaError_t& error) {
  const std::lock_guard lock(runtime().mutex);
  const auto found = runtime().symbols.find(symbol);
  if (found == runtime().symbols.end()) {
    error = remember(cudaErrorInvalidSymbol);
    return nullptr;
  }
  const gpu::vm::Extent extent = runtime().variable(found->second);
  if (!extent.holds(extent.low + offset, bytes)) {
    error = remember(cudaErrorInvalidValue);
    return nullptr;
  }
  return extent.host + offset;
}

constexpr std::size_t row_alignment = 512;

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  const std::lock_guard lock(runtime().mutex);
  return remember(runtime().allocate(pointer, bytes, false));
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  const std::lock_guard lock(runtime().mutex);
  return remember(runtime().allocate(pointer, bytes, true));
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) { return cudaHostAlloc(pointer, bytes, 0); }

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t rows) {
  *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
  return cudaMalloc(pointer, *pitch * rows);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaFree(void* pointer) {
  const std::lock_guard lock(runtime().mutex);
  return remember(runtime().release(pointer));
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  const std::lock_guard lock(runtime().mutex);
  *device = host;
  return runtime().buffer_at(host) ? cudaSuccess : remember(cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const std::lock_guard lock(runtime().mutex);
  *attributes = {};
  if (!runtime().buffer_at(pointer)) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  }
  attributes->type = cudaMemoryTypeDevice;
  attributes->devicePointer = const_cast<void*>(pointer);
  return cudaSuccess;
}

// Pinning makes copies faster, which nothing here depends on; kernels cannot reach such memory.
cudaError_t cudaHostRegister(void*, std::size_t, unsigned flags) {
  if (flags & cudaHostRegisterMapped) cudart::not_run("cudaHostRegister with cudaHostRegisterMapped");
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }

cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* total) {
  const std::lock_guard lock(runtime().mutex);
  const gpu::vm::Memory& memory = runtime().device().memory();
  *total = memory.limit();
  *left = memory.limit() - memory.used();
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) { return copy(to, from, bytes); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  return copy(to, from, bytes);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) { return copy(to, from, bytes); }
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t rows, cudaMemcpyKind) {
  return copy(to, {to_pitch}, from, {from_pitch}, width, rows, 1);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                              std::size_t rows, cudaMemcpyKind, cudaStream_t) {
  return copy(to, {to_pitch}, from, {from_pitch}, width, rows, 1);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  if (p->srcArray || p->dstArray) cudart::not_run("cudaMemcpy3D of an array");
  const auto at = [](const cudaPitchedPtr& pitched, const cudaPos& pos) {
    return static_cast<std::byte*>(pitched.ptr) + (pos.z * pitched.ysize + pos.y) * pitched.pitch + pos.x;
  };
  return copy(at(p->dstPtr, p->dstPos), {p->dstPtr.pitch, p->dstPtr.ysize}, at(p->srcPtr, p->srcPos),
              {p->srcPtr.pitch, p->srcPtr.ysize}, p->extent.width, p->extent.height, p->extent.depth);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t) { return cudaMemcpy3D(p); }

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind) {
  cudaError_t error = cudaSuccess;
  void* to = place(symbol, offset, bytes, error);
  return to ? copy(to, from, bytes) : error;
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind) {
  cudaError_t error = cudaSuccess;
  const void* from = place(symbol, offset, bytes, error);
  return from ? copy(to, from, bytes) : error;
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  cudaError_t error = cudaSuccess;
  *pointer = place(symbol, 0, 0, error);
  return error;
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  const std::lock_guard lock(runtime().mutex);
  const auto found = runtime().symbols.find(symbol);
  if (found == runtime().symbols.end()) return remember(cudaErrorInvalidSymbol);
  const gpu::vm::Extent extent = runtime().variable(found->second);
  *bytes = extent.high - extent.low;
  return cudaSuccess;
}

cudaError_t cudaMemset(void* at, int value, std::size_t bytes) { return fill(at, {}, value, bytes, 1, 1); }
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t) { return fill(at, {}, value, bytes, 1, 1); }
cudaError_t cudaMemset2D(void* at, std::size_t pitch, int value, std::size_t width, std::size_t rows) {
  return fill(at, {pitch}, value, width, rows, 1);
}
cudaError_t cudaMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width, std::size_t rows, cudaStream_t) {
  return fill(at, {pitch}, value, width, rows, 1);
}
cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return fill(pitched.ptr, {pitched.pitch, pitched.ysize}, value, extent.width, extent.height, extent.depth);
}

cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }

}  // extern "C"
