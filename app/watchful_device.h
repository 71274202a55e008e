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

#include "gpu/device.h"

namespace warpbook::app {

class WatchfulDevice final : public gpu::Device {
 public:
  explicit WatchfulDevice(gpu::Device& device) : device_(device) {}

  [[nodiscard]] const gpu::DeviceInfo& info() const override { return device_.info(); }
  [[nodiscard]] tl::expected<gpu::ProgramPtr, gpu::CompileFailure> compile(const gpu::Source& source) override {
    return device_.compile(source);
  }
  [[nodiscard]] Result<gpu::Buffer> allocate(const gpu::Array& array) override { return device_.allocate(array); }
  [[nodiscard]] Result<gpu::Buffer> allocate_mapped(const gpu::Array& array) override { return device_.allocate_mapped(array); }
  void release(const gpu::Buffer& buffer) override { device_.release(buffer); }
  [[nodiscard]] Result<void> write(const gpu::Buffer& buffer, std::span<const std::byte> bytes) override {
    return device_.write(buffer, bytes);
  }
  [[nodiscard]] Result<void> read(const gpu::Buffer& buffer, std::span<std::byte> bytes) override {
    return device_.read(buffer, bytes);
  }
  [[nodiscard]] Result<void> fill(const gpu::Buffer& buffer, gpu::Scalar value) override { return device_.fill(buffer, value); }
  [[nodiscard]] std::span<std::byte> mapped(const gpu::Buffer& buffer) override { return device_.mapped(buffer); }

  [[nodiscard]] std::string lost() const override { return device_.lost(); }
  [[nodiscard]] gpu::GraphicsInterop* graphics() override { return device_.graphics(); }

  [[nodiscard]] gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job* job) override {
    const bool first = seen_.insert(request.kernel).second;
    if (!first && !request.observe.any()) return device_.launch(request, job);
    gpu::LaunchRequest watched = request;
    gpu::Observe all = gpu::Observe::all();
    all.trace = request.observe.trace;
    all.trace_shared = request.observe.trace_shared;
    all.trace_limit = request.observe.trace_limit;
    watched.observe = std::move(all);
    return device_.launch(watched, job);
  }

 private:
  gpu::Device& device_;
  std::set<std::string> seen_;  // kernels that were launched
};

}  // namespace warpbook::app
