// expect: failed cudaErrorLaunchOutOfResources
// passes: 2
// told: let __launch_bounds__ tell the compiler
// hint: refused before any thread ran
extern "C" __global__ void rods(float* heat, int steps)
{
    const int first = blockIdx.x * blockDim.x;
    const int i = first + threadIdx.x;
    const int rods = gridDim.x * blockDim.x;
    float v[64];
#pragma unroll
    for (int k = 0; k < 64; ++k)
        v[k] = heat[i + k * rods];
    for (int s = 0; s < steps; ++s) {
        float left = v[0];
#pragma unroll
        for (int k = 1; k < 63; ++k) {
            const float here = v[k];
            v[k] = (left + 2 * here + v[k + 1]) / 4;
            left = here;
        }
    }
#pragma unroll
    for (int k = 0; k < 64; ++k)
        heat[i + k * rods] = v[k];
}
