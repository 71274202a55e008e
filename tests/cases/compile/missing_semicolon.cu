// The compiler notices at the next word, one line further down.
__global__ void k(int* a) {
  int i = threadIdx.x  // expect: warning:7 variable "i" was declared but never referenced // by clang: error:22 expected ';'
  a[i] = 1;            // expect: error:3 expected a ";" // by clang: nothing
}
// expect message: missing_semicolon.cu line 4: a semicolon is missing before this line. Look at the end of line 3.
// expect message by clang: missing_semicolon.cu line 3: expected ';' at end of declaration.
// clang differs: it notices where the semicolon is missing, and goes on as if it were there.
