// On a CPU:
//
//     for (int i = 0; i < n; ++i)
//         out[i] = in[i] * in[i];
//
// Here every element is the work of one thread, and
// nobody loops.
extern "C" __global__ void square(
    const float* in, float* out, int n)
{
    // Which i is this thread's? And is there such
    // an element?
}
