// Every lane at one place and nobody reads the result: 70 threads of two blocks, the last warps not full.
extern "C" __global__ void whole(int* least, unsigned* most, unsigned* both, unsigned long long* any, unsigned* odd,
                                 unsigned long long* sum, long long* least64) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin(least, 5 - i);
  atomicMax(most, 4294967200u + i % 70);
  atomicAnd(both, ~(1u << (i % 20)));
  atomicOr(any, 1ull << (i % 40));
  atomicXor(odd, 1u << (i % 16));
  atomicAdd(sum, 1ull << 32);
  atomicMin(least64, -(1ll << 33) - i);
}
// launch: whole --grid 2 --block 70 --arg int32[1]=0 --arg uint32[1]=7 --arg uint32[1]=0xffffffff --arg uint64[1]=0 --arg uint32[1]=0 --arg uint64[1]=1 --arg int64[1]=0
// expect: arg 0 = -134
// expect: arg 1 = 4294967269
// expect: arg 2 = 0xfff00000
// expect: arg 3 = 0xffffffffff
// expect: arg 4 = 0xfff
// expect: arg 5 = 601295421441
// expect: arg 6 = -8589934731
