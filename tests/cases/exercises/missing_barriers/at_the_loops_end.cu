// expect: wrong
// passes: 1
// told: passed only after a step
// Three steps of a blur, one block of 128 threads.
// Two barriers are missing. Where? End a line with
// `// here` if a barrier belongs just before it.
extern "C" __global__ void three_steps(float* f)
{
    __shared__ float now[130];
    const int t = threadIdx.x;
    now[t + 1] = f[t];
    if (t == 0) now[0] = f[0];
    if (t == 127) now[129] = f[127];
    for (int step = 0; step < 3; ++step) {
        const float left = now[t];
        const float right = now[t + 2];
        const float mean = (left + right) / 2;
        now[t + 1] = mean;  // here
    }  // here
    f[t] = now[t + 1];
}
