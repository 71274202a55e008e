// launch: stop --grid 1 --block 32 --arg int32[1]=0
// status: cudaErrorLaunchFailure
// says: Line 5 executed a trap: the program stopped itself.
extern "C" __global__ void stop(int* out) {
  if (out[0] == 0) __trap();
  out[0] = 1;
}
