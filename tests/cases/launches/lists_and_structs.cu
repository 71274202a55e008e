// Values that a program writes down: lists, single elements, members of structs, and what it puts into device variables.
#include <array>
#include <vector>
struct Params { int n; float scale; float* data; };
__constant__ float filter[5];
__constant__ int shift;
__device__ float table[4];
__managed__ int count;
__device__ __managed__ float levels[3];
__global__ void k(const float* in, float* out) {}
__global__ void add(int* c, const int* a, const int* b) {}
__global__ void scaled(Params p) {}
__global__ void moved(float3 by) {}
__global__ void none() {}
void set(Params& p) { p.n = 7; }
void only_reads(Params p) { p.n = 9; }
int main() {
  levels[0] = 1;
  levels[2] = 100;
  const int size = 5;
  const int a[size] = {1, 2, 3, 4, 5};
  int b[] = {10, 20, 30, 40, 50};
  int *dev_a, *dev_b, *dev_c;
  cudaMalloc((void**)&dev_c, size * sizeof(int));
  cudaMalloc((void**)&dev_a, size * sizeof(int));
  cudaMalloc((void**)&dev_b, sizeof(b));
  cudaMemcpy(dev_a, a, size * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dev_b, b, sizeof(b), cudaMemcpyHostToDevice);
  // launch: add<<<1,1,1; 5,1,1; 0>>>(20 bytes, 20 bytes of [1 2 3 4 5], 20 bytes of [10 20 30 40 50]) with count: ?, levels: 12 bytes of [1 0 100]
  add<<<1, size>>>(dev_c, dev_a, dev_b);
  float rows[2][3] = {{1, 2, 3}, {4}};
  std::vector<float> v{0.5f, 0.25f};
  std::array<float, 3> w = {7, 8, 9};
  float single[4] = {};
  single[2] = 3;
  float* managed;
  cudaMallocManaged(&managed, 2 * sizeof(float));
  managed[0] = 1;
  managed[1] = 2;
  // launch: k<<<1,1,1; 2,1,1; 0>>>(24 bytes of [1 2 3 4 0 0], 8 bytes of [0.5 0.25]) with count: ?, levels: 12 bytes of what is not known
  k<<<1, 2>>>(&rows[0][0], v.data());
  // launch: k<<<1,1,1; 2,1,1; 0>>>(16 bytes of [0 0 3 0], 8 bytes of [1 2]) with count: ?, levels: 12 bytes of what is not known
  k<<<1, 2>>>(single, managed);
  // launch: k<<<1,1,1; 2,1,1; 0>>>(8 bytes of what is not known, 12 bytes of [7 8 9]) with count: ?, levels: 12 bytes of what is not known
  k<<<1, 2>>>(managed, w.data());

  float h[5] = {1, 4, 6, 4, 1};
  cudaMemcpyToSymbol(filter, h, sizeof h);
  int by = 3;
  cudaMemcpyToSymbol(shift, &by, sizeof(int));
  float four[4] = {1, 2, 4, 8};
  cudaMemcpyToSymbol(table, four, 8, 8);
  count = 64;
  // launch: none<<<1,1,1; 1,1,1; 0>>>() with filter: 20 bytes of [1 4 6 4 1], shift: 3, table: ?, count: 64, levels: 12 bytes of what is not known
  none<<<1, 1>>>();

  Params p = {4, 0.5f, nullptr};
  cudaMalloc(&p.data, p.n * sizeof(float));
  // launch: scaled<<<4,1,1; 1,1,1; 0>>>({0: 4, 1: 0.5, 2: ?, data: ? bytes}) with filter: 20 bytes of [1 4 6 4 1], shift: 3, table: ?, count: ?, levels: 12 bytes of what is not known
  scaled<<<4, 1>>>(p);
  Params q;
  q.n = 16;
  q.scale = 2;
  cudaMalloc((void**)&q.data, q.n * sizeof(float));
  only_reads(q);
  // launch: scaled<<<16,1,1; 1,1,1; 0>>>({data: 64 bytes, n: 16, scale: 2}) with filter: 20 bytes of [1 4 6 4 1], shift: 3, table: ?, count: ?, levels: 12 bytes of what is not known
  scaled<<<q.n, 1>>>(q);
  set(q);
  // launch: scaled<<<?; 1,1,1; 0>>>(?) with filter: 20 bytes of [1 4 6 4 1], shift: 3, table: ?, count: ?, levels: 12 bytes of what is not known
  scaled<<<q.n, 1>>>(q);
  float3 wind = make_float3(1, 0, -2);
  wind.y = 5;
  // launch: moved<<<1,1,1; 1,1,1; 0>>>({0: 1, 1: 0, 2: -2, y: 5}) with filter: 20 bytes of [1 4 6 4 1], shift: 3, table: ?, count: ?, levels: 12 bytes of what is not known
  moved<<<1, 1>>>(wind);
}
