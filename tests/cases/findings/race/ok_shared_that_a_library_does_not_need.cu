// Nobody stores to `scratch` in the source: that the compiler leaves it out is no news.
// launch: copy --grid 1 --block 64 --arg int32[64]=iota --arg int32[64]=zeros
// expect: clean
struct Scratch {
    int place[4];
};
__device__ int same(int value, Scratch&) { return value; }
__global__ void copy(const int* in, int* out)
{
    __shared__ Scratch scratch;
    out[threadIdx.x] = same(in[threadIdx.x], scratch);
}
