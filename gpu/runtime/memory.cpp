// cudaMalloc, cudaMemcpy, cudaMemset and similar calls. Host and device addresses are in the same address space, so a copy is a
// memmove after checking both ranges.
#include <fmt/format.h>

#include <cstring>

#include "gpu/runtime/arrays.h"
#include "gpu/runtime/calls.h"
#include "gpu/runtime/pools.h"
#include "gpu/runtime/recorder.h"
#include "gpu/runtime/streams.h"

using namespace warpbook;
using cudart::Allocation;
using cudart::Call;
using cudart::in_stream;
using cudart::runtime;

namespace warpbook::cudart {
namespace {

constexpr std::size_t row_alignment = 512;

/// Whether the copy's direction matches the kinds of memory. Pinned and managed memory count as both.
bool direction_fits(const void* to, const void* from, cudaMemcpyKind kind) {
  const auto only_device = [](const void* pointer) {
    const Allocation* allocation = runtime().allocation_at(pointer);
    return allocation ? allocation->kind == Allocation::Kind::device : runtime().is_device_address(pointer);
  };
  const auto only_host = [](const void* pointer) { return !runtime().is_device_address(pointer); };
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !only_device(to) && !only_device(from);
    case cudaMemcpyHostToDevice:
      return !only_host(to) && !only_device(from);
    case cudaMemcpyDeviceToHost:
      return !only_device(to) && !only_host(from);
    case cudaMemcpyDeviceToDevice:
      return !only_host(to) && !only_host(from);
    default:
      return kind == cudaMemcpyDefault;
  }
}

void note_copy(const void* to, const void* from, std::size_t bytes) {
  Recorder* const recorder = runtime().recorder();
  if (!recorder) return;
  const bool to_device = runtime().is_device_address(to), from_device = runtime().is_device_address(from);
  recorder->copied(bytes, to_device && from_device ? "on_device" : to_device ? "to_device" : from_device ? "to_host" : "on_host");
}

}  // namespace

namespace {

/// What is wrong with one side of a copy, "source" or "destination", or with memory that is filled.
cudaError_t not_held(const void* at, std::size_t bytes, const char* side) {
  if (!runtime().is_device_address(at)) return because(cudaErrorInvalidValue, fmt::format("the {} is host memory", side));
  const Allocation* const allocation = runtime().allocation_at(at);
  if (!allocation)
    return because(cudaErrorInvalidValue, fmt::format("the {} is device memory that was never allocated, or was freed", side));
  const std::uint64_t end = runtime().device().address(allocation->buffer) + allocation->buffer.array.bytes();
  return because(cudaErrorInvalidValue,
                 fmt::format("{} bytes are asked for, and the {} has {}", bytes, side, end - reinterpret_cast<std::uintptr_t>(at)));
}
cudaError_t wrong_direction(const void* to, const void* from, cudaMemcpyKind kind) {
  constexpr const char* names[] = {"HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default"};
  const auto memory = [](const void* at) { return runtime().is_device_address(at) ? "device" : "host"; };
  return because(cudaErrorInvalidValue,
                 fmt::format("its direction is cudaMemcpy{}, and the two addresses lead from {} to {} memory", names[kind],
                             memory(from), memory(to)));
}

}  // namespace

