// passes: 0
extern "C" __global__ void stretch(const unsigned char* in, unsigned char* out)
{
    extern __shared__ int range[];
    extern __shared__ unsigned char point[];  // the same bytes: all dynamic arrays begin there
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    point[t] = in[i];
    if (t == 0) {
        range[0] = 255;
        range[1] = 0;  // expect: race
    }
    __syncthreads();
    atomicMin(&range[0], point[t]);
    atomicMax(&range[1], point[t]);
    __syncthreads();
    const int least = range[0], most = range[1];
    out[i] = most > least ? (point[t] - least) * 255 / (most - least) : 0;
}
