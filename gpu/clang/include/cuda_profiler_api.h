// The calls that begin and end a profile: there is none, and they do nothing.
#pragma once
#include <warpbook_cuda.h>

extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}
