// A file as another system writes it: lines end with CR LF, before them a byte order mark; macros go on over such ends.
// also by nvcc
// expect kernel: doubled(const int* in, int* out)
// expect left out: main()
#include <cstdio>
#define TRY(call) do { \
    cudaError_t code = (call); \
    if (code != cudaSuccess) printf("{ %s\n", cudaGetErrorString(code)); \
  } while (0)

__global__ void doubled(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
  int *in, *out;
  TRY(cudaMalloc(&in, 128));
  TRY(cudaMalloc(&out, 128));
  doubled<<<1, 32>>>(in, out);
}
