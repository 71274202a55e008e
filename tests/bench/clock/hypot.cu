// sqrt(x² + y²) over a grid that loops.
extern "C" __global__ void hypotenuse(const float* x, const float* y, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = hypotf(x[i], y[i]);
}
