// Many lanes of a warp add to the same few counters, each its own number, and some to counters of their own; in a block's memory
// and in global memory, where every thread has a counter far from its neighbours', too.
extern "C" __global__ void count(int* bins, int* all) {
  __shared__ int mine[10];
  const int t = threadIdx.x, lane = t % 32;
  if (t < 10) mine[t] = 0;
  __syncthreads();
  const int bin = lane >= 24 ? lane - 22 : t % 3 == 2;  // 16 lanes have 0, 8 have 1
  for (int n = 0; n < 3; ++n)
    if (lane != 7) {
      atomicAdd(&bins[bin], lane + n);
      atomicAdd(&mine[bin], lane + n);
    }
  atomicAdd(&bins[10 + (blockIdx.x * 64 + t) * 97 % 6144], 7);
  __syncthreads();
  if (t < 10) atomicAdd(&all[t], mine[t]);
}
// launch: count --grid 960 --block 64 --arg int32[6154]=0,… --arg int32[10]=0,…
// expect: arg 0 = 1105920 576000 144000 149760 155520 161280 167040 172800 178560 184320 70 …
// expect: arg 1 = 1105920 576000 144000 149760 155520 161280 167040 172800 178560 184320
