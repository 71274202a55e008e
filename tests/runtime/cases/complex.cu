// cuComplex.h on both sides: the kernel's numbers are those of std::complex.
// run: --observe all --fail-on-findings
// prints: 0 of 64 differ
#include <cuComplex.h>

#include <complex>
#include <cstdio>

__global__ void compute(cuFloatComplex* out, double* sizes) {
  const int i = threadIdx.x;
  const cuFloatComplex a = make_cuComplex(i - 20.5f, i * 0.25f), b = make_cuFloatComplex(3, i - 7.0f);
  out[i] = cuCdivf(cuCsubf(cuCmulf(a, b), cuConjf(a)), cuCaddf(b, make_cuFloatComplex(0, 100)));
  sizes[i] = cuCabs(cuCmul(make_cuDoubleComplex(i, 2), make_cuDoubleComplex(1e200, 1))) / 1e200 + cuCrealf(a) + cuCabsf(b);
}

int main() {
  cuFloatComplex* out;
  double* sizes;
  cudaMallocManaged(&out, 64 * sizeof *out);
  cudaMallocManaged(&sizes, 64 * sizeof *sizes);
  compute<<<1, 64>>>(out, sizes);
  cudaDeviceSynchronize();
  int differ = 0;
  for (int i = 0; i < 64; ++i) {
    const std::complex<double> a(i - 20.5, i * 0.25), b(3, i - 7.0);
    const std::complex<double> wanted = (a * b - std::conj(a)) / (b + std::complex<double>(0, 100));
    const double size = std::abs(std::complex<double>(i, 2)) + a.real() + std::abs(b);
    differ += !(std::abs(std::complex<double>(out[i].x, out[i].y) - wanted) <= 1e-5 * (1 + std::abs(wanted)) &&
                std::abs(sizes[i] - size) <= 1e-5 * (1 + std::abs(size)));
  }
  std::printf("%d of 64 differ\n", differ);
  cudaFree(out);
  cudaFree(sizes);
}
