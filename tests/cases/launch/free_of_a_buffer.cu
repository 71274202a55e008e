extern "C" __global__ void wrong(int* data) { free(data); }
// launch: wrong --grid 1 --block 1 --arg int32[4]=0
// status: cudaErrorIllegalAddress
// says: which malloc did not return
