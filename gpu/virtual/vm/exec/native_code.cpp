#include "gpu/virtual/vm/exec/native_code.h"

#include <bit>
#include <utility>

namespace warpbook::gpu::vm {

const Inst* execute_skip(Warp& warp, const Inst& branch) {
  const Inst* const target = warp.insts + branch.target;
  const std::uint32_t stretch = target->pc - branch.pc - 1, all = warp.mask;
  const std::uint32_t taken = warp.lanes_where(branch.guard, branch.guard_negated);
  warp.executed->add(-std::uint64_t{stretch}, taken == all, static_cast<std::uint32_t>(std::popcount(taken)));
  if (taken == all) return target;
  warp.skip_lanes = all & ~taken;
  return finish_skip(warp, &branch + 1);
}

const Inst* finish_skip(Warp& warp, const Inst* at) {
  const Inst* branch = at - 1;
  while (branch->flow == Flow::plain) --branch;
  const Inst* const target = warp.insts + branch->target;
  const std::uint32_t all = warp.mask;
  warp.set_mask(std::exchange(warp.skip_lanes, 0));
  at = run_native(warp, at, target);
  warp.set_mask(all);
  return at;
}

}  // namespace warpbook::gpu::vm
