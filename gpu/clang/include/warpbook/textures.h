// Textures and surfaces: tex2D and its kin for texture objects, surf2Dread, surf2Dwrite and their kin for surface objects.
// The instructions are the PTX ISA's "tex", "suld" and "sust". Texture references, which CUDA 12 no longer has and older books use,
// are for programs that cc compiles; each is the variable that its description lies in (gpu/runtime/textures.cpp).
#pragma once
#pragma clang system_header

#include <warpbook/runtime_types.h>

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

// What an element is made of: how many channels, and of which type.
namespace warpbook_channels {
template <class T>
struct Channels {
  using Type = T;
  static constexpr int count = 1;
};
#define WARPBOOK_CHANNELS(NAME, TYPE)    \
  template <>                            \
  struct Channels<NAME##1> {             \
    using Type = TYPE;                   \
    static constexpr int count = 1;      \
  };                                     \
  template <>                            \
  struct Channels<NAME##2> {             \
    using Type = TYPE;                   \
    static constexpr int count = 2;      \
  };                                     \
  template <>                            \
  struct Channels<NAME##4> {             \
    using Type = TYPE;                   \
    static constexpr int count = 4;      \
  };
WARPBOOK_CHANNELS(char, signed char)
WARPBOOK_CHANNELS(uchar, unsigned char)
WARPBOOK_CHANNELS(short, short)
WARPBOOK_CHANNELS(ushort, unsigned short)
WARPBOOK_CHANNELS(int, int)
WARPBOOK_CHANNELS(uint, unsigned int)
WARPBOOK_CHANNELS(float, float)
#undef WARPBOOK_CHANNELS

template <class T>
constexpr cudaChannelFormatKind kind_of_channels() {
  using Type = typename Channels<T>::Type;
  return Type(0.5f) != Type(0)   ? cudaChannelFormatKindFloat
         : Type(-1) < Type(0) ? cudaChannelFormatKindSigned
                              : cudaChannelFormatKindUnsigned;
}
}  // namespace warpbook_channels

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  constexpr int bits = sizeof(typename warpbook_channels::Channels<T>::Type) * 8, count = warpbook_channels::Channels<T>::count;
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, warpbook_channels::kind_of_channels<T>()};
}

#ifdef __CUDA__
#define WARPBOOK_UNPACK(...) __VA_ARGS__

// Of the four channels that `tex` writes into 32-bit registers.
template <class T>
WARPBOOK_DEVICE T warpbook_element_of(const unsigned int (&texel)[4]) {
  using Type = typename warpbook_channels::Channels<T>::Type;
  Type channels[4];
  for (int c = 0; c < 4; ++c) {
    if (warpbook_channels::kind_of_channels<T>() == cudaChannelFormatKindFloat)
      channels[c] = Type(__builtin_bit_cast(float, texel[c]));
    else
      channels[c] = Type(texel[c]);
  }
  T element;
  __builtin_memcpy(&element, channels, sizeof element);
  return element;
}

#define WARPBOOK_TEX(INSTRUCTION, TYPES, AT, OPERANDS)                             \
  asm(INSTRUCTION ".v4." TYPES " {%0, %1, %2, %3}, [%4, {" AT ";"                  \
      : "=r"(texel[0]), "=r"(texel[1]), "=r"(texel[2]), "=r"(texel[3])             \
      : "l"(texture), WARPBOOK_UNPACK OPERANDS)
#define WARPBOOK_TEXTURE(NAME, INSTRUCTION, COORDINATES, AT, PARAMETERS, ARGUMENTS, OPERANDS)  \
  template <class T>                                                               \
  WARPBOOK_DEVICE T NAME PARAMETERS {                                              \
    constexpr auto kind = warpbook_channels::kind_of_channels<T>();                \
    unsigned int texel[4];                                                         \
    if (kind == cudaChannelFormatKindFloat)                                        \
      WARPBOOK_TEX(INSTRUCTION, "f32." COORDINATES, AT, OPERANDS);                 \
    else if (kind == cudaChannelFormatKindSigned)                                  \
      WARPBOOK_TEX(INSTRUCTION, "s32." COORDINATES, AT, OPERANDS);                 \
    else                                                                           \
      WARPBOOK_TEX(INSTRUCTION, "u32." COORDINATES, AT, OPERANDS);                 \
    return warpbook_element_of<T>(texel);                                          \
  }                                                                                \
  template <class T>                                                               \
  WARPBOOK_DEVICE void NAME(T* element, WARPBOOK_UNPACK PARAMETERS) {              \
    *element = NAME<T> ARGUMENTS;                                                  \
  }

