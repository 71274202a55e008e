// 64 MiB in all, of which no more than 64 KiB at a time: free gives memory back while the kernel runs.
extern "C" __global__ void loop(int* sum) {
  for (int i = 0; i < 1000; ++i) {
    int* piece = static_cast<int*>(malloc(2048));
    if (!piece) return;
    piece[0] = i;
    piece[511] = 1;
    atomicAdd(sum, piece[511]);
    free(piece);
  }
}
// launch: loop --grid 1 --block 32 --arg int32[1]=0
// expect: arg 0 = 32000
