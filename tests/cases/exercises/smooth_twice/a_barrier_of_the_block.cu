// passes: 1
// hint: only the threads of one block wait
extern "C" __global__ void smooth_twice(const float* in, float* once, float* twice, int* count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, l = max(i - 1, 0), r = min(i + 1, n - 1);
    if (i < n) once[i] = (in[l] + in[i] + in[r]) / 3;  // expect: race
    __syncthreads();
    if (i < n) twice[i] = (once[l] + once[i] + once[r]) / 3;
}
