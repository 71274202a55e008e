// 100 elements and 64 threads: the last 28 threads make one turn, the others two.
// launch: turn --grid 1 --block 64 --arg int32[100]=iota --arg int32[100]=zeros
__global__ void turn(const int* in, int* out)
{
    __shared__ int s[64];
    for (int i = threadIdx.x; i < 100; i += blockDim.x) {
        s[threadIdx.x] = in[i];
        __syncthreads();  // expect: sync let all threads make the same number of turns of a loop
        out[i] = s[threadIdx.x];
        __syncthreads();  // expect: sync let all threads make the same number of turns of a loop
    }
}
