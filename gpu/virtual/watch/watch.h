// Watch: turns a launch's events into findings. One detector a file; each hears only the events it needs.
//
//     Watch watch(request.observe, limits);
//     vm.run(…, watch.observer());          // nullptr when nothing is to be watched
//     watch.report_to(report);              // findings in the order of first sight, the three-states, the trace
#pragma once

#include <memory>

#include "gpu/device.h"
#include "gpu/report.h"
#include "gpu/virtual/vm/observer.h"

namespace warpbook::gpu::watch {

class Watch {
 public:
  Watch(const Observe& observe, const Limits& limits);
  ~Watch();

  [[nodiscard]] vm::Observer* observer();
  /// complete: the launch ran to its end. Else what was not found is `incomplete`, never `none_found`.
  void report_to(LaunchReport& report, bool complete = true);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpbook::gpu::watch
