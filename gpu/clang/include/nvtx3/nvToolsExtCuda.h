// NVTX's names for what is CUDA's: nobody reads them.
#pragma once
#include <nvtx3/nvToolsExt.h>
#include <warpbook_cuda.h>

static inline void nvtxNameCudaDeviceA(int device, const char* name) { (void)device, (void)name; }
static inline void nvtxNameCudaStreamA(cudaStream_t stream, const char* name) { (void)stream, (void)name; }
static inline void nvtxNameCudaEventA(cudaEvent_t event, const char* name) { (void)event, (void)name; }
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
