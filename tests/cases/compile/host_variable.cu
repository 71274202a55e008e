int total = 0;  // expect: error:5 considered a host variable
__global__ void k() {
  atomicAdd(&total, 1);  // expect: warning address of a host variable "total"
}
// expect message: total lies in the host's memory
