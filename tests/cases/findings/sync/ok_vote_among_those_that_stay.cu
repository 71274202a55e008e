// The mask of a vote may name lanes that have returned.
// launch: count --grid 1 --block 64 --arg int32[64]=iota --arg int32=50
// expect: clean
__global__ void count(int* data, int n) {
  int t = threadIdx.x;
  if (t >= n) return;
  unsigned big = __ballot_sync(0xffffffffu, data[t] > 10);
  unsigned like_me = __match_any_sync(0xffffffffu, data[t] % 3);
  data[t] = __popc(big) + __popc(like_me) + __any_sync(0xffffffffu, t == 7);
}
