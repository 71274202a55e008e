// Names that CUDA 13 no longer has, for programs older than it: each is what the documentation names as its successor.
#pragma once
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define deviceOverlap asyncEngineCount
