int total = 0;  // expect: error:5 considered a host variable // by clang: note:5 host variable declared here
__global__ void k() {
  atomicAdd(&total, 1);  // expect: warning address of a host variable "total" // by clang: error:14 considered a host variable
}
// expect message: total lies in the host's memory
// clang differs: it names the use, and the variable in a note.
