// launch: count --grid 1 --block 32 --arg int32[1]=0
// status: cudaErrorLaunchFailure
// says: such as an atomic on a variable of the thread's own
// The compiler knows that it cannot be done, and puts a trap in its place.
extern "C" __global__ void count(int* out) {
  int c = 0;
  atomicAdd(&c, 1);
  out[0] = c;
}
