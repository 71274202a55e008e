extern "C" __global__ void sample(unsigned long long texture, float* out) { out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); }
// launch: sample --grid 1 --block 32 --arg uint64=1 --arg float32[32]=0
// status: cudaErrorIllegalAddress
// says: The kernel reads a texture (line 1) by the handle 0x1. That is no texture object.
