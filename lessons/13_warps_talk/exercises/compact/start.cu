// out is to hold the values of in that are greater
// than 0, side by side and in their order; count[0]
// is to hold how many they are. There is one block,
// and n is at most its number of threads.
extern "C" __global__ void compact(
    const int* in, int* out, int* count, int n)
{
    const int i = threadIdx.x, lane = i % 32;
    const int x = i < n ? in[i] : 0;
    const unsigned votes =
        __ballot_sync(0xffffffff, x > 0);
    const int place =
        __popc(votes & ((1u << lane) - 1));

    // Right for the first warp. Where do the values
    // of the second warp begin?
    if (x > 0) out[place] = x;
}
