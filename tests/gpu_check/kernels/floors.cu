// What the memory can give, for the traffic of the kernels that are judged by it. 16 bytes a thread and turn.

// One array read, one written: n4 times 32 bytes.
extern "C" __global__ void copy(const float4* in, float4* out, unsigned n4)
{
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride) out[i] = in[i];
}

// One read, two written, as a step of diffusion does: n4 times 48 bytes.
extern "C" __global__ void copy_twice(const float4* in, float4* out, float4* other, unsigned n4)
{
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += stride) {
        const float4 v = in[i];
        out[i] = v;
        other[i] = v;
    }
}
