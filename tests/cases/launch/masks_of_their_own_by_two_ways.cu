// Each half of a warp names its own lanes; the first half comes by two ways, with lanes of the other.
__device__ __noinline__ unsigned exchange(unsigned mask, bool set) { return __ballot_sync(mask, set) + __popc(__match_any_sync(mask, set)); }

extern "C" __global__ void two_ways(unsigned* out) {
  const int lane = threadIdx.x;
  const unsigned mask = 0xffffu << (lane & 16);
  unsigned got;
  if (lane >= 8 && lane < 16)
    got = exchange(mask, lane < 12) + 100;
  else
    got = exchange(mask, lane % 2);
  out[lane] = got;
}
// launch: two_ways --grid 1 --block 32 --arg uint32[32]=0
// expect: arg 0 = 4018 4018 4018 4018 4018 4018 4018 4018 4118 4118 4118 4118 4118 4118 4118 4118 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848 2863267848
