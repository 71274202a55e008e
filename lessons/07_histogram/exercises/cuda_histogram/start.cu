// Counts the values in m bins of equal width: bin b
// takes those from low + b * width on that are less
// than low + (b + 1) * width. All bins start at 0.
extern "C" __global__ void cuda_histogram(
    const float* x, int n, float low, float high,
    int* bins, int m)
{
    // The grid may be smaller than the array, so a
    // thread may have several values. For each of
    // them, add 1 to its bin, if it has a bin.
}
