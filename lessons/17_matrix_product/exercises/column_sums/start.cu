// sums[c] = the sum of column c of a. Row r of a
// begins at a[r * columns].
extern "C" __global__ void column_sums(
    const float* a, float* sums,
    int rows, int columns)
{
    // Let thread c of the grid add up column c.
}
