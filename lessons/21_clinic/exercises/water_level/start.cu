// Each block has the readings of one station.
// total[b] is to be the sum of the readings of b.
extern "C" __global__ void water_level(
    const int* reading, int* total)
{
    __shared__ int sum;
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    atomicAdd(&sum, reading[i]);
    __syncthreads();
    if (t == 0) total[blockIdx.x] = sum;
}
