// Nothing of what it computes is stored where somebody could read it.
// launch: twice --grid 1 --block 64 --arg int32[64]=iota
__global__ void twice(const int* in)  // expect: removed everything
{
    __shared__ int result;
    result = 2 * in[threadIdx.x + 32];
}
