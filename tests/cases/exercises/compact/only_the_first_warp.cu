// passes: 2
extern "C" __global__ void compact(const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32, warp = i / 32;
    const int x = i < n ? in[i] : 0;
    const unsigned votes = __ballot_sync(0xffffffff, x > 0);
    const int place = __popc(votes & ((1u << lane) - 1));
    if (x > 0) out[place] = x;  // expect: race
    if (i == blockDim.x - 1) count[0] = place + (x > 0);
}
