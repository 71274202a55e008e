// launch: column --grid 1 --block 32 --arg float32[32]=iota
__global__ void column(float* data) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = data[threadIdx.x];  // expect: banks shared
  __syncwarp();
  data[31 - threadIdx.x] = tile[threadIdx.x][0];  // expect: banks shared
}
