// FakeDevice: a Device for tests of what only talks to one. It keeps memory and plays back what a test scripted.
//
//     FakeDevice device;
//     device.on_launch = [](const gpu::LaunchRequest& request, FakeDevice&) { return ok_report(request, 10.0); };
//     Host host(device, {.kernel_file = "k.cu", .kernel_text = "__global__ void k() {}"});
//
// compile() "finds" every name that follows `__global__ void `, and fails on a text that contains `#error`.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/streams.h"

namespace warpbook::lessons::testing {

inline gpu::LaunchReport ok_report(const gpu::LaunchRequest& request, double model_us) {
  gpu::LaunchReport report;
  report.kernel = request.kernel;
  report.grid = request.grid;
  report.block = request.block;
  report.model_us = model_us;
  report.cycles = static_cast<std::uint64_t>(model_us * 1000);  // a device of 1 GHz
  return report;
}

class FakeDevice final : public gpu::Device {
 public:
  FakeDevice() {
    info_.id = "fake";
    info_.name = "Fake";
    info_.is_model = true;
    info_.clock_mhz = 1000;
    info_.memory_gb_per_s = 100;
    info_.launch_overhead_us = 5;
    info_.pcie_gb_per_s = 10;
  }

  std::function<gpu::LaunchReport(const gpu::LaunchRequest&, FakeDevice&)> on_launch;
  int compiles = 0;
  std::vector<gpu::LaunchRequest> launches;
  gpu::DeviceInfo info_;
  gpu::Streams* streams_ = nullptr;  // a test's own

  template <class T>
  [[nodiscard]] std::span<T> memory(const gpu::Argument& argument) {
    std::vector<std::byte>& bytes = memory_.at(std::get<gpu::Buffer>(argument).id);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  [[nodiscard]] std::size_t live_buffers() const { return memory_.size(); }

  [[nodiscard]] const gpu::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] tl::expected<gpu::ProgramPtr, gpu::CompileFailure> compile(const gpu::Source& source) override {
    ++compiles;
    if (source.text.find("#error") != std::string::npos) {
      gpu::CompileFailure failed;
      failed.message = "The kernel does not compile.";
      failed.diagnostics.push_back({.file = source.file, .line = 3, .column = 1, .message = "as the test asked"});
      return tl::unexpected<gpu::CompileFailure>(std::move(failed));
    }
    auto program = std::make_shared<gpu::Program>();
    program->id = static_cast<std::uint64_t>(compiles);
    program->source = source;
    const std::string before = "__global__ void ";
    for (auto at = source.text.find(before); at != std::string::npos; at = source.text.find(before, at + 1)) {
      gpu::Kernel kernel;
      kernel.name = kernel.entry = source.text.substr(at + before.size(), source.text.find('(', at) - at - before.size());
      program->kernels.push_back(kernel);
    }
    return program;
  }
  [[nodiscard]] Result<gpu::Buffer> allocate(const gpu::Array& array) override {
    const gpu::Buffer buffer{++last_id_, array};
    memory_[buffer.id].resize(array.bytes());
    return buffer;
  }
  void release(const gpu::Buffer& buffer) override { memory_.erase(buffer.id); }
  [[nodiscard]] Result<void> write(const gpu::Buffer& buffer, std::span<const std::byte> bytes) override {
    std::memcpy(memory_.at(buffer.id).data(), bytes.data(), bytes.size());
    return {};
  }
  [[nodiscard]] Result<void> read(const gpu::Buffer& buffer, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), memory_.at(buffer.id).data(), bytes.size());
    return {};
  }
  [[nodiscard]] Result<void> fill(const gpu::Buffer& buffer, gpu::Scalar value) override {
    std::vector<std::byte>& bytes = memory_.at(buffer.id);
    const std::size_t size = gpu::size_of(value.type);
    for (std::size_t at = 0; at + size <= bytes.size(); at += size) std::memcpy(&bytes[at], &value.bits, size);
    return {};
  }
  [[nodiscard]] std::span<std::byte> mapped(const gpu::Buffer& buffer) override { return memory_.at(buffer.id); }
  [[nodiscard]] gpu::Streams* streams() override { return streams_; }
  [[nodiscard]] gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job*) override {
    launches.push_back(request);
    return on_launch ? on_launch(request, *this) : ok_report(request, 1.0);
  }

 private:
  std::map<gpu::BufferId, std::vector<std::byte>> memory_;
  gpu::BufferId last_id_ = 0;
};

}  // namespace warpbook::lessons::testing
