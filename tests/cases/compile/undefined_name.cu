// A name that nobody declared: the column is where the name begins.
__global__ void add(const int* a, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + offset;  // expect: error:30 identifier "offset" is undefined
  out[i] = twice(3);                  // expect: error:12 identifier "twice" is undefined
}
// expect message: undefined_name.cu line 4: offset is not declared here.
// expect message: (1 more error below.)
