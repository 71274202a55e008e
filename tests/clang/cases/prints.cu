// printf in device code, and memory by malloc and new.
#include <cstdio>
extern "C" __global__ void say(int* a) {
  printf("%d %s %.2f %lld %c %%\n", a[0], "words", 1.5f, 1ll << 40, 'x');
  int* p = (int*)malloc(8);
  p[1] = 6;
  int* q = new int[3];
  q[2] = 7;
  a[1] = p[1] + q[2];
  free(p);
  delete[] q;
  memset(&a[2], 1, 4);
  memcpy(&a[3], &a[2], 4);
}
// launch: say --grid 1 --block 1 --arg int32[4]=5,0,0,0
// expect: arg 0 = 5 13 0x01010101 0x01010101
// prints: 5 words 1.50 1099511627776 x %
