// A warp fills a box and goes on; three wait until it is full. (PTX ISA: bar.arrive, bar.sync.)
// launch: pass --grid 2 --block 128 --arg int32[128]=iota --arg int32[256]=zeros
// expect: clean
__global__ void pass(const int* in, int* out) {
  __shared__ int box[64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 1) {
    box[lane] = in[lane];
    box[lane + 32] = in[lane + 32];
    asm volatile("barrier.cta.arrive 5, 128;" ::: "memory");
    out[blockIdx.x * 128 + 32 + lane] = in[lane];
  } else {
    asm volatile("barrier.cta.sync 5, 128;" ::: "memory");
    out[blockIdx.x * 128 + 32 * warp + lane] = box[63 - lane];
  }
}
