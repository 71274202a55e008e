#include <cstdio>

extern "C" __global__ void print(int n) {
  printf("%d %5d|%-5d|%05d|%+d\n", n, n, n, n, n);
  printf("%u %x %X %#x %o %c\n", 48879u, 48879, 48879, 48879, 8, 'a' + n);
  printf("%s|%8s|%-8s|%.2s\n", "text", "right", "left", "cut");
  printf("%lld %llu %ld %hd 100%%\n", 123456789012LL, ~0ull, -5L, short(7));
  printf("%f %.3f %8.2f|%e %g\n", 1.5, 3.14159, 2.25f, 25000.0, 1e-5);
  printf("%*d|%.*f|%-*d|\n", 6, n, 2, 3.14159, 4, n);
  printf("%p\n", (void*)0x1234);
  printf("no argument\n");
  printf("%d\n", printf("%d %s\n", n, "words"));
}
// launch: print --grid 1 --block 1 --arg int32=3
// prints: 3     3|3    |00003|+3
// prints: 48879 beef BEEF 0xbeef 10 d
// prints: text|   right|left    |cu
// prints: 123456789012 18446744073709551615 -5 7 100%
// prints: 1.500000 3.142     2.25|2.500000e+04 1e-05
// prints:      3|3.14|3   |
// prints: 0x1234
// prints: no argument
// prints: 3 words
// prints: 2
