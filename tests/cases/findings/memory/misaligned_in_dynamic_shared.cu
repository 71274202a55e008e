// The array of ints begins behind 250 bytes.
// launch: parts --grid 1 --block 32 --shared 1024 --arg int32[32]=zeros
__global__ void parts(int* out)
{
    extern __shared__ char bytes[];
    int* numbers = (int*)(bytes + 250);
    numbers[threadIdx.x] = threadIdx.x;  // expect: memory shared byte 250 of the block's shared memory, and 250 is no multiple of 4
    __syncthreads();
    out[threadIdx.x] = numbers[threadIdx.x];  // expect: memory shared
}
