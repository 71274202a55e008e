// The numbers and structs of CUDA's runtime library that programs see in memory, with CUDA's names. They are declared here, so that
// nothing of NVIDIA's is needed to build the library. gpu/runtime's tests compare them with the toolkit's headers if these are
// installed.
//
// Sources: the CUDA Runtime API's reference manual (docs.nvidia.com/cuda/cuda-runtime-api), "Data types used by CUDA Runtime", and
// the rules of the x86-64 and AArch64 ABIs for enums (int) and handles (pointers). Layouts that differ between CUDA 12 and 13 are
// in versions.cpp.
#pragma once

#include <cstddef>

using cudaError_t = int;  // errors.def
#define CUDART_ERROR(name, number, text) inline constexpr cudaError_t cudaError##name = number;
inline constexpr cudaError_t cudaSuccess = 0;
#include "gpu/runtime/errors.def"
#undef CUDART_ERROR

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct uint3 {
  unsigned x, y, z;
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaKernel_t = struct CUkern_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;
using cudaMemPool_t = struct CUmemPoolHandle_st*;
using cudaArray_t = struct cudaArray*;
using cudaHostFn_t = void (*)(void*);
using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void*);

// Enums whose values this library uses.
using cudaMemcpyKind = int;
inline constexpr cudaMemcpyKind cudaMemcpyHostToHost = 0, cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2,
                                cudaMemcpyDeviceToDevice = 3, cudaMemcpyDefault = 4;
using cudaMemoryType = int;
inline constexpr cudaMemoryType cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2,
                                cudaMemoryTypeManaged = 3;
using cudaLimit = int;
inline constexpr cudaLimit cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2;
using cudaFuncAttribute = int;
inline constexpr cudaFuncAttribute cudaFuncAttributeMaxDynamicSharedMemorySize = 8;
using cudaStreamCaptureStatus = int;
inline constexpr cudaStreamCaptureStatus cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1;
inline constexpr unsigned cudaHostRegisterMapped = 2;
inline constexpr int cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeAccessPolicyWindow = 1, cudaLaunchAttributeCooperative = 2,
                     cudaLaunchAttributeSynchronizationPolicy = 3, cudaLaunchAttributeProgrammaticStreamSerialization = 6,
                     cudaLaunchAttributePriority = 8, cudaLaunchAttributePreferredSharedMemoryCarveout = 14;
using cudaGraphNodeType = int;
inline constexpr cudaGraphNodeType cudaGraphNodeTypeKernel = 0, cudaGraphNodeTypeMemcpy = 1, cudaGraphNodeTypeMemset = 2,
                                   cudaGraphNodeTypeHost = 3, cudaGraphNodeTypeGraph = 4, cudaGraphNodeTypeEmpty = 5,
                                   cudaGraphNodeTypeWaitEvent = 6, cudaGraphNodeTypeEventRecord = 7, cudaGraphNodeTypeMemAlloc = 10,
                                   cudaGraphNodeTypeMemFree = 11;

struct cudaExtent {
  std::size_t width, height, depth;
};
struct cudaPos {
  std::size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
using cudaChannelFormatKind = int;
inline constexpr cudaChannelFormatKind cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1,
                                       cudaChannelFormatKindFloat = 2;
struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits of each channel
  cudaChannelFormatKind f;
};
inline constexpr unsigned cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4, cudaArrayTextureGather = 8;
using cudaResourceType = int;
inline constexpr cudaResourceType cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray = 1, cudaResourceTypeLinear = 2,
                                  cudaResourceTypePitch2D = 3;
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
  // CUDA 13's is longer. This library does not use the rest.
};
struct cudaTextureDesc {
  int addressMode[3];  // 0: wrap, 1: clamp, 2: mirror, 3: border
  int filterMode;      // 0: point, 1: linear
  int readMode;        // 0: element type, 1: normalized float
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
// Of CUDA 11 and older: a variable of the program's that a kernel reads a texture by.
struct textureReference {
  int normalized;
  int filterMode;
  int addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int reserved[14];
};
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
  // The rest is for clusters and carve-outs, and differs between CUDA's versions. This library does not use it.
};
struct cudaLaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    int programmatic_serialisation;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
struct cudaMemLocation {
  int type, id;
};
struct cudaMemPoolProps {
  int allocType, handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  std::size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  int flags;
};
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  std::size_t accessDescCount, bytesize;
  void* dptr;
};
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
