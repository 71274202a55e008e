// A beginner's index: threadIdx has three parts.
__global__ void number(int* out, int n) {
  int i = threadIdx;  // expect: error no suitable conversion function from "const uint3" // by clang: error no viable conversion
  if (i < n) out[i] = i;
}
// expect message: index_without_part.cu line 3: threadIdx has the parts x, y and z, and is no number itself. Write threadIdx.x in
// expect message by clang: index_without_part.cu line 3: threadIdx has the parts x, y and z, and is no number itself. Write threadIdx.x in
// clang differs: it words the error in another way
