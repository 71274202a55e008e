// launch: clear --grid 1 --block 64 --arg uint8[64]=zeros
__global__ void clear(unsigned char* bytes) {
  int t = threadIdx.x;
  if (t < 16) ((int*)bytes)[t] = 0;
  if (t >= 32) bytes[t - 32] = 1;  // expect: race global
}