cudaError_t copy_box(void* to, Plane to_plane, const void* from, Plane from_plane, cudaExtent box, cudaMemcpyKind kind) {
  if (runtime().lost() != cudaSuccess) return runtime().lost();
  if (box.width == 0 || box.height == 0 || box.depth == 0) return cudaSuccess;
  if (kind < 0 || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  const bool flat = box.height == 1 && box.depth == 1;
  if (!flat && (to_plane.pitch < box.width || from_plane.pitch < box.width)) return cudaErrorInvalidPitchValue;
  const auto spanned = [&](const Plane& plane) {
    return ((box.depth - 1) * plane.rows + box.height - 1) * plane.pitch + box.width;
  };
  if (!direction_fits(to, from, kind)) return wrong_direction(to, from, kind);
  if (!runtime().holds(from, spanned(from_plane), false)) return not_held(from, spanned(from_plane), "source");
  if (!runtime().holds(to, spanned(to_plane), true)) return not_held(to, spanned(to_plane), "destination");
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      std::memmove(static_cast<std::byte*>(to) + (z * to_plane.rows + y) * to_plane.pitch,
                   static_cast<const std::byte*>(from) + (z * from_plane.rows + y) * from_plane.pitch, box.width);
  if (runtime().is_device_address(to) != runtime().is_device_address(from))
    runtime().count_copy(box.width * box.height * box.depth);
  note_copy(to, from, box.width * box.height * box.depth);
  return cudaSuccess;
}

namespace {

cudaError_t fill_box(void* at, Plane plane, int value, cudaExtent box) {
  if (runtime().lost() != cudaSuccess) return runtime().lost();
  if (box.width == 0 || box.height == 0 || box.depth == 0) return cudaSuccess;
  const std::size_t spanned = ((box.depth - 1) * plane.rows + box.height - 1) * plane.pitch + box.width;
  if (!runtime().is_device_address(at) || !runtime().holds(at, spanned, true)) return not_held(at, spanned, "memory to fill");
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      std::memset(static_cast<std::byte*>(at) + (z * plane.rows + y) * plane.pitch, value, box.width);
  if (Recorder* const recorder = runtime().recorder()) recorder->copied(box.width * box.height * box.depth, "fill");
  return cudaSuccess;
}

/// The address of `bytes` bytes at `offset` in a __device__ variable. nullptr: `error` is set.
void* place_of(const void* symbol, std::size_t offset, std::size_t bytes, cudaError_t& error) {
  const auto found = runtime().symbols.find(symbol);
  if (found == runtime().symbols.end()) {
    error = cudaErrorInvalidSymbol;
    return nullptr;
  }
  const gpu::vm::Extent extent = runtime().variable(found->second);
  if (!extent.holds(extent.low + offset, bytes)) {
    error = because(cudaErrorInvalidValue,
                    fmt::format("{} bytes are asked for, and the variable has {}", bytes, extent.high - extent.low));
    return nullptr;
  }
  return extent.host + offset;
}

std::size_t row_pitch(std::size_t width) { return (width + row_alignment - 1) / row_alignment * row_alignment; }

}  // namespace

cudaError_t copy_now(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_box(to, {}, from, {}, {bytes, 1, 1}, kind);
}

cudaError_t copy_3d_now(const cudaMemcpy3DParms& p) {
  if (p.srcArray || p.dstArray) return copy_arrays(p);
  const auto at = [](const cudaPitchedPtr& pitched, const cudaPos& pos) {
    return static_cast<std::byte*>(pitched.ptr) + (pos.z * pitched.ysize + pos.y) * pitched.pitch + pos.x;
  };
  return copy_box(at(p.dstPtr, p.dstPos), {p.dstPtr.pitch, p.dstPtr.ysize}, at(p.srcPtr, p.srcPos),
                  {p.srcPtr.pitch, p.srcPtr.ysize}, p.extent, p.kind);
}

cudaError_t fill_elements(const cudaMemsetParams& p) {
  if (runtime().lost() != cudaSuccess) return runtime().lost();
  if (p.width == 0 || p.height == 0) return cudaSuccess;
  const std::size_t spanned = (p.height - 1) * p.pitch + p.width * p.elementSize;
  if (!runtime().is_device_address(p.dst) || !runtime().holds(p.dst, spanned, true)) return cudaErrorInvalidValue;
  for (std::size_t y = 0; y < p.height; ++y)
    for (std::size_t x = 0; x < p.width; ++x)
      std::memcpy(static_cast<std::byte*>(p.dst) + y * p.pitch + x * p.elementSize, &p.value, p.elementSize);
  return cudaSuccess;
}

}  // namespace warpbook::cudart

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  const Call call(__func__);
  return call.done(runtime().allocate(pointer, bytes, Allocation::Kind::device));
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  const Call call(__func__);
  return call.done(runtime().allocate(pointer, bytes, Allocation::Kind::host));
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  const Call call(__func__);
  return call.done(cudaHostAlloc(pointer, bytes, 0));
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  const Call call(__func__);
  if (bytes == 0) return call.done(cudaErrorInvalidValue);
  return call.done(runtime().allocate(pointer, bytes, Allocation::Kind::managed));
}
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t rows) {
  const Call call(__func__);
  *pitch = cudart::row_pitch(width);
  return call.done(cudaMalloc(pointer, *pitch * rows));
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  const Call call(__func__);
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return call.done(cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth));
}

