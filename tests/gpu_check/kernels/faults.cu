// Every way in which a kernel can end badly on a GPU, and one that does not.

extern "C" __global__ void triple(const int* in, int* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3 * in[i];
}

extern "C" __global__ void illegal_address(int* out)
{
    out[1ll << 40] = 1;  // four terabytes further
}

extern "C" __global__ void misaligned(int* out)
{
    *(int*)((char*)out + 1) = 1;
}

extern "C" __global__ void fails_assertion(const int* in)
{
    assert(in[0] == 12345);
}

extern "C" __global__ void traps(const int* in)
{
    if (in[0] != 12345) __trap();
}

extern "C" __global__ void never_ends(volatile int* in)
{
    while (in[0] != 12345) {
    }
}
