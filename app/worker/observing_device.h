// WatchfulDevice: a device that looks for everything whenever it is asked to look for something.
//
//     WatchfulDevice watchful(*device);
//     lessons::Host host(watchful, …);             // the lesson runs as ever; its report has all seven observations
//
// What a lesson watches is watched for every kind of finding, and so is the first launch of each kernel; the launches that it
// repeats (trials, steps) run as they were asked to, or a look inside would take minutes. The device must outlive it.
#pragma once

#include <set>
#include <string>

#include "app/worker/forwarding_device.h"

namespace warpbook::app {

class WatchfulDevice final : public ForwardingDevice {
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
