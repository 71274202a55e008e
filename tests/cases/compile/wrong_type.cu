__global__ void k(int* a) {
  a[0] = "one";  // expect: error:8 a value of type "const char *" cannot be assigned to an entity of type "int" // by clang: error:10 assigning to 'int' from incompatible type 'const char[4]'
}
// clang differs: in its words, and it points at the value.
