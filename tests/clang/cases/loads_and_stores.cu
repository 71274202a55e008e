// Loads and stores with a stated use of the caches.
extern "C" __global__ void copy(const float* in, float* out, const int2* pairs, int2* pairs_out, const unsigned char* bytes,
                                unsigned char* bytes_out) {
  const int i = threadIdx.x;
  out[i] = __ldg(in + i) + __ldca(in + i) + __ldcg(in + i) + __ldcs(in + i) + __ldcv(in + i);
  const int2 p = __ldg(pairs + i);
  __stcs(pairs_out + i, make_int2(p.y, p.x));
  __stwt(bytes_out + i, __ldg(bytes + i));
  const float4 four = __ldg((const float4*)in);
  if (i == 0) __stcg(out + 4, four.w);
}
// launch: copy --grid 1 --block 4 --arg float32[4]=1,2,3,4 --arg float32[5]=0 --arg int32[8]=iota --arg int32[8]=0 --arg uint8[4]=200,2,3,4 --arg uint8[4]=0
// expect: arg 1 = 5 10 15 20 4
// expect: arg 3 = 1 0 3 2 5 4 7 6
// expect: arg 5 = 200 2 3 4
