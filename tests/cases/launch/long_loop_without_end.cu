// Many warps, and a loop so long that one turn of it takes as long as a thousand turns of others.
#define ONE(i) x = x * 3 + (y ^ (i)); y += x >> 5; d[(x + (i)) % 1024] += y;
#define TEN(i) ONE(i) ONE(i + 1) ONE(i + 2) ONE(i + 3) ONE(i + 4) ONE(i + 5) ONE(i + 6) ONE(i + 7) ONE(i + 8) ONE(i + 9)
#define HUNDRED(i) TEN(i) TEN(i + 10) TEN(i + 20) TEN(i + 30) TEN(i + 40) TEN(i + 50) TEN(i + 60) TEN(i + 70) TEN(i + 80) TEN(i + 90)
__global__ void endless(unsigned* d, unsigned n) {
  unsigned x = threadIdx.x, y = blockIdx.x;
  for (unsigned turn = 0; turn < n; ++turn) { HUNDRED(0) HUNDRED(100) HUNDRED(200) HUNDRED(300) }
}
// launch: endless --grid 4 --block 1024 --arg uint32[1024]=0,… --arg uint32=4000000000
// status: cudaErrorLaunchTimeout
