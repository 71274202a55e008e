// expect: passed
extern "C" __global__ void stretch(const unsigned char* in, unsigned char* out)
{
    __shared__ int least, most;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        least = 255;
        most = 0;
    }
    __syncthreads();
    const int mine = in[i];
    atomicMin(&least, mine);
    atomicMax(&most, mine);
    __syncthreads();
    out[i] = most == least ? 0 : (mine - least) * 255 / (most - least);
}
