// The C++ library in device code: what is constexpr there, <cmath>, and cuda::std.
#include <cmath>
#include <cstdint>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
template <class T>
__device__ T largest(const cuda::std::array<T, 3>& values) {
  T most = cuda::std::numeric_limits<T>::lowest();
  for (const T& value : values) most = value > most ? value : most;
  return most;
}
extern "C" __global__ void library(float* f, int n) {
  f[0] = std::sqrt(16.0f) + std::fabs(-1.0f) + std::pow(2.0f, 3.0f);
  f[1] = sqrt((double)n) + std::floor(2.5) + std::abs(-3) + std::fmax(1.0f, 2.0f);
  f[2] = largest<float>({1, 7, 3});
  f[3] = static_cast<float>(std::uint8_t(300)) + sizeof(std::int64_t);
  f[4] = std::isnan(f[5]) + 2 * std::isinf(1.0f / (n - 9)) + 4 * std::isfinite(1.0);
  f[5] = INFINITY > 1e30f ? static_cast<float>(M_PI) : 0;
}
// launch: library --grid 1 --block 1 --arg float32[6]=0 --arg int32=9
// expect: arg 0 = 13 10 7 52 6 0x40490fdb
