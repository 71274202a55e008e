// Texture and surface objects. An object is the address of a Texture (gpu/virtual/vm/ops/texture.h) in device memory, which kernels
// find by it.
#include <algorithm>
#include <cstring>
#include <map>

#include "gpu/runtime/arrays.h"
#include "gpu/runtime/calls.h"

using namespace warpbook;
using cudart::Call;
using cudart::runtime;

namespace warpbook::cudart {
namespace {

using gpu::vm::Texture;

constexpr std::size_t linear_alignment = 512, pitch_alignment = 32;  // textureAlignment and texturePitchAlignment (versions.cpp)
constexpr int read_normalized = 1, filter_linear = 1, address_border = 3;

struct Object {
  gpu::Buffer buffer;
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
};
std::map<unsigned long long, Object> objects;

/// Where the texels of device memory lie, for a texture without an array.
cudaError_t bind_memory(Texture& texture, void* memory, const cudaChannelFormatDesc& format, std::size_t width, std::size_t height,
                        std::size_t pitch) {
  const auto of_format = texture_of(format);
  if (!of_format) return cudaErrorInvalidChannelDescriptor;
  texture = *of_format;
  if (!memory || width == 0 || height == 0 || reinterpret_cast<std::uintptr_t>(memory) % linear_alignment != 0)
    return cudaErrorInvalidValue;
  const std::size_t row = width * texture.texel_bytes();
  if (height > 1 && pitch < row) return cudaErrorInvalidValue;
  texture.texels = reinterpret_cast<std::uint64_t>(memory);
  texture.width = static_cast<std::uint32_t>(width);
  texture.height = static_cast<std::uint32_t>(height);
  texture.pitch = pitch;
  texture.bytes = (height - 1) * pitch + row;
  texture.slice = texture.bytes;
  return runtime().holds(memory, texture.bytes, false) && runtime().is_device_address(memory) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t bind_resource(Texture& texture, const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const cudaArray* const array = known_array(resource.res.array.array);
      if (!array) return cudaErrorInvalidValue;
      texture = array->texture;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      const auto format = texture_of(linear.desc);
      const std::size_t width = format ? linear.sizeInBytes / format->texel_bytes() : 0;
      return bind_memory(texture, linear.devPtr, linear.desc, width, 1, linear.sizeInBytes);
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = resource.res.pitch2D;
      if (pitched.pitchInBytes % pitch_alignment != 0) return cudaErrorInvalidValue;
      return bind_memory(texture, pitched.devPtr, pitched.desc, pitched.width, pitched.height, pitched.pitchInBytes);
    }
    case cudaResourceTypeMipmappedArray:
      not_run("Textures of mipmapped arrays are not here. Take an array of one level.");
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

cudaError_t make_object(unsigned long long* object, const Texture& texture) {
  if (runtime().lost() != cudaSuccess) return runtime().lost();
  auto buffer = runtime().device().allocate({.name = "texture", .type = gpu::ScalarType::uint8, .shape = {sizeof texture}});
  if (!buffer) return error_of(buffer.error().code);
  std::memcpy(runtime().device().mapped(*buffer).data(), &texture, sizeof texture);
  *object = runtime().device().address(*buffer);
  objects[*object].buffer = *buffer;
  return cudaSuccess;
}

namespace {

cudaError_t describe(Texture& texture, const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  if (const cudaError_t error = bind_resource(texture, resource); error != cudaSuccess) return error;
  for (std::size_t dimension = 0; dimension < 3; ++dimension) {
    const int mode = how.addressMode[dimension];
    if (mode < 0 || mode > address_border) return cudaErrorInvalidValue;
    texture.addressing[dimension] = static_cast<Texture::Addressing>(mode);
  }
  texture.normalized_coordinates = how.normalizedCoords != 0;
  texture.linear_filter = how.filterMode == filter_linear;
  const bool integers = texture.format != Texture::Format::floating;
  texture.normalized_read = integers && how.readMode == read_normalized;
  if (texture.normalized_read && texture.channel_bytes == 4) return cudaErrorInvalidNormSetting;
  if (texture.linear_filter && integers && !texture.normalized_read) return cudaErrorInvalidFilterSetting;
  if (how.sRGB) not_run("Textures that are read as sRGB are not here. Convert the values in the kernel.");
  if (resource.resType == cudaResourceTypeLinear) {  // fetched by number; beyond the end lies 0
    texture.linear_filter = false;
    texture.addressing[0] = Texture::Addressing::border;
  }
  std::memcpy(texture.border, how.borderColor, sizeof texture.border);
  return cudaSuccess;
}

std::map<const textureReference*, bool> normalized_reads;  // of all references of the program

/// Binds a reference, whose description lies in the variable that the kernels know it by.
cudaError_t bind(const textureReference* reference, const cudaResourceDesc& resource) {
  if (runtime().lost() != cudaSuccess) return runtime().lost();
  const auto found = runtime().symbols.find(reference);
  if (found == runtime().symbols.end()) return cudaErrorInvalidTexture;
  cudaTextureDesc how{};
  std::memcpy(how.addressMode, reference->addressMode, sizeof how.addressMode);
  how.filterMode = reference->filterMode;
  how.normalizedCoords = reference->normalized;
  how.readMode = normalized_reads[reference] ? read_normalized : 0;
  how.sRGB = reference->sRGB;
  Texture texture;
  if (const cudaError_t error = describe(texture, resource, how); error != cudaSuccess) return error;
  std::memcpy(runtime().variable(found->second).host, &texture, sizeof texture);
  return cudaSuccess;
}

/// Textures begin at multiples of `linear_alignment`: how far behind one a pointer lies, for the program to add to its indexes.
cudaError_t cut(std::size_t* offset, const void*& pointer) {
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(pointer) % linear_alignment;
  if (behind != 0 && !offset) return cudaErrorInvalidValue;
  if (offset) *offset = behind;
  pointer = static_cast<const std::byte*>(pointer) - behind;
  return cudaSuccess;
}

}  // namespace

cudaError_t make_texture(cudaTextureObject_t* object, const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  Texture texture;
  if (!object) return cudaErrorInvalidValue;
  if (const cudaError_t error = describe(texture, resource, how); error != cudaSuccess) return error;
  if (const cudaError_t error = make_object(object, texture); error != cudaSuccess) return error;
  objects[*object].resource = resource;
  objects[*object].how = how;
  return cudaSuccess;
}

std::vector<gpu::Buffer> object_descriptions() {
  std::vector<gpu::Buffer> all;
  for (const auto& [handle, object] : objects) all.push_back(object.buffer);
  return all;
}

cudaError_t free_object(unsigned long long object) {
  const auto found = objects.find(object);
  if (found == objects.end()) return object == 0 ? runtime().lost() : cudaErrorInvalidValue;
  runtime().device().release(found->second.buffer);
  objects.erase(found);
  return runtime().lost();
}

}  // namespace warpbook::cudart

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* how,
                                    const void* view) {
  const Call call(__func__);
  if (!resource || !how) return call.done(cudaErrorInvalidValue);
  // The view's first member is its format, of which 0 says: as the resource.
  if (view && *static_cast<const int*>(view) != 0) cudart::not_run("A texture with a view of another format is not here.");
  return call.done(cudart::make_texture(object, *resource, *how));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  const Call call(__func__);
  return call.done(cudart::free_object(object));
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  const Call call(__func__);
  const auto found = cudart::objects.find(object);
  if (!resource || found == cudart::objects.end()) return call.done(cudaErrorInvalidValue);
  *resource = found->second.resource;
  return call.done();
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* how, cudaTextureObject_t object) {
  const Call call(__func__);
  const auto found = cudart::objects.find(object);
  if (!how || found == cudart::objects.end()) return call.done(cudaErrorInvalidValue);
  *how = found->second.how;
  return call.done();
}

// Texture references. CUDA 12 has them no more; programs that cc compiles may.
void __cudaRegisterTexture(void** module, const textureReference* reference, const void**, const char* name, int, int normalized,
                           int) {
  const std::lock_guard lock(runtime().mutex);
  runtime().symbols[reference] = {reinterpret_cast<cudart::Module*>(module), name};
  cudart::normalized_reads[reference] = normalized != 0;
}
cudaError_t cudaBindTexture(std::size_t* offset, const textureReference* reference, const void* pointer,
                            const cudaChannelFormatDesc* format, std::size_t bytes) {
  const Call call(__func__);
  const cudart::Allocation* const allocation = cudart::runtime().allocation_at(pointer);
  if (!reference || !format || !allocation) return call.done(cudaErrorInvalidValue);
  const std::size_t end = runtime().device().address(allocation->buffer) + allocation->buffer.array.bytes();
  if (const cudaError_t error = cudart::cut(offset, pointer); error != cudaSuccess) return call.done(error);
  const std::size_t most = end - reinterpret_cast<std::uintptr_t>(pointer), behind = offset ? *offset : 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {const_cast<void*>(pointer), *format,
                         std::min(bytes, most - behind) + behind};  // `bytes`: often all there are
  return call.done(cudart::bind(reference, resource));
}
cudaError_t cudaBindTexture2D(std::size_t* offset, const textureReference* reference, const void* pointer,
                              const cudaChannelFormatDesc* format, std::size_t width, std::size_t height, std::size_t pitch) {
  const Call call(__func__);
  if (!reference || !format) return call.done(cudaErrorInvalidValue);
  if (const cudaError_t error = cudart::cut(offset, pointer); error != cudaSuccess) return call.done(error);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {const_cast<void*>(pointer), *format, width, height, pitch};
  return call.done(cudart::bind(reference, resource));
}
cudaError_t cudaBindTextureToArray(const textureReference* reference, cudaArray_t array, const cudaChannelFormatDesc*) {
  const Call call(__func__);
  if (!reference) return call.done(cudaErrorInvalidValue);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return call.done(cudart::bind(reference, resource));
}
cudaError_t cudaUnbindTexture(const textureReference* reference) {
  const Call call(__func__);
  const auto found = runtime().symbols.find(reference);
  if (found == runtime().symbols.end()) return call.done(cudaErrorInvalidTexture);
  if (runtime().lost() == cudaSuccess) std::memset(runtime().variable(found->second).host, 0, sizeof(gpu::vm::Texture));
  return call.done(runtime().lost());
}
cudaError_t cudaGetTextureReference(const textureReference** reference, const void* symbol) {
  const Call call(__func__);
  *reference = static_cast<const textureReference*>(symbol);
  return call.done(runtime().symbols.contains(symbol) ? cudaSuccess : cudaErrorInvalidTexture);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  const Call call(__func__);
  if (!object || !resource || resource->resType != cudaResourceTypeArray) return call.done(cudaErrorInvalidValue);
  const cudaArray* const array = cudart::known_array(resource->res.array.array);
  if (!array || !(array->flags & cudaArraySurfaceLoadStore)) return call.done(cudaErrorInvalidValue);
  gpu::vm::Texture texture = array->texture;
  texture.surface = true;
  if (const cudaError_t error = cudart::make_object(object, texture); error != cudaSuccess) return call.done(error);
  cudart::objects[*object].resource = *resource;
  return call.done();
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  const Call call(__func__);
  return call.done(cudart::free_object(object));
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  const Call call(__func__);
  return call.done(cudaGetTextureObjectResourceDesc(resource, object));
}

}  // extern "C"
