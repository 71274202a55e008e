// ObservingDevice: a device that makes all observations whenever it is asked for some.
//
//     ObservingDevice observing(*device);
//     lessons::Host host(observing, …);            // the lesson runs as usual; its report has all observations
//
// A launch with observations has all kinds of them, and so has the first launch of each kernel. Further launches of a kernel (trials,
// steps) run as they were asked for, because a look inside would take minutes otherwise. The other device must outlive this one.
#pragma once

#include <set>
#include <string>

#include "app/worker/forwarding_device.h"

namespace warpbook::app {

class ObservingDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  [[nodiscard]] gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job* job) override {
    const bool first = seen_.insert(request.kernel).second;
    if (!first && !request.observe.any()) return to().launch(request, job);
    gpu::LaunchRequest watched = request;
    gpu::Observe all = gpu::Observe::all();
    all.trace = request.observe.trace;
    all.trace_shared = request.observe.trace_shared;
    all.trace_limit = request.observe.trace_limit;
    watched.observe = std::move(all);
    return to().launch(watched, job);
  }

 private:
  std::set<std::string> seen_;  // kernels that were launched
};

}  // namespace warpbook::app
