// What memcheck of compute-sanitizer is for: an access that is not aligned, one at an address of nobody, and memory never freed.
// run: --observe memory
// says: is no multiple of 4
// says: lies in no buffer of this launch
#include <cstdio>

__device__ int words[4];

__global__ void between_two_words(int by) {
  char* bytes = reinterpret_cast<char*>(words);
  *reinterpret_cast<int*>(bytes + by) = 7;  // expect: memory
}

__device__ void through(long long address) {
  *reinterpret_cast<int*>(address) = 7;  // expect: memory
}
__global__ void nowhere(long long address) { through(address); }

__global__ void ok_words(int by) {
  char* bytes = reinterpret_cast<char*>(words);
  *reinterpret_cast<int*>(bytes + by) = 7;
}

int main() {
  int* kept;
  cudaMalloc(&kept, 1000);  // expect: leak
  between_two_words<<<1, 1>>>(1);
  nowhere<<<1, 1>>>(0x12345678);
  ok_words<<<1, 1>>>(8);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
