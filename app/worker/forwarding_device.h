// ForwardingDevice: a device that passes every call on to another one. The base class of devices that change a lesson's launches.
//
//     class Quiet : public ForwardingDevice { LaunchReport launch(…) override { … return to().launch(request, job); } };
//
// The other device must outlive this one.
#pragma once

#include "gpu/device.h"

namespace warpbook::app {

class ForwardingDevice : public gpu::Device {
 public:
  explicit ForwardingDevice(gpu::Device& device) : device_(device) {}

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
  [[nodiscard]] Result<void> write_variable(const gpu::ProgramPtr& program, const gpu::Variable& variable,
                                            std::span<const std::byte> bytes) override {
    return device_.write_variable(program, variable, bytes);
  }
  [[nodiscard]] Result<void> read_variable(const gpu::ProgramPtr& program, const gpu::Variable& variable,
                                           std::span<std::byte> bytes) override {
    return device_.read_variable(program, variable, bytes);
  }
  [[nodiscard]] std::span<std::byte> mapped(const gpu::Buffer& buffer) override { return device_.mapped(buffer); }
  [[nodiscard]] gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job* job) override {
    return device_.launch(request, job);
  }
  [[nodiscard]] std::string lost() const override { return device_.lost(); }
  [[nodiscard]] gpu::GraphicsInterop* graphics() override { return device_.graphics(); }
  [[nodiscard]] gpu::MatrixLibrary* matrix_library() override { return device_.matrix_library(); }

 protected:
  [[nodiscard]] gpu::Device& to() { return device_; }

 private:
  gpu::Device& device_;
};

}  // namespace warpbook::app
