// What gpu/runtime declares by itself against the toolkit's own headers, on machines that have them: numbers of errors, sizes and
// places of members.
#include <gtest/gtest.h>

#include <cstddef>

#if __has_include(<cuda_runtime_api.h>)
#  include <cuda_runtime_api.h>

#  undef cudaHostRegisterMapped
#  undef cudaArrayLayered
#  undef cudaArraySurfaceLoadStore
#  undef cudaArrayCubemap
#  undef cudaArrayTextureGather
#  define WARPBOOK_CUDART (CUDART_VERSION / 1000)
namespace ours {
#  include "gpu/runtime/api.h"
#  include "gpu/runtime/device_properties.h"
}  // namespace ours

namespace {

#  define CUDART_ERROR(name, number, text) static_assert(static_cast<int>(::cudaError##name) == number);
#  include "gpu/runtime/errors.def"
#  undef CUDART_ERROR

#  define SAME_SIZE(type) static_assert(sizeof(::type) == sizeof(ours::type))
#  define SAME_PLACE(type, member) static_assert(offsetof(::type, member) == offsetof(ours::type, member))

SAME_SIZE(dim3);
SAME_SIZE(cudaDeviceProp);
SAME_PLACE(cudaDeviceProp, totalGlobalMem);
SAME_PLACE(cudaDeviceProp, warpSize);
SAME_PLACE(cudaDeviceProp, totalConstMem);
SAME_PLACE(cudaDeviceProp, multiProcessorCount);
SAME_PLACE(cudaDeviceProp, canMapHostMemory);
SAME_PLACE(cudaDeviceProp, maxTexture3DAlt);
SAME_PLACE(cudaDeviceProp, surfaceAlignment);
SAME_PLACE(cudaDeviceProp, memoryBusWidth);
SAME_PLACE(cudaDeviceProp, sharedMemPerMultiprocessor);
SAME_PLACE(cudaDeviceProp, cooperativeLaunch);
SAME_PLACE(cudaDeviceProp, sharedMemPerBlockOptin);
SAME_PLACE(cudaDeviceProp, maxBlocksPerMultiProcessor);
SAME_PLACE(cudaDeviceProp, memoryPoolsSupported);
SAME_PLACE(cudaDeviceProp, unifiedFunctionPointers);
SAME_SIZE(cudaMemcpy3DParms);
SAME_PLACE(cudaMemcpy3DParms, dstPtr);
SAME_PLACE(cudaMemcpy3DParms, kind);
SAME_SIZE(cudaChannelFormatDesc);
SAME_PLACE(cudaResourceDesc, res.array.array);
SAME_PLACE(cudaResourceDesc, res.linear.sizeInBytes);
SAME_PLACE(cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME_SIZE(cudaTextureDesc);
SAME_PLACE(cudaTextureDesc, normalizedCoords);
SAME_PLACE(cudaPointerAttributes, hostPointer);
SAME_PLACE(cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_SIZE(cudaLaunchConfig_t);
SAME_PLACE(cudaLaunchConfig_t, numAttrs);
SAME_SIZE(cudaLaunchAttribute);
SAME_PLACE(cudaLaunchAttribute, val);
SAME_SIZE(cudaKernelNodeParams);
SAME_PLACE(cudaKernelNodeParams, extra);
SAME_SIZE(cudaMemsetParams);
SAME_PLACE(cudaMemsetParams, height);
SAME_SIZE(cudaHostNodeParams);
SAME_SIZE(cudaMemPoolProps);
SAME_SIZE(cudaMemAccessDesc);
SAME_SIZE(cudaMemAllocNodeParams);
SAME_PLACE(cudaMemAllocNodeParams, dptr);
static_assert(static_cast<int>(::cudaGraphNodeTypeMemFree) == ours::cudaGraphNodeTypeMemFree);
static_assert(static_cast<int>(::cudaLaunchAttributeCooperative) == ours::cudaLaunchAttributeCooperative);
static_assert(static_cast<int>(::cudaLaunchAttributePriority) == ours::cudaLaunchAttributePriority);
static_assert(static_cast<int>(::cudaGraphNodeTypeEventRecord) == ours::cudaGraphNodeTypeEventRecord);
static_assert(static_cast<int>(::cudaResourceTypePitch2D) == ours::cudaResourceTypePitch2D);
static_assert(static_cast<int>(::cudaChannelFormatKindFloat) == ours::cudaChannelFormatKindFloat);
static_assert(static_cast<int>(::cudaLimitMallocHeapSize) == ours::cudaLimitMallocHeapSize);
static_assert(static_cast<int>(::cudaMemoryTypeManaged) == ours::cudaMemoryTypeManaged);

TEST(CudartLayout, IsTheToolkits) { SUCCEED() << "held when this was compiled"; }

}  // namespace
#else
TEST(CudartLayout, IsTheToolkits) {
  GTEST_SKIP() << "The CUDA Toolkit's headers, which it is compared with, are not on this machine.";
}
#endif
