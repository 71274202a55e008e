// Under its C++ name, and with a using-declaration; the C string header brings the fixed-width types along.
// expect kernel: told(const uint8_t* bytes)
#include <cstdio>
#include <cstring>
using std::printf;
__global__ void told(const uint8_t* bytes) {
  std::printf("%d ", bytes[threadIdx.x]);
  printf("%d\n", threadIdx.x);
}
