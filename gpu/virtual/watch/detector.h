// Detector: one kind of defect, listening. It hears vm events, notes findings as it goes, and may add some at the end.
//
//     class Barriers : public Detector { void on_misuse(const vm::Misuse&) override; … };
//
// Add one: a file pair here, a row in watch.cpp's table that says which events it hears, cases in tests/cases/findings/.
#pragma once

#include <cstdint>
#include <map>

#include "gpu/report.h"
#include "gpu/virtual/vm/observer.h"
#include "gpu/virtual/watch/findings.h"
#include "gpu/virtual/watch/launch_context.h"

namespace warpbook::gpu::watch {

using CountsByLine = std::map<std::uint32_t, LineCounts>;

class Detector : public vm::Observer {
 public:
  Detector(const LaunchContext& context, Findings& findings) : context_(context), findings_(findings) {}

  /// The launch has ended: complete the sentences (totals), judge the figures.
  virtual void finish() {}

  /// Adds what could not be watched to the end, and why.
  virtual void add_to(std::vector<Message>& /*remarks*/) const {}

  /// Adds what was counted to its source lines. Line 0 takes what belongs to none.
  virtual void add_to(CountsByLine&) const {}

 protected:
  const LaunchContext& context_;  // begun before on_launch reaches the detector
  Findings& findings_;
};

}  // namespace warpbook::gpu::watch
