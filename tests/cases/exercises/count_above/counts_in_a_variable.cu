// expect: wrong 0
// passes: 0
// hint: No thread has written
// writer: no thread
extern "C" __global__ void count_above(const float* values, float limit, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = count[0];
    if (i < n && values[i] > limit) mine += 1;
}
