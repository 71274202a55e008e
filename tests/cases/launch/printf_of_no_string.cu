// Strings end where memory does, and are empty where there is none: printf reads nothing else of the host's.
#include <cstdio>

extern "C" __global__ void print() {
  __shared__ char text[16];
  for (int i = 0; i < 16; ++i) text[i] = 'a' + i;
  printf("[%s]\n", text);
  printf("[%s]\n", text + 0x800000);
  printf("[%s]\n", static_cast<const char*>(nullptr));
}
// launch: print --grid 1 --block 1
// prints: [abcdefghijklmnop]
// prints: []
// prints: []
