// cub::BlockReduce: thread 0 has the result of the values of all threads of the block.
//
// Each warp comes to its result by shuffles, and thread 0 to that of the warps, which lie in shared memory. The algorithm that a
// program names changes nothing else.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <warpbook/cub_warp.h>

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
  static constexpr int threads = X * Y * Z, warps = (threads + 31) / 32;

 public:
  struct TempStorage {
    T of_warp[warps];
  };
  WARPBOOK_DEVICE BlockReduce() : place_(own()) {}
  WARPBOOK_DEVICE explicit BlockReduce(TempStorage& place) : place_(place) {}

  template <class Op>
  WARPBOOK_DEVICE T Reduce(T value, Op op, int valid = threads) {
    const int thread = (int)(threadIdx.x + X * (threadIdx.y + Y * threadIdx.z)), first = thread / 32 * 32;
    const int lanes = threads - first < 32 ? threads - first : 32;
    value = warpbook_cub::reduce_lanes(value, op, warpbook_cub::lanes_from(0, lanes), 32, valid - first < lanes ? valid - first : lanes);
    if (thread == first) place_.of_warp[first / 32] = value;
    __syncthreads();
    if (thread == 0)
      for (int warp = 1; warp < warps; ++warp)
        if (warp * 32 < valid) value = op(value, place_.of_warp[warp]);
    return value;
  }
  template <int N, class Op>
  WARPBOOK_DEVICE T Reduce(T (&values)[N], Op op) {
    T value = values[0];
    _Pragma("unroll") for (int i = 1; i < N; ++i) value = op(value, values[i]);
    return Reduce(value, op);
  }
  WARPBOOK_DEVICE T Sum(T value, int valid = threads) { return Reduce(value, cub::Sum(), valid); }
  template <int N>
  WARPBOOK_DEVICE T Sum(T (&values)[N]) { return Reduce(values, cub::Sum()); }

 private:
  static WARPBOOK_DEVICE TempStorage& own() {
    __shared__ TempStorage place;
    return place;
  }
  TempStorage& place_;
};

}  // namespace cub

#include <warpbook/letters_back.h>
