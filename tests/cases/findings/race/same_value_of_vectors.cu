// launch: mark --grid 2 --block 64 --arg int32[4]=zeros --arg int16[4]=zeros --arg uint8[8]=zeros
// Of a vector all elements count, not the first alone.
__global__ void mark(int2* two, short2* halves, uchar4* pixels) {
  two[0] = make_int2(5, 6);                                                 // expect: race global same value (5
  two[1] = make_int2(5, threadIdx.x);                                       // expect: race global not: same value
  halves[0] = make_short2(7, 8);                                            // expect: race global same value (7
  halves[1] = make_short2(7, threadIdx.x);                                  // expect: race global not: same value
  if (threadIdx.x % 3 == 0) pixels[0] = make_uchar4(1, 2, 3, 4);            // expect: race global same value (1
  if (threadIdx.x % 3 == 0) pixels[1] = make_uchar4(1, 2, 3, threadIdx.x);  // expect: race global not: same value
}
