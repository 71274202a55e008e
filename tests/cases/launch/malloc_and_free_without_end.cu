// Each turn of the loop is a few instructions, but some of them take long.
__global__ void endless(unsigned n) {
  for (unsigned turn = 0; turn < n; ++turn) {
    char* const p = static_cast<char*>(malloc(1 + turn % 4096));
    if (p) *p = 1;
    free(p);
  }
}
// launch: endless --grid 40 --block 256 --arg uint32=4000000000
// status: cudaErrorLaunchTimeout
