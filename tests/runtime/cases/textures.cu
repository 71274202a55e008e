// What a texture reads and a surface stores, against the CUDA C++ Programming Guide's definitions in double.
// run: --fail-on-findings
// prints: texture2D: 0 of 4096 differ
// prints: fetched: 0 of 300 differ
// prints: surface: 0 of 4096 differ
// prints: layers: 0 of 1024 differ
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int side = 64;

__global__ void turned(float* out, cudaTextureObject_t texture, float angle) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float u = (x + 0.5f) / side - 0.5f, v = (y + 0.5f) / side - 0.5f;
  out[y * side + x] = tex2D<float>(texture, u * cosf(angle) - v * sinf(angle) + 0.5f, v * cosf(angle) + u * sinf(angle) + 0.5f);
}
__global__ void fetched(uchar4* out, cudaTextureObject_t texture, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = tex1Dfetch<uchar4>(texture, i - 20);
}
__global__ void negated(cudaSurfaceObject_t surface) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float value;
  surf2Dread(&value, surface, x * int(sizeof(float)), y);
  surf2Dwrite(-value, surface, x * int(sizeof(float)), y);
  surf2Dwrite(1e9f, surface, (x + side) * int(sizeof(float)), y, cudaBoundaryModeZero);  // beyond the edge: stored nowhere
}
__global__ void of_layers(float* out, cudaTextureObject_t texture) {
  const int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
  out[(layer * 16 + y) * 16 + x] = tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, layer);
}

// The value at normalised coordinates with a linear filter and wrapping: fractions have 8 bits.
double expected(const std::vector<float>& texels, double u, double v) {
  const auto split = [](double at, int& first, int& second) {
    const double fixed = std::floor((at * side - 0.5) * 256 + 0.5) / 256, whole = std::floor(fixed);
    first = ((int(whole) % side) + side) % side;
    second = (first + 1) % side;
    return fixed - whole;
  };
  int x0, x1, y0, y1;
  const double a = split(u, x0, x1), b = split(v, y0, y1);
  return (1 - a) * (1 - b) * texels[y0 * side + x0] + a * (1 - b) * texels[y0 * side + x1] +
         (1 - a) * b * texels[y1 * side + x0] + a * b * texels[y1 * side + x1];
}

int main() {
  std::vector<float> texels(side * side), back(side * side);
  for (int i = 0; i < side * side; ++i) texels[i] = float((i * 37) % 101) / 8;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, side, side, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, texels.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
  how.filterMode = cudaFilterModeLinear;
  how.normalizedCoords = 1;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  float* out;
  cudaMalloc(&out, side * side * 4);
  const float angle = 0.75f;
  turned<<<dim3(8, 8), dim3(8, 8)>>>(out, texture, angle);
  cudaMemcpy(back.data(), out, side * side * 4, cudaMemcpyDeviceToHost);
  int differ = 0;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const float u = (x + 0.5f) / side - 0.5f, v = (y + 0.5f) / side - 0.5f;
      const double at_u = double(u) * std::cos(double(angle)) - double(v) * std::sin(double(angle)) + 0.5,
                   at_v = double(v) * std::cos(double(angle)) + double(u) * std::sin(double(angle)) + 0.5;
      // The kernel's float32 coordinate may round to the next of 256 steps, of which one is worth a few hundredths here.
      differ += std::fabs(back[y * side + x] - expected(texels, at_u, at_v)) > 0.11;
    }
  std::printf("texture2D: %d of %d differ\n", differ, side * side);

  negated<<<dim3(8, 8), dim3(8, 8)>>>([&] {
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    return surface;
  }());
  cudaMemcpy2DFromArray(back.data(), side * 4, array, 0, 0, side * 4, side, cudaMemcpyDeviceToHost);
  differ = 0;
  for (int i = 0; i < side * side; ++i) differ += back[i] != -texels[i];
  std::printf("surface: %d of %d differ\n", differ, side * side);

  std::vector<uchar4> bytes(256), got(300);
  for (int i = 0; i < 256; ++i) bytes[i] = make_uchar4(i, 255 - i, i / 2, 7);
  uchar4 *memory, *fetched_to;
  cudaMalloc(&memory, 1024);
  cudaMalloc(&fetched_to, 1200);
  cudaMemcpy(memory, bytes.data(), 1024, cudaMemcpyHostToDevice);
  cudaResourceDesc plain = {};
  plain.resType = cudaResourceTypeLinear;
  plain.res.linear.devPtr = memory;
  plain.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  plain.res.linear.sizeInBytes = 1024;
  cudaTextureDesc element = {};
  cudaTextureObject_t numbers;
  cudaCreateTextureObject(&numbers, &plain, &element, nullptr);
  fetched<<<2, 160>>>(fetched_to, numbers, 300);
  cudaMemcpy(got.data(), fetched_to, 1200, cudaMemcpyDeviceToHost);
  differ = 0;
  for (int i = 0; i < 300; ++i) {
    const bool inside = i >= 20 && i - 20 < 256;
    const uchar4 want = inside ? bytes[i - 20] : make_uchar4(0, 0, 0, 0);
    differ += got[i].x != want.x || got[i].y != want.y || got[i].z != want.z || got[i].w != want.w;
  }
  std::printf("fetched: %d of 300 differ\n", differ);

  cudaArray_t layered;
  cudaMalloc3DArray(&layered, &format, make_cudaExtent(16, 16, 4), cudaArrayLayered);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), 16 * 4, 16, 16);
  copy.dstArray = layered;
  copy.extent = make_cudaExtent(16, 16, 4);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc of_layered = {};
  of_layered.resType = cudaResourceTypeArray;
  of_layered.res.array.array = layered;
  cudaTextureObject_t layers;
  cudaCreateTextureObject(&layers, &of_layered, &element, nullptr);
  of_layers<<<4, dim3(16, 16)>>>(out, layers);
  cudaMemcpy(back.data(), out, 1024 * 4, cudaMemcpyDeviceToHost);
  differ = 0;
  for (int i = 0; i < 1024; ++i) differ += back[i] != texels[i];
  std::printf("layers: %d of 1024 differ\n", differ);

  cudaDestroyTextureObject(texture);
  cudaDestroyTextureObject(numbers);
  cudaDestroyTextureObject(layers);
  cudaFreeArray(array);
  cudaFreeArray(layered);
  cudaFree(out);
  cudaFree(memory);
  cudaFree(fetched_to);
}
