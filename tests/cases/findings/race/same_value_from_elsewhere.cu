// launch: announce --grid 4 --block 32 --arg int32[2]=zeros --arg int32[8]=iota --arg int32=5
// What all of them store is the same, whatever the order: it was read from another array, or given.
__global__ void announce(int* board, const int* news, int n) {
  board[0] = news[3] + 1;  // expect: race global harmless
  board[1] = n * 2;        // expect: race global harmless
}
