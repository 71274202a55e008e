// expect: passed
extern "C" __global__ void number_them(int* out, int n)
{
    int before = 0;
    for (int block = 0; block < blockIdx.x; ++block) before += blockDim.x;
    int* const mine = out + before;
    if (before + (int)threadIdx.x >= n) return;
    mine[threadIdx.x] = before + threadIdx.x;
}
