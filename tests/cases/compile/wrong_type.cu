__global__ void k(int* a) {
  a[0] = "one";  // expect: error:8 a value of type "const char *" cannot be assigned to an entity of type "int"
}
