// CUB's reductions and scans of a block and of a warp: whole blocks, a last warp that is not full, several dimensions, few values.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

struct Pair {
  int key, place;
};
struct Larger {
  __device__ Pair operator()(const Pair& a, const Pair& b) const { return b.key > a.key ? b : a; }
};
struct Most {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <int X, int Y>
__device__ void sums(int value, int* out) {
  using Reduce = cub::BlockReduce<int, X, cub::BLOCK_REDUCE_WARP_REDUCTIONS, Y>;
  using Scan = cub::BlockScan<int, X, cub::BLOCK_SCAN_WARP_SCANS, Y>;
  __shared__ typename Reduce::TempStorage a;
  __shared__ typename Scan::TempStorage b;
  const int all = Reduce(a).Sum(value);
  __syncthreads();
  const int some = Reduce(a).Sum(value, 40);
  __syncthreads();
  const int most = Reduce(a).Reduce(value, Most());
  int before = 0, up_to_me = 0, whole = 0;
  Scan(b).ExclusiveSum(value, before, whole);
  __syncthreads();
  Scan(b).InclusiveScan(value, up_to_me, Most());
  if (value == 0) out[0] = all, out[1] = some, out[2] = most, out[3] = whole;
  if (value == 47) out[4] = before, out[5] = up_to_me;
}

extern "C" __global__ void blocks(int* out, int* pairs, int* warps) {
  const int t = threadIdx.x + 16 * threadIdx.y;
  sums<16, 3>(t, out);
  __syncthreads();
  __shared__ typename cub::BlockReduce<Pair, 16, cub::BLOCK_REDUCE_RAKING, 3>::TempStorage place;
  const Pair best = cub::BlockReduce<Pair, 16, cub::BLOCK_REDUCE_RAKING, 3>(place).Reduce(Pair{t * 5 % 48, t}, Larger());
  if (t == 0) pairs[0] = best.key, pairs[1] = best.place;
  if (t < 32) {
    __shared__ typename cub::WarpReduce<int, 8>::TempStorage of_eight[4];
    __shared__ typename cub::WarpScan<int>::TempStorage of_warp;
    const int eight = cub::WarpReduce<int, 8>(of_eight[t / 8]).Sum(t);
    int before = 0;
    cub::WarpScan<int>(of_warp).ExclusiveSum(t, before);
    if (t % 8 == 0) warps[t / 8] = eight;
    if (t == 31) warps[4] = before;
  }
}
// launch: blocks --grid 1 --block 16,3 --arg int32[6]=0,… --arg int32[2]=0,… --arg int32[5]=0,…
// expect: arg 0 = 1128 780 47 1128 1081 47
// expect: arg 1 = 47 19
// expect: arg 2 = 28 92 156 220 465
