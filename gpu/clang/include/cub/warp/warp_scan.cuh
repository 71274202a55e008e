// cub::WarpScan: each lane has the result of the values up to its own, or of those before it.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <warpbook/cub_warp.h>

namespace cub {

template <class T, int Lanes = 32>
class WarpScan {
 public:
  struct TempStorage {};
  WARPBOOK_DEVICE explicit WarpScan(TempStorage&) {}
  template <class Op>
  WARPBOOK_DEVICE void InclusiveScan(T value, T& result, Op op) { result = warpbook_cub::scan_lanes(value, op, mask(), Lanes); }
  template <class Op>
  WARPBOOK_DEVICE void ExclusiveScan(T value, T& result, T first, Op op) {
    const T before = warpbook_cub::from_lane_before(warpbook_cub::scan_lanes(value, op, mask(), Lanes), mask(), Lanes);
    result = warpbook_cub::lane() % Lanes == 0 ? first : op(first, before);
  }
  WARPBOOK_DEVICE void InclusiveSum(T value, T& result) { InclusiveScan(value, result, cub::Sum()); }
  WARPBOOK_DEVICE void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T(0), cub::Sum()); }

 private:
  static WARPBOOK_DEVICE unsigned int mask() { return warpbook_cub::lanes_from(warpbook_cub::lane() / Lanes * Lanes, Lanes); }
};

}  // namespace cub

#include <warpbook/letters_back.h>
