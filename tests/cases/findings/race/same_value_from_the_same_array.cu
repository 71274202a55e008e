// launch: forward --grid 4 --block 32 --arg int32[8]=ones --arg int32=3
__global__ void forward(int* board, int from) {
  board[0] = board[from];  // expect: race global not: harmless
}
