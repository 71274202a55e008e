// Small blocks begin together; they part where they choose differently, block by block and lane by lane, and none disturbs another.
extern "C" __global__ void turned_twice(int* out) {
  __shared__ int tile[48];
  const int t = threadIdx.x, i = blockIdx.x * 48 + t, turns = blockIdx.x % 5 + 1;
  if (blockIdx.x % 7 == 3) {  // whole blocks leave before the barrier
    out[i] = i;
    return;
  }
  int sum = 0;
  for (int n = 0; n < turns; ++n) sum += i + n * (i % turns);  // so often as the block says
  if (t % 16 == 5)
    tile[47 - t] = i;  // three lanes
  else
    tile[47 - t] = (sum - i % turns * (turns * (turns - 1) / 2)) / turns;
  __syncthreads();
  out[i + 47 - 2 * t] = tile[t];
}
// launch: turned_twice --grid 2048 --block 48 --arg int32[98304]=0,…
// expect: arg 0 = iota
