extern "C" __global__ void sample(unsigned long long texture, float* out) { out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); }
// launch: sample --grid 1 --block 32 --arg uint64=1 --arg float32[32]=0
// status: cudaErrorInvalidPtx
// says: (source line 1): the virtual GPU has no instruction 'tex.1d.v4.f32.s32': it has no textures.
