// launch: largest --grid 4 --block 64 --arg float32[256]=iota --arg float32[1]=zeros
__global__ void largest(const float* in, float* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > out[0])
        out[0] = in[i];  // expect: race global one atomic that compares and stores
}