cudaError_t cudaFree(void* pointer) {
  const Call call(__func__);
  return call.done(cudart::free_memory(pointer));
}
cudaError_t cudaFreeHost(void* pointer) {
  const Call call(__func__);
  return call.done(runtime().release(pointer, true));
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  const Call call(__func__);
  *device = host;
  return call.done(runtime().allocation_at(host) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  const Call call(__func__);
  *flags = 2;  // mapped
  return call.done(runtime().allocation_at(host) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const Call call(__func__);
  *attributes = {};
  attributes->hostPointer = const_cast<void*>(pointer);
  const Allocation* const allocation = runtime().allocation_at(pointer);
  if (!allocation) {
    attributes->device = -2;
    return call.done();
  }
  attributes->devicePointer = const_cast<void*>(pointer);
  switch (allocation->kind) {
    case Allocation::Kind::device:
      attributes->type = cudaMemoryTypeDevice;
      attributes->hostPointer = nullptr;
      break;
    case Allocation::Kind::host:
      attributes->type = cudaMemoryTypeHost;
      break;
    case Allocation::Kind::managed:
      attributes->type = cudaMemoryTypeManaged;
      break;
  }
  return call.done();
}

// Pinning only makes copies faster, which has no effect here. Kernels cannot access such memory.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  const Call call(__func__);
  if (!pointer || bytes == 0) return call.done(cudaErrorInvalidValue);
  if (flags & cudaHostRegisterMapped)
    cudart::not_run("cudaHostRegister with cudaHostRegisterMapped is not here. Take memory of cudaHostAlloc instead.");
  return call.done();
}
cudaError_t cudaHostUnregister(void*) { return Call(__func__).done(); }

cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* total) {
  const Call call(__func__);
  const gpu::vm::Memory& memory = runtime().device().memory();
  *total = memory.limit();
  *left = memory.limit() - memory.used();
  return call.waited();
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudart::copy_now(to, from, bytes, kind));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemcpy, [=] { return cudart::copy_now(to, from, bytes, kind); }));
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  const Call call(__func__);
  return call.done(cudart::copy_now(to, from, bytes, cudaMemcpyDefault));
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                              std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return cudart::copy_box(to, {to_pitch}, from, {from_pitch}, {width, rows, 1}, kind);
  }));
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                         std::size_t rows, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, kind, nullptr));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemcpy, [kept = *p] { return cudart::copy_3d_now(kept); }));
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  const Call call(__func__);
  return call.done(cudart::copy_3d_now(*p));
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind,
                                    cudaStream_t stream) {
  const Call call(__func__);
  cudaError_t error = runtime().lost();
  void* const to = cudart::place_of(symbol, offset, bytes, error);
  if (!to || error != cudaSuccess) return call.done(error);
  return call.done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr));
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind,
                                      cudaStream_t stream) {
  const Call call(__func__);
  cudaError_t error = runtime().lost();
  const void* const from = cudart::place_of(symbol, offset, bytes, error);
  if (!from || error != cudaSuccess) return call.done(error);
  return call.done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr));
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  const Call call(__func__);
  cudaError_t error = cudaSuccess;
  *pointer = cudart::place_of(symbol, 0, 0, error);
  return call.done(error);
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  const Call call(__func__);
  const auto found = runtime().symbols.find(symbol);
  if (found == runtime().symbols.end()) return call.done(cudaErrorInvalidSymbol);
  const gpu::vm::Extent extent = runtime().variable(found->second);
  *bytes = extent.high - extent.low;
  return call.done();
}

cudaError_t cudaMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width, std::size_t rows, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemset, [=] {
    return cudart::fill_box(at, {pitch}, value, {width, rows, 1});
  }));
}
cudaError_t cudaMemset2D(void* at, std::size_t pitch, int value, std::size_t width, std::size_t rows) {
  const Call call(__func__);
  return call.done(cudaMemset2DAsync(at, pitch, value, width, rows, nullptr));
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(cudaMemset2DAsync(at, bytes, value, bytes, 1, stream));
}
cudaError_t cudaMemset(void* at, int value, std::size_t bytes) {
  const Call call(__func__);
  return call.done(cudaMemset2DAsync(at, bytes, value, bytes, 1, nullptr));
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitched, int value, cudaExtent extent, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(in_stream(stream, cudaGraphNodeTypeMemset, [=] {
    return cudart::fill_box(pitched.ptr, {pitched.pitch, pitched.ysize}, value, extent);
  }));
}
cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  const Call call(__func__);
  return call.done(cudaMemset3DAsync(pitched, value, extent, nullptr));
}

// Hints about where memory should be. They have no effect here.
cudaError_t cudaMemPrefetchAsync_v2(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return Call(__func__).waited();
}
cudaError_t cudaMemAdvise_v2(const void*, std::size_t, int, cudaMemLocation) { return Call(__func__).done(); }

}  // extern "C"

CUDART_PER_THREAD(cudaMemcpy, ptds)
CUDART_PER_THREAD(cudaMemcpyAsync, ptsz)
CUDART_PER_THREAD(cudaMemcpy2D, ptds)
CUDART_PER_THREAD(cudaMemcpy2DAsync, ptsz)
CUDART_PER_THREAD(cudaMemcpy3D, ptds)
CUDART_PER_THREAD(cudaMemcpy3DAsync, ptsz)
CUDART_PER_THREAD(cudaMemcpyToSymbol, ptds)
CUDART_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz)
CUDART_PER_THREAD(cudaMemcpyFromSymbol, ptds)
CUDART_PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz)
CUDART_PER_THREAD(cudaMemset, ptds)
CUDART_PER_THREAD(cudaMemsetAsync, ptsz)
CUDART_PER_THREAD(cudaMemset2D, ptds)
CUDART_PER_THREAD(cudaMemset2DAsync, ptsz)
CUDART_PER_THREAD(cudaMemset3D, ptds)
CUDART_PER_THREAD(cudaMemset3DAsync, ptsz)
CUDART_PER_THREAD(cudaMemPrefetchAsync_v2, ptsz)
