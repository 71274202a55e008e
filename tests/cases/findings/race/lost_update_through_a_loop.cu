// launch: raise --grid 4 --block 32 --arg float32[1]=zeros --arg float32[8]=ones --arg int32=8
__global__ void raise(float* level, const float* steps, int n) {
  float height = level[0];
  for (int k = 0; k < n; k++) height += steps[k] * 0.5f;
  level[0] = height;  // expect: race global not: harmless
}
