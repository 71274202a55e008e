// launch: reverse --grid 1 --block 64 --shared 128 --arg int32[64]=iota
__global__ void reverse(int* data) {
  extern __shared__ int tile[];
  int t = threadIdx.x;
  tile[t] = data[t];  // expect: memory shared the last element is tile[31]. Where the index is right, guard
  __syncthreads();
  if (t < 32) data[t] = tile[t];
}
