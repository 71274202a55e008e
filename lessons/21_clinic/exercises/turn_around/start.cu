// Each block reverses its values: the last one
// comes first. The last block may have fewer.
extern "C" __global__ void turn_around(
    const int* in, int* out, int n)
{
    extern __shared__ int s[];  // one a thread
    const int t = threadIdx.x;
    const int first = blockIdx.x * blockDim.x;
    const int threads = blockDim.x;
    const int count = min(threads, n - first);
    if (t < count) s[t] = in[first + t];
    if (t < count)
        out[first + t] = s[count - 1 - t];
}
