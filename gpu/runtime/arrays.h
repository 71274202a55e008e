// CUDA's arrays: texels in rows, which textures and surfaces read and write. The memory is an ordinary allocation.
//
//     const cudaArray* array = known_array(handle);      // nullptr: it is none
//     copy_box(array->at({x, y, z}), array->plane(), host, {pitch}, {bytes, rows, 1}, kind);
#pragma once

#include <optional>
#include <vector>

#include "gpu/runtime/streams.h"
#include "gpu/virtual/vm/ops/texture.h"

struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;  // as the program gave it: 0 where there is no such dimension
  unsigned flags = 0;
  void* memory = nullptr;
  warpbook::gpu::vm::Texture texture;  // its sides, its format and its memory
};

namespace warpbook::cudart {

struct Plane {
  std::size_t pitch = 0, rows = 1;  // bytes per row; rows per slice
};

/// Copies `depth` slices of `height` rows of `width` bytes (memory.cpp).
[[nodiscard]] cudaError_t copy_box(void* to, Plane to_plane, const void* from, Plane from_plane, cudaExtent box,
                                   cudaMemcpyKind kind);
/// cudaMemcpy3D where an array takes part: it counts in texels.
[[nodiscard]] cudaError_t copy_arrays(const cudaMemcpy3DParms& p);

[[nodiscard]] cudaArray* known_array(cudaArray_t handle);
[[nodiscard]] cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags);
[[nodiscard]] cudaError_t free_array(cudaArray_t array);

/// A texture of texels in this format, without sides or memory. Empty: arrays have no such texels.
[[nodiscard]] std::optional<gpu::vm::Texture> texture_of(const cudaChannelFormatDesc& format);

/// Creates the object that a kernel takes as its texture or surface (textures.cpp).
[[nodiscard]] cudaError_t make_object(unsigned long long* object, const gpu::vm::Texture& texture);
[[nodiscard]] cudaError_t make_texture(cudaTextureObject_t* object, const cudaResourceDesc& resource, const cudaTextureDesc& how);
[[nodiscard]] cudaError_t free_object(unsigned long long object);
/// The descriptions of all such objects, which lie in device memory beside the program's allocations.
[[nodiscard]] std::vector<gpu::Buffer> object_descriptions();

}  // namespace warpbook::cudart
