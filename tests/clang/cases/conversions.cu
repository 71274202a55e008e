// Casts with a stated rounding, single operations with a stated rounding, bits as another type.
extern "C" __global__ void convert(int* a, float* f, double* d, const float* x) {
  a[0] = __float2int_rn(x[0]);
  a[1] = __float2int_rz(x[0]);
  a[2] = __float2int_ru(x[0]);
  a[3] = __float2int_rd(x[0]);
  a[4] = __float2int_rn(x[1]);
  a[5] = __float_as_int(1.0f);
  a[6] = __double2hiint(1.0);
  a[7] = __double2int_rn(2.5);
  a[8] = (int)__float2uint_rz(3e9f) == (int)3000000000u;
  a[9] = lrintf(x[0]) + 10 * lroundf(x[0]) + 100 * llrint(2.5);
  f[0] = __int2float_rz(16777217);
  f[1] = __int2float_ru(16777217);
  f[2] = __fadd_rd(1.0f, 1e-10f);
  f[3] = __fadd_ru(1.0f, 1e-10f);
  f[4] = __fmul_rz(1.1f, 1.1f);
  f[5] = __fdiv_rn(1.0f, 3.0f);
  f[6] = __fmaf_rn(2.0f, 3.0f, 4.0f);
  f[7] = __saturatef(1.5f) + __saturatef(-1.0f);
  f[8] = __int_as_float(0x40490fdb);
  f[9] = __frcp_rn(4.0f) + __fsqrt_rn(9.0f);
  f[10] = __double2float_rz(0.1);
  d[0] = __dadd_rn(1.0, 2.0);
  d[1] = __hiloint2double(0x3ff80000, 0);
  d[2] = __longlong_as_double(0x4000000000000000ll);
  d[3] = __fma_rn(3.0, 4.0, 5.0);
}
// launch: convert --grid 1 --block 1 --arg int32[10]=0 --arg float32[11]=0 --arg float64[4]=0 --arg float32[2]=2.5,-3.5
// expect: arg 0 = 2 2 3 2 -4 0x3f800000 0x3ff00000 2 1 232
// expect: arg 1 = 16777216 16777218 1 0x3f800001 0x3f9ae148 0x3eaaaaab 10 1 0x40490fdb 3.25 0x3dcccccc
// expect: arg 2 = 3 1.5 2 17
