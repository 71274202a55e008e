// Every cell of out gets the number of the thread
// that writes it, counted over the whole grid.
extern "C" __global__ void who(
    int* out, int width, int height, int depth)
{
#if SWAPPED
    const int x = blockIdx.y * blockDim.y
                + threadIdx.y;
    const int y = blockIdx.x * blockDim.x
                + threadIdx.x;
#else
    const int x = blockIdx.x * blockDim.x
                + threadIdx.x;
    const int y = blockIdx.y * blockDim.y
                + threadIdx.y;
#endif
    const int z = blockIdx.z * blockDim.z
                + threadIdx.z;
#if GUARD
    if (x >= width || y >= height || z >= depth)
        return;
#endif
#if WRONG_ROW
    const int cell = (z * height + y) * height + x;
#else
    const int cell = (z * height + y) * width + x;
#endif
    const int block =
        (blockIdx.z * gridDim.y + blockIdx.y)
            * gridDim.x + blockIdx.x;
    const int thread =
        (threadIdx.z * blockDim.y + threadIdx.y)
            * blockDim.x + threadIdx.x;
    const int threads =
        blockDim.x * blockDim.y * blockDim.z;
    out[cell] = block * threads + thread;
}
