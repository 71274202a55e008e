// passes: 0
// expect: failed cudaErrorLaunchFailure
extern "C" __global__ void square(const float* in, float* out, int n)
{
    if (threadIdx.x == 0) asm("trap;");
}
