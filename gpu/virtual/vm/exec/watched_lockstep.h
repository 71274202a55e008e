// Watched lockstep: the warps of a watched block execute together what the observer hears nothing of, from one barrier to the next.
//
//     if (enter_lockstep(lockstep, {&block, 1})) result = run_watched_lockstep(lockstep, first);
//
// The observer hears the same events in the same order as if the warps had run one after the other, since lockstep goes on only as
// long as this is certain. What is told (requests to memory above all) may stand between a Flow::skip and its target, where warps
// take turns, if nothing more is told before the next barrier. Before anything else, lockstep ends.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/virtual/vm/code/code.h"
#include "gpu/virtual/vm/exec/lockstep.h"

namespace warpbook::gpu::vm {

struct Worker;

/// Where a kernel's instructions tell nothing, by index in Code::insts.
class QuietPaths {
 public:
  QuietPaths() = default;
  explicit QuietPaths(const Code& code);
  [[nodiscard]] const Code* code() const { return code_; }
  /// So many plain instructions from here on compute from registers alone.
  [[nodiscard]] std::uint32_t quiet_from(std::uint32_t at) const { return quiet_[at]; }
  /// Whichever way a warp goes from here, nothing is told before it comes to a barrier of its block, or to its end.
  [[nodiscard]] bool quiet_until_barrier(std::uint32_t at) const { return !told_before_barrier_[at]; }

  /// Is it worth while to try lockstep here? Where it came to no barrier the last few times, seldom.
  [[nodiscard]] bool is_worth_trying(std::uint32_t at);
  void tried(std::uint32_t at, bool well) { failures_[at] = well ? 0 : failures_[at] + 1; }

 private:
  const Code* code_ = nullptr;
  std::vector<std::uint32_t> quiet_;
  std::vector<bool> told_before_barrier_;
  std::vector<std::uint32_t> failures_;
};

/// May this worker's blocks run so at all?
[[nodiscard]] bool may_run_watched_lockstep(const Worker& worker);

/// From behind a barrier on. first: of the lockstep's warps, the one whose turn it is; they take turns in the order of their
/// numbers, round and round.
[[nodiscard]] LockstepResult run_watched_lockstep(Lockstep& lockstep, std::uint32_t& first);

}  // namespace warpbook::gpu::vm
