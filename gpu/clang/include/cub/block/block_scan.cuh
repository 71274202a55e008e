// cub::BlockScan: each thread has the result of the values up to its own, or of those before it.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <warpbook/cub_warp.h>

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
  static constexpr int threads = X * Y * Z, warps = (threads + 31) / 32;

 public:
  struct TempStorage {
    T of_warp[warps];
  };
  WARPBOOK_DEVICE BlockScan() : place_(own()) {}
  WARPBOOK_DEVICE explicit BlockScan(TempStorage& place) : place_(place) {}

  template <class Op>
  WARPBOOK_DEVICE void InclusiveScan(T value, T& result, Op op, T& all) {
    T before;
    const bool first = scan(value, before, op, all);
    result = first ? value : op(before, value);
  }
  template <class Op>
  WARPBOOK_DEVICE void InclusiveScan(T value, T& result, Op op) {
    T all;
    InclusiveScan(value, result, op, all);
  }
  template <class Op>
  WARPBOOK_DEVICE void ExclusiveScan(T value, T& result, T begin, Op op, T& all) {
    T before;
    const bool first = scan(value, before, op, all);
    result = first ? begin : op(begin, before);
    all = op(begin, all);
  }
  template <class Op>
  WARPBOOK_DEVICE void ExclusiveScan(T value, T& result, T begin, Op op) {
    T all;
    ExclusiveScan(value, result, begin, op, all);
  }
  WARPBOOK_DEVICE void InclusiveSum(T value, T& result) { InclusiveScan(value, result, cub::Sum()); }
  WARPBOOK_DEVICE void InclusiveSum(T value, T& result, T& all) { InclusiveScan(value, result, cub::Sum(), all); }
  WARPBOOK_DEVICE void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(0), cub::Sum()); }
  WARPBOOK_DEVICE void ExclusiveSum(T value, T& result, T& all) { ExclusiveScan(value, result, T(0), cub::Sum(), all); }

 private:
  /// `before`: the result of the values of the threads before; true: there are none. `all`: that of the whole block.
  template <class Op>
  WARPBOOK_DEVICE bool scan(T value, T& before, Op op, T& all) {
    const int thread = (int)(threadIdx.x + X * (threadIdx.y + Y * threadIdx.z)), first = thread / 32 * 32;
    const int lanes = threads - first < 32 ? threads - first : 32;
    const unsigned int mask = warpbook_cub::lanes_from(0, lanes);
    const T up_to_me = warpbook_cub::scan_lanes(value, op, mask, 32);
    const T before_me = warpbook_cub::from_lane_before(up_to_me, mask, 32);
    if (thread == first + lanes - 1) place_.of_warp[first / 32] = up_to_me;
    __syncthreads();
    T of_warps = place_.of_warp[0];
    all = of_warps;
    for (int warp = 1; warp < warps; ++warp) {
      all = op(all, place_.of_warp[warp]);
      if (warp * 32 < first) of_warps = all;
    }
    before = first == 0 ? before_me : thread == first ? of_warps : op(of_warps, before_me);
    return thread == 0;
  }
  static WARPBOOK_DEVICE TempStorage& own() {
    __shared__ TempStorage place;
    return place;
  }
  TempStorage& place_;
};

}  // namespace cub

#include <warpbook/letters_back.h>
