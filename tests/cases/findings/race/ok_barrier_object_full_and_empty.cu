// The same hand-over by barrier objects: each lane that stored arrives, and all who read wait.
// launch: pipe --grid 1 --block 64 --profile H200 --arg int32[128]=iota --arg int32[128]=zeros
// expect: clean
__device__ void init(unsigned long long* b, int n) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(b)), "r"(n) : "memory");
}
__device__ unsigned long long arrive(unsigned long long* b) {
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"((unsigned)__cvta_generic_to_shared(b)) : "memory");
  return token;
}
__device__ bool is_over(unsigned long long* b, unsigned long long token) {
  int over;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"((unsigned)__cvta_generic_to_shared(b)), "l"(token)
               : "memory");
  return over;
}

__global__ void pipe(const int* in, int* out) {
  __shared__ int box[32];
  __shared__ unsigned long long full, empty;
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x < 32) {
      box[lane] = in[32 * k + lane];
      arrive(&full);
    } else {
      unsigned long long token = arrive(&full);
      while (!is_over(&full, token)) {
      }
      out[32 * k + lane] = box[31 - lane];
    }
    unsigned long long token = arrive(&empty);
    if (threadIdx.x < 32)
      while (!is_over(&empty, token)) {
      }
  }
}
