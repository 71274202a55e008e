// launch: sum --grid 1 --block 1 --arg int32[100]=ones --arg int32=100 --arg int32[1]=zeros
__global__ void sum(const int* in, int n, int* out) {
  int total = 0;
  for (int i = 0; i <= n; ++i) total += in[i];  // expect: memory global Check how the line computes its index: the last element is in[99]
  out[0] = total;
}
