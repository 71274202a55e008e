// cub::WarpReduce: lane 0 of each group of lanes has the group's result.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <warpbook/cub_warp.h>

namespace cub {

template <class T, int Lanes = 32>
class WarpReduce {
 public:
  struct TempStorage {};
  WARPBOOK_DEVICE explicit WarpReduce(TempStorage&) {}
  template <class Op>
  WARPBOOK_DEVICE T Reduce(T value, Op op, int valid = Lanes) {
    const unsigned int mask = warpbook_cub::lanes_from(warpbook_cub::lane() / Lanes * Lanes, Lanes);
    return warpbook_cub::reduce_lanes(value, op, mask, Lanes, valid);
  }
  WARPBOOK_DEVICE T Sum(T value, int valid = Lanes) { return Reduce(value, cub::Sum(), valid); }
};

}  // namespace cub

#include <warpbook/letters_back.h>
