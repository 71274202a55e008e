// Hardware: the virtual GPU, answering as an NVIDIA GPU would: results, but nothing of what the threads did, and drawing by a copy.
//
//     auto device = std::make_unique<Hardware>(std::move(*open_device(compiler, {})));
//     auto faulty = std::make_unique<Hardware>(std::move(*other), true);          // every launch ends in cudaErrorIllegalAddress
//     auto lost = std::make_unique<Hardware>(std::move(*third), true, "It is lost.");   // … and the device is lost then
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda/interop.h"
#include "gpu/device.h"

namespace warpbook::test {

class Hardware final : public gpu::Device {
 public:
  explicit Hardware(std::unique_ptr<gpu::Device> device, bool faulty = false, std::string lost_then = {})
      : device_(std::move(device)), interop_(*device_), faulty_(faulty), lost_then_(std::move(lost_then)) {
    info_ = device_->info();
    info_.id = "cuda";
    info_.name = "NVIDIA H200";
    info_.is_model = false;
  }
  const gpu::DeviceInfo& info() const override { return info_; }
  tl::expected<gpu::ProgramPtr, gpu::CompileFailure> compile(const gpu::Source& source) override {
    return device_->compile(source);
  }
  Result<gpu::Buffer> allocate(const gpu::Array& array) override { return device_->allocate(array); }
  void release(const gpu::Buffer& buffer) override {
    interop_.detach(buffer);
    device_->release(buffer);
  }
  Result<void> write(const gpu::Buffer& buffer, std::span<const std::byte> bytes) override { return device_->write(buffer, bytes); }
  Result<void> read(const gpu::Buffer& buffer, std::span<std::byte> bytes) override { return device_->read(buffer, bytes); }
  Result<void> fill(const gpu::Buffer& buffer, gpu::Scalar value) override { return device_->fill(buffer, value); }
  std::span<std::byte> mapped(const gpu::Buffer&) override { return {}; }
  gpu::GraphicsInterop* graphics() override { return &interop_; }
  /// Of the arrays that are attached, beyond this device's life.
  std::shared_ptr<const std::set<gpu::BufferId>> attached() const { return interop_.attached; }
  gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job* job) override {
    gpu::LaunchRequest plain = request;
    plain.observe = {};
    plain.seed = 1;  // hardware has an order of its own
    gpu::LaunchReport report = device_->launch(plain, job);
    report.cycles.reset();
    report.lines.clear();
    if (faulty_) {
      lost_ = lost_then_;
      report.status = "cudaErrorIllegalAddress";
      report.message =
          as_it_is("A thread read or wrote an address that belongs to no array. Look inside shows which thread and where.");
    }
    return report;
  }
  std::string lost() const override { return lost_; }

 private:
  /// Drawing by a copy, as where another GPU renders.
  class Copying final : public gpu::GraphicsInterop {
   public:
    explicit Copying(gpu::Device& device) : device_(device) {}
    gpu::DrawPath examine() override { return path_; }
    Result<void> attach(const gpu::Buffer& buffer, unsigned) override {
      attached->insert(buffer.id);
      return {};
    }
    Result<std::span<const std::byte>> publish(const gpu::Buffer& buffer) override {
      std::vector<std::byte>& bytes = pinned_[buffer.id];
      bytes.resize(buffer.array.bytes());
      if (auto done = device_.read(buffer, bytes); !done) return failure(done.error());
      return std::span<const std::byte>(bytes);
    }
    void detach(const gpu::Buffer& buffer) override { attached->erase(buffer.id); }
    const gpu::DrawPath& path() const override { return path_; }

    std::shared_ptr<std::set<gpu::BufferId>> attached = std::make_shared<std::set<gpu::BufferId>>();

   private:
    gpu::Device& device_;
    std::map<gpu::BufferId, std::vector<std::byte>> pinned_;
    gpu::DrawPath path_{gpu::DrawPath::Kind::pinned_copy, "Drawn from a copy through pinned memory: another GPU draws."};
  };

  std::unique_ptr<gpu::Device> device_;
  Copying interop_;
  gpu::DeviceInfo info_;
  bool faulty_;
  std::string lost_then_, lost_;
};

}  // namespace warpbook::test
