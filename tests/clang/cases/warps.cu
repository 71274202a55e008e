// Shuffles of every type, votes, matches, masks.
extern "C" __global__ void talk(int* a, float* f, double* d, long long* l) {
  const int t = threadIdx.x;
  const unsigned int all = 0xffffffffu;
  a[t] = __shfl_sync(all, t, 5) + 100 * __shfl_up_sync(all, t, 1) + 10000 * __shfl_down_sync(all, t, 1, 8) +
         1000000 * __shfl_xor_sync(all, t, 1);
  f[t] = __shfl_sync(all, t + 0.5f, 31 - t);
  d[t] = __shfl_xor_sync(all, t + 0.25, 16);
  l[t] = __shfl_down_sync(all, (long long)t << 33, 4);
  int same = 1;
  same &= __ballot_sync(all, t < 4) == 0xfu;
  same &= __any_sync(all, t == 9) && !__all_sync(all, t == 9) && __all_sync(all, t < 32);
  same &= __activemask() == all;
  same &= __match_any_sync(all, t % 2) == (t % 2 ? 0xaaaaaaaau : 0x55555555u);
  int equal = 5;
  same &= __match_all_sync(all, t, &equal) == 0 && equal == 0;
  same &= __match_all_sync(all, 3.0f, &equal) == all && equal == 1;
  __syncwarp();
  same &= __syncthreads_count(t < 7) == 7 && __syncthreads_or(t == 3) && !__syncthreads_and(t == 3);
  if (!same) a[t] = -1;
}
// launch: talk --grid 1 --block 32 --arg int32[32]=0 --arg float32[32]=0 --arg float64[32]=0 --arg int64[32]=0
// expect: arg 0 = 1010005 20005 3030105 2040205 5050305 4060405 7070505 6070605 9090705 8100805 11110905 10121005 13131105 12141205 15151305 14151405 17171505 16181605 19191705 18201805 21211905 20222005 23232105 22232205 25252305 24262405 27272505 26282605 29292705 28302805 31312905 30313005
// expect: arg 1 = 31.5 30.5 29.5 28.5 27.5 26.5 25.5 24.5 23.5 22.5 21.5 20.5 19.5 18.5 17.5 16.5 15.5 14.5 13.5 12.5 11.5 10.5 9.5 8.5 7.5 6.5 5.5 4.5 3.5 2.5 1.5 0.5
// expect: arg 2 = 16.25 17.25 18.25 19.25 20.25 21.25 22.25 23.25 24.25 25.25 26.25 27.25 28.25 29.25 30.25 31.25 0.25 1.25 2.25 3.25 4.25 5.25 6.25 7.25 8.25 9.25 10.25 11.25 12.25 13.25 14.25 15.25
// expect: arg 3 = 34359738368 42949672960 51539607552 60129542144 68719476736 77309411328 85899345920 94489280512 103079215104 111669149696 120259084288 128849018880 137438953472 146028888064 154618822656 163208757248 171798691840 180388626432 188978561024 197568495616 206158430208 214748364800 223338299392 231928233984 240518168576 249108103168 257698037760 266287972352 240518168576 249108103168 257698037760 266287972352
