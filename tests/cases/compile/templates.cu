// A template has kernels only where it is instantiated; its types are then the resolved ones.
template <class T, int Scale = 2>
__global__ void scale(T* x, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor * T(Scale);
}
namespace image {
template <class T>
__global__ void clear(T* pixels) {
  pixels[threadIdx.x] = T{};
}
}  // namespace image
// instantiate: scale<float>
// instantiate: scale< double,4 >
// instantiate: image::clear<unsigned char>
// expect kernel: scale<float>(float* x, float factor, int n)
// expect kernel: scale<double, 4>(double* x, double factor, int n)
// expect kernel: image::clear<unsigned char>(unsigned char* pixels)
