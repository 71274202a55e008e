// assert names itself, its line and its function.
#include <cassert>
extern "C" __global__ void claim(int* a) { assert(a[0] == 4); }
// launch: claim --grid 1 --block 1 --arg int32[1]=5
// status: cudaErrorAssert
// says: a[0] == 4
