// A chain of dependent multiply-additions, not unrolled.
extern "C" __global__ void chain(float* out, int steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = __int_as_float(i & 0xffff);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) a = __fmaf_rn(a, 0.99999f, 1e-7f);
  if (a == -1.0f) out[i] = a;
}
