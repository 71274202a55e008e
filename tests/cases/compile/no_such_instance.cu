__global__ void k(int* a) {
  a[0] = 1;
}
// instantiate: scale<float>
// expect message: scale
