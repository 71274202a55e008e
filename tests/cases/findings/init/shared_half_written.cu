// Behind a barrier after which nobody writes: loads of every shape, from what was written and from what was not.
// launch: half_written --grid 3 --block 64 --arg float32[192]=zeros
__global__ void half_written(float* out) {
  __shared__ float4 tile[48];  // 32 are written: 512 of 768 bytes
  float* words = reinterpret_cast<float*>(tile);
  char* bytes = reinterpret_cast<char*>(tile);
  int t = threadIdx.x;
  words[t] = t;
  words[t + 64] = 2 * t;
  __syncthreads();
  float sum = words[t] + words[127 - t];
  sum += words[t + 96];       // expect: init shared
  sum += words[2 * (t / 32) * t];
  sum += words[(t * 37) % 128];
  sum += words[(t * 37) % 130];  // expect: init shared
  sum += tile[t / 2].x;
  sum += tile[t % 33].w;      // expect: init shared
  sum += bytes[t] + bytes[511 - t];
  sum += bytes[512 - t];      // expect: init shared
  sum += reinterpret_cast<double*>(tile)[t];
  sum += reinterpret_cast<double*>(tile)[t + 1];  // expect: init shared
  sum += words[out == nullptr ? t : 127];
  if (t < 5) sum += words[t + 120];
  if (t < 9) sum += words[t + 120];  // expect: init shared
  out[blockIdx.x * 64 + t] = sum;
}
