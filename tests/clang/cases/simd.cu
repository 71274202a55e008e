// Four bytes or two half words of a word at once.
extern "C" __global__ void parts(unsigned int* u) {
  u[0] = __vadd4(0xff010203u, 0x02010101u);
  u[1] = __vaddus4(0xff010203u, 0x02010101u);
  u[2] = __vmaxs2(0xffff0001u, 0x00000002u);
  u[3] = __vabsdiffu4(0x01ff0305u, 0x03010505u);
  u[4] = __vcmpgtu4(0x02010302u, 0x01020202u);
  u[5] = __vsadu4(0x01020304u, 0x02020202u);
  u[6] = __vneg2(0x00010002u);
  u[7] = __vavgu4(0x01020304u, 0x02020404u);
}
// launch: parts --grid 1 --block 1 --arg uint32[8]=0
// expect: arg 0 = 0x01020304 0xff020304 0x2 0x2fe0200 0xff00ff00 4 0xfffffffe 0x02020404
