// expect: passed
extern "C" __global__ void coldest(const float* value, int n, float* least)
{
    if (threadIdx.x > 0) return;
    float smallest = INFINITY;
    for (int k = 0; k < blockDim.x; ++k) {
        const int i = blockIdx.x * blockDim.x + k;
        if (i < n) smallest = fminf(smallest, value[i]);
    }
    least[blockIdx.x] = smallest;
}
