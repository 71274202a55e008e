// On a CPU:
//
//     for (int i = 0; i < n; ++i)
//         out[i] = in[i] * in[i];
//
// Here each thread computes one element, and no
// thread needs a loop.
extern "C" __global__ void square(
    const float* in, float* out, int n)
{
    // Which i is this thread's? And is there such
    // an element?
}
