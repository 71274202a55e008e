// Texture references of CUDA 11 and older books: bound to memory, to rows with a pitch and to an array; modes set by the program.
// run: --observe all --fail-on-findings
// prints: fetched 0 heat 0 filtered 0 normalised 0 behind 0
// prints: invalid channel descriptor
// cc alone
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int side = 32, count = side * side;

texture<float> line;
texture<float, 2> plane;
texture<float, cudaTextureType2D, cudaReadModeElementType> smooth;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> bytes;

__global__ void fetched(float* out, bool doubled) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = tex1Dfetch(line, i);
  out[i] = doubled ? 2 * value : value;
}
__global__ void heat(float* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * side + x] = tex2D(plane, x, y - 1) + tex2D(plane, x, y + 1) + tex2D(plane, x - 1, y) + tex2D(plane, x + 1, y);
}
__global__ void filtered(float* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * side + x] = tex2D(smooth, (x + 1.0f) / side, (y + 0.5f) / side);  // half of each of two, round the edge
}
__global__ void normalised(float* out) { out[threadIdx.x] = tex1Dfetch(bytes, threadIdx.x); }

int off(double is, double should) { return !(std::fabs(is - should) < 1e-5); }

int main() {
  std::vector<float> values(count), back(count);
  std::vector<unsigned char> small(side);
  for (int i = 0; i < count; ++i) values[i] = float((i * 37) % 101) / 8;
  for (int i = 0; i < side; ++i) small[i] = i * 8;
  float *memory, *out;
  unsigned char* of_bytes;
  cudaMalloc(&memory, count * 4);
  cudaMalloc(&out, count * 4);
  cudaMalloc(&of_bytes, side);
  cudaMemcpy(memory, values.data(), count * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(of_bytes, small.data(), side, cudaMemcpyHostToDevice);
  const auto read_back = [&] { cudaMemcpy(back.data(), out, count * 4, cudaMemcpyDeviceToHost); };
  int told[5] = {};

  cudaBindTexture(nullptr, line, memory, count * 4);
  fetched<<<side, side>>>(out, true);
  cudaUnbindTexture(line);
  read_back();
  for (int i = 0; i < count; ++i) told[0] += off(back[i], 2 * values[i]);

  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaBindTexture2D(nullptr, plane, memory, format, side, side, side * 4);
  heat<<<side, side>>>(out);
  read_back();
  const auto at = [&](int x, int y) { return values[std::min(std::max(y, 0), side - 1) * side + std::min(std::max(x, 0), side - 1)]; };
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      told[1] += off(back[y * side + x], at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y));

  cudaArray* array;
  cudaMallocArray(&array, &smooth.channelDesc, side, side);  // not set: no format
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaMallocArray(&array, &format, side, side);
  cudaMemcpyToArray(array, 0, 0, values.data(), count * 4, cudaMemcpyHostToDevice);
  smooth.normalized = true;
  smooth.filterMode = cudaFilterModeLinear;
  smooth.addressMode[0] = smooth.addressMode[1] = cudaAddressModeWrap;
  cudaBindTextureToArray(smooth, array, format);
  filtered<<<side, side>>>(out);
  read_back();
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      told[2] += off(back[y * side + x], (values[y * side + x] + values[y * side + (x + 1) % side]) / 2);

  cudaBindTexture(nullptr, bytes, of_bytes);
  normalised<<<1, side>>>(out);
  read_back();
  for (int i = 0; i < side; ++i) told[3] += off(back[i], small[i] / 255.0);

  size_t behind = 0;  // what lies behind a multiple of 512 bytes is bound from there
  cudaBindTexture(&behind, &line, memory + 3, &format, 512);
  fetched<<<1, side>>>(out, false);
  read_back();
  for (int i = 0; i < side; ++i) told[4] += off(back[i], values[i]) + (behind != 12);

  std::printf("fetched %d heat %d filtered %d normalised %d behind %d\n", told[0], told[1], told[2], told[3], told[4]);
  cudaFreeArray(array);
  for (void* one : {(void*)memory, (void*)out, (void*)of_bytes}) cudaFree(one);
}
