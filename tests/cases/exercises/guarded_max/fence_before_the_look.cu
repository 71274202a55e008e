// A fence orders what is on its sides; it makes no read atomic.
// hint: the read beside it is a plain one
extern "C" __global__ void guarded_max(const int* values, int n, int* result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __threadfence();
    const int seen = *result;  // expect: race
    if (values[i] > seen) atomicMax(result, values[i]);
    __threadfence();
}
