// says: 3000 bytes
__global__ void nothing() {}

int main() {
  void* memory;
  for (int i = 0; i < 3; ++i) cudaMalloc(&memory, 1000);  // expect: leak
  void* freed;
  cudaMalloc(&freed, 1000);
  cudaFree(freed);
  nothing<<<1, 1>>>();
}
