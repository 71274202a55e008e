// hint: while another one changes it
extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long mine = (long long)values[i] << 32 | i;
    if (mine > *best)
        *best = mine;  // expect: race
}
