// expect: passed
extern "C" __global__ void stretch(const unsigned char* in, unsigned char* out)
{
    extern __shared__ int dynamic[];
    unsigned char* point = (unsigned char*)dynamic;
    int* range = dynamic + (blockDim.x + 3) / 4;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    point[t] = in[i];
    if (t == 0) {
        range[0] = 255;
        range[1] = 0;
    }
    __syncthreads();
    atomicMin(&range[0], point[t]);
    atomicMax(&range[1], point[t]);
    __syncthreads();
    const int least = range[0], most = range[1];
    out[i] = most > least ? (point[t] - least) * 255 / (most - least) : 0;
}
