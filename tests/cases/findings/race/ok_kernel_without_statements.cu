// There is nothing that the compiler could have removed.
// launch: nothing --grid 2 --block 64 --arg int32[64]=iota
// expect: clean
__global__ void nothing(int* out)
{
    // Nothing yet.
    return;
}