WARPBOOK_TEXTURE(tex1Dfetch, "tex.1d", "s32", "%5}]", (cudaTextureObject_t texture, int x), (texture, x), ("r"(x)))
WARPBOOK_TEXTURE(tex1D, "tex.1d", "f32", "%5}]", (cudaTextureObject_t texture, float x), (texture, x), ("f"(x)))
WARPBOOK_TEXTURE(tex1DLod, "tex.level.1d", "f32", "%5}], %6", (cudaTextureObject_t texture, float x, float level),
                 (texture, x, level), ("f"(x), "f"(level)))
WARPBOOK_TEXTURE(tex2D, "tex.2d", "f32", "%5, %6}]", (cudaTextureObject_t texture, float x, float y), (texture, x, y),
                 ("f"(x), "f"(y)))
WARPBOOK_TEXTURE(tex2DLod, "tex.level.2d", "f32", "%5, %6}], %7", (cudaTextureObject_t texture, float x, float y, float level),
                 (texture, x, y, level), ("f"(x), "f"(y), "f"(level)))
WARPBOOK_TEXTURE(tex3D, "tex.3d", "f32", "%5, %6, %7, %7}]", (cudaTextureObject_t texture, float x, float y, float z),
                 (texture, x, y, z), ("f"(x), "f"(y), "f"(z)))
WARPBOOK_TEXTURE(tex3DLod, "tex.level.3d", "f32", "%5, %6, %7, %7}], %8",
                 (cudaTextureObject_t texture, float x, float y, float z, float level), (texture, x, y, z, level),
                 ("f"(x), "f"(y), "f"(z), "f"(level)))
WARPBOOK_TEXTURE(texCubemap, "tex.cube", "f32", "%5, %6, %7, %7}]", (cudaTextureObject_t texture, float x, float y, float z),
                 (texture, x, y, z), ("f"(x), "f"(y), "f"(z)))
WARPBOOK_TEXTURE(tex1DLayered, "tex.a1d", "f32", "%5, %6}]", (cudaTextureObject_t texture, float x, int layer),
                 (texture, x, layer), ("r"(layer), "f"(x)))
WARPBOOK_TEXTURE(tex2DLayered, "tex.a2d", "f32", "%5, %6, %7, %7}]", (cudaTextureObject_t texture, float x, float y, int layer),
                 (texture, x, y, layer), ("r"(layer), "f"(x), "f"(y)))
#undef WARPBOOK_TEXTURE
#undef WARPBOOK_TEX

#ifdef WARPBOOK_CC
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
struct textureReference {
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, reserved[14];
};
template <class T, int kind = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {
#ifndef __CUDA_ARCH__  // of a kernel's such variable there is only the handle
  constexpr texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                    cudaTextureAddressMode edge = cudaAddressModeClamp)
      : textureReference{normalized, filter, {edge, edge, edge}, {}, 0, 0, cudaFilterModePoint, 0, 0, 0, 0, {}} {}
#endif
};

extern "C" {
cudaError_t cudaBindTexture(size_t*, const textureReference*, const void*, const cudaChannelFormatDesc*, size_t);
cudaError_t cudaBindTexture2D(size_t*, const textureReference*, const void*, const cudaChannelFormatDesc*, size_t, size_t, size_t);
cudaError_t cudaBindTextureToArray(const textureReference*, cudaArray_const_t, const cudaChannelFormatDesc*);
cudaError_t cudaUnbindTexture(const textureReference*);
cudaError_t cudaGetTextureReference(const textureReference**, const void*);
}
#define WARPBOOK_OF_TEXTURE template <class T, int kind, cudaTextureReadMode mode> inline cudaError_t
WARPBOOK_OF_TEXTURE cudaBindTexture(size_t* offset, const texture<T, kind, mode>& reference, const void* memory,
                                    const cudaChannelFormatDesc& format, size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, &reference, memory, &format, bytes);
}
WARPBOOK_OF_TEXTURE cudaBindTexture(size_t* offset, const texture<T, kind, mode>& reference, const void* memory,
                                    size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, reference, memory, cudaCreateChannelDesc<T>(), bytes);
}
WARPBOOK_OF_TEXTURE cudaBindTexture2D(size_t* offset, const texture<T, kind, mode>& reference, const void* memory,
                                      const cudaChannelFormatDesc& format, size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, &reference, memory, &format, width, height, pitch);
}
WARPBOOK_OF_TEXTURE cudaBindTexture2D(size_t* offset, const texture<T, kind, mode>& reference, const void* memory, size_t width,
                                      size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, reference, memory, cudaCreateChannelDesc<T>(), width, height, pitch);
}
WARPBOOK_OF_TEXTURE cudaBindTextureToArray(const texture<T, kind, mode>& reference, cudaArray_const_t array,
                                           const cudaChannelFormatDesc& format) {
  return cudaBindTextureToArray(&reference, array, &format);
}
WARPBOOK_OF_TEXTURE cudaBindTextureToArray(const texture<T, kind, mode>& reference, cudaArray_const_t array) {
  return cudaBindTextureToArray(reference, array, cudaCreateChannelDesc<T>());
}
WARPBOOK_OF_TEXTURE cudaUnbindTexture(const texture<T, kind, mode>& reference) { return cudaUnbindTexture(&reference); }
#undef WARPBOOK_OF_TEXTURE

