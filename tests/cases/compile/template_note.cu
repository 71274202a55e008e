// The error is in the template; where it was instantiated follows as a note.
template <class T>
__device__ float length(T v) {
  return sqrtf(v.x);  // expect: error:16 expression must have class type but it has type "float"
}
__global__ void k(float* out) {
  out[0] = length(out[1]);  // expect: note detected during instantiation of "float length(T) [with T=float]"
}
