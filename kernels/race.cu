// Every thread adds one to the same counter.

extern "C" __global__
void count(int* c)
{
#if USE_ATOMIC_ADD
    atomicAdd(&c[0], 1);
#else
    c[0] += 1;
#endif
}
