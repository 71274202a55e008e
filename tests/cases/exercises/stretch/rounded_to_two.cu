// A multiple of 2 is not enough for an int.
// passes: 1
extern "C" __global__ void stretch(const unsigned char* in, unsigned char* out)
{
    extern __shared__ int dynamic[];
    unsigned char* point = (unsigned char*)dynamic;
    int* range = (int*)(point + (blockDim.x + 1) / 2 * 2);
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    point[t] = in[i];
    if (t == 0) {
        range[0] = 255;  // expect: memory
        range[1] = 0;
    }
    __syncthreads();
    atomicMin(&range[0], point[t]);
    atomicMax(&range[1], point[t]);
    __syncthreads();
    const int least = range[0], most = range[1];
    out[i] = most > least ? (point[t] - least) * 255 / (most - least) : 0;
}
