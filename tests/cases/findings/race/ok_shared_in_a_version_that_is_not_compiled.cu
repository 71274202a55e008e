// `tile` is missing in the PTX because the preprocessor leaves it out: the compiler has removed nothing.
// launch: copy --grid 1 --block 64 --arg int32[64]=iota --arg int32[64]=zeros
// expect: clean
#define TILED 0
__global__ void copy(const int* in, int* out)
{
    const int tid = threadIdx.x;
#if TILED
    __shared__ int tile[64];
    tile[tid] = in[tid];
    __syncthreads();
    out[tid] = tile[63 - tid];
#else
    out[tid] = in[tid];
#endif
}
