// Merged reports: one launch is repeated with several seeds, each of which gives another order of blocks and warps, and all
// findings become one report. Some races show only in some orders: those that depend on who comes first at a lock, a flag or a
// comparison.
//
//     const auto variables = SavedVariables::of(device, program);     // __device__ variables, as they are before
//     MergedReports merged;
//     for (std::uint64_t seed = 1; seed <= 8 && merged.wants_more(); ++seed) {
//       variables->restore(device);
//       merged.add(launch_afresh(seed));            // arrays made anew
//     }
//     LaunchReport report = merged.take();          // report.orders 8; finding.orders: in how many of them it was seen
//
// A finding that occurs in several reports is kept once, as first seen; findings are equal if their kind, lines, space and buffer
// are. A kind is `observed` if any launch found something. Otherwise it is `incomplete` if any launch was stopped. Numbers, trace
// and history are those of the first launch. The first launch that fails ends the series, and its status and message are the
// report's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/device.h"

namespace warpbook::gpu {

/// The values of a program's variables, so that they can be restored after a launch.
class SavedVariables {
 public:
  [[nodiscard]] static Result<SavedVariables> of(Device& device, ProgramPtr program);
  [[nodiscard]] Result<void> restore(Device& device) const;

 private:
  ProgramPtr program_;
  std::vector<std::vector<std::byte>> bytes_;  // parallel to Program::variables
};

class MergedReports {
 public:
  void add(LaunchReport report);
  [[nodiscard]] bool wants_more() const { return count_ == 0 || merged_.ok(); }
  [[nodiscard]] LaunchReport take() { return std::move(merged_); }

 private:
  LaunchReport merged_;
  std::uint32_t count_ = 0;
};

}  // namespace warpbook::gpu
