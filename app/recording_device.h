// RecordingDevice: a device that keeps every step of the first launch of each kernel.
//
//     RecordingDevice recording(*device);
//     lessons::Host host(recording, …);            // the lesson runs as ever
//     for (const Steps::Launch& launch : recording.launches()) …
//
// The launches that a lesson repeats (trials, steps) run as they were asked to. The device must outlive it.
#pragma once

#include <algorithm>
#include <vector>

#include "app/forwarding_device.h"
#include "app/panels/steps.h"

namespace warpbook::app {

class RecordingDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  [[nodiscard]] gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job* job) override {
    const bool seen =
        std::any_of(launches_.begin(), launches_.end(), [&](const auto& launch) { return launch.kernel == request.kernel; });
    if (seen) return to().launch(request, job);
    gpu::LaunchRequest recorded = request;
    recorded.observe.history = gpu::Observe::history_bytes;
    gpu::LaunchReport report = to().launch(recorded, job);
    if (report.history && !report.history->steps().empty())
      launches_.push_back({.kernel = request.kernel,
                           .name = report.kernel,
                           .block = request.block,
                           .clocked = request.schedule == gpu::Schedule::clock,
                           .history = report.history});
    return report;
  }

  [[nodiscard]] const std::vector<Steps::Launch>& launches() const { return launches_; }

 private:
  std::vector<Steps::Launch> launches_;
};

}  // namespace warpbook::app
