// Orders: one launch under several seeds, each in an order of its own, and what was found in all of them as one report. A race that
// depends on who comes first (behind a lock, a flag, a comparison) shows in some orders only.
//
//     JoinedOrders joined;
//     for (std::uint64_t seed = 1; seed <= 8 && joined.go_on(); ++seed) joined.add(launch_afresh(seed));   // inputs made anew
//     LaunchReport report = joined.take();          // report.orders 8; finding.orders: in how many of them it was seen
//
// Each distinct finding is kept once, as it was seen first: the same kind, lines, space and buffer. A kind of which one order found
// something is `observed`; where one order was stopped and none found anything, `incomplete`. Numbers, trace and history are the
// first order's. The first order that fails ends it, and its status and message are the report's.
#pragma once

#include <cstdint>
#include <utility>

#include "gpu/report.h"

namespace warpbook::gpu {

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
