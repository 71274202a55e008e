// Two kernels have an array of one name; of the second one's, nothing is left. An array of which
// only a part is used is whole.
// launch: second --grid 1 --block 64 --arg int32[64]=iota --arg int32[64]=zeros
extern "C" __global__ void first(int* out)
{
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = part[63 - threadIdx.x];
}

__global__ void second(const int* in, int* out)
{
    __shared__ int part[64];  // expect: removed part
    __shared__ int kept[4][64];
    extern __shared__ int more[];
    part[threadIdx.x] = in[threadIdx.x];
    kept[2][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = kept[2][63 - threadIdx.x];
}
