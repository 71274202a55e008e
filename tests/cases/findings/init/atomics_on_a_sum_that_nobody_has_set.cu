// launch: total --grid 1 --block 64 --arg int32[64]=ones --arg int32[1]=zeros
__global__ void total(const int* in, int* out)
{
    __shared__ int sum;
    atomicAdd(&sum, in[threadIdx.x]);  // expect: init shared Let a thread store the first value, such as 0, and call __syncthreads() before
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum;
}
