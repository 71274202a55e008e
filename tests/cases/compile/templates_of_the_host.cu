template <int Size, class T>
__global__ void fill(T* a, T value) {  // expect kernel: fill<8, float>(float* a, float value)
  __shared__ T tile[Size];
  tile[threadIdx.x] = value;
  a[threadIdx.x] = tile[threadIdx.x];
}
int main() {  // expect left out: main()
  float* a;
  cudaMalloc(&a, 32);
  fill<8, float><<<1, 8>>>(a, 1.0f);
}
