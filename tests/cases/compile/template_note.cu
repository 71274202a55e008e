// The error is in the template; where it was instantiated follows as a note.
template <class T>
__device__ float length(T v) {
  return sqrtf(v.x);  // expect: error:16 expression must have class type but it has type "float" // by clang: error:17 member reference base type 'float' is not a structure or union
}
__global__ void k(float* out) {
  out[0] = length(out[1]);  // expect: note detected during instantiation of "float length(T) [with T=float]" // by clang: note detected during instantiation of function template specialization 'length<float>'
}
// clang differs: in its words, and it points at the dot.
