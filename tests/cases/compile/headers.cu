// Ordinary files include these, and nvcc includes some of them by itself.
#include <assert.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void everything(float* x, uint32_t* bits, std::int64_t n, float4 v) {
  const std::size_t i = threadIdx.x;
  assert(n > 0);
  x[i] = std::sqrt(x[i]) + std::sin(x[i]) + std::abs(x[i]) + std::pow(x[i], 2.0f) + std::fmax(x[i], FLT_EPSILON) + float(M_PI) + INFINITY;
  if (isnan(x[i]) || std::isinf(x[i])) printf("%f\n", x[i]);
  bits[i] = UINT32_MAX - INT_MAX + offsetof(float4, y) + uint32_t(v.x);
  memcpy(&x[1], &x[0], sizeof(float));
}
// expect kernel: everything(float* x, uint32_t* bits, std::int64_t n, float4 v)
