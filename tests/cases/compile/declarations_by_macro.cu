// Macros that open and close `extern "C"` are no part of the declarations beside them; nor is one that stands for nothing.
// also by nvcc
// expect kernel: copied(const element* from, element* to, const size_t n)
// expect left out: on_the_host()
#include <stddef.h>
#define C_BEGINS extern "C" {
#define C_ENDS }
#define EXPORTED
typedef double element;
C_BEGINS
EXPORTED void on_the_host(const element* from, const size_t n);
C_ENDS
typedef void (*kernel_pointer)(const element* from, element* to, const size_t n);
typedef struct { const char* name; kernel_pointer run; } named_kernel;

__global__ void copied(const element* from, element* to, const size_t n) {
  if (threadIdx.x < n) to[threadIdx.x] = from[threadIdx.x];
}
