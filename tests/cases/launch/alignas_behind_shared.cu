// alignas may stand on both sides of __shared__, in a struct and at a local array.
struct alignas(8) Pair { int a, b; };
__device__ alignas(16) int table[4] = {1, 2, 3, 4};
__global__ void keep(int* out) {
  __shared__ alignas(64) char one;
  alignas(32) __shared__ char two;
  alignas(16) int mine[4] = {5, 6, 7, 8};
  one = two = 1;
  out[0] = static_cast<int>(reinterpret_cast<unsigned long long>(&one) % 64);
  out[1] = static_cast<int>(reinterpret_cast<unsigned long long>(&two) % 32);
  out[2] = static_cast<int>(reinterpret_cast<unsigned long long>(&table) % 16);
  out[3] = static_cast<int>(alignof(Pair)) + table[3] + mine[out[0]] - 5 * one * two;
}
// launch: keep --grid 1 --block 1 --arg int32[4]=0,…
// expect: arg 0 = 0 0 0 12
