// How many lanes stand before this one, before or at it, at or behind it, behind it; and its own bit.
extern "C" __global__ void masks(int* lt, int* le, int* ge, int* gt, int* eq) {
  unsigned mask[5];
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask[0]));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask[1]));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask[2]));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask[3]));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(mask[4]));
  const int i = threadIdx.x;
  lt[i] = __popc(mask[0]);
  le[i] = __popc(mask[1]) - 1;
  ge[i] = 32 - __popc(mask[2]);
  gt[i] = 31 - __popc(mask[3]);
  eq[i] = __ffs(mask[4]) - 1;
  if (mask[0] & mask[2] || mask[1] & mask[3] || (mask[1] & mask[2]) != mask[4]) eq[i] = -1;
}
// launch: masks --grid 1 --block 32 --arg int32[32]=-1,… --arg int32[32]=-1,… --arg int32[32]=-1,… --arg int32[32]=-1,… --arg int32[32]=-1,…
// expect: arg 0 = iota
// expect: arg 1 = iota
// expect: arg 2 = iota
// expect: arg 3 = iota
// expect: arg 4 = iota
