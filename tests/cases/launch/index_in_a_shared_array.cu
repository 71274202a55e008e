// PTX knows a shared array as bytes; the sentence counts in what is stored there.
extern "C" __global__ void past(float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x + 20] = out[0];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
// launch: past --grid 1 --block 32 --arg float32[32]=1,…
// status: cudaErrorIllegalAddress
// says: Thread (12,0,0) of block (0,0,0) writes tile[32]; the access ends 4 bytes past the end
