// Orders: one launch under several seeds, each in an order of its own, and what was found in all of them as one report. A race that
// depends on who comes first (behind a lock, a flag, a comparison) shows in some orders only.
//
//     const auto variables = KeptVariables::of(device, program);     // __device__ variables, as they are before
//     JoinedOrders joined;
//     for (std::uint64_t seed = 1; seed <= 8 && joined.go_on(); ++seed) {
//       variables->put_back(device);
//       joined.add(launch_afresh(seed));            // arrays made anew
//     }
//     LaunchReport report = joined.take();          // report.orders 8; finding.orders: in how many of them it was seen
//
// Each distinct finding is kept once, as it was seen first: the same kind, lines, space and buffer. A kind of which one order found
// something is `observed`; where one order was stopped and none found anything, `incomplete`. Numbers, trace and history are the
// first order's. The first order that fails ends it, and its status and message are the report's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/device.h"

namespace warpbook::gpu {

/// What a program's variables hold, to be put back where a launch has changed it.
class KeptVariables {
 public:
  [[nodiscard]] static Result<KeptVariables> of(Device& device, ProgramPtr program);
  [[nodiscard]] Result<void> put_back(Device& device) const;

 private:
  ProgramPtr program_;
  std::vector<std::vector<std::byte>> bytes_;  // of Program::variables
};

class JoinedOrders {
 public:
  void add(LaunchReport report);
  [[nodiscard]] bool go_on() const { return count_ == 0 || joined_.ok(); }
  [[nodiscard]] LaunchReport take() { return std::move(joined_); }

 private:
  LaunchReport joined_;
  std::uint32_t count_ = 0;
};

}  // namespace warpbook::gpu