namespace warpbook_channels {
// What a fetch by a reference gives: an element, or float where integers are read as 0 to 1.
template <class T, cudaTextureReadMode mode, int count = Channels<T>::count>
struct Fetched {
  using Type = T;
};
template <class T>
struct Fetched<T, cudaReadModeNormalizedFloat, 1> {
  using Type = float;
};
template <class T>
struct Fetched<T, cudaReadModeNormalizedFloat, 2> {
  using Type = float2;
};
template <class T>
struct Fetched<T, cudaReadModeNormalizedFloat, 4> {
  using Type = float4;
};
}  // namespace warpbook_channels
#define WARPBOOK_BY_REFERENCE(NAME, KIND, PARAMETERS, ARGUMENTS)                                                             \
  template <class T, cudaTextureReadMode mode>                                                                               \
  WARPBOOK_DEVICE typename warpbook_channels::Fetched<T, mode>::Type NAME(texture<T, KIND, mode> reference,                  \
                                                                          WARPBOOK_UNPACK PARAMETERS) {                      \
    const cudaTextureObject_t handle = *reinterpret_cast<const cudaTextureObject_t*>(&reference);                            \
    return NAME<typename warpbook_channels::Fetched<T, mode>::Type>(handle, WARPBOOK_UNPACK ARGUMENTS);                      \
  }
WARPBOOK_BY_REFERENCE(tex1Dfetch, cudaTextureType1D, (int x), (x))
WARPBOOK_BY_REFERENCE(tex1D, cudaTextureType1D, (float x), (x))
WARPBOOK_BY_REFERENCE(tex2D, cudaTextureType2D, (float x, float y), (x, y))
WARPBOOK_BY_REFERENCE(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
WARPBOOK_BY_REFERENCE(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
WARPBOOK_BY_REFERENCE(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
WARPBOOK_BY_REFERENCE(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
#undef WARPBOOK_BY_REFERENCE
#endif  // WARPBOOK_CC

// Surfaces. An element is 1, 2, 4, 8 or 16 bytes; x counts bytes.
#define WARPBOOK_SULD(GEOMETRY, EDGE, AT, OPERANDS)                                                                       \
  if (sizeof(T) == 16)                                                                                                    \
    asm volatile("suld.b." GEOMETRY ".v4.b32." EDGE " {%0, %1, %2, %3}, [%4, {" AT "}];"                                  \
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])                                                         \
                 : "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                 \
                 : "memory");                                                                                             \
  else if (sizeof(T) == 8)                                                                                                \
    asm volatile("suld.b." GEOMETRY ".v2.b32." EDGE " {%0, %1}, [%4, {" AT "}];"                                          \
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])                                                         \
                 : "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                 \
                 : "memory");                                                                                             \
  else if (sizeof(T) == 4)                                                                                                \
    asm volatile("suld.b." GEOMETRY ".b32." EDGE " {%0}, [%4, {" AT "}];"                                                 \
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])                                                         \
                 : "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                 \
                 : "memory");                                                                                             \
  else if (sizeof(T) == 2)                                                                                                \
    asm volatile("suld.b." GEOMETRY ".b16." EDGE " {%0}, [%4, {" AT "}];"                                                 \
                 : "=h"(h), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])                                                            \
                 : "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                 \
                 : "memory");                                                                                             \
  else                                                                                                                    \
    asm volatile("suld.b." GEOMETRY ".b8." EDGE " {%0}, [%4, {" AT "}];"                                                  \
                 : "=h"(h), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])                                                            \
                 : "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                 \
                 : "memory")
