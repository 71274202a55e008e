// Functions of the host are gone through with what they are given; a template is launched by its whole name.
#include <vector>
template <typename T, int step>
__global__ void scale(T* data, T factor, int n) {}
namespace steps {
__global__ void count(unsigned* bins) {}
}
void run(float* data, float factor, int n) {
  int threads = n < 128 ? n : 128;
  // launch: scale<float, 4><<<8,1,1; 128,1,1; 0>>>(4096 bytes of 3, 1.5, 1024)
  scale<float, 4><<<n / threads, threads>>>(data, factor, n);
}
void never_called(int n) {
  // launch: steps::count<<<?; 64,1,1; 0>>>(?)
  steps::count<<<n, 64>>>(nullptr);
}
int main(int argc, char** argv) {
  int n = 1024;
  if (argc > 1) n = atoi(argv[1]);
  std::vector<float> host(n, 3.0f);
  float* data;
  cudaMalloc(&data, host.size() * sizeof(float));
  cudaMemcpy(data, host.data(), sizeof(float) * n, cudaMemcpyHostToDevice);
  run(data, 1.5f, n);
}
