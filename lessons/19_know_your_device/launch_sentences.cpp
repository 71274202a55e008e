// The meaning of each attribute for a launch: one sentence for each, even for those that few programs need.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "lessons/19_know_your_device/device_facts.h"

namespace warpbook::lessons {
namespace {

struct LaunchSentence {
  std::string_view attribute, sentence;  // a name with * at its end stands for all names that begin so
};

/// The first match is used.
constexpr LaunchSentence sentences[] = {
    {"major", "It decides what instructions a kernel may use: compile for it, or for an older one."},
    {"minor", "Code for 8.0 runs on 8.6 as well, but code for 8.6 does not run on 8.0."},
    {"multiProcessorCount", "A grid with fewer blocks leaves multiprocessors without work."},
    {"warpSize", "Make the block size a multiple of it."},
    {"clockRate", "Cycles divided by it are seconds. A kernel's time changes with the clock that the device really has."},
    {"maxThreadsPerBlock", "The product of blockDim.x, blockDim.y and blockDim.z must not be larger."},
    {"maxThreadsDim.x", "A block may be this long, if it has no more threads than a block may have."},
    {"maxThreadsDim.y", "A block may be this high, if it has no more threads than a block may have."},
    {"maxThreadsDim.z", "A block of 1 × 1 × 65 threads is refused, although it is small."},
    {"maxGridSize.x", "Put the long side of the data along x: here a grid has nearly no limit."},
    {"maxGridSize.y", "A picture with more rows than this needs several rows in a block, or a loop in the kernel."},
    {"maxGridSize.z", "A volume with more layers than this needs several layers in a block, or a loop in the kernel."},
    {"maxThreadsPerMultiProcessor", "Blocks of a size that does not divide it leave places empty."},
    {"maxBlocksPerMultiProcessor", "Very small blocks reach this limit before all places for threads are filled."},
    {"regsPerBlock", "Threads of a block times registers of a thread must not be more, or the launch fails."},
    {"regsPerMultiprocessor", "The more registers a thread needs, the fewer warps fit."},
    {"sharedMemPerBlock", "A block that asks for more fails, unless the kernel was allowed more before."},
    {"sharedMemPerBlockOptin", "`cudaFuncSetAttribute` allows a kernel up to this much dynamic shared memory."},
    {"sharedMemPerMultiprocessor", "Divided by the shared memory of a block, it is how many blocks fit."},
    {"reservedSharedMemPerBlock", "Add it to the shared memory of each block when you count how many fit."},
    {"totalConstMem", "All `__constant__` variables of a program must fit."},
    {"totalGlobalMem", "All arrays must fit at the same time, and other programs need some of it."},
    {"l2CacheSize", "Data of this size that a kernel reads again may come from the cache, and not from memory."},
    {"globalL1CacheSupported", "Where it is 0, data that the threads of a block share belong in shared memory."},
    {"memoryClockRate", "With the width of the bus it gives the highest bandwidth that a kernel can have."},
    {"memoryBusWidth", "With the memory's clock it gives the highest bandwidth that a kernel can have."},

    {"asyncEngineCount", "With 2 or more, a copy to the device and a copy back can go on at the same time."},
    {"deviceOverlap", "Where it is 1, copies in a stream can be hidden behind a kernel in another one."},
    {"concurrentKernels", "Where it is 1, a small kernel leaves room for a kernel of another stream."},
    {"streamPrioritiesSupported", "Where it is 1, blocks of an urgent stream are placed before those of the others."},
    {"kernelExecTimeoutEnabled", "Where it is 1, make several short launches of a long one."},
    {"computePreemptionSupported", "Where it is 1, a long kernel can make way for another program and go on later."},
    {"computeMode", "Where it is 2, no program can launch anything."},
    {"cooperativeLaunch", "Where it is 1, and all blocks fit at once, a kernel may wait for the whole grid."},
    {"cooperativeMultiDeviceLaunch", "New programs launch on each GPU by itself and let the host wait for all."},
    {"clusterLaunch", "Where it is 1, a block can read the shared memory of its neighbours in the cluster."},
    {"unifiedFunctionPointers", "Where it is 1, the host can give a kernel the address of a function."},
    {"singleToDoublePrecisionPerfRatio", "Where it is 32 or 64, write `0.5f` and not `0.5`: float64 has few units."},

    {"integrated", "Where it is 1, a kernel can use the host's memory as it is, and copies win nothing."},
    {"canMapHostMemory", "Where it is 1, a kernel can read pinned memory of the host without a copy."},
    {"unifiedAddressing", "Where it is 1, `cudaMemcpyDefault` finds out by itself in which direction it has to copy."},
    {"managedMemory", "Where it is 1, host and kernels can use the same pointer."},
    {"concurrentManagedAccess", "Where it is 0, the host must wait for the kernel before it touches managed memory."},
    {"directManagedMemAccessFromHost", "Where it is 0, managed memory moves to the host when the host reads it."},
    {"pageableMemoryAccess*", "Where it is 1, a kernel may be given a pointer that comes from `malloc`."},
    {"hostNativeAtomicSupported", "Where it is 0, do not count in the host's memory with `atomicAdd` from both sides."},
    {"onlyPartialHostNativeAtomicSupported", "Where it is 1, look up which atomics a kernel may use on the host's memory."},
    {"canUseHostPointerForRegisteredMem", "Where it is 1, a kernel takes the host's own pointer to memory that was pinned later."},
    {"hostRegister*", "Where it is 1, an array that the program already has can be pinned, so that it is copied faster."},
    {"memoryPoolsSupported", "Where it is 1, memory for a kernel can be had and given back between launches without waiting."},
    {"memoryPoolSupportedHandleTypes", "It changes no launch. It says how processes can use the same pool of memory."},
    {"virtualMemoryManagementSupported", "Where it is 1, an array can grow between launches and keep its address."},
    {"memPitch", "Rows of a 2D copy that are longer have to be copied in parts."},
    {"genericCompressionSupported", "Where it is 1, a kernel may get data that compress well faster than the bus carries them."},
    {"localL1CacheSupported", "Where it is 1, registers that do not fit are less expensive: they may stay near the units."},
    {"persistingL2CacheMaxSize", "Data of this size that every launch reads again can be kept in the cache between launches."},
    {"accessPolicyMaxWindowSize", "A longer array can be marked to stay in the L2 cache only in part."},
    {"ECCEnabled", "Where it is 1, a kernel's results are safer, and the memory may give a little less than its peak."},
    {"tensorMapAccessSupported", "Where it is 1, one thread can order the copy of a whole tile to shared memory."},
    {"memSyncDomainCount", "With 2 or more, a fence of one kernel need not wait for what another kernel stores."},
    {"memDecompress*", "It changes no launch. Data can be unpacked on the device before a kernel reads them."},

    {"pciDomainID", "It changes no launch. With bus and slot it tells which card it is, if there are several."},
    {"pciBusID", "It changes no launch. It tells two cards of the same name apart."},
    {"pciDeviceID", "It changes no launch. With domain and bus it tells which card it is, if there are several."},
    {"gpuPci*", "It changes no launch. It tells models apart more exactly than the name does."},
    {"tccDriver", "Where it is 0 on Windows, launches may be collected before they begin, and take longer to begin."},
    {"isMultiGpuBoard", "It changes no launch: each GPU of the board is a device by itself."},
    {"multiGpuBoardGroupID", "It changes no launch. Copies between devices with the same number have a short way."},
    {"numa*", "It changes no launch. Memory of the GPU may be reached like memory of the host."},
    {"hostNumaId", "Memory of this part of the host has the shortest way to the device."},
    {"mpsEnabled", "Where it is 1, kernels of other programs may run beside yours and take some of its time."},

    {"handleType*", "It changes no launch. It says how another program can be given the same memory."},
    {"gpuDirectRDMA*", "It changes no launch. A network card may fill an array without a copy through the host."},
    {"dmaBufSupported", "It changes no launch. Other drivers may fill an array without a copy through the host."},
    {"hostAllocDmaBufSupported", "It changes no launch. Other drivers can use the host's pinned memory."},
    {"ipcEventSupported", "Where it is 1, a launch can wait for an event of another process."},
    {"timelineSemaphoreInteropSupported", "Where it is 1, a launch can wait until a picture is drawn, and the other way round."},
    {"multicastSupported", "Where it is 1, a kernel can store one value to the memory of several GPUs at once."},
    {"d3d12CigSupported", "It changes no launch. Kernels and Direct3D 12 may run side by side."},
    {"vulkanCigSupported", "It changes no launch. Kernels and Vulkan may run side by side."},
    {"hostNuma*", "It changes no launch. It says where in the host's memory arrays can be put."},
    {"hostMemoryPoolsSupported", "It changes no launch. It says where in the host's memory arrays can be put."},
    {"hostVirtualMemoryManagementSupported", "It changes no launch. It says where in the host's memory arrays can be put."},
    {"canUse*", "Where it is 1, a launch in a stream can wait for a number in memory."},
    {"canFlushRemoteWrites", "Where it is 1, a launch in a stream can wait for data from another device."},

    {"textureAlignment", "A texture over part of an array begins at a multiple of it, or needs an offset in the kernel."},
    {"texturePitchAlignment", "`cudaMallocPitch` makes rows as long as a texture over them needs."},
    {"surfaceAlignment", "A surface over part of an array has to begin at a multiple of it."},
    {"canTex2DGather", "Where it is 1, a kernel reads four neighbours by one call of `tex2Dgather`."},
    {"maxTexture1DLinear", "A longer array cannot be bound to a texture; a kernel reads it as an ordinary array."},
    {"maxTexture*", "A larger texture is refused when it is made, before any launch."},
    {"maxSurface*", "A larger surface is refused when it is made, before any launch."},
    {"sparseCudaArraySupported", "It changes no launch. A texture may be larger than the memory that it really has."},
    {"deferredMappingCudaArraySupported", "It changes no launch. A texture can be made first and get its memory later."},
};

bool fits(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == name;
}

}  // namespace

std::string_view for_a_launch(std::string_view attribute) {
  const auto found = std::find_if(std::begin(sentences), std::end(sentences),
                                  [&](const LaunchSentence& each) { return fits(each.attribute, attribute); });
  return found == std::end(sentences) ? std::string_view() : found->sentence;
}

}  // namespace warpbook::lessons
