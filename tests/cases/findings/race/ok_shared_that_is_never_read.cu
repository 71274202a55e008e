// All threads store to one place, but nobody reads it: the compiler removes the array, and with it what would be a race.
// launch: last_thread --grid 1 --block 64 --arg int32[64]=zeros
__global__ void last_thread(int* out)
{
    __shared__ int last[1];  // expect: removed last
    last[0] = threadIdx.x;
    out[threadIdx.x] = 1;
}
