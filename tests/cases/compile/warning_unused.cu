// Compiles; the warning is kept.
__global__ void k(int* a) {
  int unused;  // expect: warning:7 variable "unused" was declared but never referenced // by clang: warning:7 unused variable 'unused'
  a[0] = 1;
}
// expect kernel: k(int* a)
// clang differs: in its words.
