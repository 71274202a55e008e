// A constant of the file is both sides', whatever it is made of; one that a function of the host computes is the host's alone.
// also by nvcc
// expect kernel: reversed(float* v)
// expect left out: rounds
// expect left out: main()
const int width = 4 * 8;
const float half = float(width) / 2;
constexpr int twice(int n) { return 2 * n; }
const int both = twice(width) - (int)4.7f;
const int rounds = max(3, (both + width - 1) / width);

__global__ void reversed(float* v) {
  __shared__ float copy[width];
  copy[threadIdx.x] = v[threadIdx.x] * half + both;
  __syncthreads();
  v[threadIdx.x] = copy[width - 1 - threadIdx.x];
}

int main() { reversed<<<rounds, width>>>(nullptr); }
// expect left out by clang: main()
// clang differs: it compiles the host's constants with the rest.
