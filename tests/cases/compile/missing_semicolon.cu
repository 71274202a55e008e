// The compiler notices at the next word, one line further down.
__global__ void k(int* a) {
  int i = threadIdx.x  // expect: warning:7 variable "i" was declared but never referenced
  a[i] = 1;            // expect: error:3 expected a ";"
}
// expect message: missing_semicolon.cu line 4: expected a ";".
