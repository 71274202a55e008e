// Why a call of CUDA's fails, where the name of its error says little.
// says: cudaMemcpy failed with cudaErrorInvalidValue (its direction is cudaMemcpyHostToDevice, and the two addresses lead from device to host memory), and
// says: cudaMemcpy failed with cudaErrorInvalidValue (404 bytes are asked for, and the destination has 400), and
// says: cudaMemset failed with cudaErrorInvalidValue (the memory to fill is host memory), and
// says: cudaFree failed with cudaErrorInvalidValue (nothing is allocated there: it was freed before, or never given), and
// says: cudaFree failed with cudaErrorInvalidValue (this is memory of the host, which CUDA has not given), and
// says: cudaMemcpyToSymbol failed with cudaErrorInvalidValue (32 bytes are asked for, and the variable has 16), and
// exit: 1
// says: cudaMemcpy at reasons.cu:29 failed with cudaErrorInvalidValue (8 bytes are asked for, and the source has 4).
#include <cstdio>
#include <cstdlib>

__constant__ int few[4];
__global__ void use(int* out) { out[0] = few[1]; }

int main() {
  int host[101] = {}, *device;
  cudaMalloc(&device, 400);
  cudaMemcpy(host, device, 400, cudaMemcpyHostToDevice);  // expect: error
  cudaMemcpy(device, host, 404, cudaMemcpyHostToDevice);  // expect: error
  cudaMemset(host, 0, 400);                               // expect: error
  cudaMemcpyToSymbol(few, host, 32);                      // expect: error
  use<<<1, 1>>>(device);
  int* twice;
  cudaMalloc(&twice, 4);
  cudaFree(twice);
  cudaFree(twice);  // expect: error
  cudaFree(host);   // expect: error
  if (cudaMemcpy(host, device + 99, 8, cudaMemcpyDeviceToHost) != cudaSuccess) std::exit(1);
}
