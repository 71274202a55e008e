// Asking whether the phase is over, and going on whatever the answer, is no waiting.
// launch: pass --grid 1 --block 64 --profile H200 --arg int32[32]=iota --arg int32[32]=zeros
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

__global__ void pass(const int* in, int* out) {
  __shared__ int box[32];
  __shared__ unsigned long long full;
  int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) init(&full, 96);  // more than ever arrive
  __syncthreads();
  unsigned long long token = 0;
  if (threadIdx.x < 32) box[lane] = in[lane];  // expect: race shared, perhaps init shared not: __syncthreads
  token = arrive(&full);
  if (threadIdx.x >= 32) out[lane] = is_over(&full, token) + box[31 - lane];  // expect: perhaps init shared not: __syncthreads
}
