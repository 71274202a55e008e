// out[i] is to hold the weighted sum of the values
// in[i - s] to in[i + s]. The weight of in[i + j]
// is w[j + s]; the first and the last count half.
// Outside the array the nearest end counts, in[0]
// or in[n - 1].
extern "C" __global__ void smooth(
    const float* w, const float* in, float* out,
    int n, int s)
{
    // This was made for blocks of 2s threads, and
    // each adds a term. How many terms are there?
    // Who else changes out[i] at the same time?
    // Give each output one thread instead.
    const int i = blockIdx.x;
    const int j = (int)threadIdx.x - s;
    const int k = min(max(i + j, 0), n - 1);
    if (i < n) out[i] += w[j + s] * in[k];
}
