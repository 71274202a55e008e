// out is to hold 0, 1, 2, 3 … n - 1.
extern "C" __global__ void number_them(
    int* out, int n)
{
    // This i is 0 for every thread, so all threads
    // write to out[0]. Every thread needs an i of
    // its own.
    const int i = 0;

    // A thread with no element does nothing.
    if (i < n) out[i] = i;
}
