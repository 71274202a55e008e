// Every atomic function, by 32 threads on a word of its own.
extern "C" __global__ void update(int* a, unsigned int* u, unsigned long long* w, float* f, double* d) {
  const int t = threadIdx.x;
  atomicAdd(&a[0], 2);
  atomicSub(&a[1], 1);
  atomicMin(&a[2], -t);
  atomicMax(&a[3], t);
  atomicAnd(&a[4], ~(1 << t));
  atomicOr(&a[5], 1 << t);
  atomicXor(&a[6], 3);
  atomicAdd_block(&a[7], 1);
  atomicAdd_system(&a[8], 1);
  if (t == 0) atomicExch(&a[9], 77);
  for (int seen = a[10], old = -1; seen != old; seen = atomicCAS(&a[10], old, old + 3)) old = seen;
  atomicInc(&u[0], 9);
  atomicDec(&u[1], 9);
  atomicMax(&u[2], 0x80000000u + t);
  atomicMin(&u[3], 5u);
  atomicAdd(&u[4], 1u);
  atomicAdd(&w[0], 1ull << 32);
  atomicMax(&w[1], (unsigned long long)t << 40);
  atomicOr(&w[2], 1ull << (t + 32));
  atomicMin((long long*)&w[3], -1ll);
  if (t == 0) atomicExch(&w[4], 5ull), atomicCAS(&w[5], 0ull, 6ull);
  atomicAdd(&f[0], 0.5f);
  if (t == 0) atomicExch(&f[1], 2.5f);
  atomicAdd(&d[0], 0.25);
}
// launch: update --grid 1 --block 32 --arg int32[11]=0,0,0,0,-1,0,0,0,0,0,0 --arg uint32[5]=0,0,0,9,0 --arg uint64[6]=0 --arg float32[2]=0 --arg float64[1]=0
// expect: arg 0 = 64 -32 -31 31 0 -1 0 32 32 77 96
// expect: arg 1 = 2 8 0x8000001f 5 32
// expect: arg 2 = 0x2000000000 0x1f0000000000 0xffffffff00000000 0xffffffffffffffff 5 6
// expect: arg 3 = 16 2.5
// expect: arg 4 = 8
