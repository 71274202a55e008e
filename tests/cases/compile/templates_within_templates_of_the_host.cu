template <class T>
__global__ void fill(T* a, T value) {  // expect kernel: fill<float>(float* a, float value)
  a[threadIdx.x] = value;
}
__global__ void other(int* a) {  // expect kernel: other(int* a)
  a[0] = 1;
}
template <class T>
void launch(T* a) {  // expect left out: launch()
  fill<T><<<1, 8>>>(a, T(1));
}
int main() {  // expect left out: main()
  fill<float><<<1, 8>>>(nullptr, 1.0f);
}
