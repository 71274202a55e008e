// What is made of a host library's types is the host's: a typedef, a struct with a member of that type.
// also by nvcc
// expect kernel: counted(uint32_t* out)
// expect left out: <sys/time.h>
// expect left out: <thread>
// expect left out: moment
// expect left out: Stopwatch
// expect left out: since()
// expect left out: main()
// expect left out by clang: <sys/time.h>
// expect left out by clang: <thread>
// expect left out by clang: since()
// expect left out by clang: main()
// clang differs: it compiles the host's types with the rest.
#include <sys/time.h>
#include <thread>
typedef timeval moment;
struct Stopwatch { moment begun; };
double since(const Stopwatch& watch) { return double(watch.begun.tv_sec); }

__global__ void counted(uint32_t* out) { out[threadIdx.x] = threadIdx.x; }

int main() { counted<<<1, 32>>>(nullptr); }
