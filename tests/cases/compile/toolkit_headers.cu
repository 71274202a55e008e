#include <cuda_fp16.h>
#include <math_constants.h>
__global__ void halves(__half* h, float* x) {
  x[0] = __half2float(h[0]) + CUDART_INF_F;
}
// expect kernel: halves(__half* h, float* x)
