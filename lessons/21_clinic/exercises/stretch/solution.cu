extern "C" __global__ void stretch(
    const unsigned char* in, unsigned char* out)
{
    // Two integers, then a byte for each thread.
    extern __shared__ int dynamic[];
    int* range = dynamic;
    unsigned char* point =
        (unsigned char*)(range + 2);
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
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
    const int above = (point[t] - least) * 255;
    const int span = most - least;
    out[i] = span > 0 ? above / span : 0;
}