#define WARPBOOK_SUST(GEOMETRY, EDGE, AT, OPERANDS)                                                                       \
  if (sizeof(T) == 16)                                                                                                    \
    asm volatile("sust.b." GEOMETRY ".v4.b32." EDGE " [%4, {" AT "}], {%0, %1, %2, %3};" ::"r"(w[0]), "r"(w[1]),          \
                 "r"(w[2]), "r"(w[3]), "l"(surface), WARPBOOK_UNPACK OPERANDS                                             \
                 : "memory");                                                                                             \
  else if (sizeof(T) == 8)                                                                                                \
    asm volatile("sust.b." GEOMETRY ".v2.b32." EDGE " [%4, {" AT "}], {%0, %1};" ::"r"(w[0]), "r"(w[1]), "r"(w[2]),       \
                 "r"(w[3]), "l"(surface), WARPBOOK_UNPACK OPERANDS                                                        \
                 : "memory");                                                                                             \
  else if (sizeof(T) == 4)                                                                                                \
    asm volatile("sust.b." GEOMETRY ".b32." EDGE " [%4, {" AT "}], {%0};" ::"r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]),   \
                 "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                   \
                 : "memory");                                                                                             \
  else if (sizeof(T) == 2)                                                                                                \
    asm volatile("sust.b." GEOMETRY ".b16." EDGE " [%4, {" AT "}], {%0};" ::"h"(h), "r"(w[1]), "r"(w[2]), "r"(w[3]),      \
                 "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                   \
                 : "memory");                                                                                             \
  else                                                                                                                    \
    asm volatile("sust.b." GEOMETRY ".b8." EDGE " [%4, {" AT "}], {%0};" ::"h"(h), "r"(w[1]), "r"(w[2]), "r"(w[3]),       \
                 "l"(surface), WARPBOOK_UNPACK OPERANDS                                                                   \
                 : "memory")
#define WARPBOOK_EDGES(ACCESS, GEOMETRY, AT, OPERANDS)       \
  if (edge == cudaBoundaryModeTrap) {                        \
    ACCESS(GEOMETRY, "trap", AT, OPERANDS);                  \
  } else if (edge == cudaBoundaryModeClamp) {                \
    ACCESS(GEOMETRY, "clamp", AT, OPERANDS);                 \
  } else {                                                   \
    ACCESS(GEOMETRY, "zero", AT, OPERANDS);                  \
  }
#define WARPBOOK_SURFACE(NAME, GEOMETRY, AT, PARAMETERS, ARGUMENTS, OPERANDS)                                             \
  template <class T>                                                                                                      \
  WARPBOOK_DEVICE T NAME##read(cudaSurfaceObject_t surface, WARPBOOK_UNPACK PARAMETERS,                                   \
                               cudaSurfaceBoundaryMode edge = cudaBoundaryModeTrap) {                                     \
    unsigned int w[4] = {};                                                                                               \
    unsigned short h = 0;                                                                                                 \
    WARPBOOK_EDGES(WARPBOOK_SULD, GEOMETRY, AT, OPERANDS)                                                                 \
    if (sizeof(T) < 4) w[0] = h;                                                                                          \
    T element;                                                                                                            \
    __builtin_memcpy(&element, w, sizeof element);                                                                        \
    return element;                                                                                                       \
  }                                                                                                                       \
  template <class T>                                                                                                      \
  WARPBOOK_DEVICE void NAME##read(T* element, cudaSurfaceObject_t surface, WARPBOOK_UNPACK PARAMETERS,                    \
                                  cudaSurfaceBoundaryMode edge = cudaBoundaryModeTrap) {                                  \
    *element = NAME##read<T>(surface, WARPBOOK_UNPACK ARGUMENTS, edge);                                                   \
  }                                                                                                                       \
  template <class T>                                                                                                      \
  WARPBOOK_DEVICE void NAME##write(T element, cudaSurfaceObject_t surface, WARPBOOK_UNPACK PARAMETERS,                    \
                                   cudaSurfaceBoundaryMode edge = cudaBoundaryModeTrap) {                                 \
    unsigned int w[4] = {};                                                                                               \
    __builtin_memcpy(w, &element, sizeof element);                                                                        \
    const unsigned short h = static_cast<unsigned short>(w[0]);                                                           \
    WARPBOOK_EDGES(WARPBOOK_SUST, GEOMETRY, AT, OPERANDS)                                                                 \
  }
WARPBOOK_SURFACE(surf1D, "1d", "%5", (int x), (x), ("r"(x)))
WARPBOOK_SURFACE(surf2D, "2d", "%5, %6", (int x, int y), (x, y), ("r"(x), "r"(y)))
WARPBOOK_SURFACE(surf3D, "3d", "%5, %6, %7, %7", (int x, int y, int z), (x, y, z), ("r"(x), "r"(y), "r"(z)))
WARPBOOK_SURFACE(surf1DLayered, "a1d", "%5, %6", (int x, int layer), (x, layer), ("r"(layer), "r"(x)))
WARPBOOK_SURFACE(surf2DLayered, "a2d", "%5, %6, %7, %7", (int x, int y, int layer), (x, y, layer),
                 ("r"(layer), "r"(x), "r"(y)))
#undef WARPBOOK_SURFACE
#undef WARPBOOK_EDGES
#undef WARPBOOK_SUST
#undef WARPBOOK_SULD
#undef WARPBOOK_UNPACK
#endif  // __CUDA__
