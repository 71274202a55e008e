// What the exercise begins with: right in some orders of the warps.
// expect: wrong 0
// told: another order
// hint: is the value wrong, or only the index
extern "C" __global__ void argmax(const int* values, int n, long long* best)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicMax((int*)best + 1, values[i]) <= values[i]) atomicExch((int*)best, i);
}
