extern "C" __global__ void sample(const float* memory, float* out) {
  out[threadIdx.x] = tex2D<float>((unsigned long long)memory, threadIdx.x + 0.5f, 0.5f);  // a pointer is no texture object
}
// launch: sample --grid 1 --block 32 --arg float32[64]=1 --arg float32[32]=0
// status: cudaErrorIllegalAddress
// says: The kernel reads a texture (line 2), and
// says: That is no texture object.
