// Near misses: sizes and values that depend on files, the clock, undecided branches and later turns of a loop are not known.
#include <cstdio>
#include <ctime>
__global__ void k(float* v, int n) {}
__global__ void step(float* v, float t) {}
int read_size() {
  int n = 5;
  FILE* file = fopen("size", "r");
  fscanf(file, "%d", &n);
  return n;
}
int main() {
  int n = read_size();
  float* v;
  cudaMalloc(&v, n * sizeof(float));
  // launch: k<<<?; 64,1,1; 0>>>(? bytes, ?)
  k<<<n / 64, 64>>>(v, n);
  int threads = 64;
  if (time(nullptr) % 2 == 0) threads = 128;
  float* w;
  cudaMalloc(&w, 256);
  float host[64];
  FILE* values = fopen("values", "r");
  fread(host, 4, 64, values);
  cudaMemcpy(w, host, sizeof(host), cudaMemcpyHostToDevice);
  // launch: k<<<1,1,1; ?; 0>>>(256 bytes of what is not known, 64)
  k<<<1, threads>>>(w, 64);
  float t = 0.25f;
  for (int i = 0; i < 10; ++i) {
    // launch: step<<<1,1,1; 64,1,1; ?>>>(256 bytes of what is not known, 0.25)
    step<<<1, 64, n>>>(w, t);
    t = t * 2;
  }
  // launch: step<<<1,1,1; 64,1,1; 0>>>(256 bytes of what is not known, ?)
  step<<<1, 64>>>(w, t);
  float* pointer = (float*)malloc(400);
  // launch: k<<<1,1,1; 64,1,1; 0>>>(256 bytes of what is not known, ?)
  k<<<1, 64>>>(w, sizeof(pointer) / sizeof(float));
  // launch: step<<<1,1,1; 64,1,1; 0>>>(256 bytes of what is not known, ?)
  step<<<1, 64>>>(w + 8, host[3]);
}
