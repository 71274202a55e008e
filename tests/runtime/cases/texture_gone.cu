// A kernel that reads a texture which the program has destroyed: it faults, and the sentence says why.
// prints: cudaErrorIllegalAddress
// says: That is no texture object
// says: The kernel reads a texture (line 8) by the handle
#include <cstdio>

__global__ void read(float* out, cudaTextureObject_t texture) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f);
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 32, 1);
  float* out;
  cudaMalloc(&out, 32 * 4);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  read<<<1, 32>>>(out, texture);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaDestroyTextureObject(texture);
  read<<<1, 32>>>(out, texture);  // expect: error
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFreeArray(array);
  cudaFree(out);
}
